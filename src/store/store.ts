/**
 * What is kept: compaction records by the link of the prefix they cover, and the originals behind recall ids; where
 * there is a history, also every message once by content, chains of links, sessions as heads of chains, and usage.
 * Append-only: undo adds a tombstone, a fork adds a session, and only retention and a person delete. Every key is scoped
 * to a tenant, and nothing crosses tenants.
 */
import type { Compaction } from "../core/compaction/compaction.ts";
import type { Usage } from "../core/engines/contract.ts";
import type { Message, Role } from "../core/transcript/message.ts";

/** What a recall id leads to. */
export interface Original {
  readonly id: string;
  readonly kind: "result" | "arguments" | "media" | "text" | "span";
  /** The tool and target, for a person. */
  readonly label: string;
  /** The original bytes; for a span one JSON text per message, each on a line of its own. */
  readonly text: string;
  /** Secrets were masked before it was kept: these are not the very bytes. */
  readonly masked?: true;
}

export interface ActiveCompaction {
  /** The record of the longest covered prefix that is not undone. */
  readonly compaction?: Compaction;
  /** True where a longer one was undone: the person did not want it, so nothing automatic replaces it. */
  readonly undone: boolean;
}

/** Where words are looked for. A hit holds all of them; where there are too few such, most. */
export interface SearchScope {
  /** Originals: only these recall ids. Messages: only these links. */
  readonly within?: readonly string[];
  /** Only what holds every word as it is written, the newest first: for what is to be deleted. */
  readonly literally?: true;
}

export interface SearchHit {
  readonly id: string;
  readonly label: string;
  /** The lines around the words. */
  readonly text: string;
}

/** What a session needs. Every call may fail with the errors of docs/store.md; in memory none does. */
export interface Store {
  /**
   * Records a compaction under the link it covers. The first record of a link wins; the one in effect is returned.
   * A record may come back without `evicted[].original`: those bytes are the originals'. `root` is the first link of the
   * conversation: a database finds records by it at once, and those without it by looking for every link.
   */
  readonly putCompaction: (tenant: string, compaction: Compaction, root?: string) => Promise<Compaction>;
  /** The compaction in effect for a conversation, given its links (one a message, in order). Records of another schema do not count. */
  readonly findCompaction: (tenant: string, links: readonly string[]) => Promise<ActiveCompaction>;
  /** Marks the record of this link as undone. */
  readonly undoCompaction: (tenant: string, link: string) => Promise<void>;
  /** An id that has the same text already keeps its label; for another text, the newer one is found. */
  readonly putOriginals: (tenant: string, originals: readonly Original[]) => Promise<void>;
  readonly getOriginal: (tenant: string, id: string) => Promise<Original | undefined>;
  /** Originals that hold the words (a span: in one of its messages), best first. */
  readonly search: (tenant: string, words: string, limit: number, scope?: SearchScope) => Promise<readonly SearchHit[]>;
}

/** A conversation as one request brought it. */
export interface ChainAppend {
  /** One a message, from the first message on. */
  readonly links: readonly string[];
  readonly messages: readonly Message[];
  /** The client's own name for the session; where not given, the chain says which it is. */
  readonly session?: string;
  /**
   * Plain data of a job about this very conversation, for a store that has a queue of jobs: it is enqueued if the chain is
   * kept, in the same transaction, in place of one that waits for the session.
   */
  readonly job?: unknown;
}

/** A job as whoever works on it gets it. */
export interface Job {
  readonly tenant: string;
  /** Of the newest message of the chain that it was enqueued with. */
  readonly link: string;
  readonly data: unknown;
}

/** Work on conversations that any process on the same store can do. */
export interface JobQueue {
  /**
   * Does jobs, one a session at a time, until `stop` is called; one that rejects is tried again later. What goes wrong with
   * the queue itself is told to `onError`.
   */
  readonly work: (
    run: (job: Job, signal: AbortSignal) => Promise<void>,
    how: JobWork,
  ) => Promise<{ stop: () => Promise<void> }>;
  /** Keeps a compaction that is made and not in effect yet. */
  readonly putPrepared: (tenant: string, compaction: Compaction) => Promise<void>;
  /** The one that covers most of a conversation, given its links. */
  readonly findPrepared: (tenant: string, links: readonly string[]) => Promise<Compaction | undefined>;
  readonly dropPrepared: (tenant: string, covers: string) => Promise<void>;
}

export interface JobWork {
  /** Jobs of this process at a time. */
  readonly atOnce: number;
  readonly onError: (error: Error) => void;
}

export interface Appended {
  /** How many messages were new. */
  readonly added: number;
  /** The session whose head the chain's last message now is, or was found in; empty for a chain without messages. */
  readonly session: string;
}

/** A line of conversation: the messages up to its head. A branch names the session it left, and where. */
export interface SessionEntry {
  readonly id: string;
  /** Link of the newest message. */
  readonly head: string;
  readonly messages: number;
  readonly parent?: string;
  /** Link of the last message shared with the parent. */
  readonly forkedAt?: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface SessionsQuery {
  readonly limit: number;
  /** Only the branches of this session. */
  readonly parent?: string;
  /** Only those whose id begins so. */
  readonly prefix?: string;
}

/** Whose sessions are kept, and how many. */
export interface TenantEntry {
  readonly tenant: string;
  readonly sessions: number;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
}

/** A compaction that was recorded for a prefix of a conversation. */
export interface CompactionEntry {
  readonly compaction: Compaction;
  readonly undone: boolean;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** A message as it came: the bytes of its wire message, or its JSON in core's form where it came from none. */
export interface StoredMessage {
  readonly link: string;
  readonly role: Role;
  /** The protocol of `body`; absent for core's form. */
  readonly protocol?: string;
  readonly body: string;
  /** Its place among the messages that came from the same wire message; above 0, the body is the one before it. */
  readonly member: number;
}

export interface MessageHit extends Pick<StoredMessage, "link" | "role" | "protocol" | "body"> {
  readonly session: string;
  /** Its place in its conversation, from 0; of the first one where several came from one wire message. */
  readonly position: number;
  /** The lines around the words. */
  readonly text: string;
}

/** The tokens of one request, as its provider reported them. */
export interface UsageEntry extends Usage {
  /** Link of the last message of the request, in the client's own chain. */
  readonly link: string;
  readonly model: string;
  readonly costUsd?: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What goes: everything not used since `before`, then the longest unused until the rest is small enough. */
export interface Retention {
  /** One tenant; all where not given. */
  readonly tenant?: string;
  /** Milliseconds since the epoch. */
  readonly before?: number;
  /** Of bodies. */
  readonly maxBytes?: number;
  /** Of everything in the file; in memory, of bodies. */
  readonly maxFileBytes?: number;
  /** Where something has to go for its size, originals from before this that belong to no stored conversation go first. */
  readonly looseBefore?: number;
  /** True: only records and originals that belong to no stored conversation. */
  readonly looseOnly?: boolean;
}

/** How much is kept. */
export interface Holdings {
  readonly sessions: number;
  readonly messages: number;
  readonly compactions: number;
  readonly originals: number;
  /** Distinct bodies of messages and originals, and their size in UTF-8. */
  readonly bodies: number;
  readonly bytes: number;
}

/** A store that also keeps the conversations themselves. */
export interface HistoryStore extends Store {
  /** Keeps what is new of a conversation: all of it or, on an error, nothing. */
  readonly appendChain: (tenant: string, chain: ChainAppend) => Promise<Appended>;
  /** The messages up to a link, oldest first; empty for an unknown one. */
  readonly readChain: (tenant: string, link: string) => Promise<readonly StoredMessage[]>;
  /** The links up to one, oldest first, without their messages; empty for an unknown one. */
  readonly readLinks: (tenant: string, link: string) => Promise<readonly string[]>;
  /** Whether a conversation is kept up to a link. */
  readonly isStored: (tenant: string, link: string) => Promise<boolean>;
  /** Every compaction of a conversation, given its links: by how far they reach, then in order of time. */
  readonly listCompactions: (tenant: string, links: readonly string[]) => Promise<readonly CompactionEntry[]>;
  /** Those that have a session, the last used first. */
  readonly listTenants: () => Promise<readonly TenantEntry[]>;
  /** Newest first. */
  readonly listSessions: (tenant: string, query: SessionsQuery) => Promise<readonly SessionEntry[]>;
  readonly getSession: (tenant: string, id: string) => Promise<SessionEntry | undefined>;
  /** Messages that hold the words, best first. */
  readonly searchMessages: (
    tenant: string,
    words: string,
    limit: number,
    scope?: SearchScope,
  ) => Promise<readonly MessageHit[]>;
  readonly putUsage: (tenant: string, usage: UsageEntry) => Promise<void>;
  /** The newest usage of the longest prefix that has one, given a conversation's links. */
  readonly findUsage: (tenant: string, links: readonly string[]) => Promise<UsageEntry | undefined>;
  /** Every usage of a conversation, given its links, in the order in which they were put. */
  readonly listUsage: (tenant: string, links: readonly string[]) => Promise<readonly UsageEntry[]>;
  /**
   * Plain data by any name; the last write wins. Under a link, or a name that ends in a colon and one, it goes with that
   * link; under any other it goes when retention finds it unused since.
   */
  readonly putState: (tenant: string, root: string, state: unknown) => Promise<void>;
  readonly getState: (tenant: string, root: string) => Promise<unknown>;
  /** Rejects where that many bytes more could not be kept: by now, or because what was kept is not there any more. */
  readonly checkWritable: (bytes?: number) => Promise<void>;
  readonly holdings: (tenant?: string) => Promise<Holdings>;
  /** Its size in bytes, answered quickly: of a file without what is free in it, in memory of the texts. */
  readonly size: () => Promise<number>;
  /** These sessions and every branch that is on one of them, the newest first: what `deleteSessions` takes. */
  readonly withBranches: (tenant: string, ids: readonly string[]) => Promise<readonly string[]>;
  /**
   * Deletes these sessions and every branch that is on one of them, with all that only they have, and answers with the
   * ids that went. What a branch shares with a session that stays is that session's, and stays.
   */
  readonly deleteSessions: (tenant: string, ids: readonly string[]) => Promise<readonly string[]>;
  /** Deletes what retention says and answers with what is left. A session lives as long as a branch of it does. */
  readonly retain: (retention: Retention) => Promise<Holdings>;
  /** Reads everything and answers with one line a fault: none for a sound store. */
  readonly check: () => Promise<readonly string[]>;
  /** Gives freed space back to the disk. Takes as long as copying the file. */
  readonly vacuum: () => Promise<void>;
  /** Where other processes share the store, and it was opened with a queue of jobs. */
  readonly jobs?: JobQueue;
  /** Finishes what was begun, then refuses further calls. */
  readonly close: () => Promise<void>;
}

/** What the clock of a store is for: when sessions were last used, and what retention makes of it. */
export interface ClockOptions {
  /** Milliseconds since the epoch; default `Date.now`. */
  readonly now?: () => number;
}
