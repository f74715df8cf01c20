/** What refusals teach a session of the library, server by server, and what a later answer makes it forget. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Transcript } from "../../src/core/transcript/message.ts";
import { createSession } from "../../src/index.ts";
import { OVERFLOW_ERROR_NAMES } from "../../provider/src/overflow-errors.ts";
import { createProvider } from "../../provider/src/provider.ts";
import type { Overflow } from "../../src/protocols/protocol.ts";
import { WINDOW_TOKENS_MIN } from "../../src/protocols/overflow.ts";
import { asksForTooMuch } from "../../src/session/learn-window.ts";
import type { RuntimeState } from "../../src/session/contract.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { filler, ran, says, talk, user } from "../support/compacting.ts";
import { RUNS } from "../support/transcripts.ts";

const BELIEVED_TOKENS = 200_000;
/** A session that steps down needs no more sends than this for one request. */
const SENDS_MAX = 5;

const session = (steps: number): Transcript =>
  talk(
    user("Tidy the module."),
    Array.from({ length: steps }, (_, at) => [
      says(`Step ${at}.`),
      ...ran("read_file", { path: `src/part_${at}.ts` }, filler(1_500, `part${at}`)),
    ]).flat(),
  );

/** A request of Chat that grows with its steps. */
function request(steps: number): Readonly<Record<string, unknown>> {
  const called = (at: number): object => {
    const call = { id: `c${at}`, type: "function", function: { name: "read", arguments: `{"path":"${at}.ts"}` } };
    return { role: "assistant", content: `Step ${at}.`, tool_calls: [call] };
  };
  const messages = Array.from({ length: steps }, (_, at) => [
    called(at),
    { role: "tool", tool_call_id: `c${at}`, content: filler(400, `part${at}`) },
  ]);
  return { model: "gpt-5.4", messages: [{ role: "user", content: "Tidy the module." }, ...messages.flat()] };
}

describe.each(OVERFLOW_ERROR_NAMES)("recover, with what %s says", (overflowError) => {
  it("answers with less until it is taken, and the next requests are taken at once", async () => {
    const provider = createProvider({ every: { windowTokens: 12_000, overflowError }, script: { text: "Done." } });
    const one = createSession({ settings: { contextLength: BELIEVED_TOKENS } });
    const send = (body: unknown): Promise<Response> =>
      provider.fetch(
        new Request("http://provider/v1/chat/completions", {
          method: "POST",
          headers: { authorization: "Bearer key", "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
      );
    const refusals: number[] = [];
    for (const steps of [40, 42, 50, 60, 80]) {
      const wire = request(steps);
      let { request: sent } = await one.prepare(wire);
      let response = await send(sent);
      let sends = 1;
      for (; !response.ok && sends < SENDS_MAX; sends++) {
        const recovered = await one.recover({ status: response.status, body: await response.text() }, wire);
        expect(JSON.stringify(recovered!.request).length).toBeLessThan(JSON.stringify(sent).length);
        sent = recovered!.request;
        response = await send(sent);
      }
      expect([steps, response.status]).toEqual([steps, 200]);
      refusals.push(sends - 1);
    }
    expect(refusals[0]).toBeGreaterThan(0);
    expect(refusals.slice(1).reduce((sum, times) => sum + times, 0)).toBeLessThanOrEqual(1);
  });
});

describe("a refusal", () => {
  const anyOverflow: fc.Arbitrary<Overflow> = fc
    .record(
      {
        kind: fc.constantFrom("context" as const, "payload" as const),
        limitTokens: fc.integer({ min: 0, max: 2 * BELIEVED_TOKENS }),
        requestedTokens: fc.integer({ min: 0, max: 2 * BELIEVED_TOKENS }),
        outputTokens: fc.integer({ min: 0, max: 1_000 }),
      },
      { requiredKeys: ["kind"] },
    )
    .filter((overflow) => !asksForTooMuch(overflow));

  it("leaves what was refused too large to be sent again, whatever numbers it names, and no window below the floor", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 8, max: 24 }),
        fc.array(anyOverflow, { minLength: 1, maxLength: 4 }),
        async (steps, overflows) => {
          const one = createRuntime({ settings: { contextLength: BELIEVED_TOKENS } });
          const long = session(steps);
          const sizeOf = ({ messages }: Transcript): number => JSON.stringify(messages).length;
          for (const [at, overflow] of overflows.entries()) {
            const recovered = await one.recover(overflow, long);
            const { contextLength, factor } = one.state();
            expect([Number.isFinite(contextLength), Number.isFinite(factor)]).toEqual([true, true]);
            expect(contextLength).toBeGreaterThanOrEqual(WINDOW_TOKENS_MIN);
            // In the end nothing smaller is possible.
            if (at === 0 || recovered !== undefined) expect(sizeOf(recovered!.transcript)).toBeLessThan(sizeOf(long));
          }
          // What was refused is never sent as it was.
          expect(sizeOf((await one.prepare(long)).transcript)).toBeLessThan(sizeOf(long));
        },
      ),
      { numRuns: Math.ceil(RUNS / 10) },
    );
  });

  it("that names a window of seven tokens teaches no such window", async () => {
    const one = createRuntime({ settings: { contextLength: BELIEVED_TOKENS } });
    const said = "This model's maximum context length is 7 tokens. However, your messages resulted in 9 tokens.";
    await one.recover({ status: 400, body: JSON.stringify({ error: { message: said } }) }, session(14));
    expect(one.state().contextLength).toBeGreaterThan(10_000);
  });

  // https://github.com/Aider-AI/aider/issues/3721, https://github.com/Azure/azure-sdk-for-python/issues/40986
  it.each([
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 141607 tokens (10535 of text input, 131072 in the output).",
    "This model's maximum context length is 128000 tokens. However, you requested 1124171 tokens (124171 in the messages, 1000000 in the completion).",
  ])("of an answer as large as the window is the caller's: %s", async (message) => {
    const one = createRuntime({ settings: { contextLength: BELIEVED_TOKENS } });
    const body = JSON.stringify({ error: { message, code: "context_length_exceeded" } });
    expect(await one.recover({ status: 400, body }, session(14))).toBeUndefined();
    expect(one.state().contextLength).toBe(BELIEVED_TOKENS);
  });

  it("of a picture's bytes teaches nothing about the window", async () => {
    const one = createRuntime({ settings: { contextLength: BELIEVED_TOKENS } });
    const data = "iVBORw0KGgo=".repeat(1_000);
    const picture = { kind: "image", source: { type: "data", mediaType: "image/png", data } } as const;
    const shown = talk(user("Look."), says("Where?"), { role: "user", parts: [picture] });
    await one.recover({ status: 413, body: "" }, shown);
    expect(one.state().contextLength).toBe(BELIEVED_TOKENS);
  });

  it("is forgotten when a larger request is answered", async () => {
    const one = createRuntime({ settings: { contextLength: BELIEVED_TOKENS }, now: () => 7 });
    expect(one.report().window).toEqual({ from: "setting", tokens: BELIEVED_TOKENS });
    const long = session(14);
    await one.recover({ status: 400, body: '{"message":"Input is too long for requested model."}' }, long);
    const learned = one.state().contextLength;
    expect(learned).toBeLessThan(BELIEVED_TOKENS / 2);
    expect(one.report().window).toMatchObject({ from: "learned", tokens: learned, learned: { by: "refused", at: 7 } });
    one.observe({ input: learned, output: 1, cacheRead: 0, cacheWrite: 0 });
    expect(one.state().contextLength).toBe(learned);
    one.observe({ input: learned + 1, output: 1, cacheRead: 0, cacheWrite: 0 });
    expect(one.state().contextLength).toBe(BELIEVED_TOKENS);
    expect(one.report().window).toEqual({ from: "setting", tokens: BELIEVED_TOKENS });
  });

  it("says why its window is small, after a restart too, and forgets it where an accepted sum refutes it", async () => {
    const settings = { contextLength: BELIEVED_TOKENS };
    const first = createRuntime({ settings });
    const message = "input length and `max_tokens` exceed context limit: 21000 + 9000 > 20000, decrease input length";
    const error = { type: "error", error: { type: "invalid_request_error", message } };
    await first.recover({ status: 400, body: JSON.stringify(error) }, session(14));
    const { window } = first.report();
    expect(window).toMatchObject({ from: "learned", tokens: 20_000 });
    expect(window.learned).toMatchObject({ by: "named", refusedTokens: 30_000, countsOutput: true });
    const state = JSON.parse(JSON.stringify(first.state())) as RuntimeState;
    const resumed = createRuntime({ settings, state });
    expect(resumed.report().window).toEqual(window);
    const asking = { ...session(2), maxOutputTokens: 16_000 };
    const usage = { input: 4_000, output: 1, cacheRead: 0, cacheWrite: 0 };
    (await resumed.prepare(asking)).observe(usage);
    expect(resumed.report().window).toEqual(window);
    (await resumed.prepare(asking)).observe({ ...usage, input: 4_001 });
    expect(resumed.report().window).toEqual({ from: "setting", tokens: BELIEVED_TOKENS });
  });
});
