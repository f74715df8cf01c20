/** What a call puts into files: the lines of its new text that its old text did not hold, file by file where the call says so. */
import { keptWith } from "../kept.ts";
import type { ToolCallPart } from "../transcript/message.ts";

/** More of a call is not read. */
const CHARS_READ_MAX = 200_000;
const OLD_KEY = /^(?:old|search|find|original|before)/i;
const NEW_KEY = /^(?:new|replace|replacement|after|content|contents|file_?text|text|code_?edit|insert)/i;
const PATCH_KEY = /^(?:patch|diff|input)$/i;
const PATCHED = /^(?:\+(?!\+\+)|\*\*\* Begin Patch|@@ |diff --git)/m;

export interface WrittenText {
  /** Lines that were not there before, in order, without trailing space. */
  readonly added: readonly string[];
  /** Lines that the call removed. */
  readonly removed: readonly string[];
}

const NOTHING: WrittenText = { added: [], removed: [] };

/** The lines that a call adds and removes; the same object each time. */
export const writtenBy = keptWith((call: ToolCallPart) => read(call.arguments));

/** The lines without the space around them. */
export const trimmedLines = keptWith((lines: readonly string[]) => lines.map(trimmed));

function read(args: string): WrittenText {
  if (args.length > CHARS_READ_MAX) return NOTHING;
  const texts = textsOf(parsed(args));
  const before = linesOf(texts.before);
  const after = linesOf(texts.after);
  const [old, now] = [new Set(before.map(trimmed)), new Set(after.map(trimmed))];
  return {
    added: after.filter((line) => !old.has(line.trim())),
    removed: before.filter((line) => !now.has(line.trim())),
  };
}

function linesOf(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => text.split("\n").map((line) => line.trimEnd())).filter((line) => line.trim() !== "");
}

function trimmed(line: string): string {
  return line.trim();
}

function parsed(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return { input: args };
  }
}

interface Texts {
  readonly before: string[];
  readonly after: string[];
}

/** A stack, not recursion: arguments can be nested deeper than the call stack is. */
function textsOf(value: unknown): Texts {
  const texts: Texts = { before: [], after: [] };
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const one = stack.pop();
    if (typeof one !== "object" || one === null) continue;
    const entries = Array.isArray(one) ? one.map((item: unknown) => ["", item] as const) : Object.entries(one);
    for (const [key, text] of entries.toReversed())
      if (typeof text !== "string") stack.push(text);
      else if (isPatch(key, text)) addPatch(texts, text);
      else if (OLD_KEY.test(key)) texts.before.push(text);
      else if (NEW_KEY.test(key)) texts.after.push(text);
  }
  return texts;
}

/** In a key for it, or handed to a shell. */
function isPatch(key: string, text: string): boolean {
  return (PATCH_KEY.test(key) && PATCHED.test(text)) || text.includes("*** Begin Patch\n");
}

function addPatch({ before, after }: Texts, patch: string): void {
  const lines = patch.split("\n");
  const marked = (mark: string): string =>
    lines
      .filter((line) => line.startsWith(mark) && !line.startsWith(mark.repeat(3)))
      .map((line) => line.slice(1))
      .join("\n");
  before.push(marked("-"));
  after.push(marked("+"));
}
