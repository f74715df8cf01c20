/** What was done again and came to the same: identical calls with identical results, and files that were read again without a change. */
import type { CallEvent, Events } from "./events.ts";

/** Twice may be a check; from the third time on, it leads nowhere. */
const REPEATED_MIN = 3;
const READ_AGAIN_MIN = 2;

export interface Repeat {
  /** The last of them. */
  readonly event: CallEvent;
  readonly times: number;
}

/** Calls other than reads that had the very same arguments and result each time, the most frequent first. */
export function repeatedCalls({ calls }: Events): readonly Repeat[] {
  const others = calls.filter(({ summary, result }) => result !== undefined && summary.action !== "read");
  return repeatsIn(others, REPEATED_MIN).toSorted(
    (one, other) => other.times - one.times || other.event.message - one.event.message,
  );
}

/** Files that were read more than once, showed the same each time, and have not been changed since, the last ones first. */
export function readAgain({ calls, files }: Events): readonly (Repeat & { readonly path: string })[] {
  const changed = new Map(files.map(({ path, changed: at = -1 }) => [path, at]));
  return repeatsIn(calls.filter(readsOneFile), READ_AGAIN_MIN)
    .map((repeat) => ({ ...repeat, path: repeat.event.summary.paths[0]! }))
    .filter(({ event, path }) => (changed.get(path) ?? -1) < event.message)
    .toSorted((one, other) => other.event.message - one.event.message);
}

export function readsOneFile({ summary, ending, facts }: CallEvent): boolean {
  return summary.action === "read" && summary.paths.length === 1 && facts === undefined && ending.status === "done";
}

/** Results are compared only where calls are the same: most of a conversation's text is in results that nothing repeats. */
function repeatsIn(calls: readonly CallEvent[], timesMin: number): readonly Repeat[] {
  // Arguments can be long, and each is read once: it goes into the key by number.
  const numbers = new Map<string, number>();
  const numberOf = (text: string): number => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  const same = Map.groupBy(calls, ({ call }) => `${numberOf(call.arguments)} ${call.name}`);
  return [...same.values()]
    .filter((group) => group.length >= timesMin)
    .flatMap((group) => [...Map.groupBy(group, ({ text }) => text).values()])
    .filter((group) => group.length >= timesMin)
    .map((group) => ({ event: group.at(-1)!, times: group.length }));
}
