/** Seeded chance: the same seed always makes the same traffic (mulberry32). */

export interface Chance {
  /** From 0 up to 1. */
  readonly real: () => number;
  /** A whole number from `least` to `most`, both included. */
  readonly whole: (least: number, most: number) => number;
  readonly pick: <T>(items: readonly T[]) => T;
  readonly hex: (digits: number) => string;
  readonly times: <T>(count: number, make: (index: number) => T) => T[];
}

export function createChance(seed: number): Chance {
  let state = seed;
  const real = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (least: number, most: number): number => least + Math.floor(real() * (most - least + 1));
  return {
    real,
    whole,
    pick: (items) => items[whole(0, items.length - 1)]!,
    hex: (digits) => Array.from({ length: digits }, () => whole(0, 15).toString(16)).join(""),
    times: (count, make) => Array.from({ length: count }, (_, index) => make(index)),
  };
}
