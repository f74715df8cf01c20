/**
 * What can be asked of any database, by name. Most of it is work in steps, the same for all; a database says itself how it does the
 * rest (`OwnOperations`).
 */
import type { Appended, Retention, SessionEntry, SessionsQuery } from "../store.ts";
import { countStored, readChain, readLinks, type ChainEnd } from "./chains.ts";
import { findRecord, listRecords, putRecord, readRecord, touchRecords, undoRecord } from "./compaction-records.ts";
import { getOriginal, publishStaged, type NewOriginals, type StagedPieces } from "./originals.ts";
import { holdings, withBranches } from "./retention.ts";
import { searchMessages, searchOriginals, type SearchedTables } from "./search.ts";
import { getSession, listSessions } from "./sessions.ts";
import type { Steps, Tables } from "./steps.ts";
import { listTenants } from "./tenants.ts";
import { findUsage, getStates, listUsage, putState, putUsage } from "./usage.ts";

type Work<Argument, Answer> = (tables: Tables & SearchedTables, tenant: string, argument: Argument) => Steps<Answer>;

function ofTenant<Argument, Answer>(
  work: (tenant: string, argument: Argument) => Steps<Answer>,
): Work<Argument, Answer> {
  return (_, tenant, argument) => work(tenant, argument);
}

export const READS = {
  countStored: ofTenant(countStored),
  readChain,
  readLinks: ofTenant(readLinks),
  listTenants: () => listTenants(),
  listSessions: ofTenant<SessionsQuery, readonly SessionEntry[]>(listSessions),
  getSession: ofTenant(getSession),
  findRecord: ofTenant(findRecord),
  readRecord: (tables: Tables, _: string, id: number) => readRecord(tables, id),
  listRecords: ofTenant(listRecords),
  getOriginal,
  searchOriginals,
  searchMessages,
  findUsage: ofTenant(findUsage),
  listUsage: ofTenant(listUsage),
  getStates,
  holdings: (_: Tables, _tenant: string, tenant: string | undefined) => holdings(tenant),
  withBranches: ofTenant(withBranches),
};

export const WRITES = { putRecord, undoRecord, publishStaged };

/** Writes of which the last may be missing when the power fails: none is waited for until the disk has it. */
export const NOTES = { touchRecords: ofTenant(touchRecords), putUsage: ofTenant(putUsage), putState };

type Shared = typeof READS & typeof WRITES & typeof NOTES;

/** Each by its argument and its answer. */
export interface OwnOperations {
  readonly append: readonly [ChainEnd, Appended | undefined];
  readonly putOriginals: readonly [NewOriginals, void];
  readonly stagePieces: readonly [StagedPieces, boolean];
  readonly dropStaged: readonly [readonly string[], void];
  /** One step; true when there may be more to delete. */
  readonly retainStep: readonly [Retention, boolean];
  readonly deleteStep: readonly [readonly string[], readonly string[]];
  readonly size: readonly [undefined, number];
  readonly check: readonly [undefined, readonly string[]];
  readonly checkWritable: readonly [number, void];
  readonly vacuum: readonly [undefined, void];
}

export type OperationName = keyof Shared | keyof OwnOperations;

export type ArgumentOf<Name extends OperationName> = Name extends keyof OwnOperations
  ? OwnOperations[Name][0]
  : Name extends keyof Shared
    ? Parameters<Shared[Name]> extends [unknown, unknown, infer Argument]
      ? Argument
      : undefined
    : never;

export type AnswerOf<Name extends OperationName> = Name extends keyof OwnOperations
  ? OwnOperations[Name][1]
  : Name extends keyof Shared
    ? ReturnType<Shared[Name]> extends Steps<infer Answer>
      ? Answer
      : never
    : never;

/** `bytes` is what the argument carries, roughly. */
export type Ask = <Name extends OperationName>(
  name: Name,
  tenant: string,
  argument: ArgumentOf<Name>,
  bytes?: number,
) => Promise<AnswerOf<Name>>;
