/** Every command finds the window in the same way, for the same file and the same settings, and says where it is from. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatMessages, claudeCodeSession, precisHere, temporaryFolder, type Folder } from "./precis.ts";

let folder: Folder;
beforeAll(() => {
  folder = temporaryFolder();
  const messages = chatMessages();
  folder.write("known.json", JSON.stringify({ model: "gpt-5.4", messages }));
  folder.write("unknown.json", JSON.stringify({ model: "house-model-7", messages }));
  folder.write("silent.json", JSON.stringify(messages));
  const line = (text: string): string =>
    text.replaceAll('"role":"assistant"', '"role":"assistant","model":"claude-opus-4-8"');
  folder.write("session.jsonl", line(claudeCodeSession()));
});
afterAll(() => folder.remove());

interface Found {
  readonly tokens: number;
  readonly from: string;
  readonly model?: { readonly name: string; readonly namedBy: string };
}
interface Json {
  readonly window?: Found;
  readonly report?: { readonly window?: Found };
  readonly terms?: { readonly windowTokens: number };
  readonly usableTokens?: number;
}

async function windowsOf(words: readonly string[]): Promise<readonly (Found | undefined)[]> {
  const found: (Found | undefined)[] = [];
  // A replay ends in a bill, and nobody knows the prices of every model.
  const replays = words[0] === "unknown.json" ? [] : [["precis-eval", "replay"]];
  for (const name of [["inspect"], ["compact"], ...replays]) {
    const { out } = await precisHere([...name, ...words, "--json"], { folder: folder.path });
    const { window, report, terms, usableTokens } = JSON.parse(out) as Json;
    const one = window ?? report?.window;
    found.push(one);
    for (const tokens of [terms?.windowTokens, usableTokens])
      if (tokens !== undefined) expect(tokens).toBe(one?.tokens);
  }
  return found;
}

describe("the window", () => {
  it.each([
    [["known.json"], { from: "registry", model: { name: "gpt-5.4", namedBy: "input" } }],
    [["session.jsonl"], { from: "registry", model: { name: "claude-opus-4-8", namedBy: "input" } }],
    [["unknown.json"], { tokens: 128_000, from: "assumed", model: { name: "house-model-7", namedBy: "input" } }],
    [
      ["silent.json", "--set", "model.name=gpt-5.4"],
      { from: "registry", model: { name: "gpt-5.4", namedBy: "configuration" } },
    ],
    [
      ["known.json", "--set", "model.name=claude-opus-4-8"],
      { from: "registry", model: { name: "gpt-5.4", namedBy: "input" } },
    ],
    [["known.json", "--set", "model.context_length=90000"], { tokens: 90_000, from: "setting" }],
    [
      ["known.json", "--context-length", "64k", "--set", "model.context_length=90000"],
      { tokens: 64_000, from: "flag" },
    ],
  ])("of %j is the same in every command", async (words, expected) => {
    const found = await windowsOf(words);
    expect(found[0]).toMatchObject(expected);
    expect(new Set(found.map((one) => JSON.stringify(one))).size).toBe(1);
  });

  it("is shown by every command with where it is from", async () => {
    const shown = async (...words: string[]): Promise<string> => {
      const { out, err } = await precisHere(words, { folder: folder.path });
      return `${words[0] === "compact" ? "" : out}${err}`.replaceAll(/\s+/g, " ");
    };
    for (const command of [["inspect"], ["compact"], ["precis-eval", "replay"]]) {
      expect(await shown(...command, "known.json")).toContain("the window of gpt-5.4 (the model that the input names)");
      expect(await shown(...command, "known.json", "--context-length", "64k")).toContain(
        "64,000 tokens, from --context-length",
      );
    }
    expect(await shown("inspect", "silent.json")).toContain("assumed because neither the input nor the configuration");
  });
});
