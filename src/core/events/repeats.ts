/** What was done again and came to the same: identical calls with identical results. */
import type { CallEvent, Events } from "./events.ts";

/** Twice may be a check; from the third time on, it leads nowhere. */
const REPEATED_MIN = 3;

export interface Repeat {
  /** The last of them. */
  readonly event: CallEvent;
  readonly times: number;
}

/**
 * Calls that had the very same arguments and result each time, the most frequent first. Results are compared only where calls are the
 * same: most of a conversation's text is in results that nothing repeats.
 */
export function repeatedCalls({ calls }: Events): readonly Repeat[] {
  const answered = calls.filter(({ result }) => result !== undefined);
  const same = Map.groupBy(answered, ({ call }) => `${call.name}\n${call.arguments}`);
  return [...same.values()]
    .filter((group) => group.length >= REPEATED_MIN)
    .flatMap((group) => [...Map.groupBy(group, ({ text }) => text).values()])
    .filter((group) => group.length >= REPEATED_MIN)
    .map((group) => ({ event: group.at(-1)!, times: group.length }))
    .toSorted((one, other) => other.times - one.times || other.event.message - one.event.message);
}

export function readsOneFile({ summary, ending, facts }: CallEvent): boolean {
  return summary.action === "read" && summary.paths.length === 1 && facts === undefined && ending.status === "done";
}
