/** An agent gets back what was compacted away, through the SDK's client and a process over a real file; and may undo. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { estimateText } from "../../../src/core/transcript/estimate.ts";
import { openSqliteStore } from "../../../src/store/index.ts";
import { precis, temporaryFolder, type Folder } from "../../cli/precis.ts";
import { connected, gatewayOn, longer, workedAfter, type Connected, type Kept } from "./client.ts";

const WINDOW_TOKENS = 14_000;
const SECRET = "sk-proj-Zx81mQ2vTn47LrWb90KpYcDs63HfAeGj";
/** Too many of one kind for a handoff to hold them all. */
const NOTES = Array.from(
  { length: 300 },
  (_, at) => `service ${at + 200} listens under ${(at * 7_919) % 60_000}-${at}-eu`,
);
const WANTED = 133;
const VALUE = NOTES[WANTED]!.split(" ").at(-1)!;
const WORDS = `service ${WANTED + 200}`;
const FOUND = NOTES.with(120, `部署端口写在 config/服务器.yaml, key ${SECRET}`).join("\n");
const READERS = ["describe", "expand", "search", "timeline"];

let folder: Folder;
let kept: Kept;
let agent: Connected;
let treatment: string;
const session = "a-long-one";
const begun = workedAfter("alpha", FOUND);
beforeAll(async () => {
  folder = temporaryFolder();
  kept = await gatewayOn(folder.path, WINDOW_TOKENS);
  treatment = (await kept.say("local", begun, session)).treatment;
  agent = await connected(folder.path);
});
afterAll(async () => {
  await agent.client.close();
  await kept.close();
  folder.remove();
});

describe("what was compacted away", () => {
  it("comes back by one search", async () => {
    expect(treatment).toMatch(/^rewritten;.*fresh$/);
    expect(kept.sent().includes(VALUE)).toBe(false);
    const { text, failed } = await agent.call("search", { words: WORDS });
    expect(failed).toBe(false);
    expect(text).toContain(VALUE);
    // With the lines around it.
    expect(text).toContain(NOTES[WANTED - 1]);
    expect(text).toContain(NOTES[WANTED + 1]);
  });

  it("is found by Chinese words, and by those of a question that no place holds all of", async () => {
    expect((await agent.call("search", { words: "端口" })).text).toContain("服务器.yaml");
    const asked = await agent.call("search", { words: `Under which port does ${WORDS} listen exactly` });
    expect(asked.text).toContain(", without port, exactly");
    expect(asked.text).toContain(VALUE);
    expect((await agent.call("search", { words: "no-such-word-anywhere" })).text).toMatch(/^Nothing contains/);
  });

  it("comes back whole by its recall id, page by page", async () => {
    const [id = ""] = /r[0-9a-f]{16}/.exec((await agent.call("timeline")).text) ?? [];
    const about = (await agent.call("describe", { id })).text;
    expect(about).toMatch(/whole messages/);
    expect(about).toMatch(/session a-long-one, messages \d+ to \d+/);
    expect(about).toMatch(/before it, message \d+: /);
    const pages = await pagesOf({ id });
    expect(pages.length).toBeGreaterThan(5);
    for (const line of NOTES.slice(0, 120)) expect(pages.join("")).toContain(`${line}\n`);
    expect(pages.join("")).toContain(VALUE);
    expect(pages.join("")).not.toContain(SECRET);
  });

  it("comes back by the numbers of messages", async () => {
    const pages = await pagesOf({ id: "a-long", messages: "10-11" });
    expect(pages.join("")).toContain(FOUND.slice(0, FOUND.indexOf("key")));
    expect((await agent.call("expand", { messages: "1" })).text).toContain("Read all of alpha.");
    expect(await agent.call("expand", { messages: "5-3" })).toMatchObject({ failed: true });
    const past = await agent.call("expand", { messages: "999" });
    expect(past).toEqual({ failed: true, text: expect.stringMatching(/^bad_range: .* 1 to \d+/s) as string });
    const hit = /message (\d+), tool, in (r[0-9a-f]{16})/.exec((await agent.call("search", { words: WORDS })).text)!;
    const [, messages = "", id = ""] = hit;
    expect((await agent.call("expand", { id, messages })).text).toContain(`── ${messages} tool`);
    expect((await agent.call("expand", { messages })).text).toContain(`── ${messages} tool`);
    const spoken = await agent.call("expand", { id: "a-long", role: "user", outline: true });
    expect(spoken.text).toMatch(/^1 user: .*alpha/m);
    expect(spoken.text).not.toMatch(/^\d+ (assistant|tool)/m);
  });

  it("is described", async () => {
    const store = await openSqliteStore({ path: join(folder.path, "history.db") });
    const { head } = (await store.getSession("local", session))!;
    const usage = { input: 18_000, output: 9, cacheRead: 0, cacheWrite: 0, model: "m", at: Date.UTC(2026, 4, 6, 7, 8) };
    await store.putUsage("local", { ...usage, link: head });
    await store.close();
    expect((await agent.call("timeline", { id: session })).text).toMatch(
      /^1 to \d+, 2026-05-06 07:08 UTC, calls: 15, /m,
    );
    expect((await agent.call("describe")).text).toContain("a-long-one");
    const about = (await agent.call("describe", { id: "a-lo" })).text;
    expect(about).toContain("compactions: 1 active, 0 undone");
    expect((await agent.call("timeline", { id: session })).text).toMatch(
      /compacted \(\w+\) .* recall ids: r[0-9a-f]{16}/,
    );
  });
});

/** Every page of an answer, put together as they follow one another. */
async function pagesOf(given: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  const pages: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const { text, failed } = await agent.call("expand", { ...given, offset, tokens: 1_000 });
    expect(failed).toBe(false);
    expect(estimateText(text)).toBeLessThanOrEqual(1_000);
    const more: readonly string[] = /\n\(more: .*, offset (\d+)\)$/.exec(text) ?? [];
    const end = more[0] === undefined ? text.length : text.length - more[0].length;
    pages.push(text.slice(text.indexOf("\n") + 1, end));
    offset = more[1] === undefined ? undefined : Number(more[1]);
  }
  return pages;
}

describe("secrets", () => {
  it("are masked, unless every byte is asked for", async () => {
    expect((await agent.call("search", { words: "部署端口" })).text).not.toContain(SECRET.slice(0, 16));
    const open = await connected(folder.path, ["--with-secrets"]);
    expect((await open.call("search", { words: "部署端口" })).text).not.toContain(SECRET.slice(0, 16));
    const whole = await open.call("expand", { messages: "11", tokens: 16_000 });
    expect(whole.text).toContain(NOTES[0]);
    expect(whole.text).toContain(SECRET);
    await open.client.close();
  });
});

describe("writing", () => {
  it("is not offered, and not done, without --allow-writes", async () => {
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(READERS);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    // Claude Code looks the others up before it has them.
    const always = tools.filter(({ _meta }) => _meta?.["anthropic/alwaysLoad"] === true);
    expect(always.map(({ name }) => name)).toEqual(["search"]);
    expect(await agent.call("restore", { id: session })).toMatchObject({
      failed: true,
      text: expect.stringMatching(/^unknown_tool: /) as string,
    });
    expect((await kept.say("local", begun, session)).treatment).toMatch(/^rewritten;/);
  });

  it("with it takes effect on the next request", async () => {
    const own = workedAfter("beta", FOUND);
    await kept.say("local", own, "to-restore");
    expect(kept.sent().includes(VALUE)).toBe(false);
    const writer = await connected(folder.path, ["--allow-writes"]);
    const { tools } = await writer.client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(
      [...READERS, "compact", "drop", "pin", "unpin", "restore"].toSorted(),
    );
    expect(await writer.call("restore")).toMatchObject({ failed: true });
    expect((await writer.call("restore", { id: "to-restore" })).text).toMatch(/^Undone in session to-restore/);
    expect(await writer.call("restore", { id: "to-restore" })).toMatchObject({
      failed: true,
      text: expect.stringMatching(/^nothing_to_undo: /) as string,
    });
    await writer.client.close();
    const next = await kept.say("local", longer(own, "Go on."), "to-restore");
    expect(next.treatment).toBe("unchanged");
    expect(kept.sent().includes(VALUE)).toBe(true);
  });
});

describe("compacting by hand", () => {
  it("makes the next request shorter, by a share of the session", async () => {
    const own = workedAfter("gamma", NOTES.slice(0, 60).join("\n"), 3);
    expect((await kept.say("local", own, "to-compact")).treatment).toBe("unchanged");
    const writer = await connected(folder.path, ["--allow-writes"]);
    expect(await writer.call("compact", { budget: "50%" })).toMatchObject({ failed: true });
    expect(await writer.call("compact", { id: "to-compact", budget: "500%" })).toMatchObject({
      failed: true,
      text: expect.stringMatching(/^bad_arguments: budget is "500%"/) as string,
    });
    const { text } = await writer.call("compact", { id: "to-compact", budget: "50%", focus: WORDS });
    expect(text).toMatch(/^Session to-compact was compacted: \d+ → \d+ tokens/);
    expect((await writer.call("compact", { id: "to-compact", budget: "100%" })).text).toMatch(/was not compacted/);
    await writer.client.close();
    const next = await kept.say("local", longer(own, "Go on."), "to-compact");
    expect(next.treatment).toMatch(/^rewritten; before=\d+; after=\d+/);
    expect(kept.sent()).toContain("[precis handoff 1]");
  });

  it("is asked for by a prompt, where writing is allowed", async () => {
    await expect(agent.client.listPrompts()).rejects.toThrow("Method not found");
    const writer = await connected(folder.path, ["--allow-writes"]);
    const { prompts } = await writer.client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["compact"]);
    const asked = { name: "compact", arguments: { focus: "ports", session: "to-compact" } };
    const { messages } = await writer.client.getPrompt(asked);
    expect(messages).toMatchObject([{ role: "user", content: { type: "text" } }]);
    const { text } = messages[0]!.content as { readonly text: string };
    expect(text).toContain('the id "to-compact", and the focus "ports"');
    await expect(writer.client.getPrompt({ name: "compacted" })).rejects.toThrow("there is only `compact`");
    await writer.client.close();
  });
});

describe("pinning and dropping", () => {
  it("holds in what is sent next, and is taken back", async () => {
    const own = workedAfter("delta", NOTES.slice(0, 20).join("\n"), 4);
    expect((await kept.say("local", own, "to-pin")).treatment).toBe("unchanged");
    const writer = await connected(folder.path, ["--allow-writes"]);
    const id = "to-pin";
    expect(await writer.call("pin", { fact: "Nobody is named." })).toMatchObject({ failed: true });
    expect((await writer.call("pin", { id, messages: "5" })).text).toMatch(/^Pinned.*\np[0-9a-f]{6}: messages 5 to 5$/);
    const { text } = await writer.call("pin", { id, fact: "The port is 8443." });
    expect(text).toMatch(/\np[0-9a-f]{6}: The port is 8443\.$/);
    expect((await writer.call("describe", { id })).text).toMatch(/pinned p[0-9a-f]{6}: The port is 8443\./);
    expect(await writer.call("drop", { id, messages: "4-5" })).toMatchObject({
      failed: true,
      text: expect.stringMatching(/^pinned: /) as string,
    });
    expect((await writer.call("drop", { id, messages: "2-3" })).text).toMatch(/^Session to-pin was shortened: /);
    expect((await writer.call("compact", { id, budget: "70%" })).text).toMatch(/was compacted/);
    await kept.say("local", longer(own, "Go on."), id);
    expect(kept.sent()).toContain("- The port is 8443.");
    expect(kept.sent()).toContain("delta line 0 of 1:");
    expect(kept.sent()).not.toContain("src/delta/0.ts");
    const [pin] = /p[0-9a-f]{6}(?=: The port)/.exec(text) ?? [];
    expect((await writer.call("unpin", { id, pin })).text).not.toContain("8443");
    expect(await writer.call("unpin", { id, pin })).toMatchObject({
      failed: true,
      text: expect.stringMatching(/^unknown_pin: /) as string,
    });
    await writer.client.close();
  });
});

describe("the process", () => {
  const lines = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params: initialize() },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "search", arguments: { words: WORDS } } },
  ].map((line) => `${JSON.stringify(line)}\n`);

  it("answers what was asked before its input ended, says everything else elsewhere, and ends with 0", async () => {
    const ran = await mcp(lines.join(""));
    const answers = ran.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly id: number });
    expect(answers.map(({ id }) => id)).toEqual([1, 2]);
    expect(ran.out).toContain(VALUE);
    expect(ran.err).toBe("precis mcp: history.db, tenant local, read-only\n");
    expect(ran.code).toBe(0);
  });

  it("ends at input that is no message, or too long for one, and takes what comes after a bad line", async () => {
    const odd = await mcp(`${lines[0]}no json\n{"jsonrpc":"1.0"}\n${lines.slice(1).join("")}`);
    expect([odd.code, odd.out.trimEnd().split("\n").length]).toEqual([0, 4]);
    const long = await mcp(`${lines.join("")}${"x".repeat(3_000_000)}`);
    expect(long.code).toBe(0);
  });

  it("says what is wrong where it cannot begin", async () => {
    expect(await mcp("", "--session", "nobody")).toMatchObject({ code: 2, out: "" });
    const none = await precis(["mcp", "--store", "none.db"], { folder: folder.path });
    expect(none).toMatchObject({ code: 3, out: "", err: expect.stringContaining("there is no store") as string });
    expect(existsSync(join(folder.path, "none.db"))).toBe(false);
  });

  it("alone loads the SDK", () => {
    const text = (path: string): string => readFileSync(resolve(import.meta.dirname, "../../../src", path), "utf8");
    expect(text("integrations/mcp/server.ts")).toContain("@modelcontextprotocol/sdk");
    expect(text("cli/commands/mcp.ts")).not.toMatch(/^import [^;]*integrations\/mcp/m);
  });
});

function mcp(input: string, ...words: string[]) {
  return precis(["mcp", "--store", "history.db", ...words], { folder: folder.path, input });
}

function initialize() {
  return { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "shell", version: "1" } };
}
