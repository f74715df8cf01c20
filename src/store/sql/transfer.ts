/**
 * A database as rows that any other database takes: with their ids, and with texts in the clear, so that each side keeps
 * them in its own way and with its own key.
 */
import type { Body } from "../body.ts";
import type { UsageArguments } from "./usage.ts";

export interface TransferRows {
  readonly tenants: { readonly id: number; readonly name: string };
  /** Without what refers to messages, which come later. */
  readonly sessions: {
    readonly id: number;
    readonly tenant: number;
    readonly name: string;
    readonly parent: number | null;
    readonly createdAt: number;
  };
  readonly messages: {
    readonly id: number;
    readonly tenant: number;
    readonly link: string;
    readonly parent: number | null;
    readonly position: number;
    readonly session: number;
    readonly role: string;
    readonly protocol: string | null;
    readonly member: number;
    readonly createdAt: number;
    readonly text: string;
  };
  readonly heads: {
    /** Of the session. */
    readonly id: number;
    readonly name: string;
    readonly head: number | null;
    readonly forkedAt: number | null;
    readonly updatedAt: number;
  };
  readonly compactions: {
    readonly id: number;
    readonly tenant: number;
    readonly link: string;
    /** The first link of the conversation, where it is known. */
    readonly root: string | null;
    readonly schemaVersion: number;
    readonly generation: number;
    readonly createdAt: number;
    readonly usedAt: number;
    readonly text: string;
    readonly recallIds: readonly string[];
  };
  readonly undone: {
    readonly tenant: number;
    readonly link: string;
    readonly generation: number;
    readonly createdAt: number;
  };
  readonly originals: {
    readonly id: number;
    readonly tenant: number;
    readonly recallId: string;
    readonly kind: string;
    readonly label: string;
    readonly masked: number;
    readonly createdAt: number;
    readonly pieces: readonly Body[];
  };
  readonly usages: UsageArguments & { readonly id: number };
  readonly states: {
    readonly tenant: number;
    readonly root: string;
    readonly state: string;
    readonly updatedAt: number;
  };
}

export type TransferKind = keyof TransferRows;

/** In an order in which nothing refers to what comes later. */
export const TRANSFER_ORDER = [
  "tenants",
  "sessions",
  "messages",
  "heads",
  "compactions",
  "undone",
  "originals",
  "usages",
  "states",
] as const satisfies readonly TransferKind[];

/** Where a batch begins: behind the row with this id or, for rows without one, that many rows from the first. */
export interface Batch {
  readonly after: number;
  readonly limit: number;
}

export interface Transfer {
  readonly read: <Kind extends TransferKind>(kind: Kind, batch: Batch) => Promise<readonly TransferRows[Kind][]>;
  /** All of them or none. Rows without an id, and heads, may come again. */
  readonly write: <Kind extends TransferKind>(kind: Kind, rows: readonly TransferRows[Kind][]) => Promise<void>;
  /** Where the copy of a kind was ended; 0 for one that begins, and for what is written again each time. */
  readonly reached: (kind: TransferKind) => Promise<number>;
  /** What this store is a copy of; undefined for one that is none. */
  readonly copyOf: () => Promise<CopyMark | undefined>;
  readonly mark: (mark: CopyMark) => Promise<void>;
  readonly isEmpty: () => Promise<boolean>;
  /** New rows come after those that were copied. */
  readonly finish: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface CopyMark {
  readonly from: string;
  readonly finished: boolean;
}
