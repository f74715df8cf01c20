/** Sessions as they are listed, and marked as used. */
import type { SessionEntry, SessionsQuery } from "../store.ts";
import { query } from "./query.ts";

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
export const listBranches = query<{ tenant: number; parent: string; limit: number }, SessionRow>(`
  select sessions.name, sessions.created_at, sessions.updated_at, heads.link as head, heads.position,
    parents.name as parent, forks.link as forked_at
  from sessions parents
  join sessions on sessions.parent = parents.id
  join links heads on heads.id = sessions.head
  left join links forks on forks.id = sessions.forked_at
  where parents.tenant = :tenant and parents.name = :parent
  order by sessions.updated_at desc, sessions.id desc
  limit :limit`);

export const listEntries = query<EntriesWanted, SessionRow>(`
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

export const updateSession = query<{ id: number; head: number; now: number }>(
  `update sessions set head = :head, updated_at = :now where id = :id`,
);

export const touchSession = query<{ id: number; now: number; before: number }>(
  `update sessions set updated_at = :now where id = :id and updated_at <= :before`,
);

/** A session that only repeats itself is marked as used at most this often, so that it does not always write. */
export const MARK_USE_EVERY_MS = 60_000;

export function entriesWanted(tenant: number, { limit, parent = null, prefix = "" }: SessionsOfParent): EntriesWanted {
  return { tenant, name: null, parent, prefix, limit };
}

type SessionsOfParent = Omit<SessionsQuery, "parent"> & { readonly parent?: string | null };

export function entryNamed(tenant: number, name: string): EntriesWanted {
  return { tenant, name, parent: null, prefix: "", limit: 1 };
}

export function sessionOf(row: SessionRow): SessionEntry {
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
