/**
 * What is deleted, and how much is left: the longest unused first, never what something younger is on. It runs in
 * steps, each a transaction of its own, so that nobody waits long for the file.
 */
import type { Holdings, Retention } from "../store.ts";
import { dropUnused } from "./bodies.ts";
import { removeOriginal } from "./originals.ts";
import { query } from "../sql/query.ts";
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

type Scope = { readonly tenant: number | null };

/** Sessions that no other is on. */
const oldestSession = query<Scope, { id: number; updated_at: number }>(`
  select s.id, s.updated_at from sessions s
  where (:tenant is null or s.tenant = :tenant)
  and not exists (select 1 from sessions where parent = s.id)
  and not exists (select 1 from sessions o join links h on h.id = o.head where h.session = s.id and o.id <> s.id)
  and not exists (
    select 1 from links c join links p on p.id = c.parent where p.session = s.id and c.session <> s.id)
  order by s.updated_at, s.id limit 1`);

/** Records of conversations that are not stored. */
const oldestRecord = query<Scope, { tenant: number; link: string; used_at: number }>(`
  select r.tenant, r.link, max(r.used_at) as used_at from records r
  where (:tenant is null or r.tenant = :tenant)
  and not exists (select 1 from links l where l.tenant = r.tenant and l.link = r.link)
  group by r.tenant, r.link order by used_at limit 1`);

/** Originals that no record names. */
const oldestOriginal = query<Scope, { id: number; created_at: number }>(`
  select o.id, o.created_at from originals o
  where (:tenant is null or o.tenant = :tenant) and not exists (
    select 1 from record_originals n join records r on r.id = n.record
    where n.recall_id = o.recall_id and r.tenant = o.tenant)
  order by o.created_at, o.id limit 1`);

const linksOfSession = query<{ session: number }, { tenant: number; link: string; body: number }>(
  `select tenant, link, body from links where session = :session`,
);
const dropHead = query<{ session: number }>(`update sessions set head = null where id = :session`);
const deleteLinks = query<{ session: number }>(`delete from links where session = :session`);
const deleteSession = query<{ session: number }>(`delete from sessions where id = :session`);

type OfLink = { readonly tenant: number; readonly link: string };

const originalsOfLink = query<OfLink, { id: number }>(`
  select distinct o.id from records
  join record_originals on record_originals.record = records.id
  join originals o on o.tenant = records.tenant and o.recall_id = record_originals.recall_id
  where records.tenant = :tenant and records.link = :link`);
const isNamed = query<{ id: number }, { id: number }>(`
  select o.id from originals o
  where o.id = :id and exists (
    select 1 from record_originals n join records r on r.id = n.record
    where n.recall_id = o.recall_id and r.tenant = o.tenant)`);
const deleteNames = query<OfLink>(`
  delete from record_originals
  where record in (select id from records where tenant = :tenant and link = :link)`);
const deleteRecords = query<OfLink>(`delete from records where tenant = :tenant and link = :link`);
const deleteTombstones = query<OfLink>(`delete from tombstones where tenant = :tenant and link = :link`);
const deleteStates = query<OfLink>(`delete from states where tenant = :tenant and link = :link`);
const deleteState = query<{ tenant: number; root: string }>(
  `delete from states where tenant = :tenant and root = :root`,
);

/** States that belong to no stored link. */
const oldestState = query<Scope, { tenant: number; root: string; updated_at: number }>(`
  select s.tenant, s.root, s.updated_at from states s
  where (:tenant is null or s.tenant = :tenant)
  and not exists (select 1 from links l where l.tenant = s.tenant and l.link = s.link)
  order by s.updated_at limit 1`);

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
const deleteUsages = query<OfLink>(`delete from usages where tenant = :tenant and link = :link`);

const count = query<
  Scope,
  { sessions: number; messages: number; compactions: number; originals: number; bodies: number; bytes: number | null }
>(`
  select
    (select count(*) from sessions where :tenant is null or tenant = :tenant) as sessions,
    (select count(*) from links where :tenant is null or tenant = :tenant) as messages,
    (select count(*) from records where :tenant is null or tenant = :tenant) as compactions,
    (select count(*) from originals where :tenant is null or tenant = :tenant) as originals,
    (select count(*) from bodies where :tenant is null or tenant = :tenant) as bodies,
    (select sum(bytes) from bodies where :tenant is null or tenant = :tenant) as bytes`);

export function holdings(runner: Runner, tenantName: string | undefined): Holdings {
  const row = runner.first(count, scopeOf(runner, tenantName))!;
  return {
    sessions: row.sessions ?? 0,
    messages: row.messages ?? 0,
    compactions: row.compactions ?? 0,
    originals: row.originals ?? 0,
    bodies: row.bodies ?? 0,
    bytes: row.bytes ?? 0,
  };
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

/** One step: the newest of them, on which none stands. Answers with those that went; with none when all have. */
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
