/** `lossless`, held against the figures of lossless-claw (its configuration reference, release 0.15) and its own rules. */
import { describe, expect, it } from "vitest";
import { losslessLimits, type LosslessState } from "../../../../src/core/engines/lossless/lossless.ts";
import { LOSSLESS_DEFAULTS } from "../../../../src/core/engines/settings.ts";
import { ANSWER_TOKENS } from "../../../../src/core/engines/lossless/tools.ts";
import { EXPAND_DEPTH } from "../../../../src/core/engines/lossless/expand.ts";
import { isHandoff } from "../../../../src/core/handoff/write.ts";
import type { Writer, WriterPrompt } from "../../../../src/core/handoff/model/writer.ts";
import { contentText, type Message } from "../../../../src/core/transcript/message.ts";
import { violationsOf } from "../../../../src/core/transcript/oracle.ts";
import { chain, filler, measure, ran, says, talk, user } from "../../../support/compacting.ts";
import { careful } from "../../../support/model-answers.ts";
import { compactedBy, losslessWith, session } from "./growing.ts";

const summaries = (messages: readonly Message[]) => messages.filter(({ origin }) => origin === "summary");
const textsOf = (messages: readonly Message[]) => messages.map(({ parts }) => contentText(parts));

const LONG = session(110);
/** The default proportions at a fifth of the size. */
const SMALL = {
  leafChunkTokens: 4_000,
  leafTargetTokens: 480,
  condensedTargetTokens: 400,
  freshTailMaxTokens: 5_000,
};

describe("the figures of lossless", () => {
  it("are those of lossless-claw", () => {
    expect(LOSSLESS_DEFAULTS).toMatchObject({
      contextThreshold: 0.75,
      freshTailCount: 64,
      freshTailMaxTokens: 24_000,
      leafChunkTokens: 20_000,
      leafTargetTokens: 2_400,
      condensedTargetTokens: 2_000,
      leafMinFanout: 8,
      condensedMinFanout: 4,
      condensedMinFanoutHard: 2,
    });
    expect([ANSWER_TOKENS, EXPAND_DEPTH]).toEqual([4_000, 3]);
  });

  it.each([
    [32_000, 24_000, 12_000, 8_000, 960],
    [64_000, 48_000, 20_000, 16_000, 1_920],
    [200_000, 150_000, 20_000, 20_000, 2_400],
    [1_000_000, 750_000, 20_000, 20_000, 2_400],
  ])("fit a window of %i", (contextLength, triggerTokens, summariesTokens, leafChunkTokens, leafTokens) => {
    const limits = losslessLimits({ ...LOSSLESS_DEFAULTS, contextLength });
    expect(limits).toMatchObject({ triggerTokens, summariesTokens, leafChunkTokens, leafTokens });
    // What a compaction leaves never triggers the next.
    expect(limits.summariesTokens + limits.tailTokens).toBeLessThan(triggerTokens);
  });

  it("trigger above 75 %, not at it", () => {
    const engine = losslessWith({ contextLength: 108_000, maxOutputTokens: 8_000 });
    const at = (tokens: number): string => engine.decide(engine.init(), { tokens, messages: 50 }).kind;
    expect([at(81_000), at(81_001)]).toEqual(["none", "compact"]);
  });
});

describe("a compaction by lossless", () => {
  it("puts everything before the newest 24,000 tokens into leaves of 20,000", async () => {
    const transcript = LONG;
    const { roots, messages, compaction } = await compactedBy(transcript);
    expect(violationsOf({ ...transcript, messages })).toEqual([]);
    expect(roots.map(({ depth }) => depth)).toEqual(roots.map(() => 0));
    expect(roots[0]!.from).toBe(0);
    for (const [at, { from, until, stands, tokens }] of roots.entries()) {
      if (at > 0) expect(from).toBe(roots[at - 1]!.until);
      expect(stands).toBe(measure.messages(transcript.messages.slice(from, until)));
      expect(stands).toBeLessThanOrEqual(20_000 + 8 * 1_200);
      expect(tokens).toBeLessThanOrEqual(2_400);
    }
    const tail = transcript.messages.slice(roots.at(-1)!.until);
    expect(measure.messages(tail)).toBeLessThanOrEqual(24_000);
    expect(measure.messages(tail)).toBeGreaterThan(22_000);
    expect(messages.slice(-tail.length)).toEqual(tail);
    expect(compaction.report.summary).toEqual({ by: "ledger", steps: [] });
  });

  it("keeps no more than 64 messages, where they are small", async () => {
    const chat = talk(
      ...Array.from({ length: 300 }, (_, at) => [
        user(filler(120, `ask${at}`)),
        says(filler(120, `answer${at}`)),
      ]).flat(),
    );
    const { messages } = await compactedBy(chat);
    expect(messages.filter(({ origin }) => origin === undefined)).toEqual(chat.messages.slice(-64));
  });

  it("says in each record which messages it stands for, and where they are", async () => {
    const { roots, messages } = await compactedBy(LONG);
    const texts = textsOf(summaries(messages));
    expect(texts).toEqual(roots.map(({ text }) => text));
    for (const { text, id, from, until } of roots) {
      expect(text).toContain(id);
      expect(text).toContain(`Messages ${from + 1} to ${until}.`);
    }
    for (const message of summaries(messages)) expect(isHandoff(message)).toBe(true);
  });

  it("repeats the live request after the records, where it stands before the tail", async () => {
    const transcript = { ...LONG, messages: LONG.messages.slice(0, -1) };
    const { messages } = await compactedBy(transcript);
    const anchor = messages.findIndex(({ origin }) => origin === "anchor");
    expect(textsOf([messages[anchor]!])).toEqual(textsOf([transcript.messages[0]!]));
    expect(anchor).toBe(summaries(messages).length);
  });

  it("leaves a conversation alone that is no longer than its tail", async () => {
    await expect(compactedBy(session(15))).rejects.toThrow("fresh tail");
  });
});

describe("a session that goes on", () => {
  it("never writes a record twice, condenses the oldest, and keeps the newest finest", async () => {
    const whole = session(90);
    const seen = new Map<string, string>();
    const engine = losslessWith(SMALL);
    let state = engine.init();
    let before: readonly string[] = [];
    let deepest = 0;
    for (let end = 33; end <= whole.messages.length; end += 36) {
      const transcript = { ...whole, messages: whole.messages.slice(0, end) };
      const next = await compactedBy(transcript, { engine, state });
      for (const { id, text } of next.roots) {
        if (seen.has(id)) expect(text).toBe(seen.get(id));
        seen.set(id, text);
      }
      const weight = next.roots.reduce((sum, { tokens }) => sum + tokens, 0);
      expect(weight).toBeLessThanOrEqual(4_000);
      const depths = next.roots.map(({ depth }) => depth);
      expect(depths).toEqual(depths.toSorted((a, b) => b - a));
      expect(depths.at(-1)).toBe(0);
      deepest = Math.max(deepest, ...depths);
      // Unless the oldest were condensed, what is sent begins as it did before.
      const texts = next.roots.map(({ text }) => text);
      if (depths.filter((depth) => depth > 0).length === state.dag.roots.filter(({ depth }) => depth > 0).length)
        expect(texts.slice(0, before.length)).toEqual(before);
      before = texts;
      state = next.state;
    }
    expect(deepest).toBeGreaterThan(0);
    const known = new Set([...state.dag.roots, ...state.dag.buried].map(({ id }) => id));
    for (const { sources, depth } of [...state.dag.roots, ...state.dag.buried]) {
      expect(sources.length === 0).toBe(depth === 0);
      for (const source of sources) expect(known).toContain(source);
    }
  });

  it("condenses four of a depth while there are four", async () => {
    const { state } = await compactedBy(session(90), { settings: SMALL });
    const condensed = [...state.dag.roots, ...state.dag.buried].filter(({ depth }) => depth > 0);
    expect(condensed.length).toBeGreaterThan(0);
    for (const { sources } of condensed.filter(({ depth }) => depth === 1)) expect(sources).toHaveLength(4);
  });

  it("forgets what is not of this conversation", async () => {
    const { state } = await compactedBy(LONG);
    const other = session(120);
    const changed = [user("Something else."), ...other.messages.slice(1)];
    const first = await compactedBy({ ...other, messages: changed });
    const second = await compactedBy({ ...other, messages: changed }, { state });
    expect(second.roots).toEqual(first.roots);
  });

  it("goes on from the records that still hold, when a person goes back", async () => {
    const { state, roots } = await compactedBy(LONG);
    const back = LONG.messages.slice(0, roots.at(-1)!.from + 1);
    const forked = [
      ...back,
      ...Array.from({ length: 60 }, (_, at) => ran("shell", { command: `new ${at}` }, filler(800, `n${at}`))).flat(),
    ];
    const next = await compactedBy({ system: [], messages: forked }, { state });
    expect(next.roots.slice(0, roots.length - 1)).toEqual(roots.slice(0, -1));
  });
});

describe("lossless within a budget", () => {
  it.each([3_000, 8_000, 20_000, 60_000])("of %i tokens stays within it", async (budget) => {
    const { compaction, roots } = await compactedBy(LONG, { request: { budget, reason: "budget" } });
    expect(compaction.report.irreducible).toBeUndefined();
    expect(compaction.report.tokens.after).toBeLessThanOrEqual(budget);
    expect(compaction.report.tokens.after).toBeGreaterThan(budget * 0.6);
    expect(roots.length).toBeGreaterThan(0);
  });

  it("says irreducible where even that is too much, and rests", async () => {
    const engine = losslessWith({ contextLength: 100_000 });
    const transcript = talk(user("Begin."), says("Yes."), user(filler(99_000, "plan")));
    const outcome = await engine.compact(engine.init(), transcript, { measure, chain, reason: "threshold" });
    const state = (outcome.kind === "compacted" ? outcome.compaction.state : outcome.state) as LosslessState;
    const irreducible = outcome.kind === "compacted" ? outcome.compaction.report.irreducible : outcome.irreducible;
    expect(irreducible?.limit).toBe(85_000);
    const decide = (tokens: number) => engine.decide(state, { tokens, messages: 3 });
    expect(decide(98_000)).toMatchObject({ kind: "none", because: expect.stringContaining("start a fresh session") });
    expect(decide(110_000).kind).toBe("compact");
  });
});

describe("lossless with a model", () => {
  it("asks for what is new, and for nothing that is written", async () => {
    const asked: WriterPrompt[] = [];
    const usage = { inputTokens: 100, outputTokens: 50, requests: 1 };
    const ask: Writer["ask"] = async (prompt) => {
      asked.push(prompt);
      return { kind: "answered", text: careful(prompt.user), ended: "stop", usage };
    };
    const writers = { main: { model: "any-1", windowTokens: 64_000, ask }, resting: [] };
    const engine = losslessWith();
    const first = await compactedBy(session(110), { engine, request: { writers } });
    expect(first.compaction.report.summary?.by).toBe("model");
    expect(first.compaction.report.modelCalls).toBe(asked.length);
    expect(asked.length).toBeLessThanOrEqual(first.roots.length);
    asked.length = 0;
    const second = await compactedBy(session(150), { engine, request: { writers }, state: first.state });
    expect(asked).toHaveLength(second.roots.length - first.roots.length);
    expect(asked[0]!.user).not.toContain("part3:");
  });
});
