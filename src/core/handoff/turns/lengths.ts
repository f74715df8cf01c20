/** A line at the lengths that are tried for it: what it says at one, and what that weighs. */
import type { Measure } from "../../transcript/measure.ts";
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

export interface SharedTurn {
  readonly order: number;
  readonly lines: readonly SharedLine[];
}

/** A line as it is told, and what that weighs. */
export interface WrittenLine {
  readonly text: string;
  readonly tokens: number;
  readonly isCut: boolean;
}

/** `isPromised`: where no sentence of it fits, it is cut after a word. */
export type WriteLine = (line: SharedLine, charsMax: number, isPromised: boolean) => WrittenLine;

/** Writes lines at a length; one search tries many of the lengths that another has tried. */
export function createWriter(measure: Measure): WriteLine {
  const known = {
    promised: new Map<Body, Map<number, WrittenLine>>(),
    other: new Map<Body, Map<number, WrittenLine>>(),
  };
  return ({ lead, body, kind }, charsMax, isPromised) => {
    const chars = Math.min(Math.floor(charsMax), body.chars);
    const bodies = isPromised ? known.promised : known.other;
    let lengths = bodies.get(body);
    if (lengths === undefined) bodies.set(body, (lengths = new Map()));
    let written = lengths.get(chars);
    if (written === undefined) {
      const words = body.within(chars) || (isPromised ? openingOf(body, chars) : "");
      const text = words === "" ? "" : `${lead}${withinTheirLine(words)}`;
      const isCut = chars < body.chars && kind !== "look" && kind !== "shown";
      written = { text, isCut, tokens: text === "" ? 0 : measure.text(text) + LINE_TOKENS };
      lengths.set(chars, written);
    }
    return written;
  };
}

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
