/** When a session compacts under an engine with a late trigger, and how its provider's own compaction is asked for. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { Remote } from "../../src/core/engines/contract.ts";
import type { Transcript } from "../../src/core/transcript/message.ts";
import { responsesCompaction } from "../../src/session/responses-compaction.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { createSession } from "../../src/session/session.ts";
import { filler, ran, says, talk, user } from "../support/compacting.ts";

const RAW = '{"id":"cmp_1", "type":"compaction","encrypted_content":"gAAAAAB\\u002f=="}';

const worked = talk(
  user("Mend the import. Never touch src/api.ts."),
  ...Array.from({ length: 12 }, (_, at) => ran("shell", { at }, filler(1_500, `out${at}`))),
);
const within = worked;
const before = talk(...worked.messages, says("It is mended."), user("Now the docs."));

async function weightOf(transcript: Transcript): Promise<number> {
  return (await createRuntime().standing(transcript)).tokens;
}

/** A runtime whose window is filled by the transcript to this share. */
async function filledTo(share: number, transcript: Transcript, remote?: Remote, handoffWaitMs = 60_000) {
  const contextLength = Math.floor((await weightOf(transcript)) / share);
  return createRuntime({
    engine: "handoff",
    settings: { contextLength },
    ...(remote === undefined ? {} : { remote, handoffWaitMs }),
  });
}

describe.each([
  ["before a turn", before],
  ["within a turn", within],
])("%s, handoff", (_, transcript) => {
  it("compacts at the engine's own moment, nine tenths of the window, which is later than 85 %", async () => {
    const early = await (await filledTo(0.89, transcript)).prepare(transcript);
    expect(early.compaction).toBeUndefined();
    const due = await (await filledTo(0.91, transcript)).prepare(transcript);
    expect(due.compaction?.report).toMatchObject({ engine: "handoff", reason: "threshold" });
    expect(due.fits).toBe(true);
  });

  it("leaves what would be refused to the guard, which waits for nobody", async () => {
    const never: Remote = () => Promise.reject(new Error("asked"));
    const due = await (await filledTo(1.1, transcript, never)).prepare(transcript);
    expect(due.compaction?.report).toMatchObject({ reason: "hygiene", degraded: [] });
    expect(due.fits).toBe(true);
  });
});

describe.each(["handoff", "stepped"])("on a switch to a smaller model, %s", (engine) => {
  it.each([0.95, 1.5])("compacts at the next request, when that fills its window to %f", async (share) => {
    const runtime = createRuntime({ engine, settings: { contextLength: 1_000_000 } });
    expect((await runtime.prepare(before)).compaction).toBeUndefined();
    runtime.modelChanged({ contextLength: Math.floor((await weightOf(before)) / share) });
    const sent = await runtime.prepare(before);
    expect(sent.compaction?.report.engine).toBe(engine);
    expect(sent.fits).toBe(true);
  });
});

describe("the provider's own compaction", () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  /** An endpoint that answers what it is told, and what was asked of it. */
  async function endpoint(status: number, answer: string) {
    const asked: { path: string; key: string | undefined; body: string }[] = [];
    const own = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks).toString();
        asked.push({ path: request.url ?? "", key: request.headers.authorization, body });
        response.writeHead(status, { "content-type": "application/json" }).end(answer);
      });
    });
    server = own;
    await new Promise<void>((resolve) => own.listen(0, "127.0.0.1", resolve));
    const baseUrl = `http://127.0.0.1:${(own.address() as AddressInfo).port}/v1/`;
    const remote = responsesCompaction({ baseUrl, headers: { authorization: "Bearer test" }, model: "m" });
    return { asked, remote };
  }

  const items = (count: number): readonly unknown[] => [
    { type: "message", role: "user", content: "Mend the import." },
    ...Array.from({ length: count }, (_, at) => [
      { type: "function_call", call_id: `c${at}`, name: "shell", arguments: `{"at":${at}}` },
      { type: "function_call_output", call_id: `c${at}`, output: filler(1_500, `out${at}`) },
    ]).flat(),
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] },
    { type: "message", role: "user", content: "Now the docs." },
  ];

  it("goes out as an item among the requests that follow, byte for byte, and is given back to be compacted again", async () => {
    const { asked, remote } = await endpoint(
      200,
      `{"object":"response.compaction","output":[{"type":"message"},${RAW}]}`,
    );
    const options = { engine: "handoff", protocol: "openai-responses", remote } as const;
    const session = createSession({ ...options, settings: { contextLength: 20_000 } });
    const first = await session.prepare(JSON.stringify({ model: "m", instructions: "Be brief.", input: items(12) }));
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ path: "/v1/responses/compact", key: "Bearer test" });
    expect(JSON.parse(asked[0]!.body)).toMatchObject({ model: "m", instructions: "Be brief.", input: items(12) });
    expect(first.request).toContain(RAW);
    expect(first.compaction?.report).toMatchObject({ reason: "threshold", degraded: [] });

    const longer = [...items(12), ...items(2).slice(1)];
    const second = await session.prepare(JSON.stringify({ model: "m", instructions: "Be brief.", input: longer }));
    expect(second.compaction).toBeUndefined();
    expect(second.request.startsWith(first.request.slice(0, first.request.indexOf(RAW) + RAW.length))).toBe(true);

    const longest = [...longer, ...items(10).slice(1)];
    const third = await session.prepare(JSON.stringify({ model: "m", instructions: "Be brief.", input: longest }));
    expect(third.compaction?.report.reason).toBe("threshold");
    expect(asked[1]!.body).toContain(RAW);
  });

  it("may be called a summary by its server", async () => {
    const raw = '{"type":"compaction_summary","encrypted_content":"sealed"}';
    const { remote } = await endpoint(200, `{"output":[${raw}]}`);
    const sent = await (await filledTo(0.95, before, remote)).prepare(before);
    expect(sent.compaction?.report).toMatchObject({ degraded: [], summary: { by: "model" } });
    expect(sent.compaction?.after).toContainEqual(
      expect.objectContaining({ parts: [{ kind: "opaque", type: "compaction_summary", raw }] }),
    );
  });

  it("counts towards what a session may spend on handoffs", async () => {
    const { asked, remote } = await endpoint(200, `{"object":"response.compaction","output":[${RAW}]}`);
    const options = { engine: "handoff", protocol: "openai-responses", remote, spendLimit: { calls: 1 } } as const;
    const session = createSession({ ...options, settings: { contextLength: 20_000 } });
    const first = await session.prepare({ input: items(12) });
    expect(first.compaction?.report).toMatchObject({ degraded: [], modelCalls: 1 });
    const second = await session.prepare({ input: [...items(12), ...items(12).slice(1)] });
    expect(second.compaction?.report.degraded).toEqual([expect.stringContaining("limit of 1 model calls")]);
    expect(asked).toHaveLength(1);
  });

  it.each([
    [500, "{}", "500"],
    [200, '{"output":[]}', "no compaction item"],
    [200, "not JSON", "no compaction item"],
    [200, '{"output":', "not JSON"],
  ])("that answers %i %s is done without, and the report says so", async (status, answer, because) => {
    const { asked, remote } = await endpoint(status, answer);
    const sent = await (await filledTo(0.95, before, remote)).prepare(before);
    expect(asked).toHaveLength(1);
    expect(sent.compaction?.report.degraded).toEqual([expect.stringContaining(because)]);
    expect(sent.compaction?.report.summary?.by).toBe("ledger");
  });

  it("that never answers is not waited for", async () => {
    const sent = await (await filledTo(0.95, before, () => new Promise(() => undefined), 100)).prepare(before);
    expect(sent.compaction?.report.degraded).toEqual([expect.stringContaining("no answer within 0.1 s")]);
  });
});
