/** Lines that a later edit took away: what a file holds now is told, and not what it held before or in between. */
import type { CallEvent } from "../../events/events.ts";
import { trimmedLines, writtenBy } from "../../events/changes.ts";

/** The lines that each call put into files and that nothing later in `calls` removed from the file or put into it too. */
export function lastingLines(calls: readonly CallEvent[]): ReadonlyMap<CallEvent, readonly string[]> {
  const lasting = new Map<CallEvent, readonly string[]>();
  const removed = new Map<string, Set<string>>();
  const later = new Map<string, Set<string>>();
  const rewritten = new Map<string, ReadonlySet<string>>();
  for (const event of calls.toReversed()) {
    const { action, paths } = event.summary;
    if (event.ending.status !== "done" || (action !== "edit" && action !== "write")) continue;
    const path = paths[0] ?? "";
    const written = writtenBy(event.call);
    const gone = removed.get(path) ?? removed.set(path, new Set()).get(path)!;
    const again = later.get(path) ?? later.set(path, new Set()).get(path)!;
    const now = rewritten.get(path);
    const added = trimmedLines(written.added);
    const lasts = (line: string): boolean => !again.has(line) && !gone.has(line) && (now?.has(line) ?? true);
    const left = written.added.filter((_, at) => lasts(added[at]!));
    // The same list where all of it is left: what was made of it holds.
    lasting.set(event, left.length === added.length ? written.added : left);
    for (const line of added) again.add(line);
    for (const line of trimmedLines(written.removed)) gone.add(line);
    if (action === "write" && paths.length === 1) rewritten.set(path, new Set(now ?? added));
  }
  return lasting;
}
