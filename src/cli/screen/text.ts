/**
 * Text on a terminal: columns, bars and lines broken at its width. What somebody else wrote is made safe first: what would move
 * the cursor, change colours, hide or turn the reading direction is written as its code. The colours of this program carry a
 * number that nobody outside of this process knows; they alone become colours, in the one place that writes for people.
 */
import { randomInt } from "node:crypto";

/** Controls but line breaks and tabs, and what has no form of its own (https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point) but the choice of an emoji's. */
const HIDDEN = String.raw`(?![\n\t\ufe00-\ufe0f])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]`;
const UNSEEN = new RegExp(HIDDEN, "gu");
/** As a colour that is in force before one of ours, it would be none: terminals skip what they do not know. */
const OURS = String(randomInt(1e9, 1e10));
const OURS_OR_UNSEEN = new RegExp(String.raw`\u001b\[${OURS};([\d;]*m)|${HIDDEN}`, "gu");

export function visible(text: string): string {
  return text.replace(UNSEEN, coded);
}

export function visibleLine(text: string): string {
  return visible(text).replaceAll("\n", "\\n").replaceAll("\t", " ");
}

/** With colours of ours around it, which `shown` tells from all others. */
export function painted(text: string, paint: (text: string) => string): string {
  // oxlint-disable-next-line no-control-regex -- the escape character is what a colour starts with
  return paint(shown(text)).replaceAll(/\u001b\[(?=[\d;]*m)/g, `\u001b[${OURS};`);
}

/** As it goes to a person: only our own colours are in force. */
export function shown(text: string): string {
  return text.replace(OURS_OR_UNSEEN, (one: string, colour: string | undefined) =>
    colour === undefined ? coded(one) : `\u001b[${colour}`,
  );
}

/** The same with our colours still marked: what was shown may then be broken into lines, and be shown again. */
export function marked(text: string): string {
  return text.replace(OURS_OR_UNSEEN, (one: string, colour: string | undefined) =>
    colour === undefined ? coded(one) : one,
  );
}

function coded(one: string): string {
  return `\\u{${one.codePointAt(0)!.toString(16)}}`;
}

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A bar for a share from 0 to 1, exact to an eighth of a column; anything above nothing is visible. */
export function bar(share: number, columns: number): string {
  const eighths = Math.round(Math.min(Math.max(share, 0), 1) * columns * 8);
  const filled = share > 0 ? Math.max(eighths, 1) : 0;
  return "█".repeat(Math.floor(filled / 8)) + EIGHTHS[filled % 8]!;
}

export function track(share: number, columns: number): string {
  return padEnd(bar(share, columns), columns);
}

/** Columns a text takes on a terminal: wide letters take two, marks that combine take none. */
export function measureWidth(text: string): number {
  let columns = 0;
  for (const letter of text) {
    if (WIDE.test(letter)) columns += 2;
    else if (!ZERO_WIDTH.test(letter)) columns++;
  }
  return columns;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const ZERO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** One line of at most `columns`, with what would break a terminal taken out; a cut ends in `…`. */
export function clip(text: string, columns: number): string {
  const head = text.slice(0, columns * 4);
  const line = visibleLine(head.replaceAll(/[\s\p{Cc}]+/gu, " ").trim());
  if (measureWidth(line) <= columns && head.length === text.length) return line;
  let kept = "";
  let width = 0;
  for (const letter of line) {
    width += measureWidth(letter);
    if (width > columns - 1) break;
    kept += letter;
  }
  return `${kept}…`;
}

export function padEnd(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - measureWidth(text)));
}

export function padStart(text: string, columns: number): string {
  return " ".repeat(Math.max(0, columns - measureWidth(text))) + text;
}

export function columnWidths(rows: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, measureWidth(cell))));
  return widths;
}

export function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > columns) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

/** Of the line at most; further in, what is broken would have no room. */
const HANGING_SHARE_MAX = 0.5;
const HANGING_INDENT = 2;
/** Select Graphic Rendition (ECMA-48): colours take no columns. */
// oxlint-disable-next-line no-control-regex -- the escape character is what a colour starts with
const COLOURS = /\u001b\[[\d;]*m/g;
/** A name, and two blanks or more before what is said of it. */
const LABEL = /^\s*\S+(?: \S+)*? {2,}(?=\S)/;

/** Lines that fit stay as they are; of others each further line is indented. A word longer than a line is alone. */
export function fitted(text: string, columns: number): string {
  return text
    .split("\n")
    .flatMap((line) => (shownWidth(line) <= columns ? [line] : broken(line, columns)))
    .join("\n");
}

function broken(line: string, columns: number): readonly string[] {
  const margin = " ".repeat(findHanging(line.replaceAll(COLOURS, ""), columns));
  const lines: string[] = [];
  let current = "";
  let width = 0;
  for (const [, blanks = "", word = ""] of line.matchAll(/( *)([^ ]+)/gy)) {
    const taken = blanks.length + shownWidth(word);
    if (width > 0 && width + taken > columns) {
      lines.push(current);
      current = margin + word;
      width = margin.length + shownWidth(word);
    } else {
      current += blanks + word;
      width += taken;
    }
  }
  return [...lines, current];
}

function findHanging(line: string, columns: number): number {
  const label = LABEL.exec(line)?.[0] ?? "";
  const indent = line.length - line.trimStart().length;
  const most = Math.floor(columns * HANGING_SHARE_MAX);
  return label !== "" && measureWidth(label) <= most ? measureWidth(label) : Math.min(indent + HANGING_INDENT, most);
}

function shownWidth(text: string): number {
  return measureWidth(text.replaceAll(COLOURS, ""));
}

/** A command to copy: broken between its words only, and so that a shell still takes it for one. */
export function commandLines(command: string, indent: string, columns: number): readonly string[] {
  const words = command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [command];
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    const room = columns - indent.length - (word === words.at(-1) ? 0 : HANGING_INDENT);
    if (last === undefined) lines.push(word);
    else if (measureWidth(last) + 1 + measureWidth(word) <= room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`  ${word}`);
  }
  return lines.map((line, at) => `${indent}${line}${at < lines.length - 1 ? " \\" : ""}`);
}
