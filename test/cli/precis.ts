/**
 * The command line run in two ways: as a shell does, a process with streams and an exit code; and inside this process
 * on a terminal in memory, for the many cases where starting Node would be all that takes time.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { run as runEval } from "../../eval/src/main.ts";
import { providerCommand } from "../../provider/src/command.ts";
import type { ExitCode } from "../../src/cli/program/exit.ts";
import { run as runPrecis } from "../../src/cli/main.ts";
import { runAlone } from "../../src/cli/program/program.ts";
import { streamTo, type Stream, type Terminal } from "../../src/cli/screen/terminal.ts";

type Run = (words: readonly string[], terminal: Terminal) => Promise<ExitCode>;

/** The first word may name one of the tools beside precis; without it `precis` is run. */
const TOOLS: Readonly<Record<string, { readonly bin: string; readonly run: Run }>> = {
  "precis-eval": { bin: "eval/bin.ts", run: runEval },
  "precis-provider": { bin: "provider/bin.ts", run: (words, terminal) => runAlone(providerCommand, words, terminal) },
};

function programOf(given: readonly string[]): {
  readonly bin: string;
  readonly run: Run;
  readonly words: readonly string[];
} {
  const tool = TOOLS[given[0] ?? ""];
  const { bin, run } = tool ?? { bin: "src/cli/bin.ts", run: runPrecis };
  return { bin: resolve(import.meta.dirname, "../..", bin), run, words: tool === undefined ? given : given.slice(1) };
}

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly input?: string;
  readonly folder?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** How wide the terminal is; only here. Without it there is none, and pages are made for 80. */
  readonly columns?: number;
  /** Whether a person reads along; only here. */
  readonly interactive?: boolean;
  /** Arguments of Node itself. */
  readonly node?: readonly string[];
}

/** What Node needs to start, and to start fast. */
export const NODE_ENVIRONMENT = {
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
};

/** Runs `precis` with nothing of this process's environment but what Node needs. */
export async function precis(words: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { input, folder = tmpdir(), environment = {}, node = [] } = options;
  const program = programOf(words);
  const child = spawn(process.execPath, [...node, program.bin, ...program.words], {
    cwd: folder,
    env: { ...NODE_ENVIRONMENT, HOME: folder, ...environment },
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const code = await new Promise<number | null>((done) => child.on("close", done));
  return { code, out: Buffer.concat(out).toString("utf8"), err: Buffer.concat(err).toString("utf8") };
}

/** The same without a process of its own: no colours, 80 columns. */
export async function precisHere(words: readonly string[], options: Omit<RunOptions, "node"> = {}): Promise<Ran> {
  const { input = "", folder = tmpdir(), environment = {}, columns, interactive = false } = options;
  const written = { out: "", err: "" };
  const looks = { fits: columns !== undefined, coloured: false, columns: columns ?? 80, interactive };
  const stream = (name: keyof typeof written): Stream => streamTo(async (text) => void (written[name] += text), looks);
  const program = programOf(words);
  const code = await program.run(program.words, {
    out: stream("out"),
    err: stream("err"),
    readStandardInput: async () => new TextEncoder().encode(input),
    environment: { HOME: folder, ...environment },
    folder,
    platform: process.platform,
  });
  return { code, ...written };
}

export interface Folder {
  readonly path: string;
  readonly write: (name: string, text: string) => string;
  readonly remove: () => void;
}

export function temporaryFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), "precis-cli-"));
  return {
    path,
    write: (name, text) => {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), text);
      return name;
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

const LIVE_REQUEST = "Now make the build green, and never touch vendor/.";

export interface Sizes {
  /** Tool calls. */
  readonly turns: number;
  /** Lines of each result. */
  readonly lines: number;
}

/** Messages of OpenAI Chat: a task, tool calls with their results, and a live request. */
export function chatMessages(
  { turns, lines }: Sizes = { turns: 30, lines: 40 },
): readonly Readonly<Record<string, unknown>>[] {
  const work = Array.from({ length: turns }, (_, turn) => [
    {
      role: "assistant",
      content: `Step ${turn}: I look at src/part${turn}.ts.`,
      tool_calls: [
        {
          id: `call_${turn}`,
          type: "function",
          function: { name: "read_file", arguments: `{"path": "src/part${turn}.ts"}` },
        },
      ],
    },
    { role: "tool", tool_call_id: `call_${turn}`, content: sourceText(turn, lines) },
  ]);
  return [
    { role: "system", content: "You mend programs." },
    { role: "user", content: "The build fails. Find out why." },
    ...work.flat(),
    { role: "assistant", content: "It is a missing import in src/part7.ts." },
    { role: "user", content: LIVE_REQUEST },
  ];
}

function sourceText(turn: number, lines: number): string {
  return Array.from(
    { length: lines },
    (_, line) => `export const value_${turn}_${line} = compute(${turn * line}, "part ${turn}");`,
  ).join("\n");
}

/** A request body of Anthropic Messages, written as no serialiser of ours would: spaces, and a number of many digits. */
export function anthropicBody(turns = 20): string {
  const work = Array.from({ length: turns }, (_, turn) => [
    `{ "role": "assistant", "content": [{ "type": "tool_use", "id": "toolu_${turn}", "name": "Bash", "input": { "command": "cat log${turn}", "seed": 12345678901234567890 } }] }`,
    `{ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "toolu_${turn}", "content": ${JSON.stringify(sourceText(turn, 30))} }] }`,
  ]);
  const messages = [
    `{ "role": "user", "content": "Read the logs." }`,
    ...work.flat(),
    `{ "role": "user", "content": ${JSON.stringify(LIVE_REQUEST)} }`,
  ];
  return `{ "model": "claude-x", "max_tokens": 1000, "system": "Be brief.",\n  "messages": [\n    ${messages.join(",\n    ")}\n  ] }\n`;
}

/** Lines of a Claude Code session. */
export function claudeCodeSession(turns = 20): string {
  const lines: object[] = [];
  const add = (type: "user" | "assistant", content: unknown): void => {
    const uuid = `u${lines.length}`;
    const parentUuid = lines.length === 0 ? null : `u${lines.length - 1}`;
    const common = {
      uuid,
      parentUuid,
      isSidechain: false,
      sessionId: "s",
      timestamp: "2026-01-01T00:00:00Z",
      cwd: "/p",
      version: "2.1",
    };
    lines.push({ ...common, type, message: { role: type, content } });
  };
  add("user", "Read the logs.");
  for (let turn = 0; turn < turns; turn++) {
    add("assistant", [{ type: "tool_use", id: `toolu_${turn}`, name: "Bash", input: { command: `cat log${turn}` } }]);
    add("user", [{ type: "tool_result", tool_use_id: `toolu_${turn}`, content: sourceText(turn, 30) }]);
  }
  add("assistant", [{ type: "text", text: "Read." }]);
  add("user", LIVE_REQUEST);
  return `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
}

export { LIVE_REQUEST };
