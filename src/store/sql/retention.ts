/** What is deleted, and how much is left: the longest unused first, never what something younger is on, in steps that are short transactions. */
import type { Holdings, Retention } from "../store.ts";
import { removeOriginal } from "./originals.ts";
import { query, type Query } from "./query.ts";
import { all, first, run, type Steps, type Tables } from "./steps.ts";
import { knownTenant } from "./tenants.ts";

type Scope = { readonly tenant: number | null };

/** Sessions that no other is on. */
const oldestSession = query<Scope, { id: number; updated_at: number }>(`
  select s.id, s.updated_at from sessions s
  where (cast(:tenant as integer) is null or s.tenant = :tenant)
  and not exists (select 1 from sessions where parent = s.id)
  and not exists (select 1 from sessions o join links h on h.id = o.head where h.session = s.id and o.id <> s.id)
  and not exists (
    select 1 from links c join links p on p.id = c.parent where p.session = s.id and c.session <> s.id)
  order by s.updated_at, s.id limit 1`);

/** Records of conversations that are not stored. */
const oldestRecord = query<Scope, { tenant: number; link: string; used_at: number }>(`
  select r.tenant, r.link, max(r.used_at) as used_at from records r
  where (cast(:tenant as integer) is null or r.tenant = :tenant)
  and not exists (select 1 from links l where l.tenant = r.tenant and l.link = r.link)
  group by r.tenant, r.link order by used_at limit 1`);

/** Originals that no record names. */
const oldestOriginal = query<Scope, { id: number; created_at: number }>(`
  select o.id, o.created_at from originals o
  where (cast(:tenant as integer) is null or o.tenant = :tenant) and not exists (
    select 1 from record_originals n join records r on r.id = n.record
    where n.recall_id = o.recall_id and r.tenant = o.tenant)
  order by o.created_at, o.id limit 1`);

/** States that belong to no stored link. */
const oldestState = query<Scope, { tenant: number; root: string; updated_at: number }>(`
  select s.tenant, s.root, s.updated_at from states s
  where (cast(:tenant as integer) is null or s.tenant = :tenant)
  and not exists (select 1 from links l where l.tenant = s.tenant and l.link = s.link)
  order by s.updated_at limit 1`);

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
export const deleteState = query<{ tenant: number; root: string }>(
  `delete from states where tenant = :tenant and root = :root`,
);
const deleteUsages = query<OfLink>(`delete from usages where tenant = :tenant and link = :link`);

const countAll = query<
  Scope,
  { sessions: number; messages: number; compactions: number; originals: number; bodies: number; bytes: number | null }
>(`
  select
    (select count(*) from sessions where cast(:tenant as integer) is null or tenant = :tenant) as sessions,
    (select count(*) from links where cast(:tenant as integer) is null or tenant = :tenant) as messages,
    (select count(*) from records where cast(:tenant as integer) is null or tenant = :tenant) as compactions,
    (select count(*) from originals where cast(:tenant as integer) is null or tenant = :tenant) as originals,
    (select count(*) from bodies where cast(:tenant as integer) is null or tenant = :tenant) as bodies,
    (select sum(bytes) from bodies where cast(:tenant as integer) is null or tenant = :tenant) as bytes`);

type Counted = { readonly [Name in keyof Holdings]: number | null };

function holdingsOf(row: Counted): Holdings {
  return {
    sessions: row.sessions ?? 0,
    messages: row.messages ?? 0,
    compactions: row.compactions ?? 0,
    originals: row.originals ?? 0,
    bodies: row.bodies ?? 0,
    bytes: row.bytes ?? 0,
  };
}

/** Sessions, records, originals and states that go in one step. */
const REMOVALS_A_STEP = 20;

/** Something that can go by itself. */
interface Unit {
  readonly usedAt: number;
  /** An original that belongs to no stored conversation. */
  readonly isLoose?: true;
  /** Answers with the size of the bodies that went. */
  readonly remove: () => Steps<number>;
}

/** Sessions by name, and all that depend on one of them: a branch, a fork without a message of its own, a message further on. */
const sessionsDependingOn = query<{ tenant: number; names: readonly string[] }, { id: number; name: string }>(
  `
  with recursive depending(id) as (
    select id from sessions where tenant = :tenant and name in (:names)
    union select b.id from depending join sessions b on b.parent = depending.id
    union select f.id from depending join links h on h.session = depending.id join sessions f on f.head = h.id
    union select c.session from depending join links p on p.session = depending.id join links c on c.parent = p.id)
  select sessions.id, sessions.name from depending join sessions on sessions.id = depending.id
  order by sessions.id desc`,
  `
  with recursive depending (id) as (
    select id from sessions where tenant = :tenant and name in (:names)
    union
    select more.id from depending
    cross join lateral (
      select id from sessions where parent = depending.id
      union all
      select forks.id from links join sessions forks on forks.head = links.id where links.session = depending.id
      union all
      select after.session from links join links after on after.period = links.period and after.parent = links.id
      where links.session = depending.id
    ) more (id))
  select sessions.id, sessions.name from depending join sessions on sessions.id = depending.id
  order by sessions.id desc`,
);

export function* holdings(tenant: string | undefined): Steps<Holdings> {
  return holdingsOf((yield* first(countAll, yield* scopeOf(tenant)))!);
}

function* scopeOf(tenant: string | undefined): Steps<Scope> {
  return { tenant: tenant === undefined ? null : yield* knownTenant(tenant) };
}

/** One step; true when there may be more to delete. `sizeQuery` tells what everything takes. */
export function* retainStep(
  tables: Tables,
  { tenant, before, maxBytes, maxFileBytes, looseBefore = -Infinity, looseOnly = false }: Retention,
  sizeQuery: Query<object, { bytes: number }>,
): Steps<boolean> {
  const scope = yield* scopeOf(tenant);
  let bytes = maxBytes === undefined ? 0 : (yield* holdings(tenant)).bytes;
  for (let removals = 0; removals < REMOVALS_A_STEP; removals++) {
    const units = (yield* oldestUnits(tables, scope, looseOnly)).toSorted((a, b) => a.usedAt - b.usedAt);
    const oldest = units[0];
    if (oldest === undefined) return false;
    const isTooOld = before !== undefined && oldest.usedAt < before;
    const isTooMuch = maxBytes !== undefined && bytes > maxBytes;
    if (!isTooOld && !isTooMuch) {
      if (maxFileBytes === undefined || (yield* first(sizeQuery, {}))!.bytes <= maxFileBytes) return false;
    }
    const loose = units.find(({ usedAt, isLoose }) => isLoose === true && usedAt < looseBefore);
    bytes -= yield* (isTooOld ? oldest : (loose ?? oldest)).remove();
  }
  return true;
}

/** The oldest of each kind. */
function* oldestUnits(tables: Tables, scope: Scope, looseOnly: boolean): Steps<readonly Unit[]> {
  const session = looseOnly ? undefined : yield* first(oldestSession, scope);
  const record = yield* first(oldestRecord, scope);
  const original = yield* first(oldestOriginal, scope);
  const state = looseOnly ? undefined : yield* first(oldestState, scope);
  return [
    session && { usedAt: session.updated_at, remove: () => removeSession(tables, session.id) },
    record && { usedAt: record.used_at, remove: () => removeRecords(tables, [record]) },
    original && {
      usedAt: original.created_at,
      isLoose: true as const,
      remove: () => removeOriginal(tables, original.id),
    },
    state && { usedAt: state.updated_at, remove: () => removeState(state) },
  ].filter((unit) => unit !== undefined);
}

export function* withBranches(tenant: string, names: readonly string[]): Steps<readonly string[]> {
  return (yield* dependentSessions(tenant, names)).map(({ name }) => name);
}

/** One step: the newest of them, on which no other depends. Answers with those that went; with none when all have. */
export function* deleteStep(tables: Tables, tenant: string, names: readonly string[]): Steps<readonly string[]> {
  const gone = (yield* dependentSessions(tenant, names)).slice(0, REMOVALS_A_STEP);
  for (const { id } of gone) yield* removeSession(tables, id);
  return gone.map(({ name }) => name);
}

function* dependentSessions(tenant: string, names: readonly string[]) {
  return yield* all(sessionsDependingOn, { tenant: yield* knownTenant(tenant), names });
}

function* removeState({ tenant, root }: { readonly tenant: number; readonly root: string }): Steps<number> {
  yield* run(deleteState, { tenant, root });
  return 0;
}

function* removeSession(tables: Tables, session: number): Steps<number> {
  const links = yield* all(linksOfSession, { session });
  yield* run(dropHead, { session });
  yield* run(deleteLinks, { session });
  yield* run(deleteSession, { session });
  for (const link of links) {
    yield* run(deleteUsages, link);
    yield* run(deleteStates, link);
  }
  const bytes = yield* removeRecords(tables, links);
  return bytes + (yield* tables.dropUnused(links.map(({ body }) => body)));
}

/** With the originals that only these records name. */
function* removeRecords(tables: Tables, links: readonly OfLink[]): Steps<number> {
  const originals = new Set<number>();
  for (const link of links) {
    for (const { id } of yield* all(originalsOfLink, link)) originals.add(id);
    yield* run(deleteNames, link);
    yield* run(deleteRecords, link);
    yield* run(deleteTombstones, link);
  }
  let bytes = 0;
  for (const id of originals)
    if ((yield* first(isNamed, { id })) === undefined) bytes += yield* removeOriginal(tables, id);
  return bytes;
}
