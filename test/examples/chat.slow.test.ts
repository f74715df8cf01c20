/**
 * The example of an agent as a person has it: typed into a terminal (tmux) and read from its screen, against the strict provider, which
 * refuses whatever a vendor would refuse. A task over several compactions, /compress, /undo, kill -9 and what comes after.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const MAIN = resolve(import.meta.dirname, "../../examples/chat/main.ts");
const TMUX = spawnSync("tmux", ["-V"]).status === 0;
const WITHIN_MS = 60_000;
const SOCKET = `precis-chat-${process.pid}`;
const CALLS = 14;

/** Long answers of a tool, so that a window of 16,000 tokens is filled several times. */
const SCRIPT = [
  ...Array.from({ length: CALLS }, (_, at) => ({
    text: `Part ${at + 1} next.`,
    calls: [{ name: "shell", arguments: { command: `echo part-${at + 1}; seq ${at * 1_000} ${at * 1_000 + 900}` } }],
  })),
  { text: "All parts are counted." },
  {
    text: "It takes a while.",
    calls: [{ name: "shell", arguments: { command: "echo begun > begun.txt; sleep 20" } }],
  },
  { text: "I see that it was interrupted, and go on." },
];

let folder: string;
const tmux = (...words: string[]): string => execFileSync("tmux", ["-L", SOCKET, ...words], { encoding: "utf8" });
const screen = (): string => tmux("capture-pane", "-p", "-J", "-S", "-5000", "-t", "chat");

async function shown(pattern: RegExp, times = 1): Promise<string> {
  const deadlineMs = performance.now() + WITHIN_MS;
  for (;;) {
    const text = screen();
    if ([...text.matchAll(new RegExp(pattern, "g"))].length >= times) return text;
    if (performance.now() > deadlineMs) throw new Error(`not on the screen: ${String(pattern)} × ${times}\n${text}`);
    await pause(100);
  }
}

function type(line: string): void {
  tmux("send-keys", "-t", "chat", "-l", line);
  tmux("send-keys", "-t", "chat", "Enter");
}

function start(): void {
  type(`'${process.execPath}' '${MAIN}' --script script.json --set model.context_length=16000 --session task`);
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "precis-chat-"));
  mkdirSync(join(folder, "home"));
  writeFileSync(join(folder, "script.json"), JSON.stringify(SCRIPT));
  if (!TMUX) return;
  tmux(
    "-f",
    "/dev/null",
    "new-session",
    "-d",
    "-s",
    "chat",
    "-x",
    "110",
    "-y",
    "40",
    "-c",
    folder,
    "env",
    "-i",
    `PATH=${process.env["PATH"]}`,
    `HOME=${join(folder, "home")}`,
    "TERM=screen",
    "PS1=shell> ",
    "bash",
    "--norc",
    "--noprofile",
  );
  tmux("set-option", "-t", "chat", "history-limit", "20000");
});
afterEach(() => {
  if (TMUX) spawnSync("tmux", ["-L", SOCKET, "kill-server"]);
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(!TMUX)("the agent in a terminal (skipped where tmux is absent)", () => {
  it("works through several compactions, compacts and undoes on request, and goes on after kill -9 in mid-turn", async () => {
    start();
    await shown(/task: a new conversation/);
    type("Count all parts.");
    await shown(/Allow it\? \[y\]es/);
    type("always");
    const counted = await shown(/All parts are counted\./);
    expect([...counted.matchAll(/compacted: [\d,]+ → [\d,]+ tokens/g)].length).toBeGreaterThan(1);
    expect(counted).not.toContain("failed:");
    type("/compress the parts");
    await shown(/takes it all back|Not compacted/);
    type("/undo");
    await shown(/The newest compaction is undone/);
    type("/recall part-3");
    await shown(/r[0-9a-f]{16} {2}\S.*\n(?:.*\n)?.*[Pp]art.3/);
    type("/usage");
    await shown(/1[5-9] requests: [\d,]+ tokens in/);
    type("Now something slow.");
    await shown(/It takes a while/);
    const deadlineMs = performance.now() + WITHIN_MS;
    while (!existsSync(join(folder, "begun.txt")) && performance.now() < deadlineMs) await pause(50);
    const state = join(folder, "home/.local/state/precis/chat/task");
    process.kill(Number(readFileSync(join(state, "lock"), "utf8")), "SIGKILL");
    await shown(/Killed|shell> $/);
    start();
    await shown(/The last turn was cut off; it goes on\./);
    await shown(/I see that it was interrupted, and go on\./);
    type("/context");
    const resumed = await shown(/(\d+) compactions? so far/);
    expect(Number(/(\d+) compactions? so far/.exec(resumed)![1])).toBeGreaterThan(1);
    expect(resumed).not.toContain("failed:");
    type("/exit");
    await pause(500);
    expect(existsSync(join(state, "lock"))).toBe(false);
  }, 180_000);
});
