/** What a replay promises of any session, and what it says of one that can be calculated by hand. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textMessage, type Transcript } from "../../../src/core/transcript/message.ts";
import { replay, totalsOf, type ReplayedRun } from "../../src/replay/replay.ts";
import { requestsOf, withPrompt, type Recording } from "../../src/replay/requests.ts";
import { strategiesOf, writtenOf } from "../../src/replay/run.ts";
import type { ReplayTerms } from "../../src/replay/terms.ts";
import type { Prices } from "../../../src/models/index.ts";
import { filler, says, talk, user } from "../../../test/support/compacting.ts";
import { RUNS, transcripts } from "../../../test/support/transcripts.ts";
import { recordingIn, termsFor, timesMs, transcript, WINDOW_TOKENS } from "./sessions.ts";

const STRATEGIES = strategiesOf(["compressor"], ["threshold", "cost"]);
const SPOKEN = fc.constantFrom("anthropic-messages", "openai-chat", "openai-responses");
/** A replay is five sessions; a tenth of the runs of a cheap property take as long. */
const REPLAY_RUNS = Math.ceil(RUNS / 10);

const MTOK = 1_000_000;

/** The price table's sums, calculated again: one line of the bill a kind of token. */
function priced(run: ReplayedRun, prices: Required<Omit<Prices, "longPrompt">>): number {
  const sum = (tokens: (one: ReplayedRun["requests"][number]) => number): number =>
    run.requests.reduce((so, one) => so + tokens(one), 0);
  return (
    (sum(({ use }) => use.inputTokens - use.cacheReadTokens - writtenOf(use)) * prices.inputUsdPerMtok +
      sum(({ use }) => use.cacheReadTokens) * prices.cacheReadUsdPerMtok +
      sum(({ use }) => use.cacheWrite5mTokens + use.cacheWriteTokens) * prices.cacheWrite5mUsdPerMtok +
      sum(({ use }) => use.cacheWrite1hTokens) * prices.cacheWrite1hUsdPerMtok +
      sum(({ outputTokens }) => outputTokens) * prices.outputUsdPerMtok) /
    MTOK
  );
}

const PRICES = {
  inputUsdPerMtok: 3,
  outputUsdPerMtok: 17,
  cacheReadUsdPerMtok: 0.2,
  cacheWrite5mUsdPerMtok: 5,
  cacheWrite1hUsdPerMtok: 7,
};

function keepsItsPromises(runs: readonly ReplayedRun[]): void {
  const [nothing, cacheOnly, compactionOnly] = runs as [ReplayedRun, ReplayedRun, ReplayedRun];
  for (const run of runs) {
    for (const { use, inputUsd, usd } of run.requests) {
      expect(Math.min(...Object.values(use))).toBeGreaterThanOrEqual(0);
      expect(use.cacheReadTokens + writtenOf(use)).toBeLessThanOrEqual(use.inputTokens);
      expect(inputUsd).toBeLessThanOrEqual(usd);
    }
    const { input, fresh, read, written, usd } = run.totals;
    expect(fresh + read + written).toBe(input);
    expect(read).toBe(run.requests.reduce((sum, { use }) => sum + use.cacheReadTokens, 0));
    expect(usd).toBeCloseTo(priced(run, PRICES), 9);
    if (!run.strategy.caching) expect(fresh).toBe(input);
    if (run.strategy.compaction === undefined) expect(run.totals.compactions).toBe(0);
  }
  expect(cacheOnly.requests.map(({ use }) => use.inputTokens)).toEqual(
    nothing.requests.map(({ use }) => use.inputTokens),
  );
  compactionOnly.requests.forEach(({ use }, at) =>
    expect(use.inputTokens).toBeLessThanOrEqual(nothing.requests[at]!.use.inputTokens),
  );
}

async function runsOf(recording: Recording, terms: ReplayTerms): Promise<readonly ReplayedRun[]> {
  return (await replay(recording, { terms, strategies: STRATEGIES, gapMs: 30_000 })).runs;
}

describe("a replay", () => {
  it("accounts for every token and every dollar, whatever was said", async () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 3_600_000 }), { minLength: 40, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(transcripts(), SPOKEN, pauses, async (drawn, spoken, steps) => {
        const recording = { transcript: drawn, spoken, timesMs: steps } satisfies Recording;
        keepsItsPromises(await runsOf(recording, termsFor(spoken, { prices: PRICES, windowTokens: 2_000 })));
      }),
      { numRuns: REPLAY_RUNS },
    );
  });

  it("does so where it compacts, and the same every time", async () => {
    const terms = termsFor("anthropic-messages", { prices: PRICES });
    const runs = await runsOf(recordingIn("anthropic-messages"), terms);
    keepsItsPromises(runs);
    expect(runs.map(({ totals }) => totals.compactions > 0)).toEqual([false, false, true, true, true]);
    expect(runs.slice(2).every(({ totals }) => totals.peak <= WINDOW_TOKENS && totals.overAt === undefined)).toBe(true);
    expect(await runsOf(recordingIn("anthropic-messages"), terms)).toEqual(runs);
  });

  it("says which request no longer fits, how often the cache was lost, and why", async () => {
    const recording = recordingIn("openai-chat");
    const [nothing, cacheOnly] = await runsOf(recording, termsFor("openai-chat"));
    // In half of the window it compacts more often than the session pauses.
    const tight = termsFor("openai-chat", { windowTokens: WINDOW_TOKENS / 2 });
    const [, , , both] = await runsOf(recording, tight);
    const { overAt } = nothing!.totals;
    expect(nothing!.requests[overAt!]!.use.inputTokens).toBeGreaterThan(WINDOW_TOKENS);
    expect(nothing!.requests[overAt! - 1]!.use.inputTokens).toBeLessThanOrEqual(WINDOW_TOKENS);
    expect(nothing!.totals.busts).toEqual({ compaction: 0, expired: 0, other: 0 });
    expect(cacheOnly!.totals.busts).toEqual({ compaction: 0, expired: 2, other: 0 });
    expect(both!.totals.busts.compaction).toBeGreaterThan(0);
    const lost = both!.requests.flatMap(({ bust }) => bust ?? []);
    expect(lost.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(both!.totals.bustTokens);
  });

  it("bills a short session as it is reckoned by hand", async () => {
    // 3 requests; the last comes after an hour. Prices a token: input 2, read 1, written 3, output 10.
    const prices = { inputUsdPerMtok: 2, outputUsdPerMtok: 10, cacheReadUsdPerMtok: 1, cacheWrite5mUsdPerMtok: 3 };
    const short = talk(user(filler(2_000, "a")), says("One."), user("And?"), says("Two."), user("So?"), says("Three."));
    const recording = {
      transcript: short,
      spoken: "anthropic-messages",
      timesMs: [0, 1, 60_000, 60_001, 3_700_000],
    } as const;
    const { runs } = await replay(recording, {
      terms: termsFor("anthropic-messages", { prices, windowTokens: 100_000 }),
      strategies: STRATEGIES.slice(0, 2),
      gapMs: 1,
    });
    const [nothing, cached] = runs.map(({ requests }) => requests);
    const [first, second, third] = nothing!.map(({ use }) => use.inputTokens) as [number, number, number];
    expect(cached!.map(({ use }) => [use.cacheReadTokens, use.cacheWrite5mTokens])).toEqual([
      [0, first],
      [first, second - first],
      [0, third],
    ]);
    const input = 3 * first + first + 3 * (second - first) + 3 * third;
    const output = 10 * cached!.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
    expect(runs[1]!.totals.usd).toBeCloseTo((input + output) / MTOK, 12);
    expect(runs[1]!.totals.busts).toEqual({ compaction: 0, expired: 1, other: 0 });
  });

  it("charges long prompts where they are charged", async () => {
    const longPrompt = { aboveTokens: 8_000, inputFactor: 2, outputFactor: 1.5 };
    const base = { strategies: STRATEGIES, gapMs: 1 };
    const plain = await replay(recordingIn("openai-chat"), {
      ...base,
      terms: termsFor("openai-chat", { prices: PRICES }),
    });
    const dear = await replay(recordingIn("openai-chat"), {
      ...base,
      terms: termsFor("openai-chat", { prices: { ...PRICES, longPrompt } }),
    });
    let long = 0;
    dear.runs.forEach(({ requests, totals }, run) => {
      requests.forEach(({ use, inputUsd }, at) => {
        const before = plain.runs[run]!.requests[at]!;
        const factor = use.inputTokens > longPrompt.aboveTokens ? 2 : 1;
        if (use.inputTokens !== before.use.inputTokens || use.cacheReadTokens !== before.use.cacheReadTokens) return;
        if (factor > 1) long++;
        expect(inputUsd).toBeCloseTo(factor * before.inputUsd, 12);
      });
      expect(totals.usd).toBeCloseTo(totalsOf(requests).usd, 12);
    });
    expect(long).toBeGreaterThan(0);
  });

  it("knows no request in a session in which no model has answered", async () => {
    const { requests, runs } = await replay(
      { transcript: talk(user("Is anybody there?")), spoken: "openai-chat" },
      { terms: termsFor("openai-chat"), strategies: STRATEGIES, gapMs: 1 },
    );
    expect(requests).toBe(0);
    expect(runs.map(({ totals }) => totals.usd)).toEqual([0, 0, 0, 0, 0]);
  });
});

describe("the requests of a recording", () => {
  const asking = { protocol: "openai-chat", model: "gpt-5.4", gapMs: 30_000 } as const;
  const messagesIn = (body: string): readonly unknown[] => (JSON.parse(body) as { messages: unknown[] }).messages;

  it("are one a turn of the model, each beginning with the one before", () => {
    const bodies = Array.from(requestsOf({ transcript, spoken: "openai-chat" }, asking).all(), ({ body }) => body);
    expect(bodies).toHaveLength(transcript.messages.filter(({ role }) => role === "assistant").length);
    for (const [at, body] of bodies.entries())
      expect(messagesIn(body).slice(0, at === 0 ? 0 : messagesIn(bodies[at - 1]!).length)).toEqual(
        at === 0 ? [] : messagesIn(bodies[at - 1]!),
      );
  });

  it("go out at the time of their newest words, and a gap apart where nobody says", () => {
    const timed = requestsOf({ transcript, spoken: "openai-chat", timesMs }, asking);
    expect(timed.untimed).toBe(0);
    const sent = transcript.messages.flatMap(({ role }, at) => (role === "assistant" ? [timesMs[at - 1]!] : []));
    expect(Array.from(timed.all(), ({ atMs }) => atMs)).toEqual(sent);
    const assumed = requestsOf({ transcript, spoken: "openai-chat" }, asking);
    expect(assumed.untimed).toBe(assumed.count);
    expect(Array.from(assumed.all(), ({ atMs }) => atMs)).toEqual(sent.map((_, at) => at * 30_000));
  });

  it("never go back in time", () => {
    const wild = transcript.messages.map((_, at) => (at % 3 === 0 ? undefined : (at * 7_919) % 100_000));
    const times = Array.from(
      requestsOf({ transcript, spoken: "openai-chat", timesMs: wild }, asking).all(),
      ({ atMs }) => atMs,
    );
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  });

  it("can carry the system prompt that a session file leaves out", () => {
    const whole: Transcript = { ...transcript, system: [textMessage("system", "Be brief.")] };
    const weight = (recording: Recording): number =>
      Array.from(requestsOf(recording, asking).all(), ({ body }) => body)[0]!.length;
    const bare: Recording = { transcript: whole, spoken: "openai-chat" };
    expect(weight(withPrompt(bare, 5_000))).toBeGreaterThan(weight(bare) + 15_000);
  });
});
