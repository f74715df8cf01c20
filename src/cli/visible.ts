/**
 * Text that somebody else wrote, safe to show in a terminal: what would move the cursor, change colours or turn the
 * reading direction is written as its code instead.
 */

/** Controls but line breaks and tabs, and the marks that reorder or hide text (https://www.unicode.org/reports/tr9/). */
const UNSEEN = /(?![\n\t])[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

export function visible(text: string): string {
  return text.replace(UNSEEN, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`);
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll("\n", "\\n").replaceAll("\t", " ");
}
