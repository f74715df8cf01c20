/** Sessions: the newest link of a line of conversation, and the session that a branch left. */
import type { SessionEntry, SessionsQuery } from "../store.ts";
import { query } from "../sql/query.ts";
import {
  entriesWanted,
  entryNamed,
  listBranches,
  listEntries,
  MARK_USE_EVERY_MS,
  sessionOf,
  touchSession,
  updateSession,
} from "../sql/sessions.ts";
import type { Runner } from "./query.ts";
import { knownTenant } from "./tenants.ts";

/** Where a chain comes before its new messages are stored. */
interface ChainPosition {
  readonly name: string | undefined;
  /** The last message that was known before, and its session. */
  readonly last:
    | { readonly id: number; readonly session: number; readonly name: string; readonly head: number | null }
    | undefined;
  /** The first that was not. */
  readonly next: string | undefined;
  readonly now: number;
}

const findByName = query<{ tenant: number; name: string }, { id: number; name: string }>(
  `select id, name from sessions where tenant = :tenant and name = :name`,
);

const addSession = query<{
  tenant: number;
  name: string;
  parent: number | null;
  forkedAt: number | null;
  now: number;
}>(`
  insert into sessions (tenant, name, parent, forked_at, head, created_at, updated_at)
  values (:tenant, :name, :parent, :forkedAt, null, :now, :now)`);

const firstLink = query<{ session: number }, { link: string }>(
  `select link from links where session = :session order by id limit 1`,
);

const renameSession = query<{ session: number; name: string }>(`update sessions set name = :name where id = :session`);

/** The session that a chain goes on with: the one it names, the one whose head it continues, or a new branch. */
export function sessionFor(
  runner: Runner,
  tenant: number,
  place: ChainPosition,
): { readonly id: number; readonly name: string } {
  const { last, next, now } = place;
  if (place.name === undefined && last !== undefined && (next === undefined || last.head === last.id))
    return { id: last.session, name: last.name };
  const name = place.name ?? next!;
  const standing = runner.first(findByName, { tenant, name });
  if (standing !== undefined && !(last !== undefined && renamedForLater(runner, standing.id, last.session)))
    return standing;
  const from = { parent: last?.session ?? null, forkedAt: last?.id ?? null };
  return { id: runner.run(addSession, { tenant, name, ...from, now }).id, name };
}

/**
 * Whether a name has moved on to a later conversation than the session that has it. That session then goes by its first
 * message, as sessions without a name do. So a session depends only on earlier ones, and no two on each other.
 */
function renamedForLater(runner: Runner, session: number, onto: number): boolean {
  if (onto <= session) return false;
  const first = runner.first(firstLink, { session });
  if (first === undefined) return false;
  runner.run(renameSession, { session, name: `${first.link}~${session}` });
  return true;
}

/** Marks a session as used; without a head, it keeps the one it has. */
export function moveHead(runner: Runner, { id, head, now }: { id: number; head: number | null; now: number }): void {
  if (head === null) runner.run(touchSession, { id, now, before: now - MARK_USE_EVERY_MS });
  else runner.run(updateSession, { id, head, now });
}

export function listSessions(runner: Runner, tenant: string, asked: SessionsQuery): readonly SessionEntry[] {
  const known = knownTenant(runner, tenant);
  const { parent, prefix = "", limit } = asked;
  if (parent !== undefined && prefix === "")
    return runner.all(listBranches, { tenant: known, parent, limit }).map(sessionOf);
  return runner.all(listEntries, entriesWanted(known, asked)).map(sessionOf);
}

export function getSession(runner: Runner, tenant: string, id: string): SessionEntry | undefined {
  return runner.all(listEntries, entryNamed(knownTenant(runner, tenant), id)).map(sessionOf)[0];
}
