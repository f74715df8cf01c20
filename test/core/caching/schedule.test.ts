/** When a compaction is worth its price, with a warm cache and a cold one. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { atLeastCost, isJustified, REGRET_SHARE_MAX, type ScheduleQuery } from "../../../src/core/caching/schedule.ts";
import { createMeasure, type Measure } from "../../../src/core/transcript/measure.ts";
import { contentText, textMessage, type Message, type Transcript } from "../../../src/core/transcript/message.ts";

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
    original: transcript,
    current: transcript,
    last: undefined,
    measure,
    tokens: measure.transcript(transcript),
    afterTokens: 12_000,
    stableTokens: 3_000,
    writingCost: 0,
    cold: false,
    turns,
    ...over,
  };
}

/** A message's text is its tokens. */
const weigh = ({ parts }: Message): number => Number(contentText(parts));
const sum = (messages: readonly Message[]): number => messages.reduce((all, one) => all + weigh(one), 0);
const byText: Measure = {
  text: Number,
  message: weigh,
  messages: sum,
  transcript: ({ system, messages }) => sum(system) + sum(messages),
};

const turn = fc.record({
  asked: fc.oneof(fc.nat(200), fc.nat(20_000)),
  answered: fc.oneof(fc.nat(200), fc.nat(4_000)),
  isAfterPause: fc.nat(19).map((one) => one === 0),
});
const course = fc.record({
  turns: fc.oneof(
    fc.array(turn, { maxLength: 60 }),
    turn.map((one) => Array.from({ length: 150 }, () => one)),
  ),
  prices: fc.record({
    read: fc.double({ min: 0.01, max: 1, noNaN: true }),
    write: fc.double({ min: 1, max: 2, noNaN: true }),
    output: fc.double({ min: 0, max: 8, noNaN: true }),
  }),
  fixed: fc.nat(30_000),
  handoff: fc.integer({ min: 10, max: 20_000 }),
  written: fc.oneof(fc.constant(0), fc.nat(40_000)),
});
type Course = typeof course extends fc.Arbitrary<infer One> ? One : never;

interface Billed {
  readonly bill: number;
  readonly without: number;
}

/** Goes through a session and compacts wherever the rule allows it: what each prefix of it cost, and without compactions. */
function live({ turns, prices, fixed, handoff, written }: Course, rule: (query: ScheduleQuery) => boolean): Billed[] {
  const { read, write, output } = prices;
  const system = [textMessage("system", String(fixed))];
  const messages: Message[] = [];
  let last: (NonNullable<ScheduleQuery["last"]> & { readonly after: readonly Message[] }) | undefined;
  const cached = { current: 0, original: 0 };
  let [bill, without] = [0, 0];
  return turns.map(({ asked, answered, isAfterPause }, at) => {
    messages.push(textMessage("user", String(asked)));
    if (isAfterPause) Object.assign(cached, { current: 0, original: 0 });
    const original: Transcript = { system, messages: [...messages] };
    const sent = last === undefined ? messages : [...last.after, ...messages.slice(last.originalMessages)];
    const current = last === undefined ? original : { system, messages: sent };
    const [tokens, whole] = [byText.transcript(current), byText.transcript(original)];
    const tail = [textMessage("assistant", "0"), messages.at(-1)!];
    const afterTokens = fixed + handoff + asked;
    const writingCost = written;
    const moment = { tokens, afterTokens, stableTokens: fixed, writingCost, cold: isAfterPause || at === 0, turns: at };
    let size = tokens;
    if (afterTokens < tokens && rule({ prices, original, current, last, measure: byText, ...moment })) {
      const after = [textMessage("user", String(handoff)), ...tail];
      const [originalMessages, currentMessages] = [messages.length, after.length];
      last = { after, originalMessages, currentMessages, stableTokens: fixed, writingCost };
      size = afterTokens;
      cached.current = Math.min(cached.current, fixed);
      bill += writingCost;
    }
    bill += read * cached.current + write * (size - cached.current) + output * answered;
    without += read * cached.original + write * (whole - cached.original) + output * answered;
    Object.assign(cached, { current: size, original: whole });
    messages.push(textMessage("assistant", String(answered)));
    return { bill, without };
  });
}

const shown = (amount: number): string => Math.round(amount).toLocaleString("en-US");
const dearest = (billed: readonly Billed[]): number =>
  Math.max(1, ...billed.map(({ bill, without }) => (without === 0 ? 1 : bill / without)));

describe("the bill is bounded", () => {
  const rules = { auto: isJustified, cost: atLeastCost };

  it.each(Object.entries(rules))("by %s, at every request of a session", (_, rule) => {
    fc.assert(
      fc.property(course, (one) => {
        expect(dearest(live(one, (query) => rule(query).compact))).toBeLessThanOrEqual(1 + REGRET_SHARE_MAX + 1e-9);
      }),
      { numRuns: RUNS },
    );
  });

  const steady = (requests: number): Course => ({
    turns: Array.from({ length: requests }, () => ({ asked: 2_900, answered: 100, isAfterPause: false })),
    prices: PRICES,
    fixed: 10_000,
    handoff: 10_000,
    written: 0,
  });
  const from = (tokens: number, rule: typeof isJustified) => (query: ScheduleQuery) =>
    query.tokens >= tokens && rule(query).compact;

  it("as it is not where each compaction is made at the threshold", () => {
    const always = (): { compact: boolean; because: string } => ({ compact: true, because: "" });
    expect(dearest(live(steady(15), from(50_000, always)))).toBeGreaterThan(1.06);
    expect(dearest(live(steady(15), from(50_000, isJustified)))).toBeLessThanOrEqual(1 + REGRET_SHARE_MAX);
  });

  it("counts all of the last compaction: what the cache had of it, what it wrote, and its handoff's model", () => {
    const sized = (...sizes: readonly number[]): Message[] =>
      sizes.map((size, at) => textMessage(at % 2 === 0 ? "user" : "assistant", String(size)));
    const system = sized(1_000);
    const query: ScheduleQuery = {
      prices: PRICES,
      original: { system, messages: sized(50_000, 100, 10_000, 200, 3_000) },
      current: { system, messages: sized(4_000, 0, 2_000, 200, 3_000) },
      last: { originalMessages: 3, currentMessages: 3, stableTokens: 1_000, writingCost: 500 },
      measure: byText,
      tokens: 10_200,
      afterTokens: 5_000,
      stableTokens: 1_000,
      writingCost: 300,
      cold: false,
      turns: 2,
    };
    const { read, write, output } = PRICES;
    const loss = write * 4_000 - read * 9_200 + 300;
    const paid = 500 + read * 1_000 + write * 6_000 + output * 200 + read * 7_000 + write * 3_200;
    const without = read * 51_000 + write * 10_100 + output * 200 + read * 61_100 + write * 3_200;
    expect(isJustified(query).because).toBe(
      `a rewrite costs ${shown(loss)} tokens' worth of input now; the requests since the last one cost ${shown(paid)}, and without compactions they would have cost ${shown(without)}`,
    );
  });

  it("and long sessions cost a fraction", () => {
    const { bill, without } = live(steady(200), from(50_000, isJustified)).at(-1)!;
    expect(bill / without).toBeLessThan(0.5);
  });
});

describe("at least cost", () => {
  const long = { turns: 400 };

  it("a short session's first compaction is put off: should it end now, it would have been dearer", () => {
    const { compact, because } = atLeastCost(occasion(18, 1_600));
    expect(compact).toBe(false);
    expect(because).toMatch(
      /^a rewrite costs [\d,]+ tokens' worth of input now and saves [\d,]+ a request; waiting has cost .* since the last one; about 18 more are expected$/,
    );
  });

  it("a long session's is not, nor a later one, nor one that finds the cache cold", () => {
    expect(atLeastCost(occasion(600, 60)).compact).toBe(true);
    const original = { system: [], messages: session(60, 1_600) };
    const last = { originalMessages: 86, currentMessages: 2, stableTokens: 0, writingCost: 0 };
    expect(atLeastCost(occasion(18, 1_600, { original, last })).compact).toBe(true);
    expect(atLeastCost(occasion(20, 1_600, { cold: true })).compact).toBe(true);
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
