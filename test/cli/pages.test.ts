/** `precis compact --diff` and `--html`, `precis sessions show --html`: complete, linked, safe to open, and without secrets. */
import { createHash, hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { widthOf } from "../../src/cli/bars.ts";
import { createChain } from "../../src/core/transcript/links.ts";
import { protocols } from "../../src/protocols/index.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
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

/** What a browser would complain about, or what would reach out of the page. */
function checkPage(page: string): void {
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
  expect(new Set(ids).size).toBe(ids.length);
  const targets = [...page.matchAll(/ href="([^"]*)"/g)].map(([, target]) => target!);
  expect(targets.length).toBeGreaterThan(10);
  expect(targets.filter((target) => !ids.includes(target.slice(1)))).toEqual([]);
  const tags = (page.match(/<[^>]*>/g) ?? []).join("\n");
  expect(tags).not.toMatch(/<script|<img|<link|<iframe|<object|\son\w+=|\sstyle=|\ssrc=|https?:/i);
  expect(page).not.toMatch(/url\(|@import/);
  const [, style = ""] = /<style>([\s\S]*)<\/style>/.exec(page) ?? [];
  const sheet = createHash("sha256").update(style).digest("base64");
  expect(page).toContain(`content="default-src &#39;none&#39;; style-src &#39;sha256-${sheet}&#39;; base-uri`);
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
    expect(lines.filter((line) => widthOf(line) > 40)).toEqual([]);
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
    expect(await precisHere(["compact", file, "--html", file], there)).toMatchObject({ code: 2 });
  });
});

describe("precis compact --html", () => {
  it("writes one page that loads nothing, with every message linked to what became of it", async () => {
    const file = folder.write("request.json", JSON.stringify({ messages: messages() }));
    const { code, out } = await precisHere(["compact", file, "--budget", "25%", "--html", "page.html"], {
      folder: folder.path,
    });
    expect([code, out]).toEqual([0, ""]);
    const page = readFileSync(join(folder.path, "page.html"), "utf8");
    checkPage(page);
    for (let number = 1; number < messages().length; number++) expect(page).toContain(`<article id="b${number}">`);
    expect(page).toContain("alert(1)");
    expect(page).not.toContain(SECRET);
    expect(page).toMatch(/<h4>[A-Z][a-z]/);
  });
});

describe("precis sessions show --html", () => {
  it("shows the size of the session over time and its compactions", async () => {
    const { messages: talk } = protocols["openai-chat"].decode(
      JSON.stringify({ messages: messages().slice(1) }),
    ).transcript;
    const chain = createChain((text) => hash("sha256", text));
    const store = await openSqliteStore({ path: join(folder.path, "history.db") });
    await store.appendChain("local", { links: chain.linksOf(talk), messages: talk, session: "work" });
    await store.close();
    const sessions = (...words: string[]) =>
      precisHere(["sessions", ...words, "--store", "history.db"], { folder: folder.path });
    expect((await sessions("show", "work", "--html", "plain.html")).code).toBe(0);
    expect(readFileSync(join(folder.path, "plain.html"), "utf8")).toContain("nothing compacted");
    await sessions("compact", "work", "--budget", "30%");
    expect((await sessions("show", "work", "--html", "page.html")).err).toContain("page.html");
    const page = readFileSync(join(folder.path, "page.html"), "utf8");
    checkPage(page);
    expect(page).toContain('aria-label="Tokens of the session after each message"');
    expect(page).toContain('<section id="c1">');
    expect(page).not.toContain(SECRET);
  });
});
