/** `sacred-zone`, held against the figures and rules of the Dual Compression chapter (docs/sources.md). */
import { describe, expect, it } from "vitest";
import { applyCompaction, type Compaction } from "../../../../src/core/compaction/compaction.ts";
import { DIGEST_TRIGGER_TOKENS } from "../../../../src/core/digest/digest.ts";
import type { CompactRequest } from "../../../../src/core/engines/contract.ts";
import type { Writers } from "../../../../src/core/handoff/model/writer.ts";
import {
  sacredZoneFigures,
  sacredZoneLimits,
  createSacredZone,
  sacredZoneStatistics,
  type SacredZoneState,
} from "../../../../src/core/engines/sacred-zone/sacred-zone.ts";
import { SACRED_ZONE_DEFAULTS, type SacredZoneSettings } from "../../../../src/core/engines/settings.ts";
import { contentText, resultOf, type Message, type Transcript } from "../../../../src/core/transcript/message.ts";
import { violationsOf } from "../../../../src/core/transcript/oracle.ts";
import { chain, filler, measure, ran, says, talk, user } from "../../../support/compacting.ts";
import { careful } from "../../../support/model-answers.ts";

const engineWith = (settings: Partial<SacredZoneSettings> = {}) =>
  createSacredZone({ ...SACRED_ZONE_DEFAULTS, contextLength: 100_000, ...settings });

async function compactionOf(
  transcript: Transcript,
  request: Partial<CompactRequest> = {},
  settings: Partial<SacredZoneSettings> = {},
): Promise<{ compaction: Compaction; messages: readonly Message[] }> {
  const engine = engineWith(settings);
  const outcome = await engine.compact(engine.init(), transcript, { measure, chain, reason: "threshold", ...request });
  if (outcome.kind !== "compacted") throw new Error(outcome.because);
  const result = applyCompaction(transcript, outcome.compaction);
  expect(violationsOf(result)).toEqual([]);
  return { compaction: outcome.compaction, messages: result.messages };
}

/** Old results of these sizes behind a first exchange, and some 25,000 newest tokens of small steps. */
function sessionOf(...sizes: readonly number[]): Transcript {
  return talk(
    user("Write a report from the data; never change data.csv."),
    says("I shall read the data first."),
    ...sizes.map((size, at) => ran("shell", { command: `step ${at}` }, filler(size, `old${at}`))),
    ...Array.from({ length: 50 }, (_, at) => ran("shell", { command: `check ${at}` }, filler(450, `new${at}`))),
    user("Now the figures of May."),
  );
}

const tokensOf = (message: Message): number => measure.text(contentText(message.parts));

describe("the figures of sacred-zone", () => {
  it.each([32_000, 64_000, 100_000, 200_000, 1_000_000])("are the chapter's, with a window of %i", (contextLength) => {
    const limits = sacredZoneLimits({ ...SACRED_ZONE_DEFAULTS, contextLength });
    expect(limits).toMatchObject({
      usableTokens: contextLength,
      triggerTokens: contextLength * 0.75,
      targetTokens: contextLength * 0.5,
    });
    const recent = sacredZoneFigures({ contextLength }).find(({ name }) => name === "recent");
    expect(recent?.tokens).toBe(Math.min(20_000, contextLength * 0.2));
  });

  it("are 500 tokens for what is digested, 150 for a digest, 300 words for a summary", async () => {
    expect(DIGEST_TRIGGER_TOKENS).toBe(500);
    expect(SACRED_ZONE_DEFAULTS.summaryWords).toBe(300);
    const session = sessionOf(20_000, 400, 25_000, 490, 10_000);
    const { compaction, messages } = await compactionOf(session, { budget: 30_000 });
    expect(compaction.report.rung).toBe(0);
    const digests = messages.filter(({ origin }) => origin === "digest");
    expect(digests).toHaveLength(3);
    for (const digest of digests) expect(tokensOf(digest)).toBeLessThanOrEqual(150);
  });

  it("trigger above 75 %, not at it", () => {
    const engine = engineWith({ contextLength: 108_000, maxOutputTokens: 8_000 });
    const at = (tokens: number): string => engine.decide(engine.init(), { tokens, messages: 50 }).kind;
    expect([at(81_000), at(81_001)]).toEqual(["none", "compact"]);
  });
});

describe("a compaction by sacred-zone", () => {
  it("digests the largest old results first, and no more than the target asks", async () => {
    const session = sessionOf(6_000, 22_000, 900, 20_000);
    const { compaction, messages } = await compactionOf(session);
    const sizes = messages.flatMap(({ origin }, at) =>
      origin === "digest" ? measure.message(session.messages[at]!) : [],
    );
    expect(sizes).toHaveLength(2);
    expect(Math.min(...sizes)).toBeGreaterThan(19_000);
    expect(compaction.report.tokens.after).toBeLessThanOrEqual(50_000);
    expect(compaction.report.tokens.after + Math.min(...sizes)).toBeGreaterThan(50_000);
  });

  it("leaves the first exchange, what was said and the newest 20,000 tokens as they were", async () => {
    const session = sessionOf(30_000, 30_000);
    const { messages } = await compactionOf(session);
    let recent = 0;
    const newest = session.messages.toReversed().filter((message) => (recent += measure.message(message)) <= 20_000);
    for (const message of [...session.messages.slice(0, 2), ...newest]) expect(messages).toContain(message);
    for (const message of session.messages) if (resultOf(message) === undefined) expect(messages).toContain(message);
  });

  it("does nothing within the target", async () => {
    const engine = engineWith();
    const outcome = await engine.compact(engine.init(), sessionOf(5_000), { measure, chain, reason: "explicit" });
    expect(outcome.kind).toBe("unchanged");
  });

  it("keeps what it digested before, though larger results have come", async () => {
    const early = sessionOf(9_000, 1_200);
    const first = await compactionOf(early, { budget: measure.transcript(early) - 5_000 });
    const later = { ...early, messages: [...early.messages, ...sessionOf(12_000).messages] };
    const standing = applyCompaction(later, first.compaction);
    const second = await compactionOf(later, { standing, budget: measure.transcript(standing) - 5_000 });
    const before = first.compaction.evicted.map(({ id }) => id);
    expect(second.compaction.evicted.map(({ id }) => id)).toEqual(expect.arrayContaining(before));
  });

  it("counts what it did, through JSON", async () => {
    const engine = engineWith();
    const session = sessionOf(30_000, 30_000);
    const unused = { hitRate: 0, savedShare: 0 };
    expect(sacredZoneStatistics(engine.init())).toEqual({
      compactions: 0,
      savedTokens: 0,
      averageRatio: 0,
      ...unused,
    });
    const { compaction } = await compactionOf(session);
    const { before, after } = compaction.report.tokens;
    const statistics = sacredZoneStatistics(JSON.parse(JSON.stringify(compaction.state)));
    expect(statistics).toEqual({
      compactions: 1,
      savedTokens: before - after,
      averageRatio: (before - after) / before,
      ...unused,
    });
    const usage = { input: 1_000, output: 9, cacheRead: 800, cacheWrite: 100 };
    const used = engine.observe(engine.observe(compaction.state as SacredZoneState, usage), usage);
    expect(sacredZoneStatistics(used)).toMatchObject({ compactions: 1, hitRate: 0.8, savedShare: 0.72 - 0.025 });
  });
});

describe("the fallback of sacred-zone", () => {
  /** Much talk, which no digest makes smaller. */
  const chat = (turns: number): Transcript =>
    talk(
      user("Help me plan; the deadline is 3 May."),
      says("Gladly."),
      ...Array.from({ length: turns }, (_, at) => [
        user(filler(300, `ask${at}`)),
        says(filler(700, `answer${at}`)),
      ]).flat(),
      user("And what is next?"),
    );

  it("first takes everything outside the zone to its minimum", async () => {
    const session = talk(
      user("Mend the build."),
      says("Yes."),
      ...Array.from({ length: 200 }, (_, at) => ran("shell", { command: `part ${at}` }, filler(350, `part${at}`))),
      user("Go on."),
    );
    const { compaction } = await compactionOf(session);
    expect(compaction.report.rung).toBe(1);
    expect(compaction.report.degraded).toEqual([]);
  });

  it("then leaves out the oldest, but never the first exchange", async () => {
    const session = chat(80);
    const { compaction, messages } = await compactionOf(session);
    expect(compaction.report.rung).toBe(2);
    expect(messages.slice(0, 2)).toEqual(session.messages.slice(0, 2));
    expect(messages[2]?.origin).toBe("summary");
    expect(compaction.report.tokens.after).toBeLessThanOrEqual(50_000);
    expect(compaction.report.tokens.after).toBeGreaterThan(45_000);
    expect(compaction.report.degraded).toHaveLength(1);
  });

  it.each([300, 90])(
    "then restarts from a summary of %i words at most, with the live request in its own words",
    async (summaryWords) => {
      const opening = user(`Keep to this plan.\n${filler(45_000, "plan")}`);
      const session = { ...chat(30), messages: [opening, ...chat(30).messages.slice(1)] };
      const { compaction, messages } = await compactionOf(session, {}, { summaryWords });
      expect(compaction.report.rung).toBe(3);
      const [summary] = messages;
      expect(summary?.origin).toBe("summary");
      expect(contentText(summary!.parts).split(/\s+/).length).toBeLessThanOrEqual(summaryWords);
      expect(messages.at(-1)).toBe(session.messages.at(-1));
      expect(compaction.report.tokens.after).toBeLessThanOrEqual(50_000);
    },
  );

  it("has a model write that summary, asked once for 500 tokens, and keeps code's where it fails", async () => {
    const opening = user(`Keep to this plan.\n${filler(45_000, "plan")}`);
    const session = { ...chat(30), messages: [opening, ...chat(30).messages.slice(1)] };
    const usage = { inputTokens: 100, outputTokens: 50, requests: 1 };
    const asked: number[] = [];
    const writersOf = (answer: (prompt: string) => string): Writers => ({
      auxiliary: {
        model: "any-1",
        windowTokens: 200_000,
        ask: async ({ user: prompt, maxOutputTokens }) => {
          asked.push(maxOutputTokens);
          return { kind: "answered", text: answer(prompt), ended: "stop", usage };
        },
      },
      resting: [],
    });
    const told = await compactionOf(session, { writers: writersOf(careful) });
    expect(told.compaction.report).toMatchObject({ rung: 3, restarted: true, modelCalls: 1, summary: { by: "model" } });
    expect(contentText(told.messages[0]!.parts).split(/\s+/).length).toBeLessThanOrEqual(300);
    expect(told.compaction.report.tokens.after).toBeLessThanOrEqual(50_000);
    for (const tokens of asked) expect(tokens).toBeLessThanOrEqual(500 * 1.3);

    const failed = await compactionOf(session, { writers: writersOf(() => "I cannot help with that.") });
    expect(failed.compaction.report).toMatchObject({ restarted: true, summary: { by: "ledger" } });
    expect(contentText(failed.messages[0]!.parts).split(/\s+/).length).toBeLessThanOrEqual(300);

    asked.length = 0;
    const digests = await compactionOf(sessionOf(40_000, 20_000), { writers: writersOf(careful) });
    expect([digests.compaction.report.rung, digests.compaction.report.restarted, asked]).toEqual([0, undefined, []]);
  });

  it("says irreducible where even that is too much, and rests until there is more to give", async () => {
    const session = talk(user("Begin."), says("Yes."), user(filler(99_000, "plan")));
    const engine = engineWith();
    const outcome = await engine.compact(engine.init(), session, { measure, chain, reason: "threshold" });
    const state = outcome.kind === "compacted" ? outcome.compaction.state : outcome.state;
    const irreducible = outcome.kind === "compacted" ? outcome.compaction.report.irreducible : outcome.irreducible;
    expect(irreducible?.limit).toBe(85_000);
    const decide = (tokens: number) => engine.decide(state as ReturnType<typeof engine.init>, { tokens, messages: 3 });
    expect(decide(98_000)).toMatchObject({ kind: "none", because: expect.stringContaining("fresh session") });
    expect(decide(110_000).kind).toBe("compact");
  });
});
