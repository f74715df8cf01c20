/** The calls of a store over whatever database answers its questions. */
import type { HistoryStore } from "../store.ts";
import { createAppendChain } from "./appending.ts";
import { createCompactionCalls, type Keeping } from "./compactions.ts";
import type { Ask } from "./operations.ts";
import { createPutOriginals } from "./staging.ts";

export function createHistoryCalls(ask: Ask, keeping: Keeping): Omit<HistoryStore, "close" | "jobs"> {
  const { now, during } = keeping;
  const call: Ask = (...what) => during(() => ask(...what));
  return {
    ...createCompactionCalls(ask, keeping),
    ...createLongCalls(ask, keeping),
    appendChain: createAppendChain(ask, keeping),
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
    getState: readStatesTogether((tenant, roots) => call("getStates", tenant, roots)),
    checkWritable: (bytes = 0) => call("checkWritable", "", bytes),
    holdings: (tenant) => call("holdings", "", tenant),
    size: () => call("size", "", undefined),
    withBranches: (tenant, ids) => call("withBranches", tenant, ids),
    vacuum: () => call("vacuum", "", undefined),
    check: () => call("check", "", undefined),
  };
}

function createLongCalls(
  ask: Ask,
  { now, during }: Keeping,
): Pick<HistoryStore, "putOriginals" | "deleteSessions" | "retain"> {
  return {
    putOriginals: createPutOriginals(ask, { now, during }),
    deleteSessions: (tenant, ids) =>
      during(async () => {
        const gone: string[] = [];
        for (;;) {
          const step = await ask("deleteStep", tenant, ids);
          if (step.length === 0) return gone;
          for (const each of step) gone.push(each);
        }
      }),
    retain: (retention) =>
      during(async () => {
        while (await ask("retainStep", "", retention));
        return ask("holdings", "", retention.tenant);
      }),
  };
}

type ReadStates = (tenant: string, roots: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** What is asked for in one go is one question to the database: a request asks for a state of each of its new messages. */
function readStatesTogether(read: ReadStates): HistoryStore["getState"] {
  const asked = new Map<string, { readonly roots: Set<string>; readonly found: ReturnType<ReadStates> }>();
  const askNow = async (tenant: string): ReturnType<ReadStates> => {
    await undefined;
    const { roots } = asked.get(tenant)!;
    asked.delete(tenant);
    return read(tenant, [...roots]);
  };
  return async (tenant, root) => {
    if (!asked.has(tenant)) asked.set(tenant, { roots: new Set(), found: askNow(tenant) });
    const { roots, found } = asked.get(tenant)!;
    roots.add(root);
    const state = (await found).get(root);
    return state === undefined ? undefined : (JSON.parse(state) as unknown);
  };
}
