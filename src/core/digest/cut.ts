/** How digests write text and numbers: cut visibly and without tearing a surrogate pair, on one line, uncoloured, grouped. */

/** At most `charsMax` characters; a cut one ends in an ellipsis. */
export function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const start = head(text, Math.max(0, charsMax - 1));
  // A part of a number is another number.
  const end = isOfNumber(text, start.length) ? startOfNumber(text, start.length) : start.length;
  return `${start.slice(0, end === 0 ? start.length : end)}…`;
}

/** Longer than this it is a list: its last member begins behind a comma. */
const NUMBER_CHARS_MAX = 24;

/** Where the number begins that goes on at that place. */
function startOfNumber(text: string, at: number): number {
  let start = at;
  while (at - start < NUMBER_CHARS_MAX && isOfNumber(text, start - 1)) start--;
  if (!isOfNumber(text, start - 1)) return start;
  for (start = at; isDigit(text, start - 1);) start--;
  return start;
}

/** A digit, or the point or comma between two. */
function isOfNumber(text: string, at: number): boolean {
  if (isDigit(text, at)) return true;
  return (text[at] === "." || text[at] === ",") && isDigit(text, at - 1) && isDigit(text, at + 1);
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

/** The first characters of a text, one less where the cut would tear a pair. */
export function head(text: string, chars: number): string {
  const last = text.charCodeAt(chars - 1);
  return text.slice(0, chars > 0 && chars < text.length && last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars);
}

/** One line of at most `charsMax` characters: white space of any kind becomes one space. */
export function oneLine(text: string, charsMax: number): string {
  // Only what can reach the result is looked at, so a megabyte of argument costs nothing here.
  return cut(inOneLine(text.slice(0, charsMax * 4)), charsMax);
}

/** White space of any length but for a single space, which stays as it is. */
const WIDE_SPACE = /[^\S ]\s*| \s+/g;

/** A text as it is compared with another whose lines are indented or joined. */
export function inOneLine(text: string): string {
  return text.replace(WIDE_SPACE, " ").trim();
}

// oxlint-disable-next-line no-control-regex -- the escape character is what a colour starts with
const COLOUR = /\u001b\[[\d;]*[A-Za-z]/g;

/** Terminal colours are between the words that we look for. */
export function withoutColour(line: string): string {
  return line.includes("\u001b") ? line.replace(COLOUR, "") : line;
}

export function thousands(count: number): string {
  return count.toLocaleString("en-US");
}
