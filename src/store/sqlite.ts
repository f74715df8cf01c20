/**
 * History in an SQLite file: survives the process, serves several of them at once, and keeps the event loop free by
 * working in a thread of its own. What is acknowledged is on the disk.
 */
import type { Compaction } from "../core/compaction/compaction.ts";
import { bodyOf, memberOf } from "./body.ts";
import { decodeCompaction, encodeCompaction } from "./record.ts";
import { checkChain } from "./refusals.ts";
import { startWorkerClient, type WorkerClient } from "./sqlite/worker-client.ts";
import { QUEUE_LIMITS, type QueueLimits } from "./sqlite/gate.ts";
import { putOriginals } from "./sqlite/put-originals.ts";
import { wrongKeyError } from "./sqlite/failures.ts";
import { KEY_BYTES } from "./sqlite/vault.ts";
import { createLifetime, type Lifetime } from "./sqlite/lifetime.ts";
import { createRecentMap, type RecentMap } from "./sqlite/recent-map.ts";
import type { Appended, ChainAppend, ClockOptions, CompactionEntry, HistoryStore, ActiveCompaction } from "./store.ts";

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

export interface SqliteStore extends HistoryStore {
  /** Reads the whole file and answers with one line a fault; none for a sound one. */
  readonly check: () => Promise<readonly string[]>;
}

const BUSY_TIMEOUT_MS = 5_000;
/** Records that were read lately are not read again: they never change. */
const RECORDS_REMEMBERED_MAX = 64;
const RECORD_CHARACTERS_REMEMBERED_MAX = 8_000_000;
/** Ends of chains known to be stored, so that only what came since is handed over. */
const ENDS_REMEMBERED_MAX = 2_048;

interface SqliteParts {
  readonly client: WorkerClient;
  readonly now: () => number;
  readonly readOnly: boolean;
  readonly records: RecentMap<Compaction>;
  readonly ends: RecentMap<true>;
  readonly during: Lifetime["during"];
}

/** @throws PrecisError as docs/store.md lists them; a file that is refused has not been touched. */
export async function openSqliteStore(options: SqliteOptions): Promise<SqliteStore> {
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
  const database: SqliteParts = {
    client,
    now,
    readOnly,
    records: createRecentMap({ entries: RECORDS_REMEMBERED_MAX, weight: RECORD_CHARACTERS_REMEMBERED_MAX }),
    ends: createRecentMap({ entries: ENDS_REMEMBERED_MAX }),
    during,
  };
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
    totalUsage: (tenant, since = 0) => call("totalUsage", tenant, since),
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
  const { client, during } = database;
  return {
    putCompaction: (tenant, compaction) => during(() => putCompaction(database, tenant, compaction)),
    findCompaction: (tenant, links) => during(() => findCompaction(database, tenant, links)),
    listCompactions: (tenant, links) => during(() => listCompactions(database, tenant, links)),
    putOriginals: (tenant, originals) => during(() => putOriginals(database, tenant, originals)),
    appendChain: (tenant, chain) => during(() => appendChain(database, tenant, chain)),
    prepareChain: (tenant, chain) => {
      const prepared = prepareChain(database, tenant, chain);
      // Whoever asks for it hears of it.
      prepared.catch(() => undefined);
      return () => during(async () => (await prepared)());
    },
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
          gone.push(...step);
        }
      }),
    retain: (retention) =>
      during(async () => {
        while (await client.call("retainStep", "", retention));
        return client.call("holdings", "", retention.tenant);
      }),
  } satisfies Partial<HistoryStore>;
}

async function putCompaction(
  { client, now, records }: SqliteParts,
  tenant: string,
  compaction: Compaction,
): Promise<Compaction> {
  const { covers, schemaVersion, evicted } = compaction;
  const text = encodeCompaction(compaction);
  const recallIds = evicted.map(({ id }) => id);
  const fresh = { link: covers, schemaVersion, text, recallIds, now: now() };
  const { id, won } = await client.call("putRecord", tenant, fresh, text.length);
  if (won) records.set(String(id), compaction, text.length);
  return won ? compaction : ((await readRecord({ client, records }, tenant, id)) ?? compaction);
}

async function findCompaction(
  { client, now, readOnly, records, during }: SqliteParts,
  tenant: string,
  links: readonly string[],
): Promise<ActiveCompaction> {
  const { id, undone, unmarked } = await client.call("findRecord", tenant, { links, now: now() });
  // Nobody waits for this, and what is not marked today is marked tomorrow.
  if (unmarked.length > 0 && !readOnly)
    during(() => client.call("touchRecords", tenant, { links: unmarked, now: now() })).catch(() => undefined);
  const compaction = id === undefined ? undefined : await readRecord({ client, records }, tenant, id);
  return compaction === undefined ? { undone } : { compaction, undone };
}

async function listCompactions(
  { client, records }: SqliteParts,
  tenant: string,
  links: readonly string[],
): Promise<readonly CompactionEntry[]> {
  const listed = await client.call("listRecords", tenant, links);
  const entries: CompactionEntry[] = [];
  for (const { id, undone, createdAt } of listed) {
    const compaction = await readRecord({ client, records }, tenant, id);
    if (compaction !== undefined) entries.push({ compaction, undone, createdAt });
  }
  return entries;
}

async function readRecord(
  { client, records }: Pick<SqliteParts, "client" | "records">,
  tenant: string,
  id: number,
): Promise<Compaction | undefined> {
  const known = records.get(String(id));
  if (known !== undefined) return known;
  const text = await client.call("readRecord", tenant, id);
  const compaction = text === undefined ? undefined : decodeCompaction(text);
  if (compaction !== undefined) records.set(String(id), compaction, text?.length);
  return compaction;
}

async function appendChain(database: SqliteParts, tenant: string, chain: ChainAppend): Promise<Appended> {
  const { links } = checkChain(chain);
  if (links.length === 0) return NOTHING_ADDED;
  const { argument, bytes } = endFrom(database, chain, await countKnown(database, tenant, links));
  return appended(database, tenant, { chain, append: () => database.client.call("append", tenant, argument, bytes) });
}

/** The end of the chain that may be new is handed over now, and written later. */
async function prepareChain(
  database: SqliteParts,
  tenant: string,
  chain: ChainAppend,
): Promise<() => Promise<Appended>> {
  const { links } = checkChain(chain);
  if (links.length === 0) return async () => NOTHING_ADDED;
  const { argument, bytes } = endFrom(database, chain, await countKnown(database, tenant, links));
  const append = database.client.prepare("append", tenant, argument, bytes);
  return () => appended(database, tenant, { chain, append });
}

const NOTHING_ADDED: Appended = { added: 0, session: "" };

/** What need not be handed over: up to an end that is known, or what is stored. */
async function countKnown({ client, ends }: SqliteParts, tenant: string, links: readonly string[]): Promise<number> {
  const remembered = links.findLastIndex((link) => ends.get(endKey(tenant, link)) === true) + 1;
  return remembered > 0 ? remembered : client.call("countStored", tenant, links);
}

interface Appending {
  readonly chain: ChainAppend;
  readonly append: () => Promise<Appended | undefined>;
}

async function appended(database: SqliteParts, tenant: string, { chain, append }: Appending): Promise<Appended> {
  let done = await append();
  if (done === undefined) {
    // Retention deleted what it is on since.
    const { argument, bytes } = endFrom(database, chain, 0);
    done = (await database.client.call("append", tenant, argument, bytes))!;
  }
  database.ends.set(endKey(tenant, chain.links.at(-1)!), true);
  return done;
}

function endFrom({ now }: SqliteParts, { links, messages, session }: ChainAppend, from: number) {
  const entries = messages.slice(from).map((message, at) => {
    const protocol = message.wire?.protocol;
    const body = bodyOf(message);
    const entry = { link: links[from + at]!, role: message.role, member: memberOf(message), body };
    return protocol === undefined ? entry : { ...entry, protocol };
  });
  const argument = {
    entries,
    now: now(),
    ...(from === 0 ? {} : { after: links[from - 1]! }),
    ...(session === undefined ? {} : { session }),
  };
  return { argument, bytes: sizeOf(entries.map(({ body }) => body)) };
}

function endKey(tenant: string, link: string): string {
  return `${tenant}\n${link}`;
}

function sizeOf(texts: readonly string[]): number {
  return texts.reduce((total, { length }) => total + length, 0);
}
