/** What the agent can do: run a command, read, write and search files, all within one folder and within limits. */
import { spawn } from "node:child_process";
import { lstatSync, mkdirSync, readFileSync, readdirSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

export const CHAT_LIMITS = Object.freeze({
  shellMs: 120_000,
  resultChars: 40_000,
  fileBytes: 2_000_000,
  searchedFiles: 20_000,
  hits: 200,
});

const LINES_READ = 400;
const LINE_CHARS_MAX = 400;
const SKIPPED = new Set([".git", "node_modules"]);

type Input = Readonly<Record<string, unknown>>;

export interface AgentTool {
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The person is asked before it runs. */
  readonly asks: boolean;
  /** Rejects with what the model is told. */
  readonly run: (input: Input, signal: AbortSignal) => Promise<string>;
}

/** `environment` is that of the commands: without the keys of providers. */
export function createTools(folder: string, environment: NodeJS.ProcessEnv): Readonly<Record<string, AgentTool>> {
  const root = realpathSync(folder);
  return {
    shell: {
      description: "Run a shell command in the working folder. Answers with its output and exit code.",
      parameters: object({ command: "the command line" }),
      asks: true,
      run: async ({ command }, signal) => shell(text(command, "command"), { cwd: root, env: environment, signal }),
    },
    read: {
      description: `Read ${LINES_READ} lines of a text file, with their numbers, from a line on (default 1).`,
      parameters: object({ path: "relative to the working folder" }, { line: { type: "integer", minimum: 1 } }),
      asks: false,
      run: async ({ path, line }) => read(within(root, text(path, "path")), typeof line === "number" ? line : 1),
    },
    write: {
      description: "Write a text file, replacing it whole.",
      parameters: object({ path: "relative to the working folder", content: "all of the file" }),
      asks: true,
      run: async ({ path, content }) => write(within(root, text(path, "path")), text(content, "content")),
    },
    search: {
      description: "Find the lines of all files in the working folder that hold a text.",
      parameters: object({ text: "the exact text" }),
      asks: false,
      run: async ({ text: words }) => search(root, text(words, "text")),
    },
  };
}

function object(required: Readonly<Record<string, string>>, optional: Readonly<Record<string, unknown>> = {}) {
  const strings = Object.entries(required).map(([name, description]) => [name, { type: "string", description }]);
  return {
    type: "object",
    properties: { ...Object.fromEntries(strings), ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}

function text(value: unknown, name: string): string {
  if (typeof value === "string") return value;
  throw new Error(`\`${name}\` is missing: a string is expected.`);
}

/** The path with its links followed as far as it exists. Throws for one that leads out of the folder. */
function within(root: string, path: string): string {
  const wanted = resolve(root, path);
  let there = wanted;
  while (lstatSync(there, { throwIfNoEntry: false }) === undefined && dirname(there) !== there) there = dirname(there);
  const real = join(realpathSync(there), relative(there, wanted));
  if (real === root || real.startsWith(root + sep)) return real;
  throw new Error(`${path} is outside of the working folder.`);
}

interface ShellOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

async function shell(command: string, { cwd, env, signal }: ShellOptions): Promise<string> {
  // In a group of its own, so that what it started ends with it.
  const child = spawn(command, {
    cwd,
    env,
    shell: true,
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
  });
  let [output, ended] = ["", ""];
  const end = (because: string) => (): void => {
    ended ||= because;
    if (child.pid !== undefined && process.platform !== "win32") process.kill(-child.pid, "SIGKILL");
    else child.kill("SIGKILL");
  };
  const onAbort = end("interrupted by the user");
  const timer = setTimeout(end(`ended after ${CHAT_LIMITS.shellMs / 1_000} seconds`), CHAT_LIMITS.shellMs);
  signal.addEventListener("abort", onAbort, { once: true });
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      if (output.length < CHAT_LIMITS.resultChars) output += chunk.toString("utf8");
    });
  try {
    const code = await new Promise<number | null>((done, fail) => child.once("close", done).once("error", fail));
    const how = ended === "" ? (code === 0 ? [] : [`exit code ${code}`]) : [ended];
    return [limited(output.trimEnd()), ...how].filter((one) => one !== "").join("\n") || "(no output)";
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

function read(path: string, from: number): string {
  const lines = fileText(path).split("\n");
  const shown = lines.slice(from - 1, from - 1 + LINES_READ).map((line, at) => `${from + at}\t${line}`);
  const more = lines.length - (from - 1 + shown.length);
  return limited(`${shown.join("\n")}${more > 0 ? `\n(${more} more lines)` : ""}`);
}

function write(path: string, content: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return `Wrote ${content.length} characters.`;
}

function search(root: string, words: string): string {
  const hits: string[] = [];
  const folders = [root];
  let files = 0;
  while (folders.length > 0 && hits.length < CHAT_LIMITS.hits && files < CHAT_LIMITS.searchedFiles) {
    for (const entry of readdirSync(folders.pop()!, { withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(path);
      if (!entry.isFile() || ++files > CHAT_LIMITS.searchedFiles) continue;
      if (statSync(path).size > CHAT_LIMITS.fileBytes) continue;
      const lines = readFileSync(path, "utf8").split("\n");
      lines.forEach((line, at) => {
        if (hits.length < CHAT_LIMITS.hits && line.includes(words))
          hits.push(`${relative(root, path)}:${at + 1}: ${line.slice(0, LINE_CHARS_MAX)}`);
      });
    }
  }
  return hits.length === 0 ? "Not found." : limited(hits.join("\n"));
}

function fileText(path: string): string {
  if (statSync(path).size > CHAT_LIMITS.fileBytes)
    throw new Error(`The file is larger than ${CHAT_LIMITS.fileBytes} bytes.`);
  return readFileSync(path, "utf8");
}

function limited(output: string): string {
  if (output.length <= CHAT_LIMITS.resultChars) return output;
  return `${output.slice(0, CHAT_LIMITS.resultChars)}\n(cut: ${output.length} characters in all)`;
}
