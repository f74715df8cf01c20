/** Looks for the length at which the lines of a record fill their room, each cut to its share of it. */
import { charsAt, LAST_STEP } from "./steps.ts";
import type { SharedLine } from "./written-lines.ts";

interface Target {
  readonly tokensMax: number;
  /** What is written whatever length the lines get. */
  readonly already?: number;
}

/**
 * About the greatest length, in steps, for which what is written fits; `NOTHING` where none does. How long the lines come out
 * is calculated from their lengths; only a few tries are weighed.
 */
export function widest(
  lines: readonly SharedLine[],
  weigh: (step: number) => number,
  { tokensMax, already = 0 }: Target,
): number {
  const columns = columnsOf(lines);
  let tokensAChar = TOKENS_A_CHAR;
  let [fits, tooLong] = [NOTHING, LAST_STEP + 1];
  for (let attempt = 0; fits + 1 < tooLong; attempt++) {
    const isCalculated = attempt < CALCULATED_TRIES_MAX;
    const step = isCalculated
      ? stepFor(columns, Math.max(0, tokensMax - already) / tokensAChar, { from: fits + 1, until: tooLong })
      : Math.floor((fits + tooLong) / 2);
    const tokens = weigh(step);
    if (tokens > tokensMax) tooLong = step;
    else fits = step;
    if (fits === step && tokens >= tokensMax * (isCalculated ? FULL_SHARE : MOSTLY_FULL_SHARE)) break;
    tokensAChar = Math.max(1, tokens - already) / Math.max(1, charsIn(columns, step));
  }
  return fits;
}

/** A step at which no line has room. */
export const NOTHING = -1;

const TOKENS_A_CHAR = 0.25;
/** That much of the room used is enough. */
const FULL_SHARE = 0.96;
/** Lines that are left out whole make small steps large ones: then the middle is better than what is calculated, and less will do. */
const CALCULATED_TRIES_MAX = 3;
const MOSTLY_FULL_SHARE = 0.9;

/** What decides how long lines come out. */
interface Columns {
  readonly chars: Float64Array;
  readonly shares: Float64Array;
  readonly labels: Float64Array;
}

function columnsOf(lines: readonly SharedLine[]): Columns {
  return {
    chars: Float64Array.from(lines, ({ line }) => line.body.chars),
    shares: Float64Array.from(lines, ({ share }) => share),
    labels: Float64Array.from(lines, ({ line }) => line.label.length),
  };
}

/** Of the steps `from .. until`, the last at which the lines come to no more than that many characters; the first where none is. */
function stepFor(
  columns: Columns,
  charsMax: number,
  { from, until }: { readonly from: number; readonly until: number },
): number {
  let [low, high] = [from, until];
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (charsIn(columns, middle) <= charsMax) low = middle;
    else high = middle;
  }
  return low;
}

function charsIn({ chars, shares, labels }: Columns, step: number): number {
  let sum = 0;
  for (let at = 0; at < chars.length; at++) sum += lengthOf(chars[at]!, charsAt(step + shares[at]!), labels[at]!);
  return sum;
}

/** A line is left out where there is no room for a sentence of it. */
function lengthOf(chars: number, charsMax: number, labelChars: number): number {
  if (chars <= charsMax) return chars + labelChars + 1;
  return charsMax < LINE_CHARS_MIN ? 0 : charsMax * USUALLY_USED_SHARE + labelChars + 1;
}

const LINE_CHARS_MIN = 50;
/** Whole sentences leave some of the room. */
const USUALLY_USED_SHARE = 0.85;
