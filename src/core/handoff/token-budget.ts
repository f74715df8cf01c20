/** Tokens of a handoff still to give out. With a focus, what matches it and what does not each have their part. */
import type { Spend } from "./section-fill.ts";

/** Zhang 2026, section 12: what matches the focus gets 60 to 70 %. */
const FOCUS_SHARE = 0.66;
/** With a focus, a section that matches may grow by this factor; so many more excerpts are looked through. */
export const FOCUS_STRETCH = 2;

export interface TokenBudget {
  readonly left: () => number;
  /** For what is about the focus. */
  readonly matchingLeft: () => number;
  readonly spend: Spend;
  /** Pays whatever the text is about. */
  readonly spendOnAnything: Spend;
}

/** `room` of the handoff's `budget`, which the focus has its share of; `matches` says what is about it. */
export function createTokenBudget(
  { room, budget }: { readonly room: number; readonly budget: number },
  matches: ((text: string) => boolean) | undefined,
): TokenBudget {
  let left = room;
  let matching = matches === undefined ? room : Math.min(room, budget * FOCUS_SHARE);
  let other = room - matching;
  const spendOnAnything: Spend = (cost) => {
    if (cost > left) return false;
    left -= cost;
    return true;
  };
  return {
    left: () => left,
    matchingLeft: () => matching,
    spendOnAnything,
    spend: (cost, text) => {
      const about = matches?.(text) ?? true;
      if (cost > (about ? matching : other) || !spendOnAnything(cost, text)) return false;
      if (about) matching -= cost;
      else other -= cost;
      return true;
    },
  };
}

/** A line of the record, or several that belong together. */
export interface WeighedLine {
  readonly text: string;
  readonly tokens: number;
}

/** Line by line, so that what is about the focus is paid from its part. */
export function spendOn(lines: readonly WeighedLine[], budget: TokenBudget): void {
  for (const { text, tokens } of lines) if (!budget.spend(tokens, text)) budget.spendOnAnything(tokens, text);
}
