/**
 * The month in which a conversation began. All its messages and their bodies are in the partitions of that month, so that a
 * month that nobody uses any more goes by dropping its partitions.
 */
import { query } from "../sql/query.ts";
import type { Database, Runner } from "./database.ts";
import { lockToDelete, lockToMigrate } from "./locks.ts";

/** Tables that have a partition a month. */
const PARTITIONED = ["links", "bodies"] as const;

const partitions = query<object, { period: number }>(`
  select cast(substring(child.relname from '[0-9]+$') as integer) as period
  from pg_inherits
  join pg_class child on child.oid = inhrelid
  where inhparent = to_regclass('links')
  order by period`);

/** Of a time in milliseconds since the epoch: 202611 is November 2026, in UTC. */
function periodOf(time: number): number {
  const date = new Date(time);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
}

export interface Periods {
  /** The period of now; its partitions are there when this resolves. */
  readonly current: () => Promise<number>;
}

export function createPeriods(database: Database, now: () => number): Periods {
  const made = new Map<number, Promise<number>>();
  const make = (period: number): Promise<number> => {
    const known = made.get(period);
    if (known !== undefined) return known;
    const making = makePartitions(database, period).then(() => period);
    made.set(period, making);
    // The next caller tries again.
    making.catch(() => made.delete(period));
    return making;
  };
  return { current: () => make(periodOf(now())) };
}

async function makePartitions(database: Database, period: number): Promise<void> {
  if ((await periodsOf(database)).includes(period)) return;
  await database.transaction(async (runner) => {
    await runner.answer(lockToMigrate());
    if ((await periodsOf(runner)).includes(period)) return;
    // Attached rather than made in its place, which would lock out everybody who reads or writes.
    for (const table of PARTITIONED)
      await runner.script(`create table ${table}_${period} (like ${table} including all);
        alter table ${table} attach partition ${table}_${period} for values in (${period})`);
  });
}

/** Oldest first. */
async function periodsOf(runner: Runner): Promise<readonly number[]> {
  return (await runner.all(partitions, {})).map(({ period }) => period);
}

/** Whether no session that has a message of this period was used since. */
const isExpired = query<{ period: number; before: number }, { expired: boolean }>(`
  select not exists (
    select 1 from sessions
    where updated_at >= :before and (
      exists (select 1 from links where links.period = :period and links.session = sessions.id)
      or exists (select 1 from links where links.period = :period and links.id = sessions.head))
  ) as expired`);

const endSessions = query<{ sessions: readonly number[] }>(`
  update sessions set head = null where id = any(:sessions::bigint[])`);

/** What goes with the messages of a period, in an order that no reference is left. */
const DELETIONS = [
  `delete from usages using links
    where links.period = :period and links.tenant = usages.tenant and links.link = usages.link`,
  `delete from states using links
    where links.period = :period and links.tenant = states.tenant and links.link = states.link`,
  `delete from tombstones using links
    where links.period = :period and links.tenant = tombstones.tenant and links.link = tombstones.link`,
  `delete from record_originals using records, links
    where records.id = record_originals.record
    and links.period = :period and links.tenant = records.tenant and links.link = records.link`,
  `delete from records using links
    where links.period = :period and links.tenant = records.tenant and links.link = records.link`,
].map((sql) => query<{ period: number }>(sql));

const sessionsOf = query<{ period: number }, { session: number }>(`
  select session from links where period = :period
  union select sessions.id from sessions join links on links.id = sessions.head where links.period = :period`);
const deleteEmptySessions = query<{ sessions: readonly number[] }>(`
  delete from sessions
  where id = any(:sessions::bigint[]) and not exists (select 1 from links where links.session = sessions.id)`);
const forgetParents = query<{ sessions: readonly number[] }>(`
  update sessions set parent = null where parent = any(:sessions::bigint[])`);
const keepsPieces = query<{ period: number }, { keeps: boolean }>(`
  select exists (select 1 from original_pieces where period = :period) as keeps`);

/** Drops the months of which nothing was used since `before`; one that any session still needs stays as it is. */
export async function dropExpiredPeriods(database: Database, before: number): Promise<void> {
  for (const period of await periodsOf(database)) {
    if (period >= periodOf(before)) return;
    await database.transaction((runner) => dropExpired(runner, { period, before }), { long: true });
  }
}

async function dropExpired(
  runner: Runner,
  expiry: { readonly period: number; readonly before: number },
): Promise<void> {
  const { period } = expiry;
  await runner.answer(lockToDelete());
  if ((await runner.first(isExpired, expiry))?.expired !== true) return;
  const sessions = (await runner.all(sessionsOf, { period })).map(({ session }) => session);
  await runner.run(endSessions, { sessions });
  for (const deletion of DELETIONS) await runner.run(deletion, { period });
  await runner.script(`drop table links_${period}`);
  await runner.run(forgetParents, { sessions });
  await runner.run(deleteEmptySessions, { sessions });
  const { keeps } = (await runner.first(keepsPieces, { period }))!;
  // Bodies that originals still need go one by one, when the originals do.
  if (keeps) {
    await runner.script(`create table links_${period} partition of links for values in (${period})`);
    await runner.run(deleteUnusedBodies, { period });
  } else await runner.script(`drop table bodies_${period}`);
}

const deleteUnusedBodies = query<{ period: number }>(`
  delete from bodies
  where period = :period
  and not exists (select 1 from original_pieces where period = :period and body = bodies.id)`);
