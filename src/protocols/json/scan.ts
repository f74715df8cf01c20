/**
 * Finds where JSON values begin and end without building them, so that what nobody changed can be sent as the bytes
 * that came. Strings are crossed by native search; what is between is validated when it is parsed, not here.
 */
import { JSON_LEVELS_MAX } from "../../core/nesting.ts";
import { PrecisError } from "../../core/errors.ts";

/** Half-open range of a JSON value in its text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A member of an object: the span is the value's. */
export interface Member extends Span {
  readonly key: string;
  readonly keyStart: number;
}

/** Says where the value at `at` ends when that is known already; undefined lets the scanner look. */
export type Known<Place> = (place: Place, at: number) => number | undefined;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** The failure every reader of a body reports: not JSON, at a character offset. */
export function notJson(at: number, because: string, cause?: unknown): PrecisError {
  return new PrecisError(`The body is not JSON that can be read: ${because}.`, {
    code: "body_not_json",
    hint: "Send one JSON object (a request) or one JSON array (its messages).",
    place: `offset ${at}`,
    ...(cause === undefined ? {} : { cause }),
  });
}

export function skipSpace(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
  }
  return at;
}

/** The index after the value that starts at `at`. */
export function skipValue(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code === QUOTE) return skipString(text, at);
  if (code === OPEN_BRACE || code === OPEN_BRACKET) return skipContainer(text, at);
  let end = at;
  while (end < text.length && !endsPrimitive(text.charCodeAt(end))) end++;
  if (end === at) throw notJson(at, "a value is missing");
  return end;
}

function endsPrimitive(code: number): boolean {
  return code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || code <= 0x20;
}

function skipString(text: string, at: number): number {
  let end = text.indexOf('"', at + 1);
  while (end >= 0) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if (((end - before) & 1) === 1) return end + 1;
    end = text.indexOf('"', end + 1);
  }
  throw notJson(at, "a string does not end");
}

function skipContainer(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = skipString(text, at);
      continue;
    }
    at++;
    if ((code === OPEN_BRACE || code === OPEN_BRACKET) && ++depth > JSON_LEVELS_MAX)
      throw notJson(at, `it is nested deeper than ${JSON_LEVELS_MAX} levels`);
    if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth--;
      if (depth === 0) return at;
    }
  }
  throw notJson(start, "an object or array does not end");
}

/** The members of the object that starts at `start`, in order, repeated keys included. */
export function membersOf(text: string, start: number, known?: Known<string>): Member[] {
  const members: Member[] = [];
  let at = skipSpace(text, start + 1);
  if (text.charCodeAt(at) === CLOSE_BRACE) return members;
  for (;;) {
    if (text.charCodeAt(at) !== QUOTE) throw notJson(at, "a key is missing");
    const keyStart = at;
    const keyEnd = skipString(text, at);
    const key = keyOf(text.slice(keyStart, keyEnd), keyStart);
    at = skipSpace(text, keyEnd);
    if (text.charCodeAt(at) !== COLON) throw notJson(at, "a colon is missing");
    at = skipSpace(text, at + 1);
    const end = known?.(key, at) ?? skipValue(text, at);
    members.push({ key, keyStart, start: at, end });
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === CLOSE_BRACE) return members;
    if (text.charCodeAt(at) !== COMMA) throw notJson(at, "a comma is missing");
    at = skipSpace(text, at + 1);
  }
}

function keyOf(raw: string, at: number): string {
  if (!raw.includes("\\")) return raw.slice(1, -1);
  try {
    return JSON.parse(raw) as string;
  } catch (cause) {
    throw notJson(at, "a key is malformed", cause);
  }
}

/** The elements of the array that starts at `start`, in order. */
export function elementsOf(text: string, start: number, known?: Known<number>): Span[] {
  const elements: Span[] = [];
  let at = skipSpace(text, start + 1);
  if (text.charCodeAt(at) === CLOSE_BRACKET) return elements;
  for (;;) {
    const end = known?.(elements.length, at) ?? skipValue(text, at);
    elements.push({ start: at, end });
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === CLOSE_BRACKET) return elements;
    if (text.charCodeAt(at) !== COMMA) throw notJson(at, "a comma is missing");
    at = skipSpace(text, at + 1);
  }
}

/** The value of a member in an object's text; the last one counts, as it does for JSON.parse. */
function memberOf(object: string, key: string): Member | undefined {
  return membersOf(object, skipSpace(object, 0)).findLast((member) => member.key === key);
}

/** The JSON text of a member's value. */
export function memberText(object: string, key: string): string | undefined {
  const member = memberOf(object, key);
  return member === undefined ? undefined : object.slice(member.start, member.end);
}

/** The JSON texts of an array's elements. */
export function elementTexts(array: string): string[] {
  return elementsOf(array, skipSpace(array, 0)).map(({ start, end }) => array.slice(start, end));
}
