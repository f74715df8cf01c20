/**
 * What a text ties already: names in it that stand in words of the original, or near the tool that they belong to.
 * A name that merely occurs there still needs its excerpt.
 */
import type { Range } from "./names.ts";
import type { Quotes } from "./quotes.ts";
import type { Sources } from "./sources.ts";
import type { Entry, Standing, Tally } from "./tally.ts";
import { tiesWhere } from "./windows.ts";

/** A path is tied by the name of its tool within this distance (docs/evaluation.md). */
const TOOL_WITHIN_CHARS = 120;

/** Identifiers that messages tie which stand as they were are worth nothing more. */
export function dropTiedIn(standing: readonly Entry[], { tally, quotes }: Read, scores: Float64Array): void {
  for (const entry of standing) {
    const reading = tally.readingOf(entry);
    const tied = quotes.tiedIn(reading);
    for (let local = 0; local < reading.mentions.names.length; local++) {
      const number = tally.numberOf(reading, local);
      if (scores[number]! > 0 && tied(local)) scores[number] = 0;
    }
  }
}

interface Read {
  readonly tally: Tally;
  readonly quotes: Quotes;
}

/** Nor are those that a text ties. */
export function dropTiedBy(text: string, { tally, sources }: Known, scores: Float64Array): void {
  tally.eachNamed(text, (number, start, end) => {
    if (!(scores[number]! > 0)) return;
    const mention = { start, end };
    const standing = tally.standings[number]!;
    if (nearTool(text, mention, standing, { tally, sources }) || inOriginalWords(text, mention, standing, tally))
      scores[number] = 0;
  });
}

interface Known {
  readonly tally: Tally;
  readonly sources: Sources;
}

function nearTool(text: string, mention: Range, { kind, places }: Standing, { tally, sources }: Known): boolean {
  if (kind !== "path" && kind !== "url") return false;
  const near = text.slice(Math.max(0, mention.start - TOOL_WITHIN_CHARS), mention.end + TOOL_WITHIN_CHARS);
  for (let at = 0; at < places.length; at += 2) {
    const entry = tally.entries[places[at]!]!;
    const { mentions, first } = tally.readingOf(entry);
    const tool = sources.toolAt(entry, mentions.starts[first[places[at + 1]!]!]!);
    if (tool !== undefined && near.includes(tool)) return true;
  }
  return false;
}

function inOriginalWords(text: string, mention: Range, { places }: Standing, tally: Tally): boolean {
  return tiesWhere(text, mention, (window) => {
    const words = text.slice(window.start, window.end);
    const before = mention.start - window.start;
    for (let at = 0; at < places.length; at += 2) {
      const reading = tally.readingOf(tally.entries[places[at]!]!);
      for (let one = reading.first[places[at + 1]!]!; one >= 0; one = reading.next[one]!)
        if (reading.text.startsWith(words, reading.mentions.starts[one]! - before)) return true;
    }
    return false;
  });
}
