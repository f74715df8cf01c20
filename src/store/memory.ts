/** The store in memory: for a library session, the command line and tests. It forgets with the process. */
import { checkChain, closedError } from "./refusals.ts";
import { deleteSessions, holdingsOf, isEmpty, retain, sizeOf, standingOn } from "./memory/retention.ts";
import {
  createTenantData,
  type TenantData,
  type RecordsOfLink,
  type StoredLink,
  type StoredSession,
} from "./memory/tenant-data.ts";
import type {
  ClockOptions,
  HistoryStore,
  TenantEntry,
  UsageEntry,
  CompactionEntry,
  ActiveCompaction,
  MessageHit,
  Original,
  SearchHit,
  Appended,
  ChainAppend,
  SessionEntry,
  SessionsQuery,
  StoredMessage,
} from "./store.ts";
import { COMPACTION_SCHEMA_VERSION, type Compaction } from "../core/compaction/compaction.ts";
import { piecesOf, searchableText, bodyOf, memberOf } from "./body.ts";
import { oneEach, searchIn, type Archive, type WordSearch } from "./search.ts";

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
    putState: async (tenant, root, state) => putState(shelfOf(tenant), root, { state, now: now() }),
    getState: async (tenant, root) => getState(readable(tenant), root),
    checkWritable: async () => void shelvesOf(),
    holdings: async (tenant) => holdingsOf(shelvesOf(tenant)),
    retain: async (retention) => {
      const chosen = shelvesOf(retention.tenant);
      retain(chosen, retention);
      for (const [tenant, data] of shelves) if (isEmpty(data)) shelves.delete(tenant);
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

/** What requests took, as their providers reported it, and plain data by name. */
function findUsage({ usages }: TenantData, links: readonly string[]): UsageEntry | undefined {
  const newest = new Map(usages.map((usage) => [usage.link, usage]));
  const link = links.findLast((one) => newest.has(one));
  return link === undefined ? undefined : newest.get(link);
}

function listUsage({ usages }: TenantData, links: readonly string[]): readonly UsageEntry[] {
  const wanted = new Set(links);
  return usages.filter(({ link }) => wanted.has(link));
}

function putState({ states }: TenantData, root: string, { state, now }: { state: unknown; now: number }): void {
  states.set(root, { text: JSON.stringify(state), updatedAt: now });
}

function getState({ states }: TenantData, root: string): unknown {
  const state = states.get(root);
  return state === undefined ? undefined : (JSON.parse(state.text) as unknown);
}

/** Compaction records: the first of a link is in effect until it is undone. */
function put({ records }: TenantData, compaction: Compaction, now: number): Compaction {
  const { covers, schemaVersion } = compaction;
  const ofLink = records.get(covers) ?? { all: [], undone: 0, usedAt: now };
  records.set(covers, ofLink);
  const first = standing(ofLink, schemaVersion);
  if (first !== undefined) return first;
  ofLink.all.push({ compaction, createdAt: now });
  return compaction;
}

function latestRecordFor({ records }: TenantData, links: readonly string[], now: number): ActiveCompaction {
  let undone = false;
  let found: Compaction | undefined;
  for (let at = links.length - 1; at >= 0 && records.size > 0; at--) {
    const ofLink = records.get(links[at]!);
    if (ofLink === undefined) continue;
    // What is below the one that is found is in use too: its originals are still named.
    ofLink.usedAt = now;
    if (found !== undefined) continue;
    found = standing(ofLink, COMPACTION_SCHEMA_VERSION);
    if (found === undefined && ofLink.undone > 0) undone = true;
  }
  return found === undefined ? { undone } : { compaction: found, undone };
}

function listRecords({ records }: TenantData, links: readonly string[]): readonly CompactionEntry[] {
  return links.flatMap((link) => {
    const { all = [], undone = 0 } = records.get(link) ?? {};
    return all
      .map((one, at): CompactionEntry => ({ ...one, undone: at < undone }))
      .filter(({ compaction }) => compaction.schemaVersion === COMPACTION_SCHEMA_VERSION);
  });
}

function undo({ records }: TenantData, link: string): void {
  const ofLink = records.get(link);
  if (ofLink !== undefined) ofLink.undone = ofLink.all.length;
}

function standing({ all, undone }: RecordsOfLink, schemaVersion: number): Compaction | undefined {
  return all.slice(undone).find(({ compaction }) => compaction.schemaVersion === schemaVersion)?.compaction;
}

/** Kept as it came: a session puts the text of a span together when somebody reads it. */
function putOriginal({ originals }: TenantData, original: Original, now: number): void {
  const { id } = original;
  const known = originals.get(id);
  // Of a new id no text is asked for: a span's is as long as the conversation.
  if (known !== undefined && known.original.text === original.text) return;
  // A text that took another's id is the newest now.
  originals.delete(id);
  originals.set(id, { original, createdAt: now });
}

function searchOriginals({ originals }: TenantData, search: WordSearch): readonly SearchHit[] {
  const within = search.within === undefined ? undefined : new Set(search.within);
  const pieces = [...originals.values()]
    .toReversed()
    .filter(({ original }) => within?.has(original.id) !== false)
    .flatMap(({ original }) => piecesOf(original).map((piece) => ({ original, text: searchableText(piece) })));
  const hits = searchIn(search, archiveOf(pieces)).map(({ key: { original }, text }) => {
    const { id, label } = original;
    return { id, label, text };
  });
  return oneEach(hits).slice(0, search.limit);
}

function searchMessages({ links }: TenantData, search: WordSearch): readonly MessageHit[] {
  const within = search.within === undefined ? undefined : new Set(search.within);
  const pieces = [...links.values()]
    .toReversed()
    .filter(({ link, member }) => member === 0 && within?.has(link) !== false)
    .map((stored) => ({ stored, text: searchableText(stored.body) }));
  const hits = searchIn(search, archiveOf(pieces)).slice(0, search.limit);
  return hits.map(({ key: { stored }, text }) => {
    const { link, role, protocol, session, position, body } = stored;
    const spoken = protocol === undefined ? {} : { protocol };
    return { link, role, ...spoken, session: session.id, position, body: body.text, text };
  });
}

function archiveOf<Piece extends { readonly text: string }>(pieces: readonly Piece[]): Archive<Piece> {
  return {
    find: function* ({ meets }) {
      for (const piece of pieces) if (meets(piece.text)) yield { key: piece, text: piece.text };
    },
    idOf: (piece) => piece,
  };
}

// Conversations: links that name the one before them, and sessions as the newest link of a line.

export function append(data: TenantData, { links, messages, session: name }: ChainAppend, now: number): Appended {
  if (links.length === 0) return { added: 0, session: "" };
  const known = links.findLastIndex((link) => data.links.has(link)) + 1;
  let last = known === 0 ? undefined : data.links.get(links[known - 1]!);
  const session = sessionFor(data, { name, last, next: links[known], now });
  for (let at = known; at < links.length; at++) {
    const message = messages[at]!;
    const stored: StoredLink = {
      link: links[at]!,
      parent: last,
      position: at,
      session,
      role: message.role,
      protocol: message.wire?.protocol,
      member: memberOf(message),
      body: { form: "message", text: bodyOf(message) },
    };
    data.links.set(stored.link, stored);
    last = stored;
  }
  if (name !== undefined || known < links.length) session.head = last;
  session.updatedAt = now;
  return { added: links.length - known, session: session.id };
}

interface ChainPosition {
  readonly name: string | undefined;
  /** The last message that was known before. */
  readonly last: StoredLink | undefined;
  /** The first that was not. */
  readonly next: string | undefined;
  readonly now: number;
}

/** The session that a chain goes on with: the one it names, the one whose head it continues, or a new branch. */
function sessionFor(data: TenantData, { name, last, next, now }: ChainPosition): StoredSession {
  if (name === undefined && last !== undefined && (next === undefined || last.session.head === last))
    return last.session;
  const id = name ?? next!;
  const { sessions } = data;
  const former = sessions.get(id);
  if (former !== undefined && !(last !== undefined && mustMakeWay(data, former, last.session))) return former;
  const number = [...sessions.values()].reduce((most, one) => Math.max(most, one.number), 0) + 1;
  const session = {
    id,
    number,
    parent: last?.session,
    forkedAt: last,
    head: undefined,
    createdAt: now,
    updatedAt: now,
  };
  sessions.set(id, session);
  return session;
}

/**
 * Whether a name has moved on to a later conversation than the session that has it. That session then goes by its first
 * message, as sessions without a name do.
 */
function mustMakeWay({ sessions, links }: TenantData, session: StoredSession, onto: StoredSession): boolean {
  if (onto.number <= session.number) return false;
  const first = [...links.values()].find((one) => one.session === session);
  if (first === undefined) return false;
  sessions.delete(session.id);
  session.id = `${first.link}~${session.number}`;
  sessions.set(session.id, session);
  return true;
}

export function chainTo({ links }: TenantData, link: string): readonly StoredMessage[] {
  const chain: StoredMessage[] = [];
  for (let at = links.get(link); at !== undefined; at = at.parent) {
    const { role, protocol, body, member } = at;
    chain.push({ link: at.link, role, body: body.text, member, ...(protocol === undefined ? {} : { protocol }) });
  }
  return chain.toReversed();
}

export function linksTo({ links }: TenantData, link: string): readonly string[] {
  const chain: string[] = [];
  for (let at = links.get(link); at !== undefined; at = at.parent) chain.push(at.link);
  return chain.toReversed();
}

export function listSessions(
  { sessions }: TenantData,
  { limit, parent, prefix = "" }: SessionsQuery,
): readonly SessionEntry[] {
  return [...sessions.values()]
    .filter((session) => (parent === undefined || session.parent?.id === parent) && session.id.startsWith(prefix))
    .toReversed()
    .toSorted((a, b) => b.updatedAt - a.updatedAt)
    .slice(0, limit)
    .map(entryOf);
}

export function entryOf({ id, parent, forkedAt, head, createdAt, updatedAt }: StoredSession): SessionEntry {
  return {
    id,
    head: head!.link,
    messages: head!.position + 1,
    ...(parent === undefined ? {} : { parent: parent.id }),
    ...(forkedAt === undefined ? {} : { forkedAt: forkedAt.link }),
    createdAt,
    updatedAt,
  };
}
