/** The store in memory: for a library session, the command line and tests. It forgets with the process. */
import { checkChain, closedError } from "./refusals.ts";
import { append, chainTo, entryOf, linksTo, listSessions } from "./memory/chains.ts";
import { putOriginal, searchMessages, searchOriginals } from "./memory/originals.ts";
import { listRecords, put, latestRecordFor, undo } from "./memory/records.ts";
import { deleteSessions, holdingsOf, retain, sizeOf, standingOn } from "./memory/retention.ts";
import { createTenantData, type TenantData } from "./memory/tenant-data.ts";
import { findUsage, getState, listUsage, putState, totalUsage } from "./memory/usage.ts";
import type { ClockOptions, HistoryStore, TenantEntry } from "./store.ts";

/** A history in memory, which ends with the process: the default of a session. */
export function createMemoryStore({ now = Date.now }: ClockOptions = {}): HistoryStore {
  const shelves = new Map<string, TenantData>();
  let closed = false;
  const shelfOf = (tenant: string): TenantData => {
    if (closed) throw closedError();
    let data = shelves.get(tenant);
    if (data === undefined) shelves.set(tenant, (data = createTenantData()));
    return data;
  };
  /** A question alone leaves nothing behind. */
  const readable = (tenant: string): TenantData =>
    shelves.has(tenant) ? shelfOf(tenant) : (shelvesOf(), createTenantData());
  const shelvesOf = (tenant?: string): readonly TenantData[] => {
    if (closed) throw closedError();
    return tenant === undefined ? [...shelves.values()] : [readable(tenant)];
  };
  return {
    putCompaction: async (tenant, compaction) => put(shelfOf(tenant), compaction, now()),
    findCompaction: async (tenant, links) => latestRecordFor(readable(tenant), links, now()),
    undoCompaction: async (tenant, link) => undo(shelfOf(tenant), link),
    putOriginals: async (tenant, originals) => {
      for (const original of originals) putOriginal(shelfOf(tenant), original, now());
    },
    getOriginal: async (tenant, id) => readable(tenant).originals.get(id)?.original,
    search: async (tenant, words, limit, scope) => searchOriginals(readable(tenant), { ...scope, words, limit }),
    appendChain: async (tenant, chain) => append(shelfOf(tenant), checkChain(chain), now()),
    readChain: async (tenant, link) => chainTo(readable(tenant), link),
    readLinks: async (tenant, link) => linksTo(readable(tenant), link),
    isStored: async (tenant, link) => readable(tenant).links.has(link),
    listCompactions: async (tenant, links) => listRecords(readable(tenant), links),
    listTenants: async () => (shelvesOf(), tenantsOf(shelves)),
    listSessions: async (tenant, query) => listSessions(readable(tenant), query),
    getSession: async (tenant, id) => {
      const session = readable(tenant).sessions.get(id);
      return session === undefined ? undefined : entryOf(session);
    },
    searchMessages: async (tenant, words, limit, scope) => searchMessages(readable(tenant), { ...scope, words, limit }),
    putUsage: async (tenant, usage) => void shelfOf(tenant).usages.push(usage),
    findUsage: async (tenant, links) => findUsage(readable(tenant), links),
    listUsage: async (tenant, links) => listUsage(readable(tenant), links),
    totalUsage: async (tenant, since = 0) => totalUsage(readable(tenant), since),
    putState: async (tenant, root, state) => putState(shelfOf(tenant), root, { state, now: now() }),
    getState: async (tenant, root) => getState(readable(tenant), root),
    checkWritable: async () => void shelvesOf(),
    holdings: async (tenant) => holdingsOf(shelvesOf(tenant)),
    retain: async (retention) => {
      const chosen = shelvesOf(retention.tenant);
      retain(chosen, retention);
      return holdingsOf(chosen);
    },
    size: async () => sizeOf(shelvesOf()),
    withBranches: async (tenant, ids) => standingOn(shelfOf(tenant), ids).map(({ id }) => id),
    deleteSessions: async (tenant, ids) => deleteSessions(shelfOf(tenant), ids),
    vacuum: async () => void shelvesOf(),
    check: async () => (shelvesOf(), []),
    close: async () => {
      closed = true;
    },
  };
}

function tenantsOf(shelves: ReadonlyMap<string, TenantData>): readonly TenantEntry[] {
  return [...shelves]
    .filter(([, { sessions }]) => sessions.size > 0)
    .map(([tenant, { sessions }]) => {
      const updatedAt = [...sessions.values()].reduce((latest, session) => Math.max(latest, session.updatedAt), 0);
      return { tenant, sessions: sessions.size, updatedAt };
    })
    .toSorted((a, b) => b.updatedAt - a.updatedAt);
}
