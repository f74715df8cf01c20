/**
 * What a share of points says about other sessions: intervals of 95 %, the same for the same seed. Values are between 0
 * and 1 for shares and between -1 and 1 for differences, and come in groups: the questions of one session hang together.
 */
import { createDraw } from "../../../provider/src/random.ts";

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The values of each session. */
export type Groups = readonly (readonly number[])[];

const DRAWS = 1_000;
const SEED = 11;
/** Of 95 %. */
const TAIL = 0.025;
const Z = 1.959964;

/** Wilson's interval of `points` out of `n`; half points count as halves. */
export function wilson(points: number, n: number): Interval {
  if (n === 0) return { low: 0, high: 1 };
  const share = points / n;
  const square = Z ** 2 / n;
  const centre = share + square / 2;
  const spread = Z * Math.sqrt((share * (1 - share)) / n + square / (4 * n));
  return { low: Math.max(0, (centre - spread) / (1 + square)), high: Math.min(1, (centre + spread) / (1 + square)) };
}

/** The mean of values drawn again: sessions with repetition, and of each session its questions with repetition. */
export function bootstrap(groups: Groups): Interval {
  const filled = groups.filter(({ length }) => length > 0);
  if (filled.length === 0) return { low: 0, high: 0 };
  const random = createDraw(SEED);
  const below = (bound: number): number => Math.floor(random() * bound);
  const means = Array.from({ length: DRAWS }, () => {
    let [sum, count] = [0, 0];
    for (let drawn = 0; drawn < filled.length; drawn++) {
      const group = filled[below(filled.length)]!;
      for (let at = 0; at < group.length; at++) sum += group[below(group.length)]!;
      count += group.length;
    }
    return sum / count;
  }).toSorted((a, b) => a - b);
  return { low: means[Math.floor(DRAWS * TAIL)]!, high: means[Math.ceil(DRAWS * (1 - TAIL)) - 1]! };
}

/**
 * Of a share: Wilson's interval and the bootstrap's, whichever reaches further. The first knows that ten right answers out
 * of ten do not mean that no answer will ever be wrong, the second that sessions differ.
 */
export function shareInterval(groups: Groups): Interval {
  const values = groups.flat();
  const [one, other] = [wilson(sumOf(values), values.length), bootstrap(groups)];
  if (values.length === 0) return one;
  return { low: Math.min(one.low, other.low), high: Math.max(one.high, other.high) };
}

export interface Difference extends Interval {
  /** The mean of the paired differences. */
  readonly mean: number;
  /** Questions that both were asked. */
  readonly questions: number;
  /** False where it may as well be chance. */
  readonly proves: boolean;
}

/** Fewer questions than this prove no difference, however clear it looks. */
export const DIFFERENCE_QUESTIONS_MIN = 20;

/** Of paired values: the same question answered by both. */
export function differenceOf(pairs: readonly (readonly (readonly [number, number])[])[]): Difference {
  const groups = pairs.map((group) => group.map(([one, other]) => one - other));
  const values = groups.flat();
  const { low, high } = bootstrap(groups);
  const enough = values.length >= DIFFERENCE_QUESTIONS_MIN;
  return {
    mean: values.length === 0 ? 0 : sumOf(values) / values.length,
    low,
    high,
    questions: values.length,
    proves: enough && (low > 0 || high < 0),
  };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
