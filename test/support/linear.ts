/**
 * Claims that work grows in proportion to its size. Measured against itself in one run: the work at its size, and as often
 * as it takes to make up that size, at a fraction of it. Work that is linear takes as long both times; quadratic work takes
 * `SPLIT` times as long in one piece. Times are those of this thread's processor, which a busy machine does not change.
 */
import { expect } from "vitest";

const SPLIT = 8;
/** Between 1, which is linear, and `SPLIT`, which is quadratic. */
const GROWTH_MAX = 3;
const ROUNDS = 5;
/** What a collection of garbage or a compilation may take. Quadratic work at the sizes used here takes seconds. */
const NOISE_MS = 20;

/** Makes the input of that size and gives back the work on it, which alone is measured. */
export type WorkOfSize = (size: number) => () => unknown;

export function expectLinear(size: number, workOf: WorkOfSize, what?: string): void {
  const [whole, part] = [workOf(size), workOf(Math.ceil(size / SPLIT))];
  const parts = (): void => {
    for (let at = 0; at < SPLIT; at++) part();
  };
  // The fraction first, so that what is compiled at the first call does not count against the whole.
  part();
  const growths: number[] = [];
  do {
    const wholeMs = processorMs(whole);
    growths.push(Math.max(0, wholeMs - NOISE_MS) / processorMs(parts));
  } while (growths.at(-1)! > GROWTH_MAX && growths.length < ROUNDS);
  const growth = growths.at(-1)! <= GROWTH_MAX ? growths.at(-1)! : median(growths);
  expect(growth, `${what ?? "the work"} at a size of ${size}, against ${SPLIT} pieces of it`).toBeLessThan(GROWTH_MAX);
}

/** What the work takes of a processor, whatever else the machine does meanwhile. */
export function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return Math.max(1, user + system) / 1_000;
}

function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)]!;
}
