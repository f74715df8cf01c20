/** `precis compact --diff`: complete, safe to show, and without secrets. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { measureWidth } from "../../src/cli/screen/text.ts";
import { chatMessages, precisHere, temporaryFolder, type Folder } from "./precis.ts";

const SECRET = "sk-ant-api03-Zk3Jq9xT7vB2nM5wR8yL1cF4hD6gS0aP-QeUiOtXyZaBcDeFgHiJkLmNoPqRsTuVwXyZ01234567890abcdefghAA";
const HOSTILE = `</pre><script>alert(1)</script><img src=x onerror=alert(2)> \u202egnp.exe`;

let folder: Folder;
beforeEach(() => (folder = temporaryFolder()));
afterEach(() => folder.remove());

function messages(): readonly object[] {
  const [system, first, ...rest] = chatMessages({ turns: 12, lines: 40 });
  return [
    system!,
    first!,
    { role: "assistant", content: `The key is ${SECRET}. ${HOSTILE}` },
    { role: "user", content: "Go on." },
    ...rest,
  ];
}

describe("precis compact --diff", () => {
  it("accounts for every message, within 40 columns", async () => {
    const file = folder.write("request.json", JSON.stringify({ messages: messages() }));
    const { code, out, err } = await precisHere(["compact", file, "--budget", "25%", "--diff"], {
      folder: folder.path,
      columns: 40,
    });
    expect(code).toBe(0);
    expect(err).toContain("word for word");
    const lines = out.split("\n");
    expect(lines.filter((line) => measureWidth(line) > 40)).toEqual([]);
    expect(out).toContain("[precis handoff 1]");
    const gone = lines.filter((line) => /^[-~] +\d+ (?:user|assistant|tool) /.test(line)).length;
    const kept = [...out.matchAll(/^ {2}(\d+) messages?, word for word$/gm)].reduce((sum, [, n]) => sum + Number(n), 0);
    expect(gone + kept).toBe(messages().length - 1); // The system prompt is no message of the conversation.
    expect(out).not.toContain(SECRET);
    expect(out).not.toContain("\u202e");
  });

  it("leaves the result to --out, and says so where nothing was compacted", async () => {
    const file = folder.write("request.json", JSON.stringify({ messages: messages() }));
    const there = { folder: folder.path };
    await precisHere(["compact", file, "--budget", "25%", "--diff", "--out", "small.json"], there);
    const small = readFileSync(join(folder.path, "small.json"), "utf8");
    expect((JSON.parse(small) as { messages: unknown[] }).messages.length).toBeLessThan(messages().length);
    const unchanged = await precisHere(["compact", file, "--diff"], there);
    expect(unchanged).toMatchObject({ code: 0, out: "" });
    expect(unchanged.err).toContain("Nothing was compacted");
    expect(await precisHere(["compact", file, "--diff", "--json"], there)).toMatchObject({ code: 2 });
    expect(await precisHere(["compact", file, "--out", file], there)).toMatchObject({ code: 2 });
  });
});
