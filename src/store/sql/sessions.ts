/** Sessions as they are listed, and marked as used. */
import type { SessionEntry, SessionsQuery } from "../store.ts";
import { query } from "./query.ts";
import { all, first, run, type Steps } from "./steps.ts";
import { knownTenant } from "./tenants.ts";

interface EntriesWanted {
  readonly tenant: number;
  readonly name: string | null;
  readonly parent: string | null;
  readonly prefix: string;
  readonly limit: number;
}

interface SessionRow {
  name: string;
  created_at: number;
  updated_at: number;
  head: string;
  position: number;
  parent: string | null;
  forked_at: string | null;
}

/** The same as below for a parent alone, found by an index and not by looking at every session. */
const listBranches = query<{ tenant: number; parent: string; limit: number }, SessionRow>(`
  select sessions.name, sessions.created_at, sessions.updated_at, heads.link as head, heads.position,
    parents.name as parent, forks.link as forked_at
  from sessions parents
  join sessions on sessions.parent = parents.id
  join links heads on heads.id = sessions.head
  left join links forks on forks.id = sessions.forked_at
  where parents.tenant = :tenant and parents.name = :parent
  order by sessions.updated_at desc, sessions.id desc
  limit :limit`);

const listEntries = query<EntriesWanted, SessionRow>(`
  select sessions.name, sessions.created_at, sessions.updated_at, heads.link as head, heads.position,
    parents.name as parent, forks.link as forked_at
  from sessions
  join links heads on heads.id = sessions.head
  left join sessions parents on parents.id = sessions.parent
  left join links forks on forks.id = sessions.forked_at
  where sessions.tenant = :tenant and (cast(:name as text) is null or sessions.name = :name)
  and (cast(:parent as text) is null or parents.name = :parent)
  and substr(sessions.name, 1, length(cast(:prefix as text))) = :prefix
  order by sessions.updated_at desc, sessions.id desc
  limit :limit`);

const updateSession = query<{ id: number; head: number; now: number }>(
  `update sessions set head = :head, updated_at = :now where id = :id`,
);

const touchSession = query<{ id: number; now: number; before: number }>(
  `update sessions set updated_at = :now where id = :id and updated_at <= :before`,
);

/** A session that only repeats itself is marked as used at most this often, so that it does not always write. */
const MARK_USE_EVERY_MS = 60_000;

function sessionOf(row: SessionRow): SessionEntry {
  return {
    id: row.name,
    head: row.head,
    messages: row.position + 1,
    ...(row.parent === null ? {} : { parent: row.parent }),
    ...(row.forked_at === null ? {} : { forkedAt: row.forked_at }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function* listSessions(tenantName: string, asked: SessionsQuery): Steps<readonly SessionEntry[]> {
  const tenant = yield* knownTenant(tenantName);
  const { parent, prefix = "", limit } = asked;
  const rows =
    parent !== undefined && prefix === ""
      ? yield* all(listBranches, { tenant, parent, limit })
      : yield* all(listEntries, { tenant, name: null, parent: parent ?? null, prefix, limit });
  return rows.map(sessionOf);
}

export function* getSession(tenant: string, name: string): Steps<SessionEntry | undefined> {
  const wanted = { tenant: yield* knownTenant(tenant), name, parent: null, prefix: "", limit: 1 };
  return (yield* all(listEntries, wanted)).map(sessionOf)[0];
}

/** A message that is stored, and its session. */
export interface KnownLink {
  readonly id: number;
  readonly link: string;
  readonly position: number;
  readonly session: number;
  readonly head: number | null;
  readonly name: string;
}

export interface StoredLink extends KnownLink {
  /** In PostgreSQL. */
  readonly period?: number;
}

/** What a session is chosen by: the client's name for it, the last message that was known before, the link of the first that was not. */
interface ChainPosition {
  readonly now: number;
  readonly name: string | undefined;
  readonly last: StoredLink | undefined;
  readonly next: string | undefined;
}

interface SessionName {
  readonly id: number;
  readonly name: string;
}

const findByName = query<{ tenant: number; name: string }, SessionName>(
  `select id, name from sessions where tenant = :tenant and name = :name`,
);

const addSession = query<
  { tenant: number; name: string; parent: number | null; forkedAt: number | null; now: number },
  SessionName
>(`
  insert into sessions (tenant, name, parent, forked_at, head, created_at, updated_at)
  values (:tenant, :name, :parent, :forkedAt, null, :now, :now)
  returning id, name`);

/** By its first message, as sessions without a name are called. */
const renameByFirstLink = query<{ session: number }>(`
  update sessions set name = (select link from links where session = :session order by id limit 1) || '~' || id
  where id = :session and exists (select 1 from links where session = :session)`);

/** The session that a chain goes on with: the one it names, the one whose head it continues, or a new branch. */
export function* sessionFor(tenant: number, place: ChainPosition): Steps<SessionName> {
  const { last, next, now } = place;
  const goesOn = last !== undefined && (next === undefined || last.head === last.id);
  if (place.name === undefined && goesOn) return { id: last.session, name: last.name };
  const name = place.name ?? next!;
  const known = yield* first(findByName, { tenant, name });
  // A name that has moved on to a later conversation leaves the earlier one: a session depends only on earlier ones.
  const isTaken =
    known !== undefined &&
    last !== undefined &&
    last.session > known.id &&
    (yield* run(renameByFirstLink, { session: known.id })) > 0;
  if (known !== undefined && !isTaken) return known;
  const branch = { parent: last?.session ?? null, forkedAt: last?.id ?? null };
  return (yield* first(addSession, { tenant, name, now, ...branch }))!;
}

/** Marks a session as used; without a head, it keeps the one it has. */
export function* moveHead({ id, head, now }: { id: number; head: number | null; now: number }): Steps<void> {
  if (head === null) yield* run(touchSession, { id, now, before: now - MARK_USE_EVERY_MS });
  else yield* run(updateSession, { id, head, now });
}
