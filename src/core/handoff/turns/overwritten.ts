/** Lines that a later edit took away: what a file holds now is told, and not what it held before or in between. */
import type { CallEvent } from "../../events/events.ts";
import { trimmedLines, writtenBy } from "../../events/changes.ts";

/** The lines that each call put into files and that nothing later in `calls` removed. */
export function lastingLines(calls: readonly CallEvent[]): ReadonlyMap<CallEvent, readonly string[]> {
  const lasting = new Map<CallEvent, readonly string[]>();
  const removed = new Map<string, Set<string>>();
  const rewritten = new Map<string, ReadonlySet<string>>();
  for (const event of calls.toReversed()) {
    const { action, paths } = event.summary;
    if (event.ending.status !== "done" || (action !== "edit" && action !== "write")) continue;
    const path = paths[0] ?? "";
    const written = writtenBy(event.call);
    const gone = removed.get(path) ?? removed.set(path, new Set()).get(path)!;
    const now = rewritten.get(path);
    const added = trimmedLines(written.added);
    const left = [...added.keys()].filter((at) => !gone.has(added[at]!) && (now === undefined || now.has(added[at]!)));
    lasting.set(
      event,
      left.map((at) => written.added[at]!),
    );
    for (const line of trimmedLines(written.removed)) gone.add(line);
    if (action === "write" && paths.length === 1) rewritten.set(path, new Set(now ?? added));
  }
  return lasting;
}

/** Whether an edit after that message took a line away, and none after it put it back: a line without a number and spaces around it. */
export function removedLater(calls: readonly CallEvent[]): (bare: string, message: number) => boolean {
  const removedAt = new Map<string, number>();
  for (const { call, ending, summary, message } of calls) {
    if (ending.status !== "done" || summary.action !== "edit") continue;
    const { added, removed } = writtenBy(call);
    for (const line of trimmedLines(removed)) removedAt.set(line, message);
    for (const line of trimmedLines(added)) removedAt.delete(line);
  }
  return (bare, message) => (removedAt.get(bare) ?? -1) > message;
}
