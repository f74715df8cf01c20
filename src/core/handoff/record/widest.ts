/** Looks for the length at which the lines of a record fill their room, each cut to its share of it. */
import { charsAt, LAST_STEP } from "./steps.ts";
import type { SharedLine } from "./written-lines.ts";

interface Target {
  readonly tokensMax: number;
  /** What is written whatever length the lines get. */
  readonly already?: number;
}

/** A step at which no line has room. */
export const NOTHING = -1;

/** A step, and the tokens of all that is written at it. */
interface Try {
  readonly step: number;
  readonly tokens: number;
}

/**
 * About the greatest length, in steps, for which what is written fits; `NOTHING` where none does. How long the lines come out
 * is calculated from their lengths, then from what two tries came to; only a few are weighed.
 */
export function widest(
  lines: readonly SharedLine[],
  weigh: (step: number) => number,
  { tokensMax, already = 0 }: Target,
): number {
  const columns = columnsOf(lines);
  const aim = tokensMax * AIMED_SHARE;
  let tokensAChar = TOKENS_A_CHAR;
  let [fits, tooLong] = [NOTHING, LAST_STEP + 1];
  let tries: readonly Try[] = [];
  for (let attempt = 0; fits + 1 < tooLong; attempt++) {
    const range = { from: fits + 1, until: tooLong };
    const step =
      attempt < CALCULATED_TRIES_MAX
        ? stepFor(columns, Math.max(0, aim - already) / tokensAChar, range)
        : stepBetween(attempt < AIMED_TRIES_MAX ? tries : [], aim, range);
    const tokens = weigh(step);
    if (tokens > tokensMax) tooLong = step;
    else fits = step;
    if (fits === step && tokens >= tokensMax * (attempt < AIMED_TRIES_MAX ? FULL_SHARE : MOSTLY_FULL_SHARE)) break;
    tokensAChar = Math.max(1, tokens - already) / Math.max(1, charsIn(columns, step));
    tries = [...tries.slice(-1), { step, tokens }];
  }
  return fits;
}

const TOKENS_A_CHAR = 0.25;
/** That much of the room used is enough, and a little more is aimed at. */
const FULL_SHARE = 0.96;
const AIMED_SHARE = 0.98;
const CALCULATED_TRIES_MAX = 2;
/** Lines that are left out whole make small steps large ones: then the middle is better than what is calculated, and less will do. */
const AIMED_TRIES_MAX = 5;
const MOSTLY_FULL_SHARE = 0.9;

interface Steps {
  readonly from: number;
  readonly until: number;
}

/** The step at which two tries let expect that many tokens; the middle where they do not tell. */
function stepBetween([one, other]: readonly Try[], tokens: number, { from, until }: Steps): number {
  const slope = one === undefined || other === undefined ? 0 : (other.tokens - one.tokens) / (other.step - one.step);
  if (!(slope > 0)) return Math.floor((from - 1 + until) / 2);
  const step = Math.floor(other!.step + (tokens - other!.tokens) / slope);
  return Math.min(until - 1, Math.max(from, step));
}

/** What decides how long lines come out. */
interface Columns {
  readonly chars: Float64Array;
  /** In whole steps. */
  readonly shares: Int32Array;
  readonly labels: Float64Array;
}

function columnsOf(lines: readonly SharedLine[]): Columns {
  const { length } = lines;
  const [chars, shares, labels] = [new Float64Array(length), new Int32Array(length), new Float64Array(length)];
  for (let at = 0; at < length; at++) {
    const { line, share } = lines[at]!;
    chars[at] = line.body.chars;
    shares[at] = Math.floor(share);
    labels[at] = line.label.length;
  }
  return { chars, shares, labels };
}

/** Of the steps `from .. until`, the last at which the lines come to no more than that many characters; the first where none is. */
function stepFor(columns: Columns, charsMax: number, { from, until }: Steps): number {
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
