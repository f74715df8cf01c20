/** Output fits the terminal it is written to, down to 40 columns: tables change their form instead of overflowing. */
import { hash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { measureWidth, commandLines, fitted } from "../../src/cli/screen/text.ts";
import { allCommands } from "../../src/cli/main.ts";
import { createChain } from "../../src/core/transcript/links.ts";
import { protocols } from "../../src/protocols/index.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { chatMessages, claudeCodeSession, precis, precisHere, temporaryFolder, type Folder } from "./precis.ts";

let folder: Folder;
let kept: string;
beforeAll(async () => {
  folder = temporaryFolder();
  folder.write("chat.json", JSON.stringify({ model: "gpt-5.4", messages: chatMessages() }));
  folder.write("session.jsonl", claudeCodeSession());
  folder.write("broken.json", '[{"role":"tool","tool_call_id":"x","content":"y"}]');
  folder.write(
    "wrong-upstream.yaml",
    "gateway:\n  upstreams:\n    house: { url: http://203.0.113.7/v1/v1, protocol: openai }\n",
  );
  kept = await keepSession();
  mkdirSync(`${folder.path}/sessions`);
  folder.write("sessions/big.json", JSON.stringify(chatMessages({ turns: 60, lines: 100 })));
  folder.write("sessions/small.jsonl", claudeCodeSession(3));
});
afterAll(() => folder.remove());

/** A store with a session that a gateway might have kept. */
async function keepSession(): Promise<string> {
  const chain = createChain((text) => hash("sha256", text));
  const store = await openSqliteStore({ path: `${folder.path}/history.db` });
  const body = JSON.stringify({ model: "m", messages: chatMessages().slice(1) });
  const { messages } = protocols["openai-chat"].decode(body).transcript;
  const { session } = await store.appendChain("local", { links: chain.linksOf(messages), messages });
  await store.close();
  return session;
}

/** Lines that could have been broken and were not. */
const tooWide = (text: string, columns: number): readonly string[] =>
  text.split("\n").filter((line) => measureWidth(line) > columns && isBreakable(line));

/** A word alone on its line, for example an address or a path to copy, is not broken. */
const isBreakable = (line: string): boolean => line.trim().replace(/ \\$/, "").includes(" ");

const COMMANDS: readonly (readonly string[])[] = [
  ["inspect", "chat.json"],
  ["inspect", "session.jsonl", "--context-length", "16k"],
  ["compact", "chat.json", "--budget", "20%", "--out", "small.json"],
  ["compact", "chat.json", "--out", "same.json"],
  ["compact", "chat.json", "--budget", "900", "--out", "least.json"],
  ["compact", "chat.json", "--budget", "20%", "--diff"],
  ["report", "sessions", "--context-length", "30k"],
  ["check", "chat.json"],
  ["check", "broken.json"],
  ["precis-eval", "replay", "chat.json", "--context-length", "16k", "--engines", "compressor,sacred-zone"],
  ["precis-eval", "measure", "sessions", "--engines", "compressor"],
  ["config", "check"],
  ["doctor", "--offline"],
  ["doctor", "--offline", "--config", "wrong-upstream.yaml"],
  ["plugins"],
  ["sessions", "--store", "history.db"],
  ["sessions", "show", "00", "--store", "history.db"],
  ["sessions", "--store", "history.db", "--tenant", "somebody-else"],
  ["recall", "build", "--store", "history.db"],
  ["recall", "a phrase that nobody ever wrote or thought of", "--store", "history.db"],
  ["recall", "a phrase that nobody ever wrote or thought of", "--store", "history.db"],
  ["store", "status", "--store", "history.db"],
  ["store", "check", "--store", "history.db"],
  ["undo", "00", "--store", "history.db"],
  ["check", "chat.json", "--context-length", "2k"],
  ["check", "folder/of/another/name.json"],
  ["check", "chat.json", "--budget", "20%"],
  ["compact", "chat.json", "--budget", "20"],
  ["compact", "broken.json"],
  ["compact", "chat.json", "--force", "--out", "forced.json"],
  ["compact", "broken.json", "--set", "compression.threshold=70"],
  ["conpact"],
  ["help"],
  [],
];

describe.each([40, 60, 80])("at %i columns", (columns) => {
  it.each(COMMANDS)("%s %s %s", async (...words) => {
    const { out, err } = await precisHere(words, { folder: folder.path, columns });
    expect((out + err).length).toBeGreaterThan(20);
    // The data itself is as it is.
    const said = words[0] === "compact" && !words.includes("--out") ? err : `${out}\n${err}`;
    expect(tooWide(said, columns)).toEqual([]);
  });

  it.each([["show"], ["compact", "--budget", "30%"], ["export", "--out", "exported.json"], ["edit"]])(
    "sessions %s",
    async (name, ...words) => {
      const all = ["sessions", name, kept, ...words, "--store", "history.db"];
      const { code, out, err } = await precisHere(all, { folder: folder.path, columns });
      expect([code, tooWide(`${out}\n${err}`, columns)]).toEqual([0, []]);
    },
  );

  it("the help of every command", async () => {
    const groups = await allCommands();
    const names = groups.flatMap((one) => ("commands" in one ? one.commands : [one])).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(25);
    for (const name of [...names, "config", "sessions"]) {
      const { code, out } = await precisHere([...name.split(" "), "--help"], { folder: folder.path, columns });
      expect([name, code, tooWide(out, columns)]).toEqual([name, 0, []]);
    }
  });
});

describe("what is broken to fit", () => {
  it("is the same words in the same order, whatever the width", () => {
    const text =
      "  next       `--budget 20%` sets the size\n\u001b[1mprecis:\u001b[22m cannot read /a/b/c: it is a folder";
    const words = (one: string): readonly string[] => one.split(/\s+/).filter((word) => word !== "");
    for (let columns = 8; columns < 90; columns++) {
      const lines = fitted(text, columns);
      expect(words(lines)).toEqual(words(text));
      expect(tooWide(lines.replaceAll(/\u001b\[\d+m/g, ""), columns)).toEqual([]);
    }
    expect(fitted(text, 90)).toBe(text);
  });

  it("stays one command where it is one to copy", () => {
    const command = "precis compact session.jsonl --force --focus 'the failing migration' --keep originals.json";
    const lines = commandLines(command, "  ", 40);
    expect(lines.every((line) => measureWidth(line) <= 40)).toBe(true);
    expect(
      lines
        .join("\n")
        .replaceAll(/\s*\\\n\s*/g, " ")
        .trim(),
    ).toBe(command);
  });
});

describe("COLUMNS", () => {
  it("says how wide the output may be", async () => {
    const widest = async (columns: string): Promise<number> => {
      const { out } = await precis(["inspect", "chat.json"], {
        folder: folder.path,
        environment: { COLUMNS: columns },
      });
      return Math.max(...out.split("\n").map(measureWidth));
    };
    const [narrow, usual, wide, wrong] = await Promise.all(["40", "", "100", "lots"].map(widest));
    expect(narrow).toBeLessThanOrEqual(40);
    expect(usual).toBeGreaterThan(60);
    expect(wide).toBeGreaterThan(usual!);
    expect(wrong).toBe(usual);
  });
});
