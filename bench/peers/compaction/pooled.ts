/** Figures over many cuts: pooled, and with the interval that drawing transcripts again would give. */

const DRAWS = 2_000;
const INTERVAL = 0.95;

/** Counts of one cut, a share of which is the figure. */
export interface Counted {
  readonly file: string;
  readonly part: number;
  readonly whole: number;
}

export function shareOf(counts: readonly Counted[]): number {
  const sum = (of: "part" | "whole"): number => counts.reduce((total, one) => total + one[of], 0);
  return sum("part") / sum("whole");
}

/** 95 % of what other transcripts would have given for `figure`, by drawing whole transcripts with replacement. */
export function intervalOf<Item extends { readonly file: string }>(
  items: readonly Item[],
  figure: (drawn: readonly Item[]) => number,
): readonly [number, number] {
  const random = createRandom(11);
  const files = [...Map.groupBy(items, ({ file }) => file).values()];
  const draws = Array.from({ length: DRAWS }, () =>
    figure(files.flatMap(() => files[Math.floor(random() * files.length)]!)),
  ).toSorted((a, b) => a - b);
  const at = (share: number): number => draws[Math.floor(DRAWS * share)]!;
  return [at((1 - INTERVAL) / 2), at((1 + INTERVAL) / 2)];
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** A linear congruential generator: the same draws on every machine. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
