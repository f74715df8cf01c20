/** What `layered` puts back behind a summary, against the figures of IA al Día 2026: five files, 5,000 tokens each, 50,000 in all. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyCompaction } from "../../../../src/core/compaction/compaction.ts";
import type { CompactRequest } from "../../../../src/core/engines/contract.ts";
import { createLayered } from "../../../../src/core/engines/layered/layered.ts";
import { restored, type RestoredText } from "../../../../src/core/engines/layered/restore.ts";
import { LAYERED_DEFAULTS } from "../../../../src/core/engines/settings.ts";
import { liveRequestOf } from "../../../../src/core/events/live-request.ts";
import { contentText, type Message, type Transcript } from "../../../../src/core/transcript/message.ts";
import { chain, filler, measure, ran, says, talk, user } from "../../../support/compacting.ts";

const pieceTokens = LAYERED_DEFAULTS.restoredFileTokens;
const engine = createLayered({ contextLength: 200_000, maxOutputTokens: 0 });

/** What was put back, and the result as a client would send it again, its marks of origin lost. */
async function putBack(
  transcript: Transcript,
  request: Partial<CompactRequest> = {},
): Promise<{ text: string; sentAgain: readonly Message[] }> {
  const outcome = await engine.compact(engine.init(), transcript, { measure, chain, reason: "explicit", ...request });
  if (outcome.kind !== "compacted") throw new Error(outcome.because);
  const { messages } = applyCompaction(transcript, outcome.compaction);
  const note = messages.find(({ origin }) => origin === "note");
  return {
    text: note === undefined ? "" : contentText(note.parts),
    sentAgain: messages.map(({ origin: _, ...message }) => message),
  };
}

const read = (path: string, tokens = 300): readonly Message[] =>
  ran("read_file", { path }, filler(tokens, path.replaceAll(/\W/g, "")));
const work = (count: number): readonly Message[] =>
  Array.from({ length: count }, (_, at) => ran("shell", { command: `step ${at}` }, filler(900, `step${at}`))).flat();
const session = (...before: (Message | readonly Message[])[]): Transcript =>
  talk(user("Mend the totals."), ...before, work(30), says("Done."), user("Go on with the rest."));

describe("what layered puts back", () => {
  it("are the five files touched last, as they were last read", async () => {
    const { text } = await putBack(session(Array.from({ length: 8 }, (_, at) => read(`src/part${at}.ts`)).flat()));
    const named = [...text.matchAll(/^## (\S+), as it was last read$/gm)].map(([, path]) => path);
    expect(LAYERED_DEFAULTS.restoredFiles).toBe(5);
    expect(named).toEqual(["src/part7.ts", "src/part6.ts", "src/part5.ts", "src/part4.ts", "src/part3.ts"]);
    expect(text).toContain(filler(300, "srcpart7ts"));
  });

  it("are the files edited last before those that were only read, and what was written needs no reader", async () => {
    const write = (path: string, content: string, result = "ok"): readonly Message[] =>
      ran("write_file", { path, content }, result);
    const edit = (path: string, old: string, next: string): readonly Message[] =>
      ran("edit", { path, old_string: old, new_string: next }, "ok");
    const { text } = await putBack(
      session(
        write("src/first.ts", filler(200, "first")),
        write("src/second.ts", `export const second = 1;\n${filler(200, "second")}`),
        edit("src/second.ts", "second = 1", "second = $&2"),
        write("src/refused.ts", "never there", "Error: permission denied"),
        Array.from({ length: 40 }, (_, at) => read(`src/part${at}.ts`)).flat(),
      ),
    );
    const named = [...text.matchAll(/^## (\S+), as it was last (\w+)$/gm)].map(([, path, how]) => `${path} ${how}`);
    expect(named).toEqual([
      "src/second.ts written",
      "src/first.ts written",
      "src/part39.ts read",
      "src/part38.ts read",
      "src/part37.ts read",
    ]);
    expect(text).toContain("export const second = $&2;");
  });

  it("leaves a place of the five to an older file where the tail holds a newer one", async () => {
    const { messages } = session(
      Array.from({ length: 5 }, (_, at) =>
        ran("write_file", { path: `src/old${at}.ts`, content: filler(90, `old${at}`) }, "ok"),
      ).flat(),
    );
    const newer = Array.from({ length: 5 }, (_, at) =>
      ran("write_file", { path: `src/new${at}.ts`, content: filler(90, `new${at}`) }, "ok"),
    ).flat();
    const { text } = await putBack(talk(messages, says("Once more."), newer, says("Written."), user("Go on.")));
    expect([...text.matchAll(/^## src\/(\S+)\.ts, as it was last written$/gm)].map(([, name]) => name)).toEqual([
      "old4",
      "old3",
      "old2",
      "old1",
      "old0",
    ]);
  });

  it("never is a copy that was changed since, nor one that stands in the tail", async () => {
    const { messages } = session(
      read("src/stale.ts"),
      ran("edit", { path: "src/stale.ts", old_string: "a", new_string: "b" }, "ok"),
      read("src/kept.ts"),
    );
    const { text } = await putBack(talk(messages, says("Once more."), read("src/kept.ts")));
    expect(text).not.toContain("src/stale.ts");
    expect(text).not.toContain("src/kept.ts");
  });

  it("is read again where there is a reader, and what it holds is redacted", async () => {
    const asked: string[] = [];
    const readFile = (path: string): Promise<string | undefined> => {
      asked.push(path);
      if (path === "src/gone.ts") return Promise.reject(new Error("no such file"));
      return Promise.resolve(`now\nexport const key = "sk-ant-api03-${"aB3dE5".repeat(16)}";`);
    };
    const { text } = await putBack(session(read("src/gone.ts"), read("src/here.ts")), { readFile });
    expect(asked).toEqual(["src/here.ts", "src/gone.ts"]);
    expect(text).toContain("## src/here.ts, read again just now: changed since it was last read\nnow\n");
    expect(text).toContain("## src/gone.ts, as it was last read");
    expect(text).not.toContain("aB3dE5aB3dE5");
  });

  it("are project instructions, skills, and the tools by how often they were used", async () => {
    const { text } = await putBack(
      talk(
        user("<system-reminder>\nContents of CLAUDE.md:\nNever push to main.\n</system-reminder>"),
        session(
          ran("read_file", { path: "docs/AGENTS.md" }, "Tests come first."),
          ran("skill", { name: "review" }, "Read the diff twice."),
        ).messages,
      ),
    );
    for (const kept of ["Never push to main.", "Tests come first.", "## Skill review\nRead the diff twice."])
      expect(text).toContain(kept);
    expect(text).toContain("Tools used so far: shell ×30, read_file ×1, skill ×1.");
  });

  it("passes for no request, and is not put back twice, when the result is sent as it stands", async () => {
    const { text, sentAgain } = await putBack(session(read("src/cart.ts"), read("CLAUDE.md")));
    expect(contentText(sentAgain[liveRequestOf(sentAgain)]!.parts)).toBe("Go on with the rest.");
    const again = await putBack(talk(sentAgain, session(read("src/cart.ts")).messages));
    expect(text).toContain("## CLAUDE.md");
    expect(again.text.match(/<system-reminder>/g)).toHaveLength(1);
    expect(again.text).not.toContain("Project instructions");
  });

  it("stays within its room, and no piece above 5,000 tokens", () => {
    const texts = ["漢字の多い説明。", "a line of words\n", "x", '{"id":1234567,"name":"item"},'];
    const pieces = fc.array(
      fc.record({ text: fc.constantFrom(...texts), times: fc.integer({ min: 1, max: 20_000 }) }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(pieces, fc.integer({ min: 100, max: 50_000 }), (drawn, roomTokens) => {
        const all = drawn.map(({ text, times }, at): RestoredText => ({
          title: `piece ${at}`,
          text: text.repeat(times),
          message: 0,
        }));
        const given = { tailStart: 1, roomTokens, pieceTokens, measure, redact: String, declaresTools: false };
        const [note] = restored([], all, given);
        const text = contentText(note!.parts);
        expect(measure.text(text)).toBeLessThanOrEqual(roomTokens * 1.02);
        for (const piece of text.split("\n## ").slice(1))
          expect(measure.text(piece)).toBeLessThanOrEqual(pieceTokens * 1.02);
      }),
      { numRuns: 25 },
    );
    expect(pieceTokens).toBe(5_000);
  });
});
