/**
 * What an edit wrote, line by line: the lines of its new text that the old text did not hold. Where there is no room for
 * all of them, definitions and what explains them come first.
 */
import type { ToolCallPart } from "../../transcript/message.ts";
import { remembered } from "../../transcript/remembered.ts";
import { wordsCounted, type Unit } from "./units.ts";
import { wordsOf, type Words } from "./words.ts";

/** More of an edit is not read. */
const CHARS_READ_MAX = 60_000;
const LINES_MAX = 400;
const LINE_CHARS_MAX = 220;
const OLD_KEY = /^(?:old|search|find|original|before)/i;
const NEW_KEY = /^(?:new|replace|replacement|after|content|contents|file_?text|text|code_?edit|insert)/i;
const PATCH_KEY = /^(?:patch|diff|input)$/i;
const PATCHED = /^(?:\+(?!\+\+)|\*\*\* Begin Patch|@@ |diff --git)/m;

type Redact = (text: string) => string;

/** About what may be kept of the lines that calls wrote. */
const WRITTEN_BYTES_MAX = 8_000_000;
/** A character with its part of units and scores; and a call that wrote nothing. */
const CHAR_BYTES = 4;
const ENTRY_BYTES = 100;

/** What each call wrote, redacted in one way or another: worked out when it is first described. */
const written = new WeakMap<Redact, (call: ToolCallPart, make: () => readonly Unit[]) => readonly Unit[]>();

/** The lines that a call wrote, in order, as units that can be chosen from. */
export function writtenUnits(call: ToolCallPart, redact: Redact): readonly Unit[] {
  let known = written.get(redact);
  if (known === undefined) written.set(redact, (known = remembered({ bytesOf, bytesMax: WRITTEN_BYTES_MAX })));
  return known(call, () => unitsWrittenBy(call, redact));
}

function bytesOf(units: readonly Unit[]): number {
  return units.reduce((sum, { text }) => sum + ENTRY_BYTES + text.length * CHAR_BYTES, ENTRY_BYTES);
}

function unitsWrittenBy(call: ToolCallPart, redact: Redact): readonly Unit[] {
  const { before, after } = textsOf(call.arguments);
  const known = new Set(before.split("\n").map((line) => line.trim()));
  const added = redact(after)
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line.trim().length > 0 && line.length <= LINE_CHARS_MAX && !known.has(line.trim()))
    .slice(0, LINES_MAX);
  return added.map((line, at) => new WrittenLine(line, at));
}

/** A line that a call wrote. Most are quoted with all around them or not at all, and nobody asks how much they say. */
class WrittenLine implements Unit {
  readonly text: string;
  readonly lead = "\n";
  readonly at: number;
  private readonly line: string;
  private known: number | undefined;
  private compared: Words | undefined;

  constructor(line: string, at: number) {
    this.text = `+ ${withNarrowMargin(line)}`;
    this.at = at;
    this.line = line;
    this.known = undefined;
    this.compared = undefined;
  }

  get score(): number {
    return (this.known ??= scoreOf(this.line, this.at));
  }

  get words(): Words {
    return (this.compared ??= wordsOf(this.text));
  }
}

/** A tab or four spaces as one space: depth is seen, and costs little. */
function withNarrowMargin(line: string): string {
  const text = line.trimStart();
  const margin = line.slice(0, line.length - text.length).replaceAll("\t", "    ");
  return `${" ".repeat(Math.min(DEPTH_MAX, Math.floor(margin.length / SPACES_A_LEVEL)))}${text}`;
}

const SPACES_A_LEVEL = 4;
const DEPTH_MAX = 6;

const NAMED =
  /\b(?:func(?:tion)?\*?|fn|def|class|interface|type|struct|enum|trait|const|let|var|val)\s+(?:\([^)\n]{0,80}\)\s*)?([A-Za-z_$][\w$]{2,60})/;

/** The names of what a call defined, by the lines it wrote. */
const defined = new WeakMap<readonly Unit[], readonly string[]>();

/** The names of what a call defined, the most telling lines first. */
export function definedIn(call: ToolCallPart, redact: Redact): readonly string[] {
  const lines = writtenUnits(call, redact);
  let names = defined.get(lines);
  if (names === undefined) defined.set(lines, (names = namesIn(lines)));
  return names;
}

function namesIn(lines: readonly Unit[]): readonly string[] {
  const telling = lines.toSorted((a, b) => b.score - a.score).slice(0, NAMING_LINES_MAX);
  return [...new Set(telling.flatMap(({ text }) => NAMED.exec(text)?.[1] ?? []))].slice(0, NAMES_MAX);
}

const NAMING_LINES_MAX = 12;
const NAMES_MAX = 2;

interface Texts {
  readonly before: string;
  readonly after: string;
}

function textsOf(raw: string): Texts {
  if (raw.length > CHARS_READ_MAX) return { before: "", after: "" };
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    value = { input: raw };
  }
  const [before, after]: [string[], string[]] = [[], []];
  const stack: unknown[] = [value];
  while (stack.length > 0) {
    const one = stack.pop();
    if (Array.isArray(one)) stack.push(...one.toReversed());
    else if (typeof one === "object" && one !== null)
      for (const [key, text] of Object.entries(one)) {
        if (typeof text !== "string") stack.push(text);
        else if (PATCH_KEY.test(key) && PATCHED.test(text)) after.push(patchedLines(text));
        else if (OLD_KEY.test(key)) before.push(text);
        else if (NEW_KEY.test(key)) after.push(text);
      }
  }
  return { before: before.join("\n"), after: after.join("\n") };
}

function patchedLines(patch: string): string {
  return patch
    .split("\n")
    .filter((line) => line.startsWith("+") && !line.startsWith("+++"))
    .map((line) => line.slice(1))
    .join("\n");
}

const DEFINITION =
  /^\s*(?:export\s+|public\s+|private\s+|protected\s+|static\s+|async\s+|pub(?:\([a-z]+\))?\s+|default\s+|abstract\s+)*(?:func|function|fn|def|class|interface|type|struct|enum|trait|impl|const|let|var|val|module|package|CREATE|ALTER)\b|^\s*@\w+|^#{1,6}\s|^\w[\w.-]*\s*[:=]/;
const COMMENT = /^\s*(?:\/\/|\/\*|\*|#|--|""")/;
const IMPORT = /^\s*(?:import\b|from\s+\S+\s+import\b|use\s|#include|require\(|"[\w./-]+"$|package\s)/;

function scoreOf(line: string, at: number): number {
  const words = wordsCounted(line, WORDS_COUNTED_MAX);
  if (words === 0) return WORTHLESS;
  const definition = DEFINITION.test(line) ? 1.5 : 0;
  const comment = COMMENT.test(line) ? 0.7 : 0;
  const imported = IMPORT.test(line) ? -1 : 0;
  return definition + comment + imported + words / WORDS_COUNTED_MAX - at / LINES_MAX;
}

const WORDS_COUNTED_MAX = 6;
/** A bracket by itself. */
const WORTHLESS = -2;
