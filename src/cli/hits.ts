/** Lines that hold what was searched for, cut so that it can be seen. */
import { clip } from "./bars.ts";

/** The part of a line where the first word of the query stands. */
export function around(line: string, query: string, columns: number): string {
  const [word = ""] = query.toLowerCase().split(/\s+/);
  const at = line.toLowerCase().indexOf(word);
  const start = Math.max(0, at - Math.floor((columns - word.length) / 2));
  return start === 0 ? clip(line, columns) : `…${clip(line.slice(start), columns - 1)}`;
}
