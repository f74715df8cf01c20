/** Writes a session down while it happens: what a person says, what the agent says and calls, what the tools answer. */
import type { Outcome, Workspace } from "./workspace.ts";

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly result: string;
  readonly failed: boolean;
}

export type Turn =
  | { readonly kind: "user"; readonly at: number; readonly text: string }
  | { readonly kind: "agent"; readonly at: number; readonly text: string; readonly calls: readonly Call[] };

/** A call the agent wants to make; it runs when the turn is recorded. */
export interface Wish {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly run: (workspace: Workspace, now: number) => Outcome;
}

export interface Recorder {
  readonly user: (text: string) => void;
  readonly agent: (text: string, ...wishes: readonly Wish[]) => void;
  readonly turns: () => readonly Turn[];
}

const THINKING_MS = 9_000;
const READING_MS_PER_CHARACTER = 3;
const PERSON_MS = 240_000;

/** `start` is the time of the first message, milliseconds since the epoch; the clock then runs on by what is said. */
export function createRecorder(workspace: Workspace, start: number): Recorder {
  const turns: Turn[] = [];
  let now = start;
  let calls = 0;
  const perform = (wish: Wish): Call => {
    calls += 1;
    const { text, failed } = wish.run(workspace, now);
    now += THINKING_MS + text.length * READING_MS_PER_CHARACTER;
    return { id: `call_${String(calls).padStart(3, "0")}`, name: wish.name, input: wish.input, result: text, failed };
  };
  return {
    user: (text) => {
      now += PERSON_MS;
      turns.push({ kind: "user", at: now, text });
    },
    agent: (text, ...wishes) => {
      now += THINKING_MS;
      turns.push({ kind: "agent", at: now, text, calls: wishes.map(perform) });
    },
    turns: () => turns,
  };
}

export function bash(command: string): Wish {
  return { name: "bash", input: { command }, run: (workspace, now) => workspace.bash(command, now) };
}

export function grep(pattern: string, path: string): Wish {
  const command = `grep -rnE ${quoted(pattern)} ${path}`;
  return { name: "grep", input: { pattern, path }, run: (workspace, now) => workspace.bash(command, now) };
}

export function read(path: string, from?: number, to?: number): Wish {
  const input = { path, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  return { name: "read", input, run: (workspace) => workspace.read(path, from, to) };
}

export function edit(path: string, old: string, text: string): Wish {
  return { name: "edit", input: { path, old, new: text }, run: (workspace) => workspace.edit(path, old, text) };
}

export function write(path: string, text: string): Wish {
  return { name: "write", input: { path, content: text }, run: (workspace) => workspace.write(path, text) };
}

/** The agent's plan; `[x]` done, `[>]` being done, `[ ]` open. */
export function plan(...items: readonly string[]): Wish {
  const open = items.filter((item) => !item.startsWith("[x]")).length;
  const answer = { text: `plan saved: ${items.length - open} done, ${open} open`, failed: false };
  return { name: "plan", input: { items }, run: () => answer };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
