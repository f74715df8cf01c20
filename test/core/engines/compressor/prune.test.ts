/** Pruning by `compressor` (Zhang 2026, section 6): duplicates become references, results above 200 characters digests. */
import { describe, expect, it } from "vitest";
import { contentText, type Message } from "../../../../src/core/transcript/message.ts";
import { compacted, filler, measure, ran, says, talk, user } from "../../../support/compacting.ts";

const PAGE = filler(900, "page");
const REFERENCE = /^\[precis: same output as a more recent call further down; recall (r[0-9a-f]{16})\]$/;
const results = (messages: readonly Message[]): readonly string[] =>
  messages.filter(({ role }) => role === "tool").map(({ parts }) => contentText(parts));
const read = (at: number, text = PAGE): readonly Message[] => ran("read_file", { path: `notes_${at}.md` }, text);
const old = Array.from({ length: 12 }, (_, at) => read(100 + at, filler(2_000, `old${at}`))).flat();

describe("the tail of a compaction", () => {
  it("holds a result once: older copies refer to the newest, and all lead to the same original", async () => {
    const session = talk(
      user("Read on."),
      old,
      read(1),
      says("Again."),
      read(2),
      says("Again."),
      read(3),
      says("Done."),
    );
    const { compaction, result } = await compacted(session, {}, { contextLength: 50_000, protectFirstN: 1 });
    expect(compaction.report.rung).toBe(0);
    const kept = results(result.messages).slice(-3);
    const id = REFERENCE.exec(kept[0]!)?.[1];
    expect(kept).toEqual([kept[0], kept[0], PAGE]);
    expect(compaction.evicted.filter((one) => one.id === id).map(({ original }) => original)).toEqual([PAGE, PAGE]);
    expect(compaction.report.recall).toContain(id);
    expect(measure.transcript(result)).toBe(compaction.report.tokens.after);
  });

  it("keeps copies of 200 characters, and those of the last exchange, as they are", async () => {
    const small = "0123456789".repeat(20);
    const twice: Message[] = [
      {
        role: "assistant",
        parts: ["a", "b"].map((id) => ({ kind: "tool-call", id, name: "read_file", arguments: "{}" })),
      },
      ...["a", "b"].map((callId): Message => {
        return { role: "tool", parts: [{ kind: "tool-result", callId, content: [{ kind: "text", text: PAGE }] }] };
      }),
    ];
    const session = talk(user("Read on."), old, read(1, small), read(2, small), twice);
    const { result } = await compacted(session, {}, { contextLength: 50_000, protectFirstN: 1 });
    expect(results(result.messages).slice(-4)).toEqual([small, small, PAGE, PAGE]);
  });

  it("becomes digests from 200 characters on where it has to give way", async () => {
    const listing = "src/core/engines/compressor/ladder.ts\n".repeat(12);
    const session = talk(
      user("Read on."),
      old,
      Array.from({ length: 20 }, (_, at) => ran("shell", { command: `ls ${at}` }, `${listing}${at}`)).flat(),
      read(1, filler(5_000, "last")),
    );
    const { compaction, result } = await compacted(
      session,
      {},
      { contextLength: 24_000, targetRatio: 0.6, protectFirstN: 1 },
    );
    expect(compaction.report.rung).toBeGreaterThan(0);
    const short = results(result.messages).filter((text) => text.includes("ladder.ts"));
    expect(measure.text(listing)).toBeLessThan(500);
    expect(short.length).toBeGreaterThan(0);
    for (const text of short) expect(text).toMatch(/recall r[0-9a-f]{16}/);
  });
});

describe("a head with heavy results", () => {
  it("is pruned above 200 characters", async () => {
    const listing = "src/core/engines/compressor/ladder.ts\n".repeat(12);
    const session = talk(
      user("Begin."),
      ran("shell", { command: "ls" }, listing),
      read(1, filler(9_000, "head")),
      old,
      says("Done."),
    );
    const { result } = await compacted(session, {}, { contextLength: 100_000, protectFirstN: 5 });
    const [first, second] = results(result.messages);
    expect(first).toMatch(/recall r[0-9a-f]{16}/);
    expect(first!.length).toBeLessThan(listing.length);
    expect(second).toMatch(/recall r[0-9a-f]{16}/);
  });
});
