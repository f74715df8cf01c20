/** A line at the lengths that are tried for it: what it says at one, and what that weighs. */
import type { Measure } from "../../transcript/measure.ts";
import { keptWith } from "../../kept.ts";
import { withinTheirLine } from "./carried.ts";
import type { Line } from "./line.ts";
import { PROSE_CHARS_MIN, sentencesWithin, type Body } from "./shape.ts";

export const CHARS_A_TOKEN = 4;
/** Lengths that are tried: each a little more than the one before. A larger room tries the same ones, and so loses nothing. */
export const UNITS: readonly number[] = Array.from({ length: 240 }, (_, at) => 16 * 1.05 ** at);
export const NUMBER_TOKENS = 2;
/** The break and the margin of a line. */
const LINE_TOKENS = 1;

export interface SharedLine extends Line {
  /** What it is worth at its age. */
  readonly share: number;
  readonly about: boolean;
  /** Words of people and system come in the order of this, the largest first, of equals the newest, as far as their room reaches. */
  readonly order: number;
  /** The most characters that it may have whatever the room. */
  readonly charsMax: number;
}

export interface SharedTurn<One = SharedLine> {
  readonly order: number;
  readonly lines: readonly One[];
}

/** A line, and how it is told at each step of the search for lengths. */
export interface TellableLine extends SharedLine {
  readonly at: (step: number) => WrittenLine;
}

export type TellableTurn = SharedTurn<TellableLine>;

/** A line as it is told, and what that weighs. */
export interface WrittenLine {
  readonly text: string;
  readonly tokens: number;
  readonly isCut: boolean;
}

/** `isPromised`: where no sentence of it fits, it is cut after a word. */
export type WriteLine = (line: SharedLine) => (charsMax: number, isPromised: boolean) => WrittenLine;

/** Writes lines at a length; one search tries many of the lengths that another has tried. */
export function createWriter(measure: Measure): WriteLine {
  const known = writtenWith(measure);
  if (known.chars > REMEMBERED_CHARS_MAX) [known.lines, known.chars] = [new WeakMap(), 0];
  return ({ lead, body, kind }) => {
    let lengths = known.lines.get(body);
    if (lengths?.lead !== lead) known.lines.set(body, (lengths = { lead, at: new Map() }));
    const { at } = lengths;
    const write = (chars: number, isPromised: boolean): WrittenLine => {
      const words = body.within(chars) || (isPromised ? openingOf(body, chars) : "");
      const text = words === "" ? "" : `${lead}${withinTheirLine(words)}`;
      const isCut = chars < body.chars && kind !== "look" && kind !== "shown";
      return { text, isCut, tokens: text === "" ? 0 : measure.text(text) + LINE_TOKENS };
    };
    return (charsMax, isPromised) => {
      const chars = Math.min(charsMax, body.chars) | 0;
      const place = isPromised ? -1 - chars : chars;
      let written = at.get(place);
      if (written === undefined) {
        at.set(place, (written = write(chars, isPromised)));
        known.chars += written.text.length + LENGTH_CHARS;
      }
      return written;
    };
  };
}

/** Characters of the lines that are remembered before it starts afresh, and what a length takes beside them. */
const REMEMBERED_CHARS_MAX = 4_000_000;
const LENGTH_CHARS = 40;

/** How a line was told at each length that was tried; below 0 where it was promised. */
interface Lengths {
  readonly lead: string;
  readonly at: Map<number, WrittenLine>;
}

/** Most lines were told at the compaction before, at many of the same lengths. */
const writtenWith = keptWith((_measure: Measure) => ({ lines: new WeakMap<Body, Lengths>(), chars: 0 }));

/** What is told of a text of which not even a line fits. */
function openingOf(body: Body, chars: number): string {
  return chars < PROSE_CHARS_MIN ? "" : sentencesWithin(body.within(Infinity), chars);
}

/** The last step that fits. */
export function widest(steps: number, fits: (step: number) => boolean): number {
  let low = 0;
  let high = steps;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}
