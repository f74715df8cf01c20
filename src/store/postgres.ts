/**
 * History in a PostgreSQL database, which any number of gateways on any number of machines share. What is acknowledged is
 * committed; every later read sees it, from any gateway.
 */
import "../platform/refuse-old-node.ts";
import { piecesOf } from "./body.ts";
import { createGate, QUEUE_LIMITS, type QueueLimits } from "./gate.ts";
import { createLifetime } from "./lifetime.ts";
import { addMessages, piecesToAdd } from "./postgres/bodies.ts";
import { check, checkKey, checkWritable, vacuum } from "./postgres/upkeep.ts";
import { createDatabase, type Database, type TransactionOptions, type Runner } from "./postgres/database.ts";
import { openJobs, type DatabaseJobs } from "./postgres/jobs.ts";
import { createPeriods, type Periods } from "./postgres/periods.ts";
import { deleteSessions, retain, size } from "./postgres/retention.ts";
import { wrongKeyError } from "./refusals.ts";
import { createAppendChain, type ChainTable } from "./sql/appending.ts";
import { createCompactionCalls } from "./sql/compactions.ts";
import { appendChain, type FreshMessages, countStored, readChain, readLinks } from "./sql/chains.ts";
import { getOriginal, newOriginals, putOriginals } from "./sql/originals.ts";
import { findRecord, listRecords, putRecord, readRecord, touchRecords, undoRecord } from "./sql/compaction-records.ts";
import { holdings, withBranches } from "./sql/retention.ts";
import { searchMessages, searchOriginals } from "./sql/search.ts";
import { getSession, listSessions } from "./sql/sessions.ts";
import type { Steps, Tables } from "./sql/steps.ts";
import { listTenants } from "./sql/tenants.ts";
import { findUsage, getState, listUsage, putState, putUsage } from "./sql/usage.ts";
import type { ClockOptions, HistoryStore, JobQueue } from "./store.ts";
import { KEY_BYTES, type Vault } from "./vault.ts";
import { query } from "./sql/query.ts";
import { newerSchemaError, olderSchemaError } from "./postgres/failures.ts";
import { lockToMigrate } from "./postgres/locks.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "./postgres/migrations.ts";

export interface PostgresOptions extends ClockOptions {
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with the parameters that the driver `pg` knows. */
  readonly url: string;
  /** Connections at most, from this process. Default 10. */
  readonly connections?: number;
  /** How long the database may take for one statement, in milliseconds. Default 30,000. */
  readonly statementTimeoutMs?: number;
  /** How long a database that cannot be reached is tried again before a call fails, in milliseconds. Default 10,000. */
  readonly connectTimeoutMs?: number;
  /** True: nothing is written, and the tables have to be there. */
  readonly readOnly?: boolean;
  /** 32 bytes that nobody else has: bodies, compactions, states and labels are encrypted with them before they are sent. */
  readonly key?: Uint8Array;
  /** Once texts, compactions and states take that much, `checkWritable` fails with `store_full`. No limit by default. */
  readonly sizeBytesMax?: number;
  /** True: compactions that are due are jobs in a queue (`jobs` of the store), which pg-boss keeps in a schema of its own. */
  readonly jobs?: boolean;
  /** What may be under way and waiting at once. */
  readonly queue?: Partial<QueueLimits>;
}

const CONNECTIONS = 10;
const STATEMENT_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;

type During = ReturnType<typeof createLifetime>["during"];

interface PostgresParts {
  readonly database: Database;
  readonly periods: Periods;
  readonly now: () => number;
  readonly readOnly: boolean;
  readonly jobs: DatabaseJobs | undefined;
  /** Records that are being marked as used. */
  readonly marking: Set<Promise<void>>;
  /** Waits until there is room for that many bytes more. */
  readonly during: During;
}

/** The database at our schema, with the key that belongs to it. */
async function openDatabase(options: PostgresOptions): Promise<Database> {
  const { url, key, readOnly = false } = options;
  const { connections = CONNECTIONS, statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const { connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  const database = createDatabase({ url, readOnly, connections, statementTimeoutMs, connectTimeoutMs, ...keyed(key) });
  try {
    if (key !== undefined && key.length !== KEY_BYTES) throw wrongKeyError(database.place);
    await prepareSchema(database, readOnly);
    await checkKey(database, { readOnly, hasKey: key !== undefined });
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

/**
 * Opens a history in a PostgreSQL database.
 *
 * @throws PrecisError as docs/store.md lists them.
 */
export async function openPostgresStore(options: PostgresOptions): Promise<HistoryStore> {
  const { readOnly = false, now = Date.now } = options;
  const database = await openDatabase(options);
  const { during, end } = createLifetime();
  const jobs = options.jobs === true && !readOnly ? await openQueue(database, options, now) : undefined;
  const parts = {
    database,
    jobs,
    periods: createPeriods(database, now),
    marking: new Set<Promise<void>>(),
    now,
    readOnly,
    during: queued(during, options.queue),
  };
  return {
    ...createReads(parts),
    ...createWrites(parts),
    ...createUpkeep(parts, options.sizeBytesMax),
    ...(jobs === undefined ? {} : { jobs: queueOf(jobs, parts.during) }),
    close: () =>
      end(async () => {
        await jobs?.close();
        await database.close();
      }),
  };
}

async function openQueue(database: Database, options: PostgresOptions, now: () => number): Promise<DatabaseJobs> {
  const { url, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  try {
    return await openJobs(database, { url, connectTimeoutMs, now });
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Queries as any other; the work itself is not a query. */
function queueOf({ work, putPrepared, findPrepared, dropPrepared }: DatabaseJobs, during: During): JobQueue {
  return {
    work,
    putPrepared: (tenant, compaction) => during(() => putPrepared(tenant, compaction)),
    findPrepared: (tenant, links) => during(() => findPrepared(tenant, links)),
    dropPrepared: (tenant, covers) => during(() => dropPrepared(tenant, covers)),
  };
}

function keyed(key: Uint8Array | undefined): { readonly key?: Uint8Array } {
  return key === undefined ? {} : { key };
}

/** The driver's own queue has no end. */
function queued(during: During, limits: Partial<QueueLimits> = {}): During {
  const gate = createGate({ ...QUEUE_LIMITS, ...limits });
  return (run) =>
    during(async () => {
      await gate.enter(0);
      try {
        return await run();
      } finally {
        gate.leave(0);
      }
    });
}

function createReads({ database, during }: PostgresParts) {
  const answer = <Answer>(steps: Steps<Answer>): Promise<Answer> => during(() => database.answer(steps));
  return {
    getOriginal: (tenant, id) => answer(getOriginal(database, tenant, id)),
    search: (tenant, words, limit, scope) => answer(searchOriginals(database, tenant, { ...scope, words, limit })),
    readChain: (tenant, link) => answer(readChain(database, tenant, link)),
    readLinks: (tenant, link) => answer(readLinks(tenant, link)),
    isStored: async (tenant, link) => (await answer(countStored(tenant, [link]))) > 0,
    listTenants: () => answer(listTenants()),
    listSessions: (tenant, asked) => answer(listSessions(tenant, asked)),
    getSession: (tenant, id) => answer(getSession(tenant, id)),
    searchMessages: (tenant, words, limit, scope) =>
      answer(searchMessages(database, tenant, { ...scope, words, limit })),
    findUsage: (tenant, links) => answer(findUsage(tenant, links)),
    listUsage: (tenant, links) => answer(listUsage(tenant, links)),
    getState: async (tenant, root) => {
      const state = await answer(getState(database, tenant, root));
      return state === undefined ? undefined : (JSON.parse(state) as unknown);
    },
    holdings: (tenant) => answer(holdings(tenant)),
    withBranches: (tenant, ids) => answer(withBranches(tenant, ids)),
  } satisfies Partial<HistoryStore>;
}

type Write = <Answer>(work: (tables: Tables) => Steps<Answer>, how?: TransactionOptions) => Promise<Answer>;

function createWrites(parts: PostgresParts) {
  const { database, periods, jobs, now, during } = parts;
  const write: Write = (work, how) => database.transaction((runner) => runner.answer(work(runner)), how);
  const append: ChainTable["append"] = async (tenant, end) => {
    const period = await periods.current();
    return database.transaction(async (runner) => {
      const add = (fresh: FreshMessages): Steps<number> => addMessages(runner.vault, fresh, period);
      const appended = await runner.answer(appendChain(runner, tenant, end, add));
      const link = end.entries.at(-1)?.link ?? end.after;
      if (appended !== undefined && end.job !== undefined && link !== undefined)
        await jobs?.enqueue(runner, appended.session, { tenant, link, data: end.job });
      return appended;
    });
  };
  return {
    ...createCompactionCalls(
      {
        put: (tenant, fresh) => write((tables) => putRecord(tables, tenant, fresh)),
        find: (tenant, asked) => database.answer(findRecord(tenant, asked)),
        list: (tenant, links) => database.answer(listRecords(tenant, links)),
        read: (_, id) => database.answer(readRecord(database, id)),
        touch: (tenant, used) => database.answer(touchRecords(tenant, used)),
      },
      parts,
    ),
    appendChain: createAppendChain(
      { countStored: (tenant, links) => database.answer(countStored(tenant, links)), append },
      parts,
    ),
    undoCompaction: (tenant, link) => during(() => write((tables) => undoRecord(tables, tenant, { link, now: now() }))),
    putOriginals: (tenant, originals) =>
      during(async () => {
        const fresh = newOriginals(originals, now());
        const period = await periods.current();
        const piecesAt = (vault: Vault, at: number) => piecesToAdd(vault, piecesOf(fresh.originals[at]!), period);
        return write((tables) => putOriginals(tables, tenant, fresh, (at) => piecesAt(tables.vault, at)));
      }),
    // Counted twice would be worse than not at all.
    putUsage: (tenant, usage) => during(() => write(() => putUsage(tenant, usage), { once: true })),
    putState: (tenant, root, state) =>
      during(() => write((tables) => putState(tables, tenant, { root, state: JSON.stringify(state), now: now() }))),
  } satisfies Partial<HistoryStore>;
}

function createUpkeep({ database, marking, during }: PostgresParts, sizeBytesMax: number | undefined) {
  return {
    checkWritable: (bytes = 0) => during(() => checkWritable(database, { bytes, sizeBytesMax })),
    size: () => during(() => size(database)),
    deleteSessions: (tenant, ids) => during(() => deleteSessions(database, tenant, ids)),
    retain: async (retention) => {
      // What was found before is in use, also where the mark of it is still on its way.
      await Promise.all(marking);
      return during(() => retain(database, retention));
    },
    vacuum: () => during(() => vacuum(database)),
    check: () => during(() => check(database)),
  } satisfies Partial<HistoryStore>;
}

/** Brings a database to our schema, once, by the first process that opens it; and the partitions of a month before it is written to. */
const hasMigrations = query<object, { found: boolean }>(`
  select to_regclass('migrations') is not null as found`);
const createMigrations = query<object>(`
  create table if not exists migrations (
    position integer primary key, name text not null, compatible_with integer not null, applied_at bigint not null)`);
const lastMigration = query<object, { position: number; compatible_with: number }>(`
  select position, compatible_with from migrations order by position desc limit 1`);
const addMigration = query<{ position: number; name: string; compatibleWith: number; now: number }>(`
  insert into migrations (position, name, compatible_with, applied_at)
  values (:position, :name, :compatibleWith, :now)`);

interface Found {
  readonly version: number;
  readonly compatibleWith: number;
}

/** @throws PrecisError `store_newer`, and `store_older` where it may not be changed. */
async function prepareSchema(database: Database, readOnly: boolean): Promise<void> {
  const { version } = await foundSchema(database, database.place);
  if (version >= SCHEMA_VERSION) return;
  if (readOnly) throw olderSchemaError(database.place, version);
  await database.transaction(
    async (runner) => {
      await runner.answer(lockToMigrate());
      await runner.run(createMigrations, {});
      const { version: before } = await foundSchema(runner, database.place);
      for (const { name, compatibleWith, sql } of MIGRATIONS.slice(before)) {
        await runner.script(sql);
        const position = MIGRATIONS.findIndex((one) => one.name === name) + 1;
        await runner.run(addMigration, { position, name, compatibleWith, now: Date.now() });
      }
    },
    { long: true },
  );
}

/** A database that a newer program has upgraded can still be used where that program says so. */
async function foundSchema(runner: Runner, place: string): Promise<Found> {
  const { found } = (await runner.first(hasMigrations, {}))!;
  const last = found ? await runner.first(lastMigration, {}) : undefined;
  if (last === undefined) return { version: 0, compatibleWith: 0 };
  const { position, compatible_with: compatibleWith } = last;
  if (position > SCHEMA_VERSION && compatibleWith > SCHEMA_VERSION)
    throw newerSchemaError(place, position, SCHEMA_VERSION);
  return { version: position, compatibleWith };
}
