/** `layered`, held against the published figures and rules of Claude Code (IA al Día 2026) and those observed in 2.1. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyCompaction, type Compaction } from "../../../../src/core/compaction/compaction.ts";
import type { CompactRequest } from "../../../../src/core/engines/contract.ts";
import { createLayered, layeredLimits, type LayeredState } from "../../../../src/core/engines/layered/layered.ts";
import { LAYERED_DEFAULTS } from "../../../../src/core/engines/settings.ts";
import { parseHandoff } from "../../../../src/core/handoff/write.ts";
import { NINE_SECTIONS } from "../../../../src/core/handoff/templates.ts";
import type { WriterPrompt, Writers } from "../../../../src/core/handoff/model/writer.ts";
import { contentText, resultOf, type Message, type Transcript } from "../../../../src/core/transcript/message.ts";
import { violationsOf } from "../../../../src/core/transcript/oracle.ts";
import { chain, filler, measure, ran, says, talk, user } from "../../../support/compacting.ts";
import { RUNS } from "../../../support/transcripts.ts";

/** Trigger 67,000, enough 53,600. */
const WINDOW = 100_000;
const limits = layeredLimits({ ...LAYERED_DEFAULTS, contextLength: WINDOW });
const engine = createLayered({ ...LAYERED_DEFAULTS, contextLength: WINDOW });

interface Result {
  readonly compaction: Compaction;
  readonly standing: Transcript;
  readonly messages: readonly Message[];
  readonly state: LayeredState;
}

async function compacted(
  transcript: Transcript,
  request: Partial<CompactRequest> = {},
  state: LayeredState = engine.init(),
): Promise<Result> {
  const outcome = await engine.compact(state, transcript, { measure, chain, reason: "threshold", ...request });
  if (outcome.kind !== "compacted") throw new Error(outcome.because);
  const standing = applyCompaction(transcript, outcome.compaction);
  expect(violationsOf(standing)).toEqual([]);
  const after = JSON.parse(JSON.stringify(outcome.compaction.state)) as LayeredState;
  return { compaction: outcome.compaction, standing, messages: standing.messages, state: after };
}

const step = (tokens: number, name: string): readonly Message[] =>
  ran("shell", { command: `step ${name}` }, filler(tokens, name));
const steps = (count: number, tokens: number, name: string): readonly Message[] =>
  Array.from({ length: count }, (_, at) => step(tokens, `${name}${at}`)).flat();
const textOf = ({ parts }: Message): string => contentText(parts);
const isCleared = (message: Message): boolean => message.origin === "stub";
const ofOrigin = (messages: readonly Message[], origin: Message["origin"]): Message =>
  messages.find((message) => message.origin === origin)!;

describe("the figures of layered", () => {
  it.each([
    [100_000, 67_000],
    [200_000, 167_000],
    [1_000_000, 967_000],
  ])("trigger in a window of %i at %i: 20,000 and 13,000 below it", (contextLength, trigger) => {
    expect(layeredLimits({ ...LAYERED_DEFAULTS, contextLength }).triggerTokens).toBe(trigger);
  });

  it.each([32_000, 64_000])("trigger at half of a window of %i, which has no room for both", (contextLength) => {
    expect(layeredLimits({ ...LAYERED_DEFAULTS, contextLength }).triggerTokens).toBe(contextLength / 2);
  });

  it("are Claude Code's at 200,000: 20,000 for the summary, 50,000 put back", () => {
    expect(layeredLimits(LAYERED_DEFAULTS)).toMatchObject({
      effectiveTokens: 180_000,
      summaryTokens: 20_000,
      restoredTokens: 50_000,
    });
    expect(layeredLimits({ contextLength: 200_000, maxOutputTokens: 64_000 }).effectiveTokens).toBe(136_000);
  });

  it("make a compaction due from the trigger on", () => {
    const at = (tokens: number): string => engine.decide(engine.init(), { tokens, messages: 50 }).kind;
    expect([at(66_999), at(67_000)]).toEqual(["none", "compact"]);
  });
});

describe("layers 1 and 2", () => {
  const session = talk(user("Mend the build; never touch api.ts."), steps(30, 2_400, "old"), user("Go on."));

  it("clear as few results as will do, the latest of the old ones, and never the first half nor the newest", async () => {
    const text = filler(2_000);
    const sizes = fc.array(fc.integer({ min: 200, max: text.length }), { minLength: 10, maxLength: 16 });
    await fc.assert(
      fc.asyncProperty(sizes, async (lengths) => {
        const results = lengths.map((length, at) => ran("shell", { command: `part ${at}` }, text.slice(0, length)));
        const own = talk(user("Begin."), ...results);
        const tokens = measure.transcript(own);
        const limitTokens = Math.floor(tokens * 0.8);
        const { compaction, messages } = await compacted(own, { reason: "budget", budget: limitTokens });
        if (compaction.report.rung > 0) return;
        const cleared = messages.flatMap((message, at) => (isCleared(message) ? at : []));
        const places = own.messages.flatMap((message, at) => (resultOf(message) === undefined ? [] : at));
        expect(cleared[0]).toBeGreaterThanOrEqual(own.messages.length / 2);
        expect(places.slice(-LAYERED_DEFAULTS.keptResults)).not.toContain(cleared.at(-1));
        const largest = measure.message(own.messages[cleared[0]!]!) - measure.message(messages[cleared[0]!]!);
        expect(compaction.report.tokens.after + largest).toBeGreaterThan(limitTokens);
        own.messages.forEach((message, at) => cleared.includes(at) || expect(messages[at]).toBe(message));
      }),
      { numRuns: Math.ceil(RUNS / 15) },
    );
  });

  it("are enough where they free a fifth of the trigger", async () => {
    const { compaction } = await compacted(session);
    expect(compaction.report.rung).toBe(0);
    expect(compaction.report.tokens.after).toBeLessThanOrEqual(limits.enoughTokens);
    expect(compaction.report.summary).toBeUndefined();
  });

  it("show an id for every result that was cleared, and leave a skill as it is", async () => {
    const own = talk(session.messages, ran("skill", { name: "review" }, filler(1_000, "how")), steps(4, 300, "new"));
    const { compaction, messages } = await compacted(own);
    const ids = messages.filter(isCleared).map((message) => /r[0-9a-f]{16}/.exec(textOf(message))![0]);
    expect(compaction.evicted.map(({ id }) => id)).toEqual(ids);
    expect(messages.some((message) => textOf(message) === filler(1_000, "how"))).toBe(true);
  });

  it("keep what they cleared, to the byte, when there is more", async () => {
    const first = await compacted(session);
    const later = talk(session.messages, says("On it."), steps(10, 2_000, "more"));
    const standing = applyCompaction(later, first.compaction);
    const second = await compacted(later, { standing }, first.state);
    expect(second.compaction.report.rung).toBe(0);
    const lastCleared = first.messages.findLastIndex(isCleared);
    expect(second.messages.slice(0, lastCleared + 1)).toEqual(first.messages.slice(0, lastCleared + 1));
    expect(second.messages.filter(isCleared).length).toBeGreaterThan(first.messages.filter(isCleared).length);
  });

  it("leave a summary that stands, and all before the middle of what is sent", async () => {
    const first = await compacted(session, { reason: "explicit" });
    const later = talk(session.messages, says("On it."), steps(32, 2_000, "more"));
    const standing = applyCompaction(later, first.compaction);
    expect(measure.transcript(standing)).toBeGreaterThan(limits.triggerTokens);
    const second = await compacted(later, { standing }, first.state);
    expect(second.compaction.report.rung).toBe(0);
    const half = Math.floor(standing.messages.length / 2);
    expect(second.messages.slice(0, half)).toEqual(standing.messages.slice(0, half));
    expect(second.messages.some(isCleared)).toBe(true);
    expect(second.messages).toHaveLength(standing.messages.length);
  });

  it("do not bring back a tail that had to be rewritten", async () => {
    const heavy = talk(session.messages, step(60_000, "huge"));
    const first = await compacted(heavy);
    expect(first.compaction.report.rung).toBeGreaterThan(1);
    const later = talk(heavy.messages, steps(20, 2_000, "more"));
    const standing = applyCompaction(later, first.compaction);
    const second = await compacted(later, { standing }, first.state);
    expect(second.compaction.report.rung).toBe(1);
    expect(second.messages.filter(isCleared)).toEqual([]);
  });

  it("give way to a summary where they cannot free enough", async () => {
    const talkative = talk(
      user("Begin."),
      Array.from({ length: 40 }, (_, at) => says(filler(1_700, `word${at}`))),
    );
    const { compaction, messages } = await compacted(talk(talkative.messages, user("And now?")));
    expect(compaction.report.rung).toBe(1);
    expect(messages[0]?.origin).toBe("summary");
  });
});

describe("layer 3", () => {
  const asked: WriterPrompt[] = [];
  const usage = { inputTokens: 10, outputTokens: 10, requests: 1 };
  const writersThat = (answer: (prompt: WriterPrompt) => string): Writers => ({
    main: {
      model: "any-1",
      windowTokens: 100_000,
      ask: async (prompt) => {
        asked.push(prompt);
        return { kind: "answered", text: answer(prompt), ended: "stop", usage };
      },
    },
    resting: [],
  });
  const QUOTE = 'The user said "the cart must keep its order", so src/cart.ts sorts by id.';
  const record = NINE_SECTIONS.map(({ heading }) =>
    heading === "Key Technical Concepts"
      ? `## ${heading}\n- ${QUOTE}`
      : heading === "Problem Solving"
        ? `## ${heading}\n1. Read src/cart.ts and found that the cart lost its order.`
        : `## ${heading}\nNone`,
  ).join("\n");
  const cart = talk(
    user("Mend src/cart.ts: the cart must keep its order."),
    ran("read_file", { path: "src/cart.ts" }, `export const cart = sort(id);\n${filler(2_000, "cart")}`),
    steps(10, 1_500, "look"),
    says("The cart lost its order because sort() was unstable."),
    user("Good. And the tests?"),
    steps(2, 3_000, "test"),
  );

  it("asks no model where the session memory holds all that counts", async () => {
    asked.length = 0;
    const { compaction } = await compacted(cart, { reason: "explicit", writers: writersThat(() => record) });
    expect(asked).toEqual([]);
    expect(compaction.report.summary).toMatchObject({ by: "ledger", because: expect.stringContaining("memory") });
    expect(compaction.report.modelCalls).toBe(0);
  });

  it("asks for the nine sections, with quotes, where a focus wants more", async () => {
    asked.length = 0;
    const { compaction, messages, state } = await compacted(cart, {
      reason: "explicit",
      focus: "the order of the cart",
      writers: writersThat(() => record),
    });
    expect(compaction.report.summary?.by).toBe("model");
    const prompt = asked[0]!.user;
    for (const { heading } of NINE_SECTIONS) expect(prompt).toContain(heading);
    expect(prompt).toMatch(/word for word/);
    expect(textOf(ofOrigin(messages, "summary"))).toContain(QUOTE);
    expect(state.memory?.decisions).toContainEqual(expect.stringContaining(QUOTE));
  });

  it("asks where the memory would have to leave something out", async () => {
    asked.length = 0;
    const wordy = Array.from({ length: 60 }, (_, at) => [user(filler(60, `wish${at}`)), says(`Done with ${at}.`)]);
    await compacted(talk(cart.messages, ...wordy.flat()), {
      reason: "budget",
      budget: 6_000,
      writers: writersThat(() => record),
    });
    expect(asked).toHaveLength(1);
  });

  it("remembers what a model wrote when the next summary is the ledger's", async () => {
    const first = await compacted(cart, {
      reason: "explicit",
      focus: "the order of the cart",
      writers: writersThat(() => record),
    });
    const later = talk(cart.messages, says("Next."), steps(8, 2_000, "more"), user("And now?"));
    const standing = applyCompaction(later, first.compaction);
    const second = await compacted(later, { reason: "explicit", standing }, first.state);
    expect(second.compaction.report.summary?.by).toBe("ledger");
    expect(parseHandoff(textOf(ofOrigin(second.messages, "summary")))?.sections.get("decisions")).toContainEqual(
      expect.stringContaining(QUOTE),
    );
  });

  it("writes those of the nine sections that have something to say, without a model, and answers the request that is live", async () => {
    const { messages } = await compacted(talk(cart.messages, steps(10, 1_500, "late")), { reason: "explicit" });
    const headings: readonly string[] = textOf(messages[0]!).match(/^## .*$/gm) ?? [];
    const known = NINE_SECTIONS.map(({ heading }) => `## ${heading}`);
    expect(headings).toEqual(known.filter((heading) => headings.includes(heading)));
    expect(headings).toEqual(expect.arrayContaining(["## Primary Request and Intent", "## Problem Solving"]));
    const anchor = ofOrigin(messages, "anchor");
    expect(textOf(anchor)).toBe("Good. And the tests?");
    expect(messages.indexOf(anchor)).toBe(2);
  });

  it("gets below half of what a provider refused", async () => {
    const small = talk(user("Begin."), steps(10, 1_000, "part"), user("Go on."));
    const before = measure.transcript(small);
    const { compaction } = await compacted(small, { reason: "overflow" });
    expect(compaction.report.tokens.after).toBeLessThanOrEqual(before / 2);
  });
});

describe("the breaker", () => {
  it("opens after three failures in a row, and closes when a compaction lasts", async () => {
    const stuck = talk(user("Begin."), says("Yes."), user(filler(70_000, "plan")));
    let state = engine.init();
    for (let failures = 0; failures < 3; failures++) {
      expect(engine.decide(state, { tokens: 100_000 + failures * 20_000, messages: 3 }).kind).toBe("compact");
      const outcome = await engine.compact(state, stuck, { measure, chain, reason: "threshold" });
      state = (outcome.kind === "compacted" ? outcome.compaction.state : outcome.state) as LayeredState;
    }
    expect(engine.decide(state, { tokens: 500_000, messages: 3 })).toMatchObject({
      kind: "none",
      because: expect.stringContaining("3 consecutive compactions"),
    });
    const { state: after } = await compacted(talk(user("Begin."), steps(30, 2_400, "part")), {}, state);
    expect(engine.decide(after, { tokens: 500_000, messages: 3 }).kind).toBe("compact");
  });

  it("counts a window that is full again at once", async () => {
    const session = talk(user("Begin."), steps(30, 2_400, "part"));
    const first = await compacted(session);
    expect(first.state.failures).toBe(0);
    const later = talk(session.messages, step(30_000, "huge"));
    const { state } = await compacted(
      later,
      { reason: "explicit", standing: applyCompaction(later, first.compaction) },
      first.state,
    );
    expect(state.failures).toBe(1);
  });
});
