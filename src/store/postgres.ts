/**
 * History in a PostgreSQL database, which any number of gateways on any number of machines share. What is acknowledged is
 * committed; every later read sees it, from any gateway.
 */
import "../platform/refuse-old-node.ts";
import { piecesOf } from "./body.ts";
import { createGate, QUEUE_LIMITS, type QueueLimits } from "./gate.ts";
import { createLifetime } from "./lifetime.ts";
import { addMessages, piecesToAdd } from "./postgres/bodies.ts";
import { createDatabase, type Database, type Runner } from "./postgres/database.ts";
import { openJobs, type DatabaseJobs } from "./postgres/jobs.ts";
import { createPeriods, dropExpiredPeriods, type Periods } from "./postgres/periods.ts";
import { wrongKeyError, encryptedError, notEncryptedError } from "./refusals.ts";
import { appendChain, type FreshMessages, brokenLinks } from "./sql/chains.ts";
import { createHistoryCalls } from "./sql/history.ts";
import { NOTES, READS, WRITES, type Ask, type OwnOperations } from "./sql/operations.ts";
import { dropStaged, putOriginals, stagePieces } from "./sql/originals.ts";
import { deleteStep, retainStep } from "./sql/retention.ts";
import type { Steps } from "./sql/steps.ts";
import type { ClockOptions, HistoryStore, JobQueue } from "./store.ts";
import { KEY_BYTES, type Vault, opens, proofOf } from "./vault.ts";
import { query } from "./sql/query.ts";
import { newerSchemaError, olderSchemaError, noRoomError, readOnlyError } from "./postgres/failures.ts";
import { lockToDelete, lockToMigrate } from "./postgres/locks.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "./postgres/migrations.ts";
import { keyOf } from "./text-bytes.ts";

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
  const calls = createHistoryCalls(createAsk(parts, options.sizeBytesMax), parts);
  return {
    ...calls,
    retain: async (retention) => {
      // What was found before is in use, also where the mark of it is still on its way.
      await Promise.all(parts.marking);
      const { tenant, before, looseOnly = false } = retention;
      // A month has the conversations of all tenants.
      if (tenant === undefined && before !== undefined && !looseOnly)
        await parts.during(() => dropExpiredPeriods(database, before));
      return calls.retain(retention);
    },
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

type Write = <Answer>(work: (tables: Runner) => Steps<Answer>) => Promise<Answer>;

const WRITES_ROWS = { writes: true } as const;
type Own = {
  readonly [Name in keyof OwnOperations]: (
    tenant: string,
    argument: OwnOperations[Name][0],
  ) => Promise<OwnOperations[Name][1]>;
};
type AnyWork = (tables: Runner, tenant: string, argument: unknown) => Steps<unknown>;
type AnyOwn = (tenant: string, argument: unknown) => Promise<unknown>;

/** A note is one statement, and no reason for a transaction. */
const SINGLE = { ...READS, ...NOTES } as Readonly<Record<string, unknown>>;
const IN_TRANSACTION = WRITES as Readonly<Record<string, unknown>>;

function createAsk(parts: PostgresParts, sizeBytesMax: number | undefined): Ask {
  const { database } = parts;
  const write: Write = (work) => database.transaction((runner) => runner.answer(work(runner)), WRITES_ROWS);
  const own = createOwn(parts, write, sizeBytesMax) as Readonly<Record<string, unknown>>;
  return async (name, tenant, argument) => {
    const [ours, single, kept] = [own[name], SINGLE[name], IN_TRANSACTION[name]] as [AnyOwn?, AnyWork?, AnyWork?];
    if (ours !== undefined) return (await ours(tenant, argument)) as never;
    if (kept !== undefined) return (await write((tables) => kept(tables, tenant, argument))) as never;
    // A usage that is counted twice would be worse than one that is not counted.
    const answer = name === "putUsage" ? database.answerOnce : database.answer;
    return (await answer(single!(database, tenant, argument))) as never;
  };
}

function createOwn({ database, periods, jobs }: PostgresParts, write: Write, sizeBytesMax: number | undefined): Own {
  const deleting: Write = (work) =>
    database.transaction(async (runner) => {
      await runner.answer(lockToDelete());
      return runner.answer(work(runner));
    });
  return {
    append: async (tenant, end) => {
      const period = await periods.current();
      return database.transaction(async (runner) => {
        const add = (fresh: FreshMessages): Steps<void> => addMessages(runner.vault, fresh, period);
        const appended = await runner.answer(appendChain(runner, tenant, end, add));
        const link = end.entries.at(-1)?.link ?? end.after;
        if (appended !== undefined && end.job !== undefined && link !== undefined)
          await jobs?.enqueue(runner, appended.session, { tenant, link, data: end.job });
        return appended;
      }, WRITES_ROWS);
    },
    putOriginals: async (tenant, fresh) => {
      const period = await periods.current();
      const piecesAt = (vault: Vault, at: number) => piecesToAdd(vault, piecesOf(fresh.originals[at]!), period);
      return write((tables) => putOriginals(tables, tenant, fresh, (at) => piecesAt(tables.vault, at)));
    },
    stagePieces: async (tenant, some) => {
      const period = await periods.current();
      return write((tables) => stagePieces(tables, tenant, some, piecesToAdd(tables.vault, some.pieces, period).add));
    },
    dropStaged: (tenant, names) => deleting((tables) => dropStaged(tables, tenant, names)),
    retainStep: (_, retention) => deleting((tables) => retainStep(tables, retention, storedBytes)),
    deleteStep: (tenant, names) => deleting((tables) => deleteStep(tables, tenant, names)),
    size: () => size(database),
    check: () => check(database),
    checkWritable: (_, bytes) => checkWritable(database, { bytes, sizeBytesMax }),
    vacuum: () => vacuum(database),
  };
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

// What is asked of the database as a whole: whether it can be written to, whether it is sound, whether the key is its own.

/** Texts, compactions and states; what indexes take on top is the database's own business. */
const storedBytes = query<object, { bytes: number }>(`
  select (select coalesce(sum(bytes), 0) from bodies)
    + (select coalesce(sum(octet_length(record)), 0) from records)
    + (select coalesce(sum(octet_length(state)), 0) from states) as bytes`);

async function size(database: Database): Promise<number> {
  return (await database.first(storedBytes, {}))!.bytes;
}

/** A server that only follows another one reads only too. */
const isReadOnly = query<object, { refuses: boolean }>(`
  select current_setting('transaction_read_only') = 'on' as refuses`);

/** @throws what a write would. */
async function checkWritable(
  database: Database,
  { bytes, sizeBytesMax }: { readonly bytes: number; readonly sizeBytesMax: number | undefined },
): Promise<void> {
  if ((await database.first(isReadOnly, {}))!.refuses) throw readOnlyError(database.place);
  if (sizeBytesMax !== undefined && (await size(database)) + bytes > sizeBytesMax) throw noRoomError(database.place);
}

const readProof = query<object, { proof: Uint8Array }>(`select proof from encryption`);
const addProof = query<{ proof: Uint8Array }>(`insert into encryption values (1, :proof) on conflict do nothing`);
const hasTenants = query<object, { found: boolean }>(`select exists (select 1 from tenants) as found`);

/** Whether the database and the key belong together; a database without contents takes the key it is first opened with. */
async function checkKey(
  database: Database,
  { readOnly, hasKey }: { readonly readOnly: boolean; readonly hasKey: boolean },
): Promise<void> {
  const proof = await database.first(readProof, {});
  if (!hasKey) {
    if (proof !== undefined) throw encryptedError(database.place);
    return;
  }
  if (proof === undefined) {
    if (readOnly || (await database.first(hasTenants, {}))!.found) throw notEncryptedError(database.place);
    await database.run(addProof, { proof: proofOf(database.vault) });
  }
  if (!opens(database.vault, (await database.first(readProof, {}))!.proof)) throw wrongKeyError(database.place);
}

/** Tables that grow and shrink; partitions with them. */
const TABLES = "links, bodies, sessions, records, originals, original_pieces, record_originals, usages, states";

async function vacuum(database: Database): Promise<void> {
  await database.maintain(`vacuum (analyze) ${TABLES}`);
}

const bodiesAfter = query<
  { after: number; limit: number },
  { id: number; hash: Uint8Array; encoding: string; content: Uint8Array }
>(`
  select id, hash, encoding, content from bodies where id > :after order by id limit :limit`);
const missingBodies = query<object, { link: string }>(`
  select links.link from links
  left join bodies on bodies.period = links.period and bodies.id = links.body
  where bodies.id is null`);
const BODIES_AT_ONCE = 500;

/** One line a fault; none for a sound database. Reads the whole of it. */
async function check(database: Database): Promise<readonly string[]> {
  const faults: string[] = [];
  for (let after = 0; ;) {
    const rows = await database.all(bodiesAfter, { after, limit: BODIES_AT_ONCE });
    for (const { id, hash, encoding, content } of rows)
      if (!isWhat(database, { encoding, content, hash })) faults.push(`body ${id} does not match its hash`);
    if (rows.length < BODIES_AT_ONCE) break;
    after = rows.at(-1)!.id;
  }
  const [without, broken] = await database.transaction(
    async (runner) => [await runner.all(missingBodies, {}), await runner.all(brokenLinks, {})] as const,
    { long: true },
  );
  for (const { link } of without) faults.push(`link ${link} has no body`);
  for (const { link } of broken) faults.push(`link ${link} does not follow the one before it`);
  return faults;
}

interface Checked {
  readonly encoding: string;
  readonly content: Uint8Array;
  readonly hash: Uint8Array;
}

function isWhat({ vault }: Database, { encoding, content, hash }: Checked): boolean {
  try {
    return Buffer.compare(vault.keyed(keyOf(encoding, vault.open("body", content))), hash) === 0;
  } catch {
    // Damage to an encrypted body shows when it is opened.
    return false;
  }
}
