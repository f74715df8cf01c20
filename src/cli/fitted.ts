/** Text for a person, broken to a terminal's width: every line that a command says goes through here. */
import { widthOf } from "./bars.ts";

/** Of the line at most; further in, what is broken would have no room. */
const HANGING_SHARE_MAX = 0.5;
const INDENT = 2;
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
  const margin = " ".repeat(hangingOf(line.replaceAll(COLOURS, ""), columns));
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

/** Below what is said of a name; or a little further in than the line itself. */
function hangingOf(line: string, columns: number): number {
  const label = LABEL.exec(line)?.[0] ?? "";
  const indent = line.length - line.trimStart().length;
  const most = Math.floor(columns * HANGING_SHARE_MAX);
  return label !== "" && widthOf(label) <= most ? widthOf(label) : Math.min(indent + INDENT, most);
}

function shownWidth(text: string): number {
  return widthOf(text.replaceAll(COLOURS, ""));
}

/** A command to copy: broken between its words only, and so that a shell still takes it for one. */
export function commandLines(command: string, indent: string, columns: number): readonly string[] {
  const words = command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [command];
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    const room = columns - indent.length - (word === words.at(-1) ? 0 : INDENT);
    if (last === undefined) lines.push(word);
    else if (widthOf(last) + 1 + widthOf(word) <= room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`  ${word}`);
  }
  return lines.map((line, at) => `${indent}${line}${at < lines.length - 1 ? " \\" : ""}`);
}
