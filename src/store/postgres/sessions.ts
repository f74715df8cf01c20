/** Sessions: the newest link of a line of conversation, and the session that a branch left. */
import { query } from "../sql/query.ts";
import { MARK_USE_EVERY_MS, touchSession, updateSession } from "../sql/sessions.ts";
import type { Runner } from "./database.ts";

/** A message that is stored, and its session. */
export interface StoredLink {
  readonly id: number;
  readonly period: number;
  readonly link: string;
  readonly position: number;
  readonly session: number;
  readonly head: number | null;
  readonly name: string;
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
  update sessions set name = first.link || '~' || sessions.id
  from (select link from links where session = :session order by id limit 1) first
  where sessions.id = :session`);

/** The session that a chain goes on with: the one it names, the one whose head it continues, or a new branch. */
export async function sessionFor(runner: Runner, tenant: number, place: ChainPosition): Promise<SessionName> {
  const { last, next, now } = place;
  const goesOn = last !== undefined && (next === undefined || last.head === last.id);
  if (place.name === undefined && goesOn) return { id: last.session, name: last.name };
  const name = place.name ?? next!;
  const known = await runner.first(findByName, { tenant, name });
  // A name that has moved on to a later conversation leaves the earlier one: a session depends only on earlier ones.
  const isTaken =
    known !== undefined &&
    last !== undefined &&
    last.session > known.id &&
    (await runner.run(renameByFirstLink, { session: known.id })) > 0;
  if (known !== undefined && !isTaken) return known;
  const branch = { parent: last?.session ?? null, forkedAt: last?.id ?? null };
  return (await runner.first(addSession, { tenant, name, now, ...branch }))!;
}

/** Marks a session as used; without a head, it keeps the one it has. */
export async function moveHead(
  runner: Runner,
  { id, head, now }: { readonly id: number; readonly head: number | null; readonly now: number },
): Promise<void> {
  await (head === null
    ? runner.run(touchSession, { id, now, before: now - MARK_USE_EVERY_MS })
    : runner.run(updateSession, { id, head, now }));
}
