/**
 * Edits JSON as text: the members and elements that change are replaced, everything around them, white space included,
 * stays as it was written.
 */
import { elementsOf, membersOf, skipSpace, type Member, type Span } from "./scan.ts";

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

/** An array in its text. */
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
