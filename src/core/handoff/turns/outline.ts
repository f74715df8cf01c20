/** What is told of many written lines: those that name what stands below them. The file itself tells the rest. */
import { marginOf } from "./list-lead.ts";

/** So few lines tell a change as they are; of more, the file itself tells what stands below its headings. */
const WHOLE_LINES_MAX = 6;
const OUTLINE_LINES_MAX = 12;
const TITLE = /^#{1,6} /;
/** What names something, and neither closes it nor marks it up. */
const NAMED = /^\s*["'.#@$_]?[\p{L}_]/u;

/** Of many lines those that others stand below, by margin or as a heading, the outermost first; the first line where none does. Lines of brackets alone stand nowhere. */
export function outlineOf(lines: readonly string[]): readonly string[] {
  if (lines.length <= WHOLE_LINES_MAX) return lines;
  const named = lines.filter((line) => NAMED.test(line) || TITLE.test(line));
  const margins = named.map(marginOf);
  const heads = [...named.keys()].filter((at) => TITLE.test(named[at]!) || margins[at]! < (margins[at + 1] ?? 0));
  if (heads.length === 0) return lines.slice(0, 1);
  // Below a single head, as that of a class is, the ones within it.
  const second = margins[heads.toSorted((a, b) => margins[a]! - margins[b]!)[Math.min(1, heads.length - 1)]!]!;
  return heads
    .filter((at) => margins[at]! <= second)
    .slice(0, OUTLINE_LINES_MAX)
    .map((at) => named[at]!);
}
