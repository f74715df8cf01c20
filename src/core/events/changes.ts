/** What a call puts into files: the lines of its new text that its old text did not hold, file by file where the call says so. */
import { keptWith } from "../kept.ts";
import { lineNumberOf, withoutLineNumber } from "../digest/numbered-lines.ts";
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
  /** Lines of the old text that stand above the first one that was added; absent where several places are changed. */
  readonly unchanged?: readonly string[];
}

const NOTHING: WrittenText = { added: [], removed: [] };

/** The lines that a call adds and removes; the same object each time. */
export const writtenBy = keptWith((call: ToolCallPart) => read(call.arguments));

/**
 * The line under which an indented change stands, such as the head of its function: the last one above it that is not indented
 * (https://git-scm.com/docs/gitattributes, "Defining a custom hunk-header"), in the replaced text or in what the tool shows of the file.
 */
export function headOfChange(call: ToolCallPart, shown: string): string | undefined {
  const { added, unchanged } = writtenBy(call);
  const [first] = added;
  if (first === undefined || unchanged === undefined || !INDENTED.test(first)) return undefined;
  const lines = shown
    .split("\n")
    .flatMap((line) => (lineNumberOf(line) === undefined ? [] : withoutLineNumber(line).trimEnd()));
  const head = lastUnindented(unchanged) ?? lastUnindented(lines.slice(0, Math.max(0, lines.indexOf(first))));
  return head !== undefined && NAMES.test(head) ? head : undefined;
}

function lastUnindented(lines: readonly string[]): string | undefined {
  return lines.findLast((line) => UNINDENTED.test(line));
}

const INDENTED = /^[ \t]/;
const UNINDENTED = /^[\p{L}_$@]/u;
/** One word, such as `import (` and `services:`, names nothing. */
const NAMES = /^[^\s(]+[\s(]+[^\s({]/;

/** The lines without the space around them. */
export const trimmedLines = keptWith((lines: readonly string[]) => lines.map(trimmed));

function read(args: string): WrittenText {
  if (args.length > CHARS_READ_MAX) return NOTHING;
  const texts = textsOf(parsed(args));
  const before = linesOf(texts.before);
  const after = linesOf(texts.after);
  const [old, now] = [new Set(before.map(trimmed)), new Set(after.map(trimmed))];
  const isNew = (line: string): boolean => !old.has(line.trim());
  return {
    added: after.filter(isNew),
    removed: before.filter((line) => !now.has(line.trim())),
    ...(texts.after.length > 1 || texts.isPatch
      ? {}
      : { unchanged: after.slice(0, Math.max(0, after.findIndex(isNew))) }),
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
  isPatch: boolean;
}

/** A stack, not recursion: arguments can be nested deeper than the call stack is. */
function textsOf(value: unknown): Texts {
  const texts: Texts = { before: [], after: [], isPatch: false };
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

function addPatch(texts: Texts, patch: string): void {
  const { before, after } = texts;
  texts.isPatch = true;
  const lines = patch.split("\n");
  const marked = (mark: string): string =>
    lines
      .filter((line) => line.startsWith(mark) && !line.startsWith(mark.repeat(3)))
      .map((line) => line.slice(1))
      .join("\n");
  before.push(marked("-"));
  after.push(marked("+"));
}
