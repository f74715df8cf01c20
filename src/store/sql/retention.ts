/** What retention looks at, the longest unused of each kind, and what it deletes; and how much there is. */
import type { Holdings } from "../store.ts";
import { query } from "./query.ts";

export type Scope = { readonly tenant: number | null };

/** Sessions that no other is on. */
export const oldestSession = query<Scope, { id: number; updated_at: number }>(`
  select s.id, s.updated_at from sessions s
  where (cast(:tenant as integer) is null or s.tenant = :tenant)
  and not exists (select 1 from sessions where parent = s.id)
  and not exists (select 1 from sessions o join links h on h.id = o.head where h.session = s.id and o.id <> s.id)
  and not exists (
    select 1 from links c join links p on p.id = c.parent where p.session = s.id and c.session <> s.id)
  order by s.updated_at, s.id limit 1`);

/** Records of conversations that are not stored. */
export const oldestRecord = query<Scope, { tenant: number; link: string; used_at: number }>(`
  select r.tenant, r.link, max(r.used_at) as used_at from records r
  where (cast(:tenant as integer) is null or r.tenant = :tenant)
  and not exists (select 1 from links l where l.tenant = r.tenant and l.link = r.link)
  group by r.tenant, r.link order by used_at limit 1`);

/** Originals that no record names. */
export const oldestOriginal = query<Scope, { id: number; created_at: number }>(`
  select o.id, o.created_at from originals o
  where (cast(:tenant as integer) is null or o.tenant = :tenant) and not exists (
    select 1 from record_originals n join records r on r.id = n.record
    where n.recall_id = o.recall_id and r.tenant = o.tenant)
  order by o.created_at, o.id limit 1`);

/** States that belong to no stored link. */
export const oldestState = query<Scope, { tenant: number; root: string; updated_at: number }>(`
  select s.tenant, s.root, s.updated_at from states s
  where (cast(:tenant as integer) is null or s.tenant = :tenant)
  and not exists (select 1 from links l where l.tenant = s.tenant and l.link = s.link)
  order by s.updated_at limit 1`);

export const linksOfSession = query<{ session: number }, { tenant: number; link: string; body: number }>(
  `select tenant, link, body from links where session = :session`,
);
export const dropHead = query<{ session: number }>(`update sessions set head = null where id = :session`);
export const deleteLinks = query<{ session: number }>(`delete from links where session = :session`);
export const deleteSession = query<{ session: number }>(`delete from sessions where id = :session`);

export type OfLink = { readonly tenant: number; readonly link: string };

export const originalsOfLink = query<OfLink, { id: number }>(`
  select distinct o.id from records
  join record_originals on record_originals.record = records.id
  join originals o on o.tenant = records.tenant and o.recall_id = record_originals.recall_id
  where records.tenant = :tenant and records.link = :link`);
export const isNamed = query<{ id: number }, { id: number }>(`
  select o.id from originals o
  where o.id = :id and exists (
    select 1 from record_originals n join records r on r.id = n.record
    where n.recall_id = o.recall_id and r.tenant = o.tenant)`);
export const deleteNames = query<OfLink>(`
  delete from record_originals
  where record in (select id from records where tenant = :tenant and link = :link)`);
export const deleteRecords = query<OfLink>(`delete from records where tenant = :tenant and link = :link`);
export const deleteTombstones = query<OfLink>(`delete from tombstones where tenant = :tenant and link = :link`);
export const deleteStates = query<OfLink>(`delete from states where tenant = :tenant and link = :link`);
export const deleteState = query<{ tenant: number; root: string }>(
  `delete from states where tenant = :tenant and root = :root`,
);
export const deleteUsages = query<OfLink>(`delete from usages where tenant = :tenant and link = :link`);

export const countAll = query<
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

export function holdingsOf(row: Counted): Holdings {
  return {
    sessions: row.sessions ?? 0,
    messages: row.messages ?? 0,
    compactions: row.compactions ?? 0,
    originals: row.originals ?? 0,
    bodies: row.bodies ?? 0,
    bytes: row.bytes ?? 0,
  };
}
