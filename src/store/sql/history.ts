/** The calls of a store over whatever database answers its questions. */
import type { HistoryStore, Appended, ChainAppend, Original, CompactionEntry } from "../store.ts";
import type { Ask } from "./operations.ts";
import { bodyOf, memberOf, piecesOf } from "../body.ts";
import { createRecentMap } from "../recent-map.ts";
import { checkChain } from "../refusals.ts";
import type { ChainEnd, ChainEntry } from "./chains.ts";
import { randomUUID } from "node:crypto";
import { batchEnds } from "../batches.ts";
import type { Lifetime } from "../lifetime.ts";
import type { RecordPlace } from "./compaction-records.ts";
import type { StagedPiece } from "./originals.ts";
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import type { Compaction } from "../../core/compaction/compaction.ts";
import { decodeCompaction, encodeCompaction } from "../record.ts";

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

// How a conversation reaches a database: only its end is handed over, from the last message that is known to be stored.

/** Ends of chains known to be stored, so that only what came since is handed over. */
const ENDS_REMEMBERED_MAX = 2_048;

const NOTHING_ADDED: Appended = { added: 0, session: "" };

function createAppendChain(ask: Ask, { now, during }: Pick<Keeping, "now" | "during">): HistoryStore["appendChain"] {
  const ends = createRecentMap<true>({ entries: ENDS_REMEMBERED_MAX });
  /** What need not be handed over: up to an end that is known, or what is stored. */
  const countKnown = async (tenant: string, links: readonly string[]): Promise<number> => {
    const remembered = links.findLastIndex((link) => ends.get(endKey(tenant, link)) === true) + 1;
    return remembered > 0 ? remembered : ask("countStored", tenant, links);
  };
  const appendFrom = async (tenant: string, chain: ChainAppend, from: number): Promise<Appended | undefined> => {
    let done: Appended | undefined = NOTHING_ADDED;
    let added = 0;
    for (const piece of piecesFrom(chain, from, now())) {
      done = await ask("append", tenant, piece, sizeOf(piece));
      added += done?.added ?? 0;
      if (done === undefined) return undefined;
    }
    return { ...done, added };
  };
  const append = async (tenant: string, chain: ChainAppend): Promise<Appended> => {
    const { links } = checkChain(chain);
    if (links.length === 0) return NOTHING_ADDED;
    const known = await countKnown(tenant, links);
    // Retention may have deleted what it is on since.
    const done = (await appendFrom(tenant, chain, known)) ?? (await appendFrom(tenant, chain, 0))!;
    ends.set(endKey(tenant, links.at(-1)!), true);
    return done;
  };
  return (tenant, chain) => during(() => append(tenant, chain));
}

/** What is too long for one transaction in several, so that nobody else waits for it; whoever is interrupted leaves a beginning. */
function piecesFrom({ links, messages, session, job }: ChainAppend, from: number, now: number): readonly ChainEnd[] {
  const entries = messages.slice(from).map((message, at): ChainEntry => {
    const protocol = message.wire?.protocol;
    const entry = { link: links[from + at]!, role: message.role, member: memberOf(message), body: bodyOf(message) };
    return protocol === undefined ? entry : { ...entry, protocol };
  });
  // Where nothing is new, the session is marked as used.
  const ends = entries.length === 0 ? [0] : batchEnds(entries, ({ body }) => body.length);
  return ends.map((end, at): ChainEnd => {
    const start = ends[at - 1] ?? 0;
    const after = links[from + start - 1];
    return {
      root: links[0]!,
      entries: entries.slice(start, end),
      now,
      ...(after === undefined ? {} : { after }),
      ...(session === undefined ? {} : { session }),
      ...(end < entries.length ? { more: true } : job === undefined ? {} : { job }),
    };
  });
}

function endKey(tenant: string, link: string): string {
  return `${tenant}\n${link}`;
}

function sizeOf({ entries }: ChainEnd): number {
  return entries.reduce((total, { body }) => total + body.length, 0);
}

// How originals reach a database: together, or, where others would wait too long for that, batch by batch and then named together.

/** So many batches are written in one transaction. */
const BATCHES_TOGETHER_MAX = 4;

interface Staging {
  readonly now: () => number;
  readonly during: Lifetime["during"];
}

interface StagedOriginal {
  readonly name: string;
  readonly original: Original;
}

/** All of them or, on an error, none. */
function createPutOriginals(ask: Ask, { now, during }: Staging): HistoryStore["putOriginals"] {
  const stageAll = async (tenant: string, staged: readonly StagedOriginal[], batches: readonly Batch[]) => {
    for (const pieces of batches)
      if (!(await ask("stagePieces", tenant, { pieces, now: now() }, charsOf(pieces)))) return false;
    const originals = staged.map(({ name, original: { text: _, ...named } }) => ({ ...named, name }));
    return ask("publishStaged", tenant, { originals, now: now() });
  };
  const put = async (tenant: string, originals: readonly Original[]): Promise<void> => {
    const staged = originals.map((original) => ({ name: `staged ${randomUUID()}`, original }));
    const batches = batchesOf(staged);
    if (batches.length > BATCHES_TOGETHER_MAX) {
      let isWhole = false;
      try {
        isWhole = await stageAll(tenant, staged, batches);
      } finally {
        // What cannot be removed now goes with retention.
        if (!isWhole) {
          const names = staged.map(({ name }) => name);
          await ask("dropStaged", tenant, names).catch(() => undefined);
        }
      }
      if (isWhole) return;
    }
    await ask("putOriginals", tenant, { originals, now: now() }, charsOf(originals));
  };
  // What is put together only when it is read is read once.
  return (tenant, originals) => during(() => put(tenant, originals.map(plain)));
}

type Batch = readonly StagedPiece[];

function batchesOf(staged: readonly StagedOriginal[]): readonly Batch[] {
  const pieces = staged.flatMap(({ name, original }) =>
    piecesOf(original).map(({ form, text }, position): StagedPiece => ({ name, position, form, text })),
  );
  const ends = batchEnds(pieces, ({ text }) => text.length);
  return ends.map((end, at) => pieces.slice(ends[at - 1] ?? 0, end));
}

function charsOf(texts: readonly { readonly text: string }[]): number {
  return texts.reduce((total, { text }) => total + text.length, 0);
}

/** Only what a message to a thread can carry. */
function plain({ id, kind, label, text, masked }: Original): Original {
  return { id, kind, label, text, ...(masked === undefined ? {} : { masked }) };
}

// Compactions of a store in a database: kept as text, and what was read lately is not read again.

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Records that were read lately are not read again: they never change. */
const RECORDS_REMEMBERED_MAX = 64;
const RECORD_CHARACTERS_REMEMBERED_MAX = 8_000_000;

/** What a store goes by, whatever its database. */
export interface Keeping {
  readonly now: () => number;
  readonly readOnly: boolean;
  readonly during: Lifetime["during"];
  /** Has the marks of use that are on their way, for a database that does not do one thing after another. */
  readonly marking?: Set<Promise<void>>;
}

type CompactionCalls = Pick<HistoryStore, "putCompaction" | "findCompaction" | "listCompactions">;

function createCompactionCalls(ask: Ask, { now, readOnly, during, marking }: Keeping): CompactionCalls {
  const remembered = createRecentMap<Compaction>({
    entries: RECORDS_REMEMBERED_MAX,
    weight: RECORD_CHARACTERS_REMEMBERED_MAX,
  });
  const read = async (tenant: string, { id, createdAt }: RecordPlace): Promise<Compaction | undefined> => {
    const name = `${id} ${createdAt}`;
    const known = remembered.get(name);
    if (known !== undefined) return known;
    const record = await ask("readRecord", tenant, id);
    if (record === undefined) return undefined;
    const text = (await inflate(record)).toString("utf8");
    const compaction = decodeCompaction(text);
    if (compaction !== undefined) remembered.set(name, compaction, text.length);
    return compaction;
  };
  const put: CompactionCalls["putCompaction"] = async (tenant, compaction, root) => {
    const { covers, schemaVersion, evicted } = compaction;
    const text = encodeCompaction(compaction);
    const recallIds = evicted.map(({ id }) => id);
    const record = await deflate(text);
    const fresh = { link: covers, root, schemaVersion, record, recallIds, now: now() };
    const { won, ...place } = await ask("putRecord", tenant, fresh, record.length);
    if (won) remembered.set(`${place.id} ${place.createdAt}`, compaction, text.length);
    return won ? compaction : ((await read(tenant, place)) ?? compaction);
  };
  // Nobody who reads waits for this, and what is not marked today is marked tomorrow.
  const mark = (tenant: string, links: readonly string[]): void => {
    const marked = during(() => ask("touchRecords", tenant, { links, now: now() }))
      .catch(() => undefined)
      .finally(() => marking?.delete(marked));
    marking?.add(marked);
  };
  const find: CompactionCalls["findCompaction"] = async (tenant, links) => {
    const { place, undone, unmarked } = await ask("findRecord", tenant, { links, now: now() });
    if (unmarked.length > 0 && !readOnly) mark(tenant, unmarked);
    const compaction = place === undefined ? undefined : await read(tenant, place);
    return compaction === undefined ? { undone } : { compaction, undone };
  };
  const list: CompactionCalls["listCompactions"] = async (tenant, links) => {
    const entries: CompactionEntry[] = [];
    for (const { undone, ...place } of await ask("listRecords", tenant, links)) {
      const compaction = await read(tenant, place);
      if (compaction !== undefined) entries.push({ compaction, undone, createdAt: place.createdAt });
    }
    return entries;
  };
  return {
    putCompaction: (tenant, compaction, root) => during(() => put(tenant, compaction, root)),
    findCompaction: (tenant, links) => during(() => find(tenant, links)),
    listCompactions: (tenant, links) => during(() => list(tenant, links)),
  };
}
