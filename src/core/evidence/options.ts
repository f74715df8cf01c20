/** The ways to tie an identifier: a line of paths, or a quote. Worked out once, and again only when it is mentioned anew. */
import type { Measure } from "../transcript/measure.ts";
import type { Range } from "./names.ts";
import type { Quotes } from "./quotes.ts";
import type { Sources } from "./sources.ts";
import type { Standing, Tally } from "./tally.ts";

const PATHS_SOURCE = "paths, by tool";
const MENTIONS_A_PLACE_MAX = 3;
/** The newest messages that hold a name; older ones tie it no better. */
const PLACES_MAX = 3;

export interface Option {
  readonly kind: "lines" | "path";
  readonly message: number;
  readonly range: Range;
  readonly source: string;
  /** Numbers of the identifiers that it ties. */
  readonly ties: readonly number[];
  /** For a path: the tool and the path as it is written. */
  readonly tool?: string;
  readonly path?: string;
}

export interface Options {
  /** Those of one identifier, by its number. */
  readonly of: (known: Known, number: number) => readonly Option[];
  /** Tokens of a quote with its line break. */
  readonly tokensOf: (option: Option, tally: Tally, measure: Measure) => number;
}

interface Known {
  readonly tally: Tally;
  readonly sources: Sources;
}

interface Remembered {
  readonly messages: number;
  readonly root: string;
  readonly options: readonly Option[];
}

export function createOptions(quotes: Quotes): Options {
  const remembered = new WeakMap<Standing, Remembered>();
  let weights = new WeakMap<Option, number>();
  let weighedBy: Measure | undefined;
  return {
    of: (known, number) => {
      const standing = known.tally.standings[number]!;
      const last = remembered.get(standing);
      if (last?.messages === standing.messages && last.root === known.sources.root) return last.options;
      const options = optionsFor(quotes, known, number);
      remembered.set(standing, { messages: standing.messages, root: known.sources.root, options });
      return options;
    },
    tokensOf: (option, tally, measure) => {
      if (measure !== weighedBy) [weights, weighedBy] = [new WeakMap(), measure];
      let tokens = weights.get(option);
      if (tokens === undefined) {
        const { text } = tally.entries[option.message]!.reading;
        tokens = measure.text(`${text.slice(option.range.start, option.range.end)}\n`);
        weights.set(option, tokens);
      }
      return tokens;
    },
  };
}

/** Every way to tie one identifier: a line of paths, or a quote from one of its places. */
function optionsFor(quotes: Quotes, { tally, sources }: Known, number: number): readonly Option[] {
  const options: Option[] = [];
  const { kind, places } = tally.standings[number]!;
  for (let at = Math.max(0, places.length - 2 * PLACES_MAX); at < places.length; at += 2) {
    const message = places[at]!;
    const entry = tally.entries[message]!;
    const { reading, numbers } = entry;
    const { starts, ends } = reading.mentions;
    let mention = reading.first[places[at + 1]!]!;
    for (let seen = 0; mention >= 0 && seen < MENTIONS_A_PLACE_MAX; seen++, mention = reading.next[mention]!) {
      const place = { start: starts[mention]!, end: ends[mention]! };
      const tool = kind === "path" && seen === 0 ? sources.toolAt(entry, place.start) : undefined;
      if (tool !== undefined) {
        const path = sources.pathAround(reading.text, place);
        options.push({ kind: "path", message, range: place, source: PATHS_SOURCE, ties: [number], tool, path });
      }
      const quote = quotes.around(reading, mention);
      if (quote === undefined) continue;
      const source = sources.labelAt(entry, place.start);
      const ties = quote.ties.map((local) => numbers[local]!);
      options.push({ kind: "lines", message, range: quote.range, source, ties });
    }
  }
  return options;
}
