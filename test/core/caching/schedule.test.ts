/** When a compaction is worth its price, with a warm cache and a cold one. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { atLeastCost, beforeExpiry, type ScheduleQuery } from "../../../src/core/caching/schedule.ts";
import { createMeasure } from "../../../src/core/transcript/measure.ts";
import { textMessage, type Message } from "../../../src/core/transcript/message.ts";

const RUNS = Math.ceil(Number(process.env["PRECIS_TEST_RUNS"] ?? 500) / 5);
const PRICES = { read: 0.1, write: 1.25, output: 5 };
const WORD_TOKENS = 1;

/** Turns of about that many tokens each. */
function session(turns: number, tokensEach: number): readonly Message[] {
  const words = " word".repeat(Math.floor(tokensEach / 2 / WORD_TOKENS));
  return Array.from({ length: turns }, (_, at) => [
    textMessage("user", `${at}${words}`),
    textMessage("assistant", `${at}${words}`),
  ]).flat();
}

function occasion(turns: number, tokensEach: number, over: Partial<ScheduleQuery> = {}): ScheduleQuery {
  const measure = createMeasure();
  const transcript = { system: [textMessage("system", "Be brief.")], messages: session(turns, tokensEach) };
  return {
    prices: PRICES,
    transcript,
    measure,
    tokens: measure.transcript(transcript),
    afterTokens: 12_000,
    stableTokens: 3_000,
    cold: false,
    compacted: false,
    turns,
    ...over,
  };
}

/** What the session has cost with the request that is about to be sent, written down again. */
function spentOn({ transcript, measure, prices }: ScheduleQuery): number {
  let before = 0;
  let size = measure.messages(transcript.system);
  let spent = 0;
  for (const message of transcript.messages) {
    if (message.role === "assistant") {
      spent += prices.read * before + prices.write * (size - before) + prices.output * measure.message(message);
      before = size;
    }
    size += measure.message(message);
  }
  return spent + prices.read * before + prices.write * (size - before);
}

function lastRequest({ transcript, measure, prices }: ScheduleQuery): number {
  const last = transcript.messages.findLastIndex(({ role }) => role === "assistant");
  const size = (end: number): number => measure.messages([...transcript.system, ...transcript.messages.slice(0, end)]);
  const before = last < 0 ? 0 : size(last);
  return prices.read * before + prices.write * (size(transcript.messages.length) - before);
}

describe("at least cost", () => {
  const long = { compacted: true, turns: 400 };

  it("a short session's first compaction is put off: should it end now, it would have been dearer", () => {
    const { compact, because } = atLeastCost(occasion(20, 1_600));
    expect(compact).toBe(false);
    expect(because).toMatch(
      /^a rewrite costs [\d,]+ tokens' worth of input now and saves [\d,]+ a request; waiting has cost .* since the last one; about 20 more are expected$/,
    );
  });

  it("a long session's is not, nor a later one, nor one that finds the cache cold", () => {
    expect(atLeastCost(occasion(600, 60)).compact).toBe(true);
    expect(atLeastCost(occasion(25, 1_600, { compacted: true })).compact).toBe(true);
    expect(atLeastCost(occasion(20, 1_600, { cold: true })).compact).toBe(true);
  });

  it("never makes a session more than a fiftieth dearer, should it end there", () => {
    const sizes = fc.record({
      turns: fc.integer({ min: 1, max: 300 }),
      each: fc.integer({ min: 20, max: 800 }),
      after: fc.integer({ min: 1_000, max: 20_000 }),
      read: fc.double({ min: 0.01, max: 0.5, noNaN: true }),
      write: fc.double({ min: 1, max: 2, noNaN: true }),
    });
    fc.assert(
      fc.property(sizes, ({ turns, each, after, read, write }) => {
        const prices = { read, write, output: 5 };
        const given = occasion(turns, each, { prices, afterTokens: after, stableTokens: Math.min(500, after) });
        if (!atLeastCost(given).compact) return;
        const without = spentOn(given);
        const rewritten = write * (after - given.stableTokens) + read * given.stableTokens;
        const last = lastRequest(given);
        expect((without - last + rewritten) / without).toBeLessThanOrEqual(1.021);
      }),
      { numRuns: RUNS },
    );
  });

  it("waits while a rewrite leaves almost all", () => {
    expect(atLeastCost(occasion(10, 1_500, long))).toMatchObject({ compact: false });
  });

  it("waits until reading on has cost as much as rewriting, and then does not", () => {
    const decided = Array.from({ length: 60 }, (_, at) => atLeastCost(occasion(at + 1, 1_000, long)).compact);
    const first = decided.indexOf(true);
    expect(first).toBeGreaterThan(15);
    expect(first).toBeLessThan(35);
    expect(decided.slice(first).every(Boolean)).toBe(true);
  });

  it("goes by what is expected to follow", () => {
    expect(atLeastCost(occasion(30, 1_000, { ...long, turns: 400 })).compact).toBe(true);
    expect(atLeastCost(occasion(30, 1_000, { ...long, turns: 2 })).compact).toBe(false);
  });

  it("uses a cold cache at once", () => {
    const { compact, because } = atLeastCost(occasion(25, 1_000, { cold: true }));
    expect([compact, because]).toEqual([true, expect.stringContaining("nothing is cached")]);
  });

  it("comes earlier where reading is dear", () => {
    const firstAt = (read: number): number =>
      Array.from({ length: 120 }, (_, at) => at + 1).find(
        (turns) => atLeastCost(occasion(turns, 1_000, { ...long, prices: { ...PRICES, read } })).compact,
      )!;
    expect(firstAt(0.5)).toBeLessThan(firstAt(0.1));
    expect(firstAt(0.1)).toBeLessThan(firstAt(0.02));
  });
});

describe("before a cache expires", () => {
  const pause = { prices: PRICES, tokens: 80_000, afterTokens: 30_000, turns: 40, writingCost: 0 };

  it("pays where code writes, and where a model's price is less than half of what is saved", () => {
    const saving = (PRICES.write + 20 * PRICES.read) * 50_000;
    expect(beforeExpiry(pause)).toEqual({
      compact: true,
      because: `what follows after the cache expires costs ${saving.toLocaleString("en-US")} tokens' worth of input less, for 0 now`,
    });
    expect(beforeExpiry({ ...pause, writingCost: saving / 2 }).compact).toBe(true);
    expect(beforeExpiry({ ...pause, writingCost: saving / 2 + 1 }).compact).toBe(false);
  });

  it("does not pay where almost all would be left, and pays less for a session that has just begun", () => {
    expect(beforeExpiry({ ...pause, afterTokens: 60_000 }).compact).toBe(false);
    const price = { ...pause, writingCost: 40_000 };
    expect([beforeExpiry({ ...price, turns: 1 }).compact, beforeExpiry(price).compact]).toEqual([false, true]);
  });
});
