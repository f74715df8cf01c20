/** Results and ranges compacted or dropped by hand: gone at once, gone from every later compaction, recalled and undone. */
import { describe, expect, it } from "vitest";
import type { Compaction } from "../../src/core/compaction/compaction.ts";
import { applyGivenCompaction } from "../../src/core/compaction/given.ts";
import { violationsOf } from "../../src/core/transcript/oracle.ts";
import { contentText, textMessage, type Transcript } from "../../src/core/transcript/message.ts";
import { wireRules } from "../../src/protocols/registry.ts";
import { createRuntime } from "../../src/session/checked-runtime.ts";
import { createSession } from "../../src/session/session.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { worked } from "../gateway/support/asking.ts";

const ENGINES = ["compressor", "handoff", "layered", "stepped", "sacred-zone", "lossless"];
const settings = { contextLength: 60_000 };
const begun = worked("alpha", 24);
const { messages } = begun;
/** Two exchanges. */
const [RANGE, FROM, END] = ["12-15", 11, 15];

const said = ({ messages: all }: Transcript): string => JSON.stringify(all.map(({ role, parts }) => ({ role, parts })));

function longer({ messages: before, ...rest }: Transcript): Transcript {
  return { ...rest, messages: [...before, textMessage("assistant", "Done."), ...worked("beta", 14).messages] };
}

function dropped(transcript: Transcript): readonly number[] {
  const sent = said(transcript);
  return Array.from({ length: 24 }, (_, step) => step).filter((step) => !sent.includes(`alpha line 0 of ${step}:`));
}

describe("a range that is dropped", () => {
  it("is not sent, is recalled whole, and comes back", async () => {
    const runtime = createRuntime({ settings });
    const outcome = await runtime.drop(begun, { messages: RANGE });
    expect(outcome.kind).toBe("compacted");
    expect(dropped(outcome.transcript)).toEqual([5, 6]);
    expect(violationsOf(outcome.transcript, wireRules["openai-chat"])).toEqual([]);
    const standing = await runtime.standing(begun);
    expect(standing.transcript.messages).toEqual(outcome.transcript.messages);
    const [id = ""] = /r[0-9a-f]{16}/.exec(said(outcome.transcript)) ?? [];
    const [original] = await runtime.recall(id);
    expect(original?.label).toBe(`messages ${FROM + 1} to ${END}`);
    const recalled = await runtime.recall(id, { messages: "13" });
    expect(recalled[0]?.text).toContain("alpha line 0 of 5:");
    expect(await runtime.undo()).toBe(true);
    expect((await runtime.standing(begun)).transcript.messages).toEqual(messages);
  });

  it.each(ENGINES)("stays out of what %s makes later", async (engine) => {
    const runtime = createRuntime({ engine, settings });
    await runtime.drop(begun, { messages: RANGE });
    const transcript = longer(begun);
    const first = await runtime.compact(transcript, { budget: 14_000 });
    expect(first.kind).toBe("compacted");
    for (const step of [5, 6]) {
      expect(said(first.transcript)).not.toContain(`alpha line 12 of ${step}:`);
      expect(said(first.transcript)).not.toContain(`src/alpha/${step}.ts`);
    }
    if (first.kind !== "compacted") return;
    const { covered, map, byHand, evicted } = first.compaction;
    const read = JSON.parse(JSON.stringify(first.compaction)) as Compaction;
    expect(said(applyGivenCompaction(transcript, read))).toBe(said(first.transcript));
    expect(byHand).toEqual([{ from: FROM, end: END, how: "drop" }]);
    expect(map).toHaveLength(covered);
    for (const [at, destination] of map.entries())
      if (destination.kind === "kept") expect(first.compaction.after[destination.at]).toBe(transcript.messages[at]);
    for (const { id, kind } of evicted) if (kind === "span") expect((await runtime.recall(id))[0]?.text).not.toBe("");
    expect(violationsOf(first.transcript, wireRules["openai-chat"])).toEqual([]);
    // A compaction upon that one, and a drop upon that.
    const last = longer(transcript);
    const again = await runtime.compact(last, { budget: 14_000 });
    expect(said(again.transcript)).not.toContain("src/alpha/5.ts");
    // Each is taken back by itself, the drop last.
    for (const gone of [[5, 6], [5, 6], []]) {
      expect(await runtime.undo()).toBe(true);
      const { transcript: sent } = await runtime.standing(last);
      expect(dropped(sent)).toEqual(expect.arrayContaining(gone));
      if (gone.length === 0) expect(sent.messages).toEqual(last.messages);
    }
  });

  it("is dropped upon a compaction that stands, where it is still sent", async () => {
    const runtime = createRuntime({ settings });
    const compacted = await runtime.compact(begun, { budget: 16_000 });
    if (compacted.kind !== "compacted") throw new Error(compacted.because);
    const { map, covered } = compacted.compaction;
    const isSent = (at: number): boolean => at >= covered || map[at]?.kind === "kept";
    const at = messages.findIndex((message, place) => message.role === "assistant" && isSent(place) && place > 10);
    const gone = await runtime.drop(begun, { messages: `${at + 1}-${at + 2}` });
    expect(gone.kind).toBe("compacted");
    expect(said(compacted.transcript)).toContain(contentText(messages[at]!.parts));
    expect(said(gone.transcript)).not.toContain(`"${contentText(messages[at]!.parts)}"`);
    expect(said(gone.transcript)).toContain("[precis handoff 1]");
    expect(violationsOf(gone.transcript, wireRules["openai-chat"])).toEqual([]);
    // What the handoff has replaced already is not sent.
    const summarised = map.findIndex(({ kind }, place) => kind === "summarised" && place > 0);
    expect(await runtime.drop(begun, { messages: String(summarised + 1) })).toMatchObject({ kind: "unchanged" });
    await runtime.undo();
    expect((await runtime.standing(begun)).transcript.messages).toEqual(compacted.transcript.messages);
  });

  it("of a result alone leaves its call answered", async () => {
    const runtime = createRuntime({ settings });
    const { transcript } = await runtime.drop(begun, { messages: "13" });
    expect(dropped(transcript)).toEqual([5]);
    expect(transcript.messages).toHaveLength(messages.length);
    expect(transcript.messages[11]).toBe(messages[11]);
    const [id = ""] = /dropped by hand. Original: recall (r[0-9a-f]{16})/.exec(said(transcript))?.slice(1) ?? [];
    expect((await runtime.recall(id))[0]?.text).toBe(contentText(messages[12]!.parts));
  });

  it("holds for a session that resumes on the same store", async () => {
    const store = createMemoryStore();
    await createRuntime({ settings, store }).drop(begun, { messages: RANGE });
    const later = createRuntime({ settings, store });
    expect(dropped((await later.prepare(begun)).transcript)).toEqual([5, 6]);
    const { transcript } = await later.compact(longer(begun), { budget: 14_000 });
    expect(said(transcript)).not.toContain("src/alpha/5.ts");
  });

  it.each([
    ["bad_range", "1"],
    ["bad_range", "48-49"],
    ["bad_range", "2-49"],
    ["bad_range", "50"],
    ["bad_range", "x"],
    ["bad_options", 3 as never],
  ])("is refused with %s: %s", async (code, range) => {
    const runtime = createRuntime({ settings });
    await expect(runtime.drop(begun, { messages: range })).rejects.toMatchObject({ code });
    expect((await runtime.standing(begun)).compacted).toBe(false);
  });

  it("is refused where a message of it is pinned", async () => {
    const runtime = createRuntime({ settings });
    await runtime.pin(begun, { messages: "13" });
    for (const range of ["12", "10-20"])
      await expect(runtime.drop(begun, { messages: range })).rejects.toMatchObject({ code: "pinned" });
    await expect(runtime.compact(begun, { messages: "13" })).rejects.toMatchObject({ code: "pinned" });
  });
});

it("drops a compaction made ahead that knows nothing of what was dropped since", async () => {
  const store = createMemoryStore();
  const options = { store, settings: { contextLength: 30_000 } };
  const runtime = createRuntime(options);
  expect(await runtime.ahead(begun)).toBe(true);
  // Another program drops.
  await createRuntime(options).drop(begun, { messages: RANGE });
  const { transcript } = await runtime.prepare(begun);
  expect(said(transcript)).toContain("[precis handoff 1]");
  expect(said(transcript)).not.toContain("src/alpha/5.ts");
});

describe("a range that is compacted", () => {
  it("has its results as digests with recall ids, and everything else as it was", async () => {
    const runtime = createRuntime({ settings });
    const outcome = await runtime.compact(begun, { messages: RANGE });
    if (outcome.kind !== "compacted") throw new Error(outcome.because);
    const { transcript, compaction } = outcome;
    expect(transcript.messages).toHaveLength(messages.length);
    transcript.messages.forEach((message, at) => {
      const isResult = at >= FROM && at < END && message.role === "tool";
      expect(message === messages[at]).toBe(!isResult);
    });
    expect(compaction.report.tokens.after).toBeLessThan(compaction.report.tokens.before - 500);
    for (const { id, message } of compaction.evicted)
      expect((await runtime.recall(id))[0]?.text).toBe(contentText(messages[message]!.parts));
    expect(await runtime.compact(begun, { messages: RANGE })).toMatchObject({ kind: "unchanged" });
  });

  it("takes requests of a provider's shape", async () => {
    const session = createSession({ settings });
    const request = {
      messages: ["one", "two", "three", "four", "five"].map((content, at) => ({
        role: at % 2 === 0 ? ("user" as const) : ("assistant" as const),
        content: `${content} `.repeat(80),
      })),
    };
    const { request: shorter } = await session.drop(request, { messages: "2-3" });
    expect(shorter.messages.map(({ content }) => content.slice(0, 9))).toEqual([
      "one one o",
      "[Messages",
      "four four",
      "five five",
    ]);
    expect(await session.undo()).toBe(true);
    expect((await session.prepare(request)).request).toBe(request);
  });
});
