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
  const groups = Map.groupBy(
    calls.filter(({ summary, result }) => result !== undefined && summary.action !== "read"),
    ({ call, text }) => `${call.name}\n${call.arguments}\n${text}`,
  );
  return [...groups.values()]
    .filter((group) => group.length >= REPEATED_MIN)
    .map((group) => ({ event: group.at(-1)!, times: group.length }))
    .toSorted((one, other) => other.times - one.times || other.event.message - one.event.message);
}

/** Files that were read more than once, showed the same each time, and have not been changed since, the last ones first. */
export function readAgain({ calls, files }: Events): readonly (Repeat & { readonly path: string })[] {
  const changed = new Map(files.map(({ path, changed: at = -1 }) => [path, at]));
  const reads = calls.filter(
    ({ summary, ending, facts }) =>
      summary.action === "read" && summary.paths.length === 1 && facts === undefined && ending.status === "done",
  );
  const groups = Map.groupBy(reads, ({ call, text }) => `${call.name}\n${call.arguments}\n${text}`);
  return [...groups.values()]
    .map((group) => ({ event: group.at(-1)!, times: group.length, path: group[0]!.summary.paths[0]! }))
    .filter(({ event, times, path }) => times >= READ_AGAIN_MIN && (changed.get(path) ?? -1) < event.message)
    .toSorted((one, other) => other.event.message - one.event.message);
}
