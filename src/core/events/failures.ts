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

export interface OpenFailure {
  readonly failure: CallEvent;
  /** The next call of the same program or tool that worked, with other words: whether that put it right is not known. */
  readonly like: CallEvent | undefined;
}

/** Failed calls of the turn under way after which the same did not work. */
export function openFailures({ calls, all }: Events): readonly OpenFailure[] {
  const since = all.findLast((event) => event.kind === "said" && event.ends)?.message ?? -1;
  const known = new Set<string>();
  const worked = new Map<string, CallEvent>();
  const open: OpenFailure[] = [];
  for (const event of calls.toReversed()) {
    if (event.message < since) break;
    const { status } = event.ending;
    if (status === "done") worked.set(familyOf(event), event);
    else if (status !== "failed") continue;
    else if (!known.has(sameOf(event))) open.unshift({ failure: event, like: worked.get(familyOf(event)) });
    // Of several failures of the same, the last is the one that stands.
    known.add(sameOf(event));
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

/** The same command, or what a tool does to the same thing: whether another one did the same is not known. */
function sameOf({ summary: { action, tool, paths, target }, facts }: CallEvent): string {
  if (facts !== undefined) return facts.deed;
  const changes = action === "edit" || action === "write";
  return [changes ? "change" : tool, ...(paths.length > 0 ? paths : [target])].join("\n");
}

function familyOf({ summary, facts }: CallEvent): string {
  return facts?.family ?? summary.tool;
}
