/**
 * Texts that are one JSON document: a session in one piece, or a request body. A program that prints one may say
 * something first (`opencode export` names the session), and what it said ends up in front of the document.
 */
import { PrecisError } from "../core/errors.ts";
import { fieldsOf, tryParseJson } from "./fields.ts";
import { readLines, trimLine, type LogText } from "./lines.ts";
import type { LogNote } from "./log.ts";

export interface DocumentText {
  readonly json: string;
  readonly value: unknown;
  readonly notes: readonly LogNote[];
}

/** Words in front of a document are short, and hold few things that look like its beginning. */
const WORDS_CHARS_MAX = 4_096;
const STARTS_MAX = 4;
const START = /\{\s*"|\[\s*[{[]/g;

/** Undefined where the text is not one document. */
export function documentIn(text: LogText): DocumentText | undefined {
  const whole = typeof text === "string" ? text : [...text].join("\n");
  const json = /^[\uFEFF\u0000]/.test(whole) ? trimLine(whole) : whole;
  const starts = /^\s*(?:\{|\[\s*[{["\]])/.test(json)
    ? [0]
    : [...json.slice(0, WORDS_CHARS_MAX).matchAll(START)].map(({ index }) => index);
  for (const start of starts.slice(0, STARTS_MAX)) {
    const value = tryParseJson(json.slice(start));
    if (value !== undefined) return { json: json.slice(start), value, notes: start === 0 ? [] : [wordsBefore(start)] };
  }
  return undefined;
}

function wordsBefore(chars: number): LogNote {
  return { code: "corrupt_line", line: 1, text: `${chars} characters in front of the JSON were skipped` };
}

/** Why a text is in no known format, for whoever gave it: empty, cut off, or of another program. */
export function unknownFormat(text: string, formats: readonly string[]): PrecisError {
  const hint = `Name the format with --from: ${formats.join(", ")}.`;
  if (text.trim() === "") return unreadable("it is empty", NOTHING_HINT);
  const document = documentIn(text);
  if (document !== undefined)
    return hasEmptyList(document.value)
      ? unreadable("it has no messages", NOTHING_HINT)
      : unreadable("it is JSON, but not a request body, messages or a session", hint);
  const [line] = readLines(text).lines;
  if (line !== undefined) {
    const keys = Object.keys(line.record).slice(0, KEYS_SHOWN).join(", ");
    return unreadable(
      `its lines are JSON, but no messages or records of a session (line ${line.at} has ${keys || "nothing"})`,
      hint,
    );
  }
  if (!/^\s*[[{]/.test(text)) return unreadable("it is in no known format", hint);
  return unreadable(`it is not complete JSON: ${faultOf(text)}`, "Check that it was not cut off.");
}

const NOTHING_HINT = "Give it a transcript.";
const KEYS_SHOWN = 6;
/** Where the protocols have the messages of a request. */
const LISTS: ReadonlySet<string> = new Set(["messages", "input", "contents"]);

/** Whether it is a list of messages, or has one, with nothing in it. */
function hasEmptyList(document: unknown): boolean {
  if (Array.isArray(document)) return document.length === 0;
  const lists = Object.entries(fieldsOf(document) ?? {}).filter(([name]) => LISTS.has(name));
  return lists.some(([, list]) => Array.isArray(list) && list.length === 0);
}

function faultOf(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

function unreadable(message: string, hint: string): PrecisError {
  return new PrecisError(message, { code: "unreadable_input", hint });
}
