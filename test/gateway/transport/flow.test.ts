/** A flow hands over what was pushed, in order and once, whatever the order in which both sides come. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Flow, type Source } from "../../../src/gateway/transport/flow.ts";

const RUNS = Number(process.env["PRECIS_TEST_RUNS"] ?? 500);
const KB = 1024;

function source(told: string[] = []): Source {
  return {
    start: () => void told.push("start"),
    pause: () => void told.push("pause"),
    resume: () => void told.push("resume"),
    cancel: () => void told.push("cancel"),
  };
}

async function drain(flow: Flow, into: Uint8Array[]): Promise<"end" | Error> {
  try {
    for await (const chunk of flow) into.push(chunk);
    return "end";
  } catch (error) {
    return error as Error;
  }
}

test("what is pushed comes out, then the end or the error", async () => {
  const steps = fc.array(fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 40 * KB }), fc.constant("rest" as const)));
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), fc.boolean(), async (made, fails, late) => {
      const told: string[] = [];
      const flow = new Flow(source(told));
      const out: Uint8Array[] = [];
      let reading = late ? undefined : drain(flow, out);
      for (const step of made) {
        if (step === "rest") await new Promise(setImmediate);
        else flow.push(step);
      }
      const failure = fails ? new Error("it broke off") : undefined;
      flow.end(failure);
      flow.push(new Uint8Array([1]));
      reading ??= drain(flow, out);
      expect(await reading).toBe(failure ?? "end");
      expect(Buffer.concat(out).equals(Buffer.concat(made.filter((step) => step !== "rest")))).toBe(true);
      const pauses = told.filter((one) => one === "pause" || one === "resume");
      pauses.forEach((one, at) => expect(one).toBe(at % 2 === 0 ? "pause" : "resume"));
      expect(told).not.toContain("cancel");
    }),
    { numRuns: RUNS },
  );
});

describe("a producer", () => {
  test("is started by the first who asks, paused when much waits, resumed when it is taken", async () => {
    const told: string[] = [];
    const flow = new Flow(source(told));
    for (let at = 0; at < 4; at++) flow.push(Buffer.alloc(32 * KB));
    expect(told).toEqual(["pause"]);
    for (let at = 0; at < 4; at++) await flow.next();
    expect(told).toEqual(["pause", "resume"]);
    void flow.next();
    expect(told).toEqual(["pause", "resume", "start"]);
  });

  test("is cancelled once by a reader who leaves, and not after its end", async () => {
    const told: string[] = [];
    const left = new Flow(source(told));
    left.push(Buffer.alloc(1));
    for await (const _ of left) break;
    left.end(new Error("unheard"));
    await left.return();
    expect(told).toEqual(["cancel"]);
    expect(await left.next()).toEqual({ done: true, value: undefined });

    const ended = new Flow(source(told));
    ended.push(Buffer.alloc(1));
    ended.end();
    await ended.return();
    expect(told).toEqual(["cancel"]);
  });
});
