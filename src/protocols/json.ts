/**
 * Finds where JSON values begin and end without building them, so that what nobody changed can be sent as the bytes
 * that came. Strings are crossed by native search; what is between is validated when it is parsed, not here.
 */
import { JSON_LEVELS_MAX } from "../core/nesting.ts";
import { PrecisError } from "../core/errors.ts";

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
type Known<Place> = (place: Place, at: number) => number | undefined;

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
    const key = readKey(text.slice(keyStart, keyEnd), keyStart);
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

function readKey(raw: string, at: number): string {
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
function findMember(object: string, key: string): Member | undefined {
  return membersOf(object, skipSpace(object, 0)).findLast((member) => member.key === key);
}

export function memberText(object: string, key: string): string | undefined {
  const member = findMember(object, key);
  return member === undefined ? undefined : object.slice(member.start, member.end);
}

export function elementTexts(array: string): string[] {
  return elementsOf(array, skipSpace(array, 0)).map(({ start, end }) => array.slice(start, end));
}

/** A range of the text and what is there instead. */
export interface Edit extends Span {
  readonly text: string;
}

/** The text with every edit in place. Edits must not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return text;
  let result = "";
  let from = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  return result + text.slice(from);
}

/** New JSON text of a member; `undefined` removes it. */
export type MemberChanges = Readonly<Record<string, string | undefined>>;

/** An object's text with some members replaced, added at the end, or removed. */
export function patchObject(object: string, changes: MemberChanges): string {
  const members = membersOf(object, skipSpace(object, 0));
  const edits: Edit[] = [];
  const added: string[] = [];
  const removed: string[] = [];
  for (const [key, text] of Object.entries(changes)) {
    const member = members.findLast((one) => one.key === key);
    if (text === undefined) removed.push(key);
    else if (member === undefined) added.push(`${JSON.stringify(key)}:${text}`);
    else edits.push({ start: member.start, end: member.end, text });
  }
  const replaced = removed.reduce(withoutMember, applyEdits(object, edits));
  return added.length === 0 ? replaced : appendMembers(replaced, added);
}

function withoutMember(object: string, key: string): string {
  const members = membersOf(object, skipSpace(object, 0));
  const at = members.findIndex((member) => member.key === key);
  if (at < 0) return object;
  const left = members.filter((member) => member.key !== key);
  if (left.length === members.length - 1) return applyEdits(object, [removalOf(members, at)]);
  return `{${left.map(({ keyStart, end }) => object.slice(keyStart, end)).join(",")}}`;
}

/** Takes a member out with one comma: the one after it, or the one before it when it is the last. */
export function removalOf(members: readonly Member[], at: number): Edit {
  const { keyStart, end } = members[at]!;
  const next = members[at + 1];
  if (next !== undefined) return { start: keyStart, end: next.keyStart, text: "" };
  return { start: members[at - 1]?.end ?? keyStart, end, text: "" };
}

function appendMembers(object: string, added: readonly string[]): string {
  const members = membersOf(object, skipSpace(object, 0));
  const last = members.at(-1);
  const at = last?.end ?? object.indexOf("{") + 1;
  return object.slice(0, at) + (last === undefined ? "" : ",") + added.join(",") + object.slice(at);
}

/** An object's text with the value at a path of keys replaced, where that path exists. */
export function patchPath(object: string, path: readonly [string, ...string[]], text: string): string {
  const [key, ...rest] = path;
  const member = membersOf(object, skipSpace(object, 0)).findLast((one) => one.key === key);
  const [next, ...deeper] = rest;
  if (next === undefined) return patchObject(object, { [key]: text });
  if (member === undefined) return object;
  const inner = patchPath(object.slice(member.start, member.end), [next, ...deeper], text);
  return applyEdits(object, [{ start: member.start, end: member.end, text: inner }]);
}

/** An object's text from members given as JSON text; undefined ones are left out. */
export function objectText(members: MemberChanges): string {
  let written = "";
  for (const [key, text] of Object.entries(members))
    if (text !== undefined) written += `${written === "" ? "" : ","}${JSON.stringify(key)}:${text}`;
  return `{${written}}`;
}

export interface ArraySource extends Span {
  readonly text: string;
  readonly elements: readonly Span[];
}

export function arraySource(text: string): ArraySource {
  const start = skipSpace(text, 0);
  return { text, start, end: text.length, elements: elementsOf(text, start) };
}

/**
 * What is in a new array: elements of the old one, as they were (`text` undefined) or rewritten, or something new
 * (`count` 0).
 */
export interface Piece {
  readonly first: number;
  readonly count: number;
  readonly text?: string | undefined;
}

export function newPiece(text: string): Piece {
  return { first: -1, count: 0, text };
}

/** The array's text with these pieces for elements; a piece of the old array keeps the white space before it. */
export function composeArray(source: ArraySource, pieces: readonly Piece[]): string {
  const { text, start, end, elements } = source;
  const opening = text.slice(start, elements[0]?.start ?? start + 1);
  const closing = text.slice(elements.at(-1)?.end ?? start + 1, end);
  const separator = (at: number): string => text.slice(elements[at - 1]!.end, elements[at]!.start);
  const usual = elements.length > 1 ? separator(1) : `,${opening.slice(1)}`;
  let result = opening;
  pieces.forEach((piece, at) => {
    if (at > 0) result += piece.first > 0 ? separator(piece.first) : usual;
    result += piece.text ?? text.slice(elements[piece.first]!.start, elements[piece.first + piece.count - 1]!.end);
  });
  return result + closing;
}

/** Neighbouring untouched pieces joined into ranges; `whole` when nothing of the array changed at all. */
export function joinPieces(
  pieces: readonly Piece[],
  total: number,
): { readonly pieces: readonly Piece[]; readonly whole: boolean } {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    const follows =
      last !== undefined &&
      last.text === undefined &&
      piece.text === undefined &&
      last.first + last.count === piece.first;
    if (follows) joined[joined.length - 1] = { first: last.first, count: last.count + piece.count };
    else joined.push(piece);
  }
  const only = joined[0];
  const whole =
    total === 0
      ? joined.length === 0
      : joined.length === 1 && only?.text === undefined && only?.first === 0 && only.count === total;
  return { pieces: joined, whole };
}
