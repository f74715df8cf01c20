/**
 * The conversation of this agent on disk: a line of JSON for each message and for what was used, appended and synced
 * before anything goes on. A last line that was cut off by a crash is dropped.
 */
import { closeSync, existsSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { ModelMessage } from "ai";
import { PrecisError } from "../../src/core/errors.ts";
import type { RuntimeState } from "../../src/session/contract.ts";
import type { Journal } from "./loop.ts";

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const FILE_BYTES_MAX = 200_000_000;

export interface Used {
  readonly requests: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
}

export interface ChatJournal extends Journal {
  readonly used: () => Used;
  readonly addUsage: (usage: Omit<Used, "requests">) => void;
  /** What the session had learnt, as of the newest `keepState`. */
  readonly state: () => RuntimeState | undefined;
  readonly keepState: (state: RuntimeState) => void;
  readonly close: () => void;
}

type Line =
  | { readonly kind: "message"; readonly message: ModelMessage }
  | { readonly kind: "usage"; readonly usage: Omit<Used, "requests"> }
  | { readonly kind: "state"; readonly state: RuntimeState };

/** Throws `unreadable_input` for a file that is no journal. */
export function openJournal(path: string): ChatJournal {
  const messages: ModelMessage[] = [];
  const used = { requests: 0, input: 0, output: 0, cacheRead: 0 };
  let state: RuntimeState | undefined;
  const take = (line: Line): void => {
    if (line.kind === "message") messages.push(line.message);
    else if (line.kind === "state") state = line.state;
    else {
      used.requests++;
      for (const name of ["input", "output", "cacheRead"] as const) used[name] += line.usage[name];
    }
  };
  const { lines, bytes } = linesOf(path);
  for (const line of lines) take(line);
  mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE });
  const file = openSync(path, "a", FILE_MODE);
  ftruncateSync(file, bytes);
  const add = (...added: readonly Line[]): void => {
    writeSync(file, added.map((line) => `${JSON.stringify(line)}\n`).join(""));
    fsyncSync(file);
    added.forEach(take);
  };
  return {
    messages,
    append: (...said) => add(...said.map((message): Line => ({ kind: "message", message }))),
    used: () => ({ ...used }),
    addUsage: (usage) => add({ kind: "usage", usage }),
    state: () => state,
    keepState: (now) => add({ kind: "state", state: now }),
    close: () => closeSync(file),
  };
}

/** Whole lines, and how many bytes they take. */
function linesOf(path: string): { readonly lines: readonly Line[]; readonly bytes: number } {
  if (!existsSync(path)) return { lines: [], bytes: 0 };
  const content = readFileSync(path);
  if (content.length > FILE_BYTES_MAX) throw unreadable(path, `it is larger than ${FILE_BYTES_MAX} bytes`);
  const whole = content.subarray(0, content.lastIndexOf(0x0a) + 1);
  const lines = whole.toString("utf8").split("\n").slice(0, -1);
  try {
    return { lines: lines.map((line) => JSON.parse(line) as Line), bytes: whole.length };
  } catch (error) {
    throw unreadable(path, (error as Error).message);
  }
}

function unreadable(path: string, because: string): PrecisError {
  return new PrecisError(`cannot read the conversation ${path}: ${because}`, {
    code: "unreadable_input",
    place: path,
    hint: "Move the file away, or name another conversation with --session.",
  });
}
