/**
 * The queue of jobs in the database, kept by pg-boss in a schema beside ours: one job a session waits and one runs, one that
 * fails is tried again with growing pauses, and one whose worker died is given to another. https://pgboss.io
 */
import { hash } from "node:crypto";
import type { PgBoss } from "pg-boss";
import { query } from "../sql/query.ts";
import type { Job, JobQueue, JobWork } from "../store.ts";
import type { Database, Runner } from "./database.ts";
import { isAway, isConflict, jobsUnavailable, storeError } from "./failures.ts";
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import type { Compaction } from "../../core/compaction/compaction.ts";
import { decodeCompaction, encodeCompaction } from "../record.ts";
import { fromTheEnd } from "../sql/chains.ts";
import { deleteState } from "../sql/retention.ts";
import { knownTenant } from "../sql/tenants.ts";
import { putState } from "../sql/usage.ts";

const QUEUE = "compactions";
/** Between a failure and the next attempt, doubled each time. */
const RETRY_SECONDS = 5;
const RETRY_SECONDS_MAX = 300;
const RETRIES_MAX = 5;
/** A worker that is not heard of for so long is taken for dead; dead ones are looked for as often as this. */
const HEARTBEAT_SECONDS = 15;
const SUPERVISE_SECONDS = 10;
/** A job may run so long, wait so long, and is remembered so long. */
const RUN_SECONDS_MAX = 15 * 60;
const WAIT_SECONDS_MAX = 24 * 60 * 60;
const KEPT_SECONDS_MAX = 60 * 60;
/** Workers are told of a job; they ask by themselves where they cannot be told. */
const POLL_SECONDS = 1;
/** A stop waits so long for what runs to end. */
const STOP_MS_MAX = 5_000;
const ENQUEUE_CONNECTIONS = 1;
const WORK_CONNECTIONS = 2;
/** What pg-boss allows. */
const SCHEMA_NAME_BYTES_MAX = 50;

/** What a job is in the queue: its data as the store keeps states. */
interface QueuedJob {
  readonly tenant: string;
  readonly link: string;
  readonly data: string;
}

export interface DatabaseJobs extends JobQueue {
  /** In the transaction of the runner. A queue that fails does not fail the transaction. */
  readonly enqueue: (runner: Runner, session: string, job: Job) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface JobsOptions {
  readonly url: string;
  readonly connectTimeoutMs: number;
  readonly now: () => number;
}

const currentSchema = query<object, { name: string }>(`select current_schema() as name`);

/** @throws PrecisError `jobs_unavailable` where the schema of the queue is not there and may not be made. */
export async function openJobs(database: Database, { url, connectTimeoutMs, now }: JobsOptions): Promise<DatabaseJobs> {
  const { name } = (await database.first(currentSchema, {}))!;
  const shared = { connectionString: url, schema: schemaBeside(name), connectionTimeoutMillis: connectTimeoutMs };
  const sending = await startQueue(database, { ...shared, max: ENQUEUE_CONNECTIONS, supervise: false });
  const running = new Set<PgBoss>([sending]);
  const stop = async (boss: PgBoss): Promise<void> => {
    if (!running.delete(boss)) return;
    await boss.stop({ graceful: true, timeout: STOP_MS_MAX }).catch(() => undefined);
  };
  return {
    enqueue: (runner, session, job) => enqueue(sending, runner, session, job),
    work: async (run, how) => {
      const working = await startQueue(database, { ...shared, max: WORK_CONNECTIONS + how.atOnce, supervise: true });
      running.add(working);
      const ending = new AbortController();
      await takeJobs(working, database, { ...how, run, ending: ending.signal });
      return { stop: () => (ending.abort(), stop(working)) };
    },
    putPrepared: (tenant, compaction) =>
      database.transaction((runner) => putPrepared(runner, tenant, { compaction, now: now() })),
    findPrepared: (tenant, links) => findPrepared(database, tenant, links),
    dropPrepared: (tenant, covers) => dropPrepared(database, tenant, covers),
    close: async () => void (await Promise.all([...running].map(stop))),
  };
}

/** Of the tables in `public` it is `precis_jobs`. */
function schemaBeside(schema: string): string {
  const name = schema === "public" ? "precis_jobs" : `${schema}_jobs`;
  const isPlain = /^[a-z_]\w*$/.test(name) && Buffer.byteLength(name) <= SCHEMA_NAME_BYTES_MAX;
  return isPlain ? name : `precis_jobs_${hash("sha256", name).slice(0, 16)}`;
}

interface QueueConnection {
  readonly connectionString: string;
  readonly schema: string;
  readonly connectionTimeoutMillis: number;
  readonly max: number;
  /** It also looks for workers that died, and deletes what is over. */
  readonly supervise: boolean;
}

async function startQueue(database: Database, { supervise, ...connection }: QueueConnection): Promise<PgBoss> {
  const { PgBoss } = await import("pg-boss");
  const boss = new PgBoss({
    ...connection,
    application_name: "precis jobs",
    supervise,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    schedule: false,
    useListenNotify: supervise,
    registerInstance: false,
  });
  // It goes on by itself; whoever works on jobs is told below.
  boss.on("error", () => undefined);
  try {
    await boss.start();
    await boss.createQueue(QUEUE, {
      policy: "stately",
      retryLimit: RETRIES_MAX,
      retryDelay: RETRY_SECONDS,
      retryDelayMax: RETRY_SECONDS_MAX,
      retryBackoff: true,
      expireInSeconds: RUN_SECONDS_MAX,
      heartbeatSeconds: HEARTBEAT_SECONDS,
      retentionSeconds: WAIT_SECONDS_MAX,
      deleteAfterSeconds: KEPT_SECONDS_MAX,
      notify: true,
    });
    return boss;
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => undefined);
    throw isAway(error) ? storeError(error, database.place) : jobsUnavailable(database.place, connection.schema, error);
  }
}

async function enqueue(boss: PgBoss, runner: Runner, session: string, { tenant, link, data }: Job): Promise<void> {
  const queued: QueuedJob = { tenant, link, data: runner.vault.sealText("state", JSON.stringify(data)) };
  const singletonKey = hash("sha256", `${tenant}\n${session}`);
  await runner.script("savepoint job");
  try {
    await boss.upsert(QUEUE, queued, { singletonKey, db: { executeSql: runner.foreign } });
    await runner.script("release savepoint job");
  } catch (error) {
    if (isAway(error) || isConflict(error)) throw error;
    // The messages are kept all the same; the gateway compacts when it is due.
    await runner.script("rollback to savepoint job");
  }
}

interface Taking extends JobWork {
  readonly run: (job: Job, signal: AbortSignal) => Promise<void>;
  readonly ending: AbortSignal;
}

async function takeJobs(boss: PgBoss, { vault }: Database, { run, ending, atOnce, onError }: Taking): Promise<void> {
  boss.on("error", onError);
  const options = { localConcurrency: atOnce, pollingIntervalSeconds: POLL_SECONDS };
  await boss.work<QueuedJob>(QUEUE, options, async (jobs) => {
    for (const { data, signal } of jobs) {
      const { tenant, link, data: sealed } = data;
      const job = { tenant, link, data: JSON.parse(vault.openText("state", sealed)) as unknown };
      await run(job, AbortSignal.any([signal, ending]));
    }
  });
}

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

const PREFIX = "prepared:";

/** As it is kept, compressed: the record, and the originals of what was removed, which are nowhere else yet. */
interface PreparedState {
  readonly record: string;
  readonly originals: Readonly<Record<string, string>>;
}

interface PreparedRow {
  readonly link: string;
  readonly state: string;
}

const preparedFor = query<{ tenant: number; links: readonly string[] }, PreparedRow>(`
  select link, state from states
  where tenant = :tenant and link in (:links) and starts_with(root, 'prepared:')`);

/**
 * Compactions that are made and not in effect yet: a state each, under the link that it covers, so that it goes with its
 * conversation. Any process finds it, and whichever request it is due for records it.
 */
async function putPrepared(
  runner: Runner,
  tenant: string,
  { compaction, now }: { readonly compaction: Compaction; readonly now: number },
): Promise<void> {
  const originals = Object.fromEntries(
    compaction.evicted.flatMap(({ id, original }) => (original === undefined ? [] : [[id, original] as const])),
  );
  const kept: PreparedState = { record: encodeCompaction(compaction), originals };
  const state = (await deflate(JSON.stringify(kept))).toString("base64");
  const root = `${PREFIX}${compaction.covers}`;
  await runner.answer(putState(runner, tenant, { root, state: JSON.stringify(state), now }));
}

async function findPrepared(
  runner: Runner,
  tenantName: string,
  links: readonly string[],
): Promise<Compaction | undefined> {
  const tenant = await runner.answer(knownTenant(tenantName));
  for (const { batch } of fromTheEnd(links)) {
    const rows = new Map((await runner.all(preparedFor, { tenant, links: batch })).map((row) => [row.link, row]));
    const link = batch.findLast((one) => rows.has(one));
    if (link !== undefined) return decodePrepared(runner, rows.get(link)!);
  }
  return undefined;
}

async function decodePrepared({ vault }: Runner, { state }: PreparedRow): Promise<Compaction | undefined> {
  const text = JSON.parse(vault.openText("state", state)) as string;
  const { record, originals } = JSON.parse((await inflate(Buffer.from(text, "base64"))).toString()) as PreparedState;
  const compaction = decodeCompaction(record);
  if (compaction === undefined) return undefined;
  const evicted = compaction.evicted.map((one) =>
    Object.hasOwn(originals, one.id) ? { ...one, original: originals[one.id]! } : one,
  );
  return { ...compaction, evicted };
}

async function dropPrepared(runner: Runner, tenant: string, covers: string): Promise<void> {
  await runner.run(deleteState, { tenant: await runner.answer(knownTenant(tenant)), root: `${PREFIX}${covers}` });
}
