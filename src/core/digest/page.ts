/** A result as lines, and the one scan that finds the lines in which a pattern occurs. */

import { withoutColour } from "./cut.ts";

export interface Page {
  readonly text: string;
  readonly lines: readonly string[];
  /** The number of lines before what a client added below the result (a reminder to the model, its own usage). */
  readonly end: number;
}

/** What is judged of a line is its beginning: patterns must not cost more on a line without end. */
const JUDGED_CHARS = 400;

/** The beginning of a line, without colours; empty where there is no such line. */
export function judged(page: Page, number: number): string {
  return withoutColour((page.lines[number] ?? "").slice(0, JUDGED_CHARS));
}

const ADDED = /^<(?:system-reminder|usage)>/;
/** What clients add is short. */
const ADDED_LINES_MAX = 12;

export function pageOf(text: string): Page {
  const lines = text.split("\n");
  // A final newline ends the last line and does not begin another.
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  let end = lines.length;
  for (let at = lines.length - 1; at >= Math.max(0, lines.length - ADDED_LINES_MAX); at--)
    if (ADDED.test(lines[at]!)) end = at;
  while (end > 0 && lines[end - 1]!.trim() === "") end--;
  return { text, lines, end: end === 0 ? lines.length : end };
}

/**
 * The numbers (from 0) of the lines in which a global pattern occurs, each once, in order: one scan of the whole text,
 * which is much faster than asking line by line. The pattern must not match a line break.
 */
export function linesWith(page: Page, pattern: RegExp, max: number): number[] {
  const { text } = page;
  const found: number[] = [];
  let number = 0;
  let counted = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null && found.length < max; match = pattern.exec(text)) {
    for (let at = text.indexOf("\n", counted); at >= 0 && at < match.index; at = text.indexOf("\n", at + 1)) {
      number++;
      counted = at + 1;
    }
    found.push(number);
    const end = text.indexOf("\n", match.index);
    if (end < 0) break;
    pattern.lastIndex = end;
  }
  return found;
}

/** Headings of Markdown and the like, ruled titles, and names in bold that are alone. */
const HEADING_MARK = /#|\*\*|===|---|<h[1-4]\b/g;
const HEADING =
  /^(?:[ \t]{0,8}\d{1,6}[→\t])?#{1,6} \S|^\*\*[^*]{3,100}\*\*:?\s*$|^[=-]{3,} .{2,60} [=-]{3,}$|^[ \t]*<h[1-4]\b/;
const HEADINGS_SCANNED_MAX = 2_000;

export function headingsOf(page: Page): readonly number[] {
  return linesWith(page, HEADING_MARK, HEADINGS_SCANNED_MAX).filter((number) => HEADING.test(judged(page, number)));
}
