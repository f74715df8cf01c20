/**
 * Texts that are one JSON document: a session in one piece, or a request body. A program that prints one may say
 * something first (`opencode export` names the session), and what it said ends up in front of the document.
 */
import { PrecisError } from "../core/errors.ts";
import { asFields, tryParseJson } from "./fields.ts";
import { readLines, trimLine, type LogText } from "./lines.ts";
import { makeNote, type LogNote, type Session } from "./log.ts";
import { createHash } from "node:crypto";
import type { ContentPart } from "../core/transcript/message.ts";

interface DocumentText {
  readonly json: string;
  readonly value: unknown;
  readonly notes: readonly LogNote[];
}

/** Words in front of a document are short, and hold few things that look like its beginning. */
const WORDS_CHARS_MAX = 4_096;
const STARTS_MAX = 4;
const START = /\{\s*"|\[\s*[{[]/g;

/** Undefined if the text is not one document. */
export function findDocument(text: LogText): DocumentText | undefined {
  const whole = typeof text === "string" ? text : [...text].join("\n");
  const json = /^[\uFEFF\u0000]/.test(whole) ? trimLine(whole) : whole;
  const starts = /^\s*(?:\{|\[\s*[{["\]])/.test(json)
    ? [0]
    : [...json.slice(0, WORDS_CHARS_MAX).matchAll(START)].map(({ index }) => index);
  for (const start of starts.slice(0, STARTS_MAX)) {
    const value = tryParseJson(json.slice(start));
    if (value !== undefined) return { json: json.slice(start), value, notes: wordsBefore(start) };
  }
  return undefined;
}

function wordsBefore(chars: number): readonly LogNote[] {
  return chars === 0 ? [] : [makeNote("corrupt_line", 1, `${chars} characters in front of the JSON were skipped`)];
}

/** Why a text is in no known format, for whoever gave it: empty, cut off, or of another program. */
export function unknownFormat(text: string, formats: readonly string[]): PrecisError {
  const hint = `Name the format with --from: ${formats.join(", ")}.`;
  if (text.trim() === "") return unreadable("it is empty", NOTHING_HINT);
  const document = findDocument(text);
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
  return unreadable(`it is not complete JSON: ${describeFault(text)}`, "Check that it was not cut off.");
}

const NOTHING_HINT = "Give it a transcript.";
const KEYS_SHOWN = 6;
/** The fields in which the protocols have the messages of a request. */
const LISTS: ReadonlySet<string> = new Set(["messages", "input", "contents"]);

function hasEmptyList(document: unknown): boolean {
  if (Array.isArray(document)) return document.length === 0;
  const lists = Object.entries(asFields(document) ?? {}).filter(([name]) => LISTS.has(name));
  return lists.some(([, list]) => Array.isArray(list) && list.length === 0);
}

function describeFault(text: string): string {
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

export interface WriteContext {
  readonly id: string;
  /** The time of what has none of its own. */
  readonly nowMs: number;
}

/** A UUID that is the same for the same words. */
export function deriveUuid(...words: readonly string[]): string {
  const hex = toHash(...words);
  const variant = "89ab"[Number.parseInt(hex[16]!, 16) % 4]!;
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}

export function toHash(...words: readonly string[]): string {
  const hash = createHash("sha256");
  for (const word of words) hash.update(word).update("\u0000");
  return hash.digest("hex");
}

/** The time of each message: its own, or that of the last one before it that has one. Never backwards. */
export function fillTimes({ messages }: Session, nowMs: number): readonly number[] {
  let last = messages.find(({ timeMs }) => timeMs !== undefined)?.timeMs ?? nowMs;
  return messages.map(({ timeMs }) => (last = Math.max(last, timeMs ?? last)));
}

export const isoOf = (ms: number): string => new Date(ms).toISOString();

export function jsonLines(records: readonly unknown[]): string {
  return `${records.map((record) => JSON.stringify(record)).join("\n")}\n`;
}

export function dataUrl(source: Extract<ContentPart, { kind: "image" }>["source"]): string {
  return source.type === "data"
    ? `data:${source.mediaType};base64,${source.data}`
    : source.type === "url"
      ? source.url
      : source.id;
}
