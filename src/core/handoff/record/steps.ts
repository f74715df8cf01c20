/**
 * The lengths that lines are shortened to, in steps of a few per cent: what a line comes to at one of them is mostly known
 * from the try before, or from the last handoff, where every line has a little more or less room than it had.
 */

const CHARS_MIN = 10;
/** No line is longer. */
const CHARS_MAX = 60_000;
const STEP_FACTOR = 1.03;

/** How many there are. */
export const STEPS = Math.ceil(stepsOf(CHARS_MAX / CHARS_MIN)) + 1;

const CHARS = Int32Array.from({ length: STEPS }, (_, step) => CHARS_MIN * STEP_FACTOR ** step);

/** Steps between a length and that many times as much. */
export function stepsOf(times: number): number {
  return Math.log(times) / Math.log(STEP_FACTOR);
}

/** Characters of a length that lies between two steps, or beyond the last; none before the first. */
export function charsAt(step: number): number {
  return step < 0 ? 0 : CHARS[Math.min(STEPS - 1, Math.floor(step))]!;
}
