/** What is pinned is never summarised, whatever the engine; a pinned fact is in every handoff. */
import { describe, expect, it } from "vitest";
import { applyCompaction } from "../../src/core/compaction/compaction.ts";
import { textMessage, type Message, type Transcript } from "../../src/core/transcript/message.ts";
import { createSession } from "../../src/session/session.ts";
import { createRuntime } from "../../src/session/checked-runtime.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";
import { violationsOf } from "../../src/core/transcript/oracle.ts";
import { wireRules } from "../../src/protocols/registry.ts";
import { worked } from "../gateway/support/asking.ts";

const ENGINES = ["compressor", "handoff", "layered", "stepped", "sacred-zone", "lossless"];
const FACT = "The release port is 8443, not 443.";
const begun = worked("alpha", 24);
const { messages } = begun;
/** A call in the middle, without its result: the result stays as well. */
const PINNED = 20;

function said(transcript: Transcript): string {
  return JSON.stringify(transcript.messages);
}

function longer({ messages: before, ...rest }: Transcript, name: string): Transcript {
  const more = worked(name, 12).messages;
  return { ...rest, messages: [...before, textMessage("assistant", "Done."), ...more] };
}

describe.each(ENGINES)("with %s", (engine) => {
  it("pinned messages and facts outlive two compactions, and the result is valid", async () => {
    const runtime = createRuntime({ engine, settings: { contextLength: 60_000 } });
    expect(await runtime.pin(begun, { messages: String(PINNED) })).toMatchObject({ messages: { from: 20, to: 20 } });
    const { id } = await runtime.pin(begun, { fact: FACT });
    let transcript = begun;
    for (const name of ["beta", "gamma"]) {
      const outcome = await runtime.compact(transcript, { budget: 9_000 });
      expect(outcome.kind).toBe("compacted");
      if (outcome.kind !== "compacted") return;
      for (const at of [PINNED - 1, PINNED]) {
        expect(outcome.compaction.map[at]?.kind).toBe("kept");
        expect(outcome.transcript.messages).toContain(messages[at]);
      }
      const summarised = outcome.compaction.map.some(({ kind }) => kind === "summarised");
      expect(said(outcome.transcript).split(FACT)).toHaveLength(summarised ? 2 : 1);
      expect(outcome.compaction.report.tokens.after).toBeLessThanOrEqual(9_000);
      expect(violationsOf(outcome.transcript, wireRules["openai-chat"])).toEqual([]);
      expect(applyCompaction(transcript, outcome.compaction).messages).toEqual(outcome.transcript.messages);
      transcript = longer(transcript, name);
    }
    expect(await runtime.unpin(transcript, id)).toBe(true);
    expect(await runtime.unpin(transcript, id)).toBe(false);
    const last = await runtime.compact(transcript, { budget: 9_000 });
    expect(said(last.transcript)).not.toContain(FACT);
  });
});

it.each(["compressor", "handoff"])("what the model said is pinned behind a user message, with %s", async (engine) => {
  const runtime = createRuntime({ engine, settings: { contextLength: 60_000, protectFirstN: 0 } });
  await runtime.pin(begun, { messages: "4-5" });
  const outcome = await runtime.compact(begun, { budget: 6_000 });
  expect(outcome.kind).toBe("compacted");
  expect(outcome.transcript.messages).toContain(messages[3]);
  expect(outcome.transcript.messages[0]!.role).toBe("user");
  expect(violationsOf(outcome.transcript, wireRules["anthropic-messages"])).toEqual([]);
});

describe("a session", () => {
  const body = (all: readonly Message[]) => ({
    model: "gpt-5.4",
    messages: all.map(({ role, parts }) => ({
      role: role === "tool" ? "user" : role,
      content: parts.map((part) => (part.kind === "text" ? part.text : JSON.stringify(part))).join("\n"),
    })),
  });
  const request = body(messages);

  it("pins by the numbers of a request's messages, and lists what is pinned", async () => {
    const session = createSession({ settings: { contextLength: 60_000 } });
    const range = await session.pin(request, { messages: "20-22" });
    await session.pin(request, { fact: FACT });
    expect(await session.pins(request)).toEqual([range, expect.objectContaining({ fact: FACT })]);
    const { request: smaller } = await session.compact(request, { budget: 9_000 });
    for (const at of [19, 20, 21]) expect(smaller.messages).toContainEqual(request.messages[at]);
    // Another conversation has none of them.
    expect(await session.pins(body([textMessage("user", "Hello."), ...messages]))).toEqual([]);
    // One that leaves it before a pinned message shares the facts alone.
    expect(await session.pins({ ...request, messages: request.messages.slice(0, 10) })).toHaveLength(1);
  });

  it("keeps pins where its store keeps nothing beside compactions", async () => {
    const { findCompaction, putCompaction, undoCompaction, putOriginals, getOriginal, search } = createMemoryStore();
    const store: Store = { findCompaction, putCompaction, undoCompaction, putOriginals, getOriginal, search };
    const session = createSession({ store, settings: { contextLength: 60_000 } });
    await session.pin(request, { fact: FACT });
    const { request: smaller } = await session.compact(request, { budget: 9_000 });
    expect(JSON.stringify(smaller)).toContain(FACT);
  });

  it.each([
    ["bad_range", { messages: "0-3" }],
    ["bad_range", { messages: "48-90" }],
    ["bad_range", { messages: "3,7" }],
    ["bad_range", { messages: "all" }],
    ["bad_pin", {}],
    ["bad_pin", { messages: "3", fact: "both" }],
    ["bad_pin", { fact: "x".repeat(1_001) }],
    ["bad_options", { fact: 3 as never }],
    ["bad_options", { message: "3" } as never],
  ])("refuses with %s: %o", async (code, what) => {
    await expect(createSession().pin(request, what)).rejects.toMatchObject({ code });
  });

  it("has a bound of pins", async () => {
    const session = createSession();
    for (let at = 0; at < 10; at++) await session.pin(request, { fact: `${at} ${"x".repeat(990)}` });
    await expect(session.pin(request, { fact: "y".repeat(990) })).rejects.toMatchObject({ code: "too_many_pins" });
    // The same fact again is the same pin.
    await session.pin(request, { fact: `3 ${"x".repeat(990)}` });
    expect(await session.pins(request)).toHaveLength(10);
  });
});

it("refuses a compaction that has no room for what is pinned, and says so", async () => {
  const runtime = createRuntime({ settings: { contextLength: 60_000 } });
  await runtime.pin(begun, { messages: "2-40" });
  const outcome = await runtime.compact(begun, { budget: 4_000 });
  expect(outcome).toMatchObject({ kind: "unchanged", irreducible: { code: "pinned" } });
  expect(outcome.kind === "unchanged" && outcome.because).toMatch(/pinned messages take \d+ tokens/);
});

it("masks a secret in a pinned fact", async () => {
  const runtime = createRuntime({ settings: { contextLength: 60_000 } });
  await runtime.pin(begun, { fact: "The key is sk-proj-Zx81mQ2vTn47LrWb90KpYcDs63HfAeGj." });
  const { transcript } = await runtime.compact(begun, { budget: 9_000 });
  expect(said(transcript)).toContain("The key is ");
  expect(said(transcript)).not.toContain("Zx81mQ2vTn47LrWb90KpYcDs63HfAeGj");
});

it("drops a compaction made ahead that does not keep what was pinned since", async () => {
  const store = createMemoryStore();
  const options = { store, settings: { contextLength: 30_000 } };
  const runtime = createRuntime(options);
  expect(await runtime.ahead(begun)).toBe(true);
  // Another program pins.
  await createRuntime(options).pin(begun, { messages: String(PINNED) });
  const { compaction } = await runtime.prepare(begun);
  expect(compaction?.map[PINNED - 1]?.kind).toBe("kept");
});
