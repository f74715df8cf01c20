/** Whatever is handed to a session, its figures stay numbers and it goes on compacting; what it cannot read is refused by a code. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSession, PrecisError, type Session } from "../../src/index.ts";
import { filler } from "../support/compacting.ts";
import { RUNS } from "../support/transcripts.ts";

const CONTEXT_TOKENS = 20_000;
/** Each run ends with a compaction of a large conversation. */
const SEQUENCE_RUNS = Math.ceil(RUNS / 5);

const chat = (turns: number, tokens: number) => ({
  model: "gpt-5.6",
  messages: [
    { role: "user", content: "Tidy the modules." },
    ...Array.from({ length: turns }, (_, at) => [
      { role: "assistant", content: `Part ${at} is next.` },
      { role: "user", content: filler(tokens, `part${at}`) },
    ]).flat(),
  ],
});
const SMALL = chat(2, 300);
/** Several times the window, whatever a tokenizer makes of it. */
const LARGE = chat(40, 1_500);

const figure = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0, 1, 100, 1e308, undefined, null, "12", [], {}));
const usage = fc.oneof(
  fc.record({ input: figure, output: figure, cacheRead: figure, cacheWrite: figure }, { requiredKeys: [] }),
  fc.record({ prompt_tokens: figure, completion_tokens: figure }, { requiredKeys: [] }),
  fc.record({ input_tokens: figure, cache_read_input_tokens: figure, output_tokens: figure }, { requiredKeys: [] }),
  fc.record({ inputTokens: figure, outputTokens: figure, inputTokenDetails: fc.jsonValue() }, { requiredKeys: [] }),
);
const said = fc
  .tuple(fc.bigInt(0n, 10n ** 40n), fc.nat())
  .map(
    ([limit, sent]) => `This model's maximum context length is ${limit} tokens. However, you requested ${sent} tokens`,
  );
const failure = fc.oneof(
  fc.record({ status: figure, body: fc.oneof(said, fc.string(), fc.jsonValue()) }),
  said.map((message) => ({ status: 400, error: { message } })),
);

type Call = (session: Session) => unknown;
const given = fc.oneof(fc.jsonValue(), fc.constantFrom(undefined, Number.NaN));
const calls: fc.Arbitrary<readonly Call[]> = fc.array(
  fc.oneof(
    fc
      .oneof(
        usage,
        usage.map((one) => ({ usage: one })),
        given,
      )
      .map(
        (one): Call =>
          (session) =>
            session.observe(one as never),
      ),
    fc.oneof(failure, given).map(
      (one): Call =>
        (session) =>
          session.recover(one, SMALL),
    ),
    given.map(
      (one): Call =>
        (session) =>
          session.prepare(one as never),
    ),
    fc.constant<Call>((session) => session.prepare(SMALL)),
  ),
  { maxLength: 8 },
);

function figuresOf(value: unknown): readonly number[] {
  if (typeof value === "number") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(figuresOf) : [];
}

describe("what is handed to a session", () => {
  it("never makes a figure that is no number, and never stops compaction", async () => {
    await fc.assert(
      fc.asyncProperty(calls, async (sequence) => {
        const session = createSession({ settings: { contextLength: CONTEXT_TOKENS } });
        for (const call of sequence) {
          try {
            await call(session);
          } catch (error) {
            expect(error).toBeInstanceOf(PrecisError);
          }
        }
        const { request, tokens, before } = await session.prepare(LARGE);
        expect(JSON.stringify(request).length).toBeLessThan(JSON.stringify(LARGE).length / 2);
        const figures = [tokens, before, ...figuresOf(session.report()), ...figuresOf(session.state())];
        expect(figures.filter((one) => !Number.isFinite(one))).toEqual([]);
      }),
      { numRuns: SEQUENCE_RUNS },
    );
  });

  it("compacts a request that is far too long although the last report was far too low", async () => {
    for (const report of [{ prompt_tokens: 100 }, { input: 0, output: 0 }]) {
      const session = createSession({ settings: { contextLength: CONTEXT_TOKENS }, enabled: false });
      const first = await session.prepare(LARGE);
      session.observe(report);
      expect(first.compacted).toBe(false);
      expect((await session.prepare(LARGE)).tokens).toBeGreaterThan(CONTEXT_TOKENS);
    }
  });
});

describe("the usage that a session observes", () => {
  const learnt = (report: unknown): number => {
    const session = createSession();
    return session.observe(report as never) as never;
  };

  it("is refused where a count is missing or is no number of tokens", () => {
    const refused = [
      undefined,
      null,
      12,
      "12",
      {},
      { input: undefined },
      { input: Number.NaN },
      { input: -1 },
      { prompt_tokens: "100" },
      { input_tokens: null },
      { inputTokens: undefined, outputTokens: 3 },
      { input: 10, cacheRead: "2" },
      { usage: null },
    ];
    for (const one of refused) expect(() => learnt(one)).toThrow(expect.objectContaining({ code: "bad_usage" }));
  });

  it("is every protocol's own, the AI SDK's, or a whole response", async () => {
    const request = chat(10, 300);
    const all = [
      { input: 9_000, output: 5, cacheRead: 1_000, cacheWrite: 0 },
      { input: 9_000 },
      { prompt_tokens: 9_000, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 1_000 } },
      { input_tokens: 9_000, output_tokens: 5, input_tokens_details: { cached_tokens: 1_000 } },
      { input_tokens: 500, cache_creation_input_tokens: 1_500, cache_read_input_tokens: 7_000, output_tokens: 5 },
      { input_tokens: 9_000, cache_creation_input_tokens: null, cache_read_input_tokens: null, output_tokens: 5 },
      { inputTokens: 9_000, outputTokens: 5, totalTokens: 9_005, inputTokenDetails: { cacheReadTokens: 1_000 } },
      { id: "chatcmpl-1", choices: [], usage: { prompt_tokens: 9_000, completion_tokens: 5 } },
      { type: "response.completed", response: { usage: { input_tokens: 9_000, output_tokens: 5 } } },
    ];
    for (const one of all) {
      const session = createSession();
      await session.prepare(request);
      session.observe(one as never);
      expect((await session.prepare(request)).tokens).toBe(9_000);
    }
  });
});
