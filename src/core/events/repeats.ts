/** What was done again and came to the same: identical calls with identical results, also where something else was tried in between. */
import type { CallEvent, Events } from "./events.ts";
import { changesSomething } from "./failures.ts";

/** Twice may be a check; from the third time on, it leads nowhere. */
const REPEATED_MIN = 3;

export interface Repeat {
  /** The last of them. */
  readonly event: CallEvent;
  readonly times: number;
}

/**
 * Calls that had the very same arguments and, up to the last, the very same result, the most frequent first; one that works after each
 * change is no repetition. Results are compared only where calls are the same: most of a conversation's text is in results that nothing repeats.
 */
export function repeatedCalls({ calls }: Events): readonly Repeat[] {
  const others = changesBefore(calls);
  const alike = Map.groupBy(calls, ({ call }) => call.arguments);
  const again = calls.filter(
    ({ call, result }) => result !== undefined && alike.get(call.arguments)!.length >= REPEATED_MIN,
  );
  const same = Map.groupBy(again, ({ call }) => `${call.name}\n${call.arguments}`);
  return [...same.values()]
    .filter((group) => group.length >= REPEATED_MIN)
    .map((group) => group.slice(group.findLastIndex(({ text }) => text !== group.at(-1)!.text) + 1))
    .flatMap((group) => [...Map.groupBy(group, others(group)).values()])
    .filter((group) => group.length >= REPEATED_MIN)
    .map((group) => ({ event: group.at(-1)!, times: group.length }))
    .toSorted((one, other) => other.times - one.times || other.event.message - one.event.message);
}

/** Of each call that worked, how many other calls had changed something before it. */
function changesBefore(calls: readonly CallEvent[]): (group: readonly CallEvent[]) => (event: CallEvent) => number {
  let changes = 0;
  const before = new Map(calls.map((call) => [call, changesSomething(call) ? changes++ : changes]));
  return (group) => {
    const own = new Map(group.map((event, at) => [event, changesSomething(event) ? at : 0]));
    return (event) => (event.ending.status === "done" ? before.get(event)! - own.get(event)! : 0);
  };
}

export function readsOneFile({ summary, ending, facts }: CallEvent): boolean {
  return summary.action === "read" && summary.paths.length === 1 && facts === undefined && ending.status === "done";
}
