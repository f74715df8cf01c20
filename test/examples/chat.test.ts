/** The example of an agent: tools that stay in their folder and within limits, and a journal that survives a crash in any byte. */
import { appendFileSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { spawn } from "node:child_process";
import type { ModelMessage } from "ai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isUnfinished, unanswered } from "../../examples/chat/calls.ts";
import { openConversation } from "../../examples/chat/conversation.ts";
import { openJournal } from "../../examples/chat/journal.ts";
import { CHAT_LIMITS, createTools } from "../../examples/chat/tools.ts";
import { NODE_ENVIRONMENT, temporaryFolder, type Folder } from "../cli/precis.ts";

const LOOP_LINES_MAX = 150;
const CHAT = resolve(import.meta.dirname, "../../examples/chat");
const NEVER = new AbortController().signal;

let folder: Folder;
beforeEach(() => (folder = temporaryFolder()));
afterEach(() => folder.remove());

describe("the tools", () => {
  const tools = (environment = { PATH: process.env["PATH"] }) => createTools(folder.path, environment);

  it("read, write and search within the folder, and nowhere else", async () => {
    const { read, write, search } = tools();
    await write!.run({ path: "a/b.txt", content: "one\ntwo\n" }, NEVER);
    expect(await read!.run({ path: "a/b.txt", line: 2 }, NEVER)).toBe("2\ttwo\n3\t");
    expect(await search!.run({ text: "two" }, NEVER)).toBe("a/b.txt:2: two");
    mkdirSync(join(folder.path, "inside"));
    symlinkSync("/etc", join(folder.path, "inside", "out"));
    for (const path of ["../x", "/etc/hostname", "inside/out/hostname", "inside/out/new/file"]) {
      await expect(read!.run({ path }, NEVER)).rejects.toThrow("outside of the working folder");
      await expect(write!.run({ path, content: "" }, NEVER)).rejects.toThrow("outside of the working folder");
    }
    await expect(read!.run({}, NEVER)).rejects.toThrow("`path` is missing");
  });

  it("run commands with their exit code, cut long output, and end with the person's Ctrl-C", async () => {
    const { shell } = tools();
    expect(await shell!.run({ command: "echo hello; exit 3" }, NEVER)).toBe("hello\nexit code 3");
    const long = await shell!.run({ command: `head -c ${CHAT_LIMITS.resultChars * 3} /dev/zero | tr '\\0' x` }, NEVER);
    expect(long.length).toBeLessThan(CHAT_LIMITS.resultChars + 100);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 100);
    expect(await shell!.run({ command: "sleep 60 & sleep 60" }, stop.signal)).toContain("interrupted by the user");
  });

  it("ask before what has an effect", () => {
    expect(
      Object.entries(tools())
        .filter(([, { asks }]) => asks)
        .map(([name]) => name),
    ).toEqual(["shell", "write"]);
  });
});

describe("the journal", () => {
  const called: ModelMessage = {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: "c1", toolName: "shell", input: { command: "ls" } }],
  };

  it("is whole after a crash in the middle of a line", () => {
    const path = join(folder.path, "messages.jsonl");
    const first = openJournal(path);
    first.append({ role: "user", content: "Hello" }, called);
    first.addUsage({ input: 5, output: 2, cacheRead: 1 });
    first.close();
    appendFileSync(path, '{"kind":"message","message":{"role":"to');
    const second = openJournal(path);
    expect(second.messages).toEqual([{ role: "user", content: "Hello" }, called]);
    expect(unanswered(second.messages)).toEqual([{ id: "c1", tool: "shell", input: { command: "ls" } }]);
    expect(isUnfinished(second.messages)).toBe(true);
    second.append({ role: "assistant", content: "Done." });
    second.close();
    const third = openJournal(path);
    expect(isUnfinished(third.messages)).toBe(false);
    expect(third.used()).toEqual({ requests: 1, input: 5, output: 2, cacheRead: 1 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    third.close();
    writeFileSync(path, "no journal\n");
    expect(() => openJournal(path)).toThrow("cannot read the conversation");
  });

  it("is open in one process at a time; the lock of a killed one does not count", async () => {
    const conversation = await openConversation(folder.path, "work");
    const lock = join(folder.path, "work", "lock");
    writeFileSync(lock, "1");
    await expect(openConversation(folder.path, "work")).rejects.toThrow("open in another process");
    const child = spawn("true");
    await new Promise((done) => child.once("close", done));
    writeFileSync(lock, String(child.pid));
    await conversation.close();
    writeFileSync(lock, String(child.pid));
    await (await openConversation(folder.path, "work")).close();
    await expect(openConversation(folder.path, "../work")).rejects.toThrow("--session");
  });
});

function chat(words: readonly string[], input: string): Promise<{ code: number | null; out: string; err: string }> {
  const environment = { ...NODE_ENVIRONMENT, HOME: folder.path };
  const child = spawn(process.execPath, [join(CHAT, "main.ts"), ...words], { cwd: folder.path, env: environment });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => void (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => void (err += chunk.toString()));
  child.stdin.end(input);
  return new Promise((done) => child.once("close", (code) => done({ code, out, err })));
}

describe("the agent", () => {
  it("talks through a pipe, denies what is not allowed, and knows its commands", async () => {
    const script = [
      { text: "I try.", calls: [{ name: "shell", arguments: { command: "touch made" } }] },
      { text: "Not allowed, so I stop." },
    ];
    folder.write("script.json", JSON.stringify(script));
    const { code, out } = await chat(["--script", "script.json"], "Make a file.\nno\n/context\n/nonsense\n/undo\n");
    expect(code).toBe(0);
    expect(out).toContain("Not allowed, so I stop.");
    expect(out).toContain("There is no command /nonsense");
    expect(out).toContain("There is no compaction to undo.");
    expect(statSync(join(folder.path, "made"), { throwIfNoEntry: false })).toBeUndefined();
  });

  it("says what it needs where no model is named or has no key", async () => {
    expect((await chat([], "")).err).toContain("no model is named");
    const { code, err } = await chat(["--model", "claude-sonnet-4-5"], "");
    expect([code, err]).toEqual([2, expect.stringContaining("ANTHROPIC_API_KEY is not set")]);
  });

  it("has a loop that can be read in one sitting", () => {
    const lines = readFileSync(join(CHAT, "loop.ts"), "utf8").split("\n");
    expect(lines.length).toBeLessThan(LOOP_LINES_MAX);
  });
});
