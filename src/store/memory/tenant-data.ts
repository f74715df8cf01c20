/** What one tenant has in memory. Maps keep their order of insertion, which is the order of time. */
import type { Compaction } from "../../core/compaction/compaction.ts";
import type { Role } from "../../core/transcript/message.ts";
import type { Body } from "../body.ts";
import type { Original, UsageEntry } from "../store.ts";

export interface StoredRecord {
  readonly compaction: Compaction;
  readonly createdAt: number;
}

/** All records that a link ever had; those from `undone` on stand, at most one a schema. */
export interface RecordsOfLink {
  readonly all: StoredRecord[];
  undone: number;
  usedAt: number;
}

export interface StoredLink {
  readonly link: string;
  readonly parent: StoredLink | undefined;
  readonly position: number;
  readonly session: StoredSession;
  readonly role: Role;
  readonly protocol: string | undefined;
  readonly member: number;
  readonly body: Body;
}

export interface StoredSession {
  id: string;
  /** In order of creation. A session depends only on earlier ones, so that there is always one on which no other depends. */
  readonly number: number;
  readonly parent: StoredSession | undefined;
  readonly forkedAt: StoredLink | undefined;
  head: StoredLink | undefined;
  readonly createdAt: number;
  updatedAt: number;
}

export interface StoredOriginal {
  readonly original: Original;
  readonly createdAt: number;
}

export interface StoredState {
  /** As text, so that no caller can change what another one gets. */
  readonly text: string;
  readonly updatedAt: number;
}

export interface TenantData {
  readonly records: Map<string, RecordsOfLink>;
  readonly originals: Map<string, StoredOriginal>;
  readonly links: Map<string, StoredLink>;
  readonly sessions: Map<string, StoredSession>;
  readonly usages: UsageEntry[];
  readonly states: Map<string, StoredState>;
}

export function createTenantData(): TenantData {
  return {
    records: new Map(),
    originals: new Map(),
    links: new Map(),
    sessions: new Map(),
    usages: [],
    states: new Map(),
  };
}
