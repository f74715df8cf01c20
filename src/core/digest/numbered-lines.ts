/** Lines that a tool printed with their numbers in front: `   12→`, `  12\t`, `12:`, `12 | `. */

const NUMBER = /^\s{0,8}(\d{1,7})(?:→|\t|: ?|\| ?)/;

export function withoutLineNumber(line: string): string {
  const match = NUMBER.exec(line);
  return match === null ? line : line.slice(match[0].length);
}

/** What a tool that shows files adds: the number in front of a line, and a harness's reminder behind the text. */
const GUTTER = /^[ \t]*\d{1,7}(?:→|\t)/gm;
const REMINDER = "<system-reminder>";

/** The text of a file as a tool showed it; `12:` stays, which elsewhere is an hour or a figure. */
export function withoutGutter(shown: string): string {
  const end = shown.indexOf(REMINDER);
  return (end < 0 ? shown : shown.slice(0, end)).replace(GUTTER, "");
}

export function lineNumberOf(line: string): number | undefined {
  const match = NUMBER.exec(line);
  return match === null ? undefined : Number(match[1]);
}
