/**
 * The lengths of lines, in steps of less than a per cent. Where the most important line has one of them, another has one that
 * is a number of steps below or above; each is then shortened to the next of a coarser scale, so that what it comes to is
 * mostly known from the try before, or from the last handoff, where all had a little more or less room.
 */

const CHARS_MIN = 10;
/** No line is longer. */
const CHARS_MAX = 60_000;
const STEP_FACTOR = 1.0075;
/** Of the coarser scale. */
const STEPS_A_LENGTH = 6;

/** At which nothing is shortened. */
export const LAST_STEP = Math.ceil(stepsOf(CHARS_MAX / CHARS_MIN));

const CHARS = Int32Array.from({ length: LAST_STEP + 1 }, (_, step) => CHARS_MIN * STEP_FACTOR ** step);

/** Steps between a length and that many times as much. */
export function stepsOf(times: number): number {
  return Math.log(times) / Math.log(STEP_FACTOR);
}

/** The step to which a line is shortened that has one, or something between two. */
export function coarse(step: number): number {
  return Math.floor(step / STEPS_A_LENGTH) * STEPS_A_LENGTH;
}

/** Characters at a step; none before the first, and those of the last beyond it. */
export function charsAt(step: number): number {
  return step < 0 ? 0 : CHARS[Math.min(LAST_STEP, Math.floor(step))]!;
}
