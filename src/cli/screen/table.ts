/** Lines with a name or a figure and what is said of it: beside it where there is room, or below. */
import { wrapped, padEnd, measureWidth } from "./text.ts";
import type { TextStyle, Stream } from "./terminal.ts";

export interface RowNote {
  /** May be painted; its columns are therefore given. */
  readonly line: string;
  readonly width: number;
  readonly says: string;
  readonly look?: TextStyle;
}

const GAP = "  ";
const REMARK_INDENT = 4;

/** A line with what is said of it beside it, or below it where both do not fit. */
export function withRowNote({ line, width, says, look }: RowNote, { paint, columns }: Stream): readonly string[] {
  const painted = (text: string): string => (look === undefined ? text : paint(look, text));
  if (says === "") return [line];
  if (width + GAP.length + measureWidth(says) <= columns) return [`${line}${GAP}${painted(says)}`];
  const below = wrapped(says, columns - REMARK_INDENT);
  return [line, ...below.map((text) => `${" ".repeat(REMARK_INDENT)}${painted(text)}`)];
}

export function namedLines(
  name: string,
  says: string,
  { left, look = "dim" }: { readonly left: number; readonly look?: TextStyle },
  { paint, columns }: Stream,
): readonly string[] {
  return wrapped(says, columns - left - 2).map(
    (line, at) => `  ${paint(look, padEnd(at === 0 ? name : "", left))}${line}`,
  );
}
