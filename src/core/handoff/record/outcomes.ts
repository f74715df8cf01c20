/** What came of a call, in as much room as there is. */
import { clipped, CUT_MARK } from "../items.ts";
import type { Condensable } from "./condense.ts";

export interface CallOutcome extends Condensable {
  /** With less it says nothing, or not enough: the arguments of the call are shortened first. */
  readonly charsMin?: () => number;
}

/** Nothing where only the mark of the cut would have room. */
export function fixed(text: string): Condensable {
  return {
    chars: text.length,
    within: (charsMax) => (charsMax < CUT_CHARS_MIN && charsMax < text.length ? "" : clipped(text, charsMax)),
  };
}

const CUT_CHARS_MIN = 12;

/** That a call failed is said in whatever room, and why before what it was given. */
export function failure(text: string): CallOutcome {
  const told = fixed(text);
  return {
    chars: told.chars,
    charsMin: () => Math.min(told.chars, REASON_CHARS_MIN),
    within: (charsMax) => told.within(charsMax).replace(NAME_WITHOUT_VALUE, CUT_MARK) || FAILED,
  };
}

const NAME_WITHOUT_VALUE = /, [\w.]+: \[…\]$/;
const FAILED = "failed";
/** So much of a reason mostly says it. */
const REASON_CHARS_MIN = 48;
