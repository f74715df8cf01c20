/** A model's record lives through a compaction that no model writes: because it came at the limit, or the model failed. */
import { expect, it } from "vitest";
import { createCompressor } from "../../../../src/core/engines/compressor/compressor.ts";
import { COMPRESSOR_DEFAULTS } from "../../../../src/core/engines/settings.ts";
import { applyCompaction, type Compaction } from "../../../../src/core/compaction/compaction.ts";
import { THIRTEEN_SECTIONS } from "../../../../src/core/handoff/templates.ts";
import type { Writers } from "../../../../src/core/handoff/model/writer.ts";
import { contentText, type Message, type Transcript } from "../../../../src/core/transcript/message.ts";
import { violationsOf } from "../../../../src/core/transcript/oracle.ts";
import { chain, filler, measure, ran, says, talk, user } from "../../../support/compacting.ts";

const DECISION = "The cart keeps its order in src/cart.ts, because two pages sort it by themselves.";
const DEED = "Read src/part_3.ts and found the rounding in it.";
const RULE = "Sums in src/cart.ts stay whole cents. [1]";
const STATE = "Nothing of src/cart.ts is committed. [3]";
const LEFT = "The totals of src/cart.ts on the order page. [1]";
const sections: Readonly<Record<string, string>> = {
  "Key Decisions": `- ${DECISION}`,
  "Completed Actions": `1. ${DEED}`,
  "Constraints & Preferences": `- ${RULE}`,
  "Active State": `- ${STATE}`,
  "In Progress": "- Reading src/part_3.ts for its sums. [5]",
  "Remaining Work": `- ${LEFT}`,
};
const answer = THIRTEEN_SECTIONS.map(
  ({ heading }) => `## ${heading}\n${sections[heading] ?? `- ${heading} of src/cart.ts.`}`,
).join("\n");

const prompts: string[] = [];
const writers: Writers = {
  auxiliary: {
    model: "any-1",
    windowTokens: 120_000,
    ask: async ({ user: prompt }) => {
      prompts.push(prompt);
      return { kind: "answered", text: answer, ended: "stop", usage: { inputTokens: 1, outputTokens: 1, requests: 1 } };
    },
  },
  resting: [],
};

const part = (at: number): readonly Message[] => [
  says(`Part ${at} is next, because its totals differ from src/cart.ts.`),
  ...ran("read_file", { path: `src/part_${at}.ts` }, `src/cart.ts sorts by id.\n${filler(2_500, `part${at}`)}`),
  ...ran("edit_file", { path: `src/part_${at}.ts`, old: `total_${at}`, new: `sum_${at}` }, "The file was changed."),
];
const session = (parts: number): Transcript =>
  talk(
    user("Mend the totals of src/cart.ts."),
    part(0),
    user("Go on."),
    Array.from({ length: parts }, (_, at) => part(at + 1)).flat(),
  );

/** Compacts the session as it grows, each time as what was sent before and what is new. */
function growing() {
  const engine = createCompressor({ ...COMPRESSOR_DEFAULTS, contextLength: 40_000 });
  let state = engine.init();
  let standing: readonly Message[] = [];
  let seen = 0;
  const compact = async (parts: number, by?: Writers): Promise<Compaction> => {
    const whole = session(parts);
    const sent = { ...whole, messages: [...standing, ...whole.messages.slice(seen)] };
    const writer = by === undefined ? {} : { writers: by };
    const outcome = await engine.compact(state, whole, {
      measure,
      chain,
      reason: "threshold",
      standing: sent,
      ...writer,
    });
    if (outcome.kind !== "compacted") throw new Error(`nothing was compacted: ${outcome.because}`);
    state = outcome.compaction.state as typeof state;
    const result = applyCompaction(whole, outcome.compaction);
    expect(violationsOf(result)).toEqual([]);
    standing = result.messages;
    seen = whole.messages.length;
    return outcome.compaction;
  };
  const handoff = (): string => contentText(standing.find(({ origin }) => origin === "summary")!.parts);

  return { compact, handoff };
}

it("is carried on by code, with what happened since, and a model reads on from it", async () => {
  const { compact, handoff } = growing();
  prompts.length = 0;
  expect((await compact(30, writers)).report.summary).toMatchObject({ by: "model" });
  expect(handoff()).toContain(DECISION);

  expect((await compact(50)).report.summary).toMatchObject({ by: "ledger" });
  expect(handoff()).toContain(DECISION);
  expect(handoff()).toContain(DEED);
  expect(handoff()).toContain("part_38.ts");
  expect(handoff()).toContain("Agent: Part 29 is next, because its totals differ");
  expect(handoff()).not.toContain("read_file src/part_3.ts");
  expect(handoff()).toMatch(/- As of message \d+: Sums in src\/cart\.ts stay whole cents/);
  expect(handoff()).toMatch(/- As of message \d+: Nothing of src\/cart\.ts is committed/);
  expect(handoff()).toMatch(/- As of message \d+: The totals of src\/cart\.ts on the order page/);
  expect(handoff()).not.toContain("Reading src/part_3.ts for its sums");

  expect((await compact(56)).report.summary).toMatchObject({ by: "ledger" });
  expect(handoff()).toMatch(/- As of message \d+: Nothing of src/);

  await compact(70, writers);
  expect(prompts).toHaveLength(2);
  expect(prompts[1]).toContain(DECISION);
  expect(prompts[1]).toContain(RULE);
  const read = prompts[1]!.slice(prompts[1]!.indexOf("What happened since"));
  expect(read).toContain("part_35.ts");
  expect(read).not.toContain("part_3.ts");
  expect(prompts[1]!.slice(0, prompts[1]!.indexOf("What happened since"))).not.toContain("edit_file src/part_30.ts");
});

it("dates what the model wrote, and tells the newer wish that overrules it", async () => {
  const engine = createCompressor({ ...COMPRESSOR_DEFAULTS, contextLength: 40_000 });
  const earlier = session(30).messages;
  const later = [
    user("From now on sums in src/cart.ts must stay tenths of cents, no longer whole cents."),
    ...Array.from({ length: 14 }, (_, at) => part(at + 40)).flat(),
  ];
  const first = await engine.compact(engine.init(), talk(earlier), { measure, chain, reason: "threshold", writers });
  if (first.kind !== "compacted") throw new Error(first.because);
  const kept = applyCompaction(talk(earlier), first.compaction);
  expect(contentText(kept.messages.find(({ origin }) => origin === "summary")!.parts)).toContain(`- ${RULE}`);
  const second = await engine.compact(first.compaction.state as never, talk([...earlier, ...later]), {
    measure,
    chain,
    reason: "threshold",
    standing: { ...kept, messages: [...kept.messages, ...later] },
  });
  if (second.kind !== "compacted") throw new Error(second.because);
  const { messages } = applyCompaction(talk([...earlier, ...later]), second.compaction);
  const handoff = contentText(messages.find(({ origin }) => origin === "summary")!.parts);
  expect(handoff).toContain(DECISION);
  expect(handoff).toMatch(/- As of message \d+: Sums in src\/cart\.ts stay whole cents/);
  const below = messages.slice(messages.findIndex(({ origin }) => origin === "summary") + 1);
  expect(below.map(({ parts }) => contentText(parts)).join("\n")).toContain(
    "From now on sums in src/cart.ts must stay tenths of cents",
  );
});

it("knows a model's items without a citation from code's own, however often it is carried", async () => {
  const { compact, handoff } = growing();
  const bare = "They want it part after part.";
  const uncited: Writers = {
    ...writers,
    auxiliary: {
      ...writers.auxiliary!,
      ask: async (request, signal) => {
        const reply = await writers.auxiliary!.ask(request, signal);
        return reply.kind === "answered"
          ? { ...reply, text: reply.text.replace(`1. ${DEED}`, `1. ${DEED}\n2. ${bare}`) }
          : reply;
      },
    },
  };
  await compact(30, uncited);
  const episodes = (): number => handoff().match(/edit_file src\/part_30\.ts/g)?.length ?? 0;
  for (const parts of [38, 44, 50]) {
    await compact(parts);
    expect(handoff()).toContain(bare);
    expect(episodes()).toBe(1);
  }
});

it("gives way to code's own record where most of the session is newer", async () => {
  const { compact, handoff } = growing();
  await compact(30, writers);
  await compact(120);
  expect(handoff()).not.toContain(DEED);
});
