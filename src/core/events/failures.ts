/** Failures and what became of them: put right by a later run of the same, or open. */
import type { CallEvent, Events } from "./events.ts";

/** Whether a call changed a file, as far as its result says. */
export function changesSomething({ summary, facts, ending }: CallEvent): boolean {
  if (ending.status !== "done") return false;
  return (
    summary.action === "edit" ||
    summary.action === "write" ||
    (facts !== undefined && facts.writes.length + facts.deletes.length > 0)
  );
}

/** Failed calls of the turn under way after which neither the same worked nor, for a tool, any call of it. */
export function openFailures({ calls, all }: Events): readonly CallEvent[] {
  const since = all.findLast((event) => event.kind === "said" && event.ends)?.message ?? -1;
  const worked = new Set<string>();
  const open: CallEvent[] = [];
  for (const event of calls.toReversed()) {
    if (event.message < since) break;
    if (event.ending.status === "done") worked.add(sameOf(event));
    else if (event.ending.status === "failed" && !worked.has(sameOf(event))) {
      open.unshift(event);
      // Of several failures of the same, the last is the one that stands.
      worked.add(sameOf(event));
    }
  }
  return open;
}

export interface RepairedFailure {
  readonly failure: CallEvent;
  readonly by: CallEvent;
}

/** Failed runs after which a run of the same worked. */
export function repairedFailures({ calls }: Events): readonly RepairedFailure[] {
  const worked = new Map<string, CallEvent>();
  const repaired: RepairedFailure[] = [];
  for (const event of calls.toReversed()) {
    if (event.facts === undefined) continue;
    const same = sameOf(event);
    if (event.ending.status === "done") worked.set(same, event);
    const by = worked.get(same);
    if (event.ending.status !== "failed" || by === undefined) continue;
    repaired.unshift({ failure: event, by });
    worked.delete(same);
  }
  return repaired;
}

/** Two runs of one family do the same; so do two calls of one tool. */
function sameOf({ summary, facts }: CallEvent): string {
  return facts === undefined ? summary.tool : facts.family;
}
