/**
 * What is deleted, and how much is left: the longest unused first, never what something younger is on. It runs in
 * steps, each a transaction of its own, so that nobody waits long for the file.
 */
import type { Holdings, Retention } from "../store.ts";
import { dropUnused } from "./bodies.ts";
import { removeOriginal } from "./originals.ts";
import { query } from "../sql/query.ts";
import {
  countAll,
  deleteLinks,
  deleteNames,
  deleteRecords,
  deleteSession,
  deleteState,
  deleteStates,
  deleteTombstones,
  deleteUsages,
  dropHead,
  holdingsOf,
  isNamed,
  linksOfSession,
  oldestOriginal,
  oldestRecord,
  oldestSession,
  oldestState,
  originalsOfLink,
  type OfLink,
  type Scope,
} from "../sql/retention.ts";
import type { Runner } from "./query.ts";
import { knownTenant } from "./tenants.ts";

/** Sessions, records, originals and states that go in one step. */
const REMOVALS_A_STEP = 20;

/** Something that can go by itself. */
interface Unit {
  readonly usedAt: number;
  /** Answers with the size of the bodies that went. */
  readonly remove: () => number;
}

/** What the file's pages hold, without those that are free. */
const usedBytes = query<object, { bytes: number }>(`
  select ((select page_count from pragma_page_count) - (select freelist_count from pragma_freelist_count))
    * (select page_size from pragma_page_size) as bytes`);

/** Sessions by name, and all that are on one of them: a branch, a fork without a message of its own, a message further on. */
const sessionsDependingOn = query<{ tenant: number; names: string }, { id: number; name: string }>(`
  with recursive standing(id) as (
    select id from sessions where tenant = :tenant and name in (select value from json_each(:names))
    union select b.id from standing join sessions b on b.parent = standing.id
    union select f.id from standing join links h on h.session = standing.id join sessions f on f.head = h.id
    union select c.session from standing join links p on p.session = standing.id join links c on c.parent = p.id)
  select sessions.id, sessions.name from standing join sessions on sessions.id = standing.id
  order by sessions.id desc`);
export function holdings(runner: Runner, tenantName: string | undefined): Holdings {
  return holdingsOf(runner.first(countAll, scopeOf(runner, tenantName))!);
}

function scopeOf(runner: Runner, tenantName: string | undefined): Scope {
  return { tenant: tenantName === undefined ? null : knownTenant(runner, tenantName) };
}

/** One step; true when there may be more to delete. */
export function retainStep(runner: Runner, { tenant, before, maxBytes, maxFileBytes }: Retention): boolean {
  const scope = scopeOf(runner, tenant);
  let { bytes } = maxBytes === undefined ? { bytes: 0 } : holdings(runner, tenant);
  for (let removals = 0; removals < REMOVALS_A_STEP; removals++) {
    const oldest = unitsOf(runner, scope).reduce<Unit | undefined>(older, undefined);
    if (oldest === undefined) return false;
    const tooOld = before !== undefined && oldest.usedAt < before;
    const tooMuch = maxBytes !== undefined && bytes > maxBytes;
    const tooLarge = maxFileBytes !== undefined && size(runner) > maxFileBytes;
    if (!tooOld && !tooMuch && !tooLarge) return false;
    bytes -= oldest.remove();
  }
  return true;
}

export function size(runner: Runner): number {
  return runner.first(usedBytes, {})!.bytes;
}

export function withBranches(runner: Runner, tenantName: string, ids: readonly string[]): readonly string[] {
  return dependentSessions(runner, tenantName, ids).map(({ name }) => name);
}

/** One step: the newest of them, on which no other depends. Answers with those that went; with none when all have. */
export function deleteStep(runner: Runner, tenantName: string, ids: readonly string[]): readonly string[] {
  const gone = dependentSessions(runner, tenantName, ids).slice(0, REMOVALS_A_STEP);
  for (const { id } of gone) removeSession(runner, id);
  return gone.map(({ name }) => name);
}

function dependentSessions(runner: Runner, tenantName: string, ids: readonly string[]) {
  return runner.all(sessionsDependingOn, { tenant: knownTenant(runner, tenantName), names: JSON.stringify(ids) });
}

function older(a: Unit | undefined, b: Unit): Unit {
  return a === undefined || b.usedAt < a.usedAt ? b : a;
}

/** The oldest of each kind. */
function unitsOf(runner: Runner, scope: Scope): readonly Unit[] {
  const session = runner.first(oldestSession, scope);
  const record = runner.first(oldestRecord, scope);
  const original = runner.first(oldestOriginal, scope);
  const state = runner.first(oldestState, scope);
  const units: Unit[] = [];
  if (session !== undefined)
    units.push({ usedAt: session.updated_at, remove: () => removeSession(runner, session.id) });
  if (record !== undefined) units.push({ usedAt: record.used_at, remove: () => removeRecords(runner, [record]) });
  if (original !== undefined)
    units.push({ usedAt: original.created_at, remove: () => removeOriginal(runner, original.id) });
  if (state !== undefined) units.push({ usedAt: state.updated_at, remove: () => removeState(runner, state) });
  return units;
}

function removeState(runner: Runner, { tenant, root }: { readonly tenant: number; readonly root: string }): number {
  runner.run(deleteState, { tenant, root });
  return 0;
}

function removeSession(runner: Runner, session: number): number {
  const links = runner.all(linksOfSession, { session });
  runner.run(dropHead, { session });
  runner.run(deleteLinks, { session });
  runner.run(deleteSession, { session });
  for (const { tenant, link } of links) {
    runner.run(deleteUsages, { tenant, link });
    runner.run(deleteStates, { tenant, link });
  }
  const bodies = links.map(({ body }) => body);
  return removeRecords(runner, links) + dropUnused(runner, bodies);
}

/** With the originals that only these records name. */
function removeRecords(runner: Runner, links: readonly OfLink[]): number {
  const originals = new Set<number>();
  for (const { tenant, link } of links) {
    for (const { id } of runner.all(originalsOfLink, { tenant, link })) originals.add(id);
    runner.run(deleteNames, { tenant, link });
    runner.run(deleteRecords, { tenant, link });
    runner.run(deleteTombstones, { tenant, link });
  }
  let bytes = 0;
  for (const id of originals) if (runner.first(isNamed, { id }) === undefined) bytes += removeOriginal(runner, id);
  return bytes;
}
