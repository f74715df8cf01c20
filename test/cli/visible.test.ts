/** What somebody else wrote moves no cursor of ours. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { streamTo } from "../../src/cli/screen/terminal.ts";
import { visible, visibleLine } from "../../src/cli/screen/text.ts";
import { precisHere, temporaryFolder } from "./precis.ts";

it("leaves no control and no mark that reorders text, and loses nothing else", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(visible(text)).not.toMatch(/(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      expect(visibleLine(text)).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
    }),
  );
  expect(visible("plain – 名前 ä\n\tnext")).toBe("plain – 名前 ä\n\tnext");
  expect(visible("a\u001b[2Jb\u202ec")).toBe("a\\u{1b}[2Jb\\u{202e}c");
});

it("writes as its code what has no form of its own, and leaves an emoji's form alone", () => {
  expect(visible("a\u061cb\u180ec\u00add\u{e0041}e")).toBe("a\\u{61c}b\\u{180e}c\\u{ad}d\\u{e0041}e");
  expect(visible("done ✔\ufe0f")).toBe("done ✔\ufe0f");
});

describe("what is said to a person", () => {
  const said: string[] = [];
  const stream = (columns: number) =>
    streamTo(async (text) => void said.push(text), { fits: true, coloured: true, columns, interactive: true });
  const FOREIGN = "\u001b[32m✓ fine\u001b[0m\u001b]0;title\u0007\u001b[2J";

  it("has our colours and nobody else's, also within what is painted, and however often it is broken into lines", async () => {
    const { paint, say, shown } = stream(40);
    const strong = paint("strong", `name ${paint("bad", FOREIGN)} end`);
    await say(`${strong} and ${FOREIGN}, ${"further words ".repeat(8)}\n`);
    const [text = ""] = said.splice(0);
    const colours = text.match(/\u001b\[\d+m/g);
    expect(new Set(colours)).toEqual(new Set(["\u001b[1m", "\u001b[22m", "\u001b[31m", "\u001b[39m"]));
    // oxlint-disable-next-line no-control-regex -- the escape character is what a colour starts with
    expect(text.replaceAll(/\u001b\[(?:1|22|31|39)m/g, "")).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    expect(text).toContain("\\u{1b}[32m✓");
    expect(shown(strong)).toContain("\u001b[1mname");
  });

  it("has no colour that copies the form of ours", async () => {
    const { paint, say } = stream(80);
    const form = paint("good", "x").slice(0, -1);
    await say(form.replace(/\d{9,}/, "123456789"));
    expect(said.splice(0)[0]!.startsWith("\\u{1b}[123456789;32m")).toBe(true);
  });
});

it("shows escapes in names of models, files, settings and pins as text, at every door", async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const escape = "\u001b[31mred\u001b]0;title\u0007\u202e\u061c";
  const messages = [{ role: "user", content: "Say hello." }];
  folder.write("request.json", JSON.stringify({ model: `claude-${escape}\n✓ forged`, max_tokens: 9, messages }));
  folder.write("a\u001b]0;t\u0007.json", JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 9, messages }));
  folder.write("precis.yaml", `${JSON.stringify(`ev${escape}il\n✓ forged`)}: 1\n`);
  const commands = [
    ["inspect", "request.json", "--config", "/dev/null"],
    ["compact", "request.json", "--force", "--config", "/dev/null"],
    ["inspect", "a\u001b]0;t\u0007.json", "--config", "/dev/null"],
    ["inspect", "request.json"],
    ["doctor", "--offline"],
  ];
  for (const words of commands) {
    const { out, err } = await precisHere(words, { folder: folder.path });
    const told = words[0] === "compact" ? err : out + err;
    expect([words, told.length > 20]).toEqual([words, true]);
    // oxlint-disable-next-line no-control-regex -- the escape character is what a colour starts with
    expect([words, told]).toEqual([
      words,
      expect.not.stringMatching(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e\u061c]/),
    ]);
    expect([words, told]).toEqual([words, expect.not.stringMatching(/^\s*✓ forged/m)]);
  }
});

it("shows on a terminal what a session says as text, and hands it to a program as it is", async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const escape = "\u001b]0;title\u0007\u001b[2J\u009b31m\u202e";
  const lines = [
    { type: "user", uuid: "a", parentUuid: null, message: { role: "user", content: `Paint ${escape} the shop.` } },
    {
      type: "assistant",
      uuid: "b",
      parentUuid: "a",
      message: { role: "assistant", content: [{ type: "text", text: `It is ${escape} painted.` }] },
    },
    { type: "user", uuid: "c", parentUuid: "b", message: { role: "user", content: "And the door?" } },
  ];
  folder.write(
    "s.jsonl",
    lines
      .map((line) =>
        JSON.stringify({
          ...line,
          sessionId: "s",
          cwd: "/shop",
          timestamp: "2026-01-01T00:00:00Z",
          version: "2.1.332",
        }),
      )
      .join("\n"),
  );
  const commands = [
    ["handoff", "Paint the door.", "s.jsonl", "--store", "h.db"],
    ["convert", "s.jsonl", "--to", "pi"],
    ["compact", "s.jsonl", "--force"],
    ["inspect", "s.jsonl", "--json"],
  ];
  for (const words of commands) {
    const told = await precisHere(words, { folder: folder.path, interactive: true });
    expect([words, told.code, told.err]).toEqual([words, 0, told.err]);
    // oxlint-disable-next-line no-control-regex -- the escape character is what a colour starts with
    expect([words, told.out]).toEqual([
      words,
      expect.not.stringMatching(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/),
    ]);
  }
  folder.write(
    "odd.jsonl",
    `${JSON.stringify({ type: "new\n  - FORGED line", uuid: "z" })}\n${readFileSync(join(folder.path, "s.jsonl"), "utf8")}`,
  );
  const converted = await precisHere(["convert", "odd.jsonl", "--to", "pi", "--out", "o.jsonl"], {
    folder: folder.path,
  });
  expect(converted.err).toContain("FORGED");
  expect(converted.err).not.toMatch(/^\s*- FORGED/m);
  const piped = await precisHere(commands[0]!, { folder: folder.path });
  expect(piped.out).toContain(escape);
});
