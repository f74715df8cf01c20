/**
 * Whether a piece of a text would show a secret that only its surroundings give away: a value without its name, a
 * line out of a key block. Such a piece is not quoted; one that shows a secret by itself is masked by whoever writes it.
 */
import { LINE_BREAK } from "./characters.ts";
import type { Range } from "./identifiers.ts";

/** How far the line around a piece is read. */
const LINE_REACH_CHARS = 1_000;
const BLOCK_START = "-----BEGIN";
const BLOCK_REACH_CHARS = 8_000;

/** A text, and where the first key block opens in it; -1 where none does. */
export interface KeyBlockText {
  readonly text: string;
  readonly firstBlock: number;
}

export function firstBlockIn(text: string): number {
  return text.indexOf(BLOCK_START);
}

export function revealsKeyBlock(within: KeyBlockText, piece: Range, redact: (text: string) => string): boolean {
  const { text } = within;
  const { start, end } = surroundings(within, piece);
  if (start === piece.start && end === piece.end) return false;
  const whole = text.slice(start, end);
  const safe = redact(whole);
  return safe !== whole && !safe.includes(text.slice(piece.start, piece.end));
}

/** The lines that a piece is cut from; where a key block opens before it, from there on. */
function surroundings({ text, firstBlock }: KeyBlockText, piece: Range): Range {
  const least = Math.max(0, piece.start - LINE_REACH_CHARS);
  const most = Math.min(text.length, piece.end + LINE_REACH_CHARS);
  let { start, end } = piece;
  while (start > least && text.charCodeAt(start - 1) !== LINE_BREAK) start--;
  while (end < most && text.charCodeAt(end) !== LINE_BREAK) end++;
  const block = firstBlock < 0 || firstBlock >= piece.start ? undefined : blockStart(text, piece.start);
  return { start: Math.min(start, block ?? start), end };
}

/** Where the key block opens that a place may be in; only so far back is looked, whatever the text's length. */
function blockStart(text: string, place: number): number | undefined {
  const from = Math.max(0, place - BLOCK_REACH_CHARS);
  const found = text.slice(from, place).lastIndexOf(BLOCK_START);
  return found < 0 ? undefined : from + found;
}
