/** What tools print before a line: its number, as `   12→`, `  12\t`, `12:`, `12 | `; the name of its file; a sign. */

const NUMBER = /^\s{0,8}(\d{1,7})(?:→|\t|: ?|\| ?)/;

export function withoutLineNumber(line: string): string {
  const match = NUMBER.exec(line);
  return match === null ? line : line.slice(match[0].length);
}

/** What a tool that shows files adds: the number in front of a line, and a harness's reminder behind the text. */
const GUTTER = /^[ \t]*\d{1,7}(?:→|\t)/gm;
const GUTTER_SIGN = /\d[→\t]/;
const REMINDER = "<system-reminder>";

/** The text of a file as a tool showed it; `12:` stays, which elsewhere is an hour or a figure. */
export function withoutGutter(shown: string): string {
  const end = shown.indexOf(REMINDER);
  const own = end < 0 ? shown : shown.slice(0, end);
  return GUTTER_SIGN.test(own) ? own.replace(GUTTER, "") : own;
}

/** A tab may be escaped. Of a table the number may be a column, and a colon may belong to an hour: then a space is behind it. */
const PRINTED_NUMBER = /^\s{0,8}\d{1,7}(?:→|\t|\\{1,4}t|: | \| )/;

/** How many characters of a line, or of the source of one, are its number. */
export function printedNumberChars(line: string): number {
  return PRINTED_NUMBER.exec(line)?.[0].length ?? 0;
}

/** The name of a file, a number, or both; a sign of a diff or a comment. */
const PREFIX = /(?:#|\*|\/\/|[^\s:→|"'`\\]{0,200}[:-])?(?:\d{1,7}(?:→|\\{1,4}t|[\t:|-]| \|))?[ \t]{0,8}/y;

/** Where a line's own text begins, if all of that may stand before it. */
export function ownLineStart(text: string, start: number): number {
  PREFIX.lastIndex = start;
  return start + (PREFIX.exec(text)?.[0].length ?? 0);
}

export function lineNumberOf(line: string): number | undefined {
  const match = NUMBER.exec(line);
  return match === null ? undefined : Number(match[1]);
}
