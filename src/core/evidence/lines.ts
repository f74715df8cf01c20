/** Mentions in texts that are made of much the same lines: what one handoff says, most of the next one says too. */
import { mentionsIn, type Mentions } from "./mentions.ts";
import type { NameTable } from "./name-table.ts";

/** Lines that are remembered; a handoff has a few hundred. */
const LINES_MAX = 2_000;
/** A longer line hardly comes again. */
const LINE_CHARS_MAX = 500;

/** Hears of each mention: the identifier's number, and its half-open range in the text. */
export type Hear = (name: number, start: number, end: number) => void;

/** Reads a text's mentions, in order of place, by their numbers in the table of names. No identifier goes beyond a line. */
export type LineReader = (text: string, hear: Hear) => void;

export function createLineReader(table: NameTable): LineReader {
  let known = new Map<string, Mentions>();
  const read = (line: string): Mentions => {
    if (line.length > LINE_CHARS_MAX) return mentionsIn(line, table);
    let mentions = known.get(line);
    if (mentions === undefined) {
      const own = copyOf(line);
      mentions = mentionsIn(own, table);
      if (known.size >= LINES_MAX) known = new Map();
      known.set(own, mentions);
    }
    return mentions;
  };
  return (text, hear) => {
    let offset = 0;
    for (const line of text.split("\n")) {
      const { names, which, starts, ends } = read(line);
      for (let at = 0; at < which.length; at++) hear(names[which[at]!]!, offset + starts[at]!, offset + ends[at]!);
      offset += line.length + 1;
    }
  };
}

/** A copy that does not keep the text alive that it was cut from. */
function copyOf(line: string): string {
  return ` ${line}`.slice(1);
}
