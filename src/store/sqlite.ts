/**
 * History in an SQLite file: survives the process, serves several of them at once, and keeps the event loop free by
 * working in a thread of its own. What is acknowledged is on the disk.
 */
import { QUEUE_LIMITS, type QueueLimits } from "./gate.ts";
import { createLifetime, type Lifetime } from "./lifetime.ts";
import { wrongKeyError } from "./refusals.ts";
import { createAppendChain } from "./sql/appending.ts";
import { createCompactionCalls, type RecordTable } from "./sql/compactions.ts";
import { newOriginals } from "./sql/originals.ts";
import { startWorkerClient, type WorkerClient } from "./sqlite/worker-client.ts";
import type { ClockOptions, HistoryStore } from "./store.ts";
import { KEY_BYTES } from "./vault.ts";

export interface SqliteOptions extends ClockOptions {
  /** The file; it and its folder are created where they are missing, for their owner alone. */
  readonly path: string;
  /** How long a call waits for another process that is writing, in milliseconds. Default 5,000. */
  readonly busyTimeoutMs?: number;
  /** True: nothing can be written, and the file has to exist. */
  readonly readOnly?: boolean;
  /** True: the file is one that another part of the program has open, and is not made where it is missing. */
  readonly mustExist?: boolean;
  /**
   * 32 bytes that nobody else has: bodies, compactions, states and labels are encrypted with them. A new file takes the key
   * it is made with; without it nothing of it can be read.
   */
  readonly key?: Uint8Array;
  /** The file grows no further than this; writes then fail with `store_full`. No limit by default. */
  readonly sizeBytesMax?: number;
  /** What may be under way and waiting at once. */
  readonly queue?: Partial<QueueLimits>;
}

const BUSY_TIMEOUT_MS = 5_000;
interface SqliteParts {
  readonly client: WorkerClient;
  readonly now: () => number;
  readonly readOnly: boolean;
  readonly during: Lifetime["during"];
}

/**
 * Opens a history in an SQLite file.
 *
 * @throws PrecisError as docs/store.md lists them; a file that is refused has not been touched.
 */
export async function openSqliteStore(options: SqliteOptions): Promise<HistoryStore> {
  const { path, busyTimeoutMs = BUSY_TIMEOUT_MS, readOnly = false, mustExist = false } = options;
  const { sizeBytesMax, key, now = Date.now } = options;
  if (key !== undefined && key.length !== KEY_BYTES) throw wrongKeyError(path);
  const file = {
    path,
    busyTimeoutMs,
    readOnly,
    mustExist,
    ...(sizeBytesMax === undefined ? {} : { sizeBytesMax }),
    ...(key === undefined ? {} : { key }),
  };
  const client = await startWorkerClient(file, { ...QUEUE_LIMITS, ...options.queue });
  const { during, end } = createLifetime();
  const database: SqliteParts = { client, now, readOnly, during };
  const call: WorkerClient["call"] = (...what) => during(() => client.call(...what));
  return {
    ...createSteps(database),
    undoCompaction: (tenant, link) => call("undoRecord", tenant, { link, now: now() }),
    getOriginal: (tenant, id) => call("getOriginal", tenant, id),
    search: (tenant, words, limit, scope) => call("searchOriginals", tenant, { ...scope, words, limit }),
    readChain: (tenant, link) => call("readChain", tenant, link),
    readLinks: (tenant, link) => call("readLinks", tenant, link),
    isStored: async (tenant, link) => (await call("countStored", tenant, [link])) > 0,
    listTenants: () => call("listTenants", "", undefined),
    listSessions: (tenant, query) => call("listSessions", tenant, query),
    getSession: (tenant, id) => call("getSession", tenant, id),
    searchMessages: (tenant, words, limit, scope) => call("searchMessages", tenant, { ...scope, words, limit }),
    putUsage: (tenant, usage) => call("putUsage", tenant, usage),
    findUsage: (tenant, links) => call("findUsage", tenant, links),
    listUsage: (tenant, links) => call("listUsage", tenant, links),
    putState: (tenant, root, state) => call("putState", tenant, { root, state: JSON.stringify(state), now: now() }),
    checkWritable: (bytes = 0) => call("checkWritable", "", bytes),
    holdings: (tenant) => call("holdings", "", tenant),
    size: () => call("size", "", undefined),
    withBranches: (tenant, ids) => call("withBranches", tenant, ids),
    vacuum: () => call("vacuum", "", undefined),
    check: () => call("check", "", undefined),
    close: () => end(client.close),
  };
}

/** Calls that are more than one question to the thread. */
function createSteps(database: SqliteParts) {
  const { client, now, during } = database;
  return {
    ...createCompactionCalls(recordTable(client), database),
    appendChain: createAppendChain(
      {
        countStored: (tenant, links) => client.call("countStored", tenant, links),
        append: (tenant, end, bytes) => client.call("append", tenant, end, bytes),
      },
      database,
    ),
    putOriginals: (tenant, originals) =>
      during(() => {
        const fresh = newOriginals(originals, now());
        const chars = fresh.originals.reduce((total, { text }) => total + text.length, 0);
        return client.call("putOriginals", tenant, fresh, chars);
      }),
    getState: (tenant, root) =>
      during(async () => {
        const state = await client.call("getState", tenant, root);
        return state === undefined ? undefined : (JSON.parse(state) as unknown);
      }),
    deleteSessions: (tenant, ids) =>
      during(async () => {
        const gone: string[] = [];
        for (;;) {
          const step = await client.call("deleteStep", tenant, ids);
          if (step.length === 0) return gone;
          for (const each of step) gone.push(each);
        }
      }),
    retain: (retention) =>
      during(async () => {
        while (await client.call("retainStep", "", retention));
        return client.call("holdings", "", retention.tenant);
      }),
  } satisfies Partial<HistoryStore>;
}

function recordTable(client: WorkerClient): RecordTable {
  return {
    put: (tenant, fresh) => client.call("putRecord", tenant, fresh, fresh.record.length),
    find: (tenant, asked) => client.call("findRecord", tenant, asked),
    list: (tenant, links) => client.call("listRecords", tenant, links),
    read: (tenant, id) => client.call("readRecord", tenant, id),
    touch: (tenant, used) => client.call("touchRecords", tenant, used),
  };
}
