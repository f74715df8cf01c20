/**
 * Transcripts that a provider would refuse: results without a call, results that are twice, calls without a result, and
 * empty messages. Whatever the engine and the budget, nothing is said twice and nothing goes without a way back.
 */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyCompaction, type Compaction } from "../../../src/core/compaction/compaction.ts";
import { COMPRESSOR_DEFAULTS } from "../../../src/core/engines/settings.ts";
import { ENGINE_NAMES } from "../../../src/core/engines/names.ts";
import { createEngine } from "../../../src/core/engines/engines.ts";
import { createChain } from "../../../src/core/transcript/links.ts";
import { createMeasure } from "../../../src/core/transcript/measure.ts";
import {
  contentText,
  textMessage,
  type Message,
  type Part,
  type Transcript,
} from "../../../src/core/transcript/message.ts";
import { violationsOf } from "../../../src/core/transcript/oracle.ts";
import { originalsOf } from "../../../src/session/make-compaction.ts";
import { RUNS } from "../../support/transcripts.ts";

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const WINDOW_TOKENS = 32_000;

const words = fc.oneof(
  fc.constantFrom("hi", "Fix src/app.ts.", ""),
  fc.nat(4_000).map((count) => `line of output ${count}\n`.repeat(1 + (count % 200))),
);
const ids = fc.constantFrom("a", "b", "c");
const image = { kind: "image", source: { type: "url", url: "https://example.com/a.png" } } as const;

const user = fc.oneof(
  fc.constant<Message>({ role: "user", parts: [] }),
  words.map((text) => textMessage("user", text)),
);
const assistant = fc.tuple(words, fc.array(fc.tuple(ids, words), { maxLength: 3 })).map(([text, calls]): Message => ({
  role: "assistant",
  parts: [
    ...(text === "" ? [] : [{ kind: "text", text } as const]),
    ...calls.map(([id, path]) => ({
      kind: "tool-call" as const,
      id,
      name: "read_file",
      arguments: JSON.stringify({ path }),
    })),
  ],
}));
const result = fc.tuple(ids, words, fc.boolean()).map(([callId, text, shows]): Message => ({
  role: "tool",
  parts: [{ kind: "tool-result", callId, content: [{ kind: "text", text }, ...(shows ? [image] : [])] }],
}));

/**
 * Mostly broken: nothing makes a result follow its call, and a message may are twice, as one object. Each text of a user
 * is one that no other message has.
 */
const broken: fc.Arbitrary<Transcript> = fc
  .array(
    fc.tuple(
      fc.oneof({ weight: 2, arbitrary: user }, { weight: 3, arbitrary: assistant }, { weight: 4, arbitrary: result }),
      fc.constantFrom(1, 1, 1, 2),
    ),
    { minLength: 1, maxLength: 14 },
  )
  .map((drawn) => ({
    system: [],
    messages: drawn
      .flatMap(([message, times]) => Array.from({ length: times }, () => message))
      .map((message, at) =>
        message.role === "user" && message.parts.length > 0
          ? textMessage("user", `${at}: ${contentText(message.parts)}`)
          : message,
      ),
  }));

async function compactionOf(name: string, transcript: Transcript, share: number | undefined) {
  const engine = createEngine(name, { ...COMPRESSOR_DEFAULTS, contextLength: WINDOW_TOKENS, note: "handoff" });
  const measure = createMeasure();
  const outcome = await engine.compact(engine.init(), transcript, {
    measure,
    chain: createChain(hash),
    ...(share === undefined
      ? { reason: "explicit" }
      : { reason: "budget", budget: Math.max(1, Math.floor(measure.transcript(transcript) * share)) }),
  });
  return outcome.kind === "compacted" ? outcome.compaction : undefined;
}

/** What a person wrote, as often as it is there; what a client put there empty does not count. */
function said({ messages }: Transcript): string[] {
  return messages
    .filter(({ role, origin, parts }) => role === "user" && origin !== "summary" && parts.length > 0)
    .map(({ parts }) => contentText(parts));
}

function check(transcript: Transcript, compaction: Compaction): void {
  const { messages } = transcript;
  const { map, evicted, report } = compaction;
  const applied = applyCompaction(transcript, compaction);
  expect(violationsOf(applied)).toEqual([]);
  const texts = said(applied);
  expect(texts).toEqual([...new Set(texts)]);

  const count = (kind: string): number => map.filter((destination) => destination.kind === kind).length;
  expect(report.messages).toEqual({
    before: messages.length,
    after: applied.messages.length,
    kept: messages.length - map.length + count("kept"),
    edited: count("edited"),
    summarised: count("summarised"),
    ...(count("removed") === 0 ? {} : { removed: count("removed") }),
  });
  if (report.messages.summarised > 0) expect(applied.messages.some(({ origin }) => origin === "summary")).toBe(true);

  const fetched = new Map(originalsOf(compaction, transcript).map(({ id, text }) => [id, text]));
  expect([...new Set(report.recall)].toSorted()).toEqual([...fetched.keys()].toSorted());
  map.forEach((destination, at) => {
    if ("at" in destination) return;
    const leading = evicted.filter(({ message, end = message + 1 }) => at >= message && at < end);
    const read = leading.map(({ id }) => fetched.get(id)!);
    const own = messages[at]!.parts.flatMap((part): readonly Part[] =>
      part.kind === "tool-result" ? part.content : [part],
    );
    for (const part of own)
      if (part.kind === "text" && part.text !== "")
        expect(read.some((text) => text.includes(part.text) || text.includes(JSON.stringify(part.text)))).toBe(true);
      else if (part.kind === "image")
        expect(read.some((text) => text.includes("https://example.com/a.png"))).toBe(true);
    expect(leading.length).toBeGreaterThan(0);
  });
  map.forEach((destination, at) => {
    if (destination.kind === "kept") expect(compaction.after[destination.at]).toBe(messages[at]);
    if (destination.kind === "edited") expect(compaction.after[destination.at]?.role).toBe(messages[at]!.role);
  });
  const places = map.flatMap((destination) => ("at" in destination ? [destination.at] : []));
  expect(new Set(places).size).toBe(places.length);
}

/** Fewer draws than elsewhere in the core: each is a whole compaction, made by every engine, and all share the repair. */
describe.each(ENGINE_NAMES)("a broken transcript, compacted by %s", (name) => {
  it("says nothing twice, and whatever is removed can be fetched by an id that the report names", async () => {
    await fc.assert(
      fc.asyncProperty(broken, fc.constantFrom(undefined, 0.9, 0.5, 0.1, 0.01), async (transcript, share) => {
        const compaction = await compactionOf(name, transcript, share);
        if (compaction !== undefined) check(transcript, compaction);
      }),
      { numRuns: Math.ceil(RUNS / 5) },
    );
  });
});

it("a request and a result without a call come out as the request alone", async () => {
  const orphan: Message = {
    role: "tool",
    parts: [{ kind: "tool-result", callId: "x", content: [{ kind: "text", text: "some result that is here" }] }],
  };
  const transcript = { system: [], messages: [textMessage("user", "hi"), orphan] };
  for (const share of [undefined, 0.9, 0.5, 0.1]) {
    const compaction = await compactionOf("compressor", transcript, share);
    expect(said(applyCompaction(transcript, compaction!))).toEqual(["hi"]);
    expect(compaction!.map).toEqual([{ kind: "kept", at: 0 }, { kind: "removed" }]);
    expect(compaction!.report.messages).toMatchObject({ after: 1, kept: 1, summarised: 0, removed: 1 });
    expect(originalsOf(compaction!, transcript).map(({ id, text }) => [id, text])).toEqual([
      [compaction!.report.recall[0], "some result that is here"],
    ]);
  }
});
