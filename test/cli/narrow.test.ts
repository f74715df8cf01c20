/** Output fits the terminal it is written to, down to 40 columns: tables change their form instead of overflowing. */
import { mkdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { widthOf } from "../../src/cli/bars.ts";
import { chatMessages, claudeCodeSession, precis, precisHere, temporaryFolder, type Folder } from "./precis.ts";

let folder: Folder;
beforeAll(() => {
  folder = temporaryFolder();
  folder.write("chat.json", JSON.stringify({ model: "gpt-5.4", messages: chatMessages() }));
  folder.write("session.jsonl", claudeCodeSession());
  folder.write("broken.json", '[{"role":"tool","tool_call_id":"x","content":"y"}]');
  mkdirSync(`${folder.path}/sessions`);
  folder.write("sessions/big.json", JSON.stringify(chatMessages({ turns: 60, lines: 100 })));
  folder.write("sessions/small.jsonl", claudeCodeSession(3));
});
afterAll(() => folder.remove());

const tooWide = (text: string, columns: number): readonly string[] =>
  text.split("\n").filter((line) => widthOf(line) > columns && isBreakable(line));

/** An address or a path is not broken, so that it can be copied. */
const isBreakable = (line: string): boolean =>
  line
    .trim()
    .replace(/^(?:store +)?\S /, "")
    .includes(" ");

const COMMANDS: readonly (readonly string[])[] = [
  ["inspect", "chat.json"],
  ["inspect", "session.jsonl", "--context-length", "16k"],
  ["compact", "chat.json", "--budget", "20%", "--out", "small.json"],
  ["compact", "chat.json", "--out", "same.json"],
  ["compact", "chat.json", "--budget", "900", "--out", "least.json"],
  ["check", "chat.json"],
  ["check", "broken.json"],
  ["replay", "chat.json", "--context-length", "16k", "--engines", "compressor,sacred-zone"],
  ["replay", "--example", "--schedules", "cost"],
  ["eval", "sessions", "--engines", "compressor", "--threads", "1", "--cache", "evaluated"],
  ["config", "check"],
  ["doctor"],
  ["plugins"],
];

describe.each([40, 60, 80])("at %i columns", (columns) => {
  it.each(COMMANDS)("%s %s", async (...words) => {
    const { out, err } = await precisHere(words, { folder: folder.path, columns });
    expect((out + err).length).toBeGreaterThan(20);
    expect([...tooWide(out, columns), ...tooWide(err, columns)]).toEqual([]);
  });
});

describe("COLUMNS", () => {
  it("says how wide the output may be", async () => {
    const widest = async (columns: string): Promise<number> => {
      const { out } = await precis(["inspect", "chat.json"], {
        folder: folder.path,
        environment: { COLUMNS: columns },
      });
      return Math.max(...out.split("\n").map(widthOf));
    };
    const [narrow, usual, wide, wrong] = await Promise.all(["40", "", "100", "lots"].map(widest));
    expect(narrow).toBeLessThanOrEqual(40);
    expect(usual).toBeGreaterThan(60);
    expect(wide).toBeGreaterThan(usual!);
    expect(wrong).toBe(usual);
  });
});
