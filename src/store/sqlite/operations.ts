/**
 * What can be asked of the thread that has the file, by name. Reads and writes run in whatever transaction is open;
 * what runs alone must have none. A note outlives the process like any write, and is not waited for until the disk has it:
 * when the power fails, the last ones may be missing.
 */
import type { DatabaseSync } from "node:sqlite";
import type { Retention, SessionsQuery, UsageEntry } from "../store.ts";
import { append, countStored, readChain, readLinks, readyEntries } from "./chains.ts";
import { checkDatabase } from "./check.ts";
import { getOriginal, putOriginals, readyOriginals } from "./originals.ts";
import type { Runner } from "./query.ts";
import type { NewRecord } from "../sql/records.ts";
import { find, listRecords, put, readRecord, touch, undo } from "./records.ts";
import { deleteStep, holdings, retainStep, size, withBranches } from "./retention.ts";
import type { WordSearch } from "../search.ts";
import { searchMessages, searchOriginals } from "./search.ts";
import { getSession, listSessions } from "./sessions.ts";
import { listTenants } from "./tenants.ts";
import { findUsage, getState, listUsage, putState, putUsage, totalUsage } from "./usage.ts";
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { noRoomError } from "./failures.ts";

/** A disk with less than this is full: the journal and the file itself both grow by what is written. */
const DISK_BYTES_MIN = 1024 * 1024;
const COPIES_WRITTEN = 2;

/** @throws what a write would. */
function checkWritable(db: DatabaseSync, bytes: number): void {
  const path = db.location() ?? "";
  const number = (name: string): number => Number(db.prepare(`pragma ${name}`).get()![name]);
  const pages = number("max_page_count") - number("page_count") + number("freelist_count");
  if (pages * number("page_size") < bytes) throw noRoomError(path);
  // Writes the file's first page as it is: it fails where any write would.
  db.exec("begin immediate");
  try {
    db.exec(`pragma user_version = ${number("user_version")}; commit`);
  } catch (error) {
    if (db.isTransaction) db.exec("rollback");
    throw error;
  }
  const { bavail, bsize } = statfsSync(dirname(path));
  if (bavail * bsize < Math.max(DISK_BYTES_MIN, bytes * COPIES_WRITTEN)) throw noRoomError(path);
}

export interface OpenDatabase {
  readonly db: DatabaseSync;
  readonly runner: Runner;
}

type Kind = "read" | "write" | "note" | "alone";

export interface Operation<Argument, Answer, Ready = unknown> {
  readonly kind: Kind;
  /** What takes long and is done before the file is locked, so that no other process waits for it. */
  readonly ready?: (database: OpenDatabase, tenant: string, argument: Argument) => Ready;
  readonly run: (database: OpenDatabase, tenant: string, argument: Argument, ready: Ready) => Answer;
}

type OnTables<Argument, Answer, More extends readonly unknown[] = []> = (
  runner: Runner,
  tenant: string,
  argument: Argument,
  ...more: More
) => Answer;

function read<Argument, Answer>(run: OnTables<Argument, Answer>): Operation<Argument, Answer> {
  return { kind: "read", run: ({ runner }, tenant, argument) => run(runner, tenant, argument) };
}

function write<Argument, Answer>(run: OnTables<Argument, Answer>): Operation<Argument, Answer> {
  return { kind: "write", run: ({ runner }, tenant, argument) => run(runner, tenant, argument) };
}

function readyWrite<Argument, Answer, Ready>(
  ready: OnTables<Argument, Ready>,
  run: OnTables<Argument, Answer, [Ready]>,
): Operation<Argument, Answer, Ready> {
  return {
    kind: "write",
    ready: ({ runner }, tenant, argument) => ready(runner, tenant, argument),
    run: ({ runner }, tenant, argument, made) => run(runner, tenant, argument, made),
  };
}

function note<Argument, Answer>(run: OnTables<Argument, Answer>): Operation<Argument, Answer> {
  return { kind: "note", run: ({ runner }, tenant, argument) => run(runner, tenant, argument) };
}

export const OPERATIONS = {
  countStored: read(countStored),
  append: readyWrite(readyEntries, append),
  readChain: read(readChain),
  readLinks: read(readLinks),
  listTenants: read((runner) => listTenants(runner)),
  listSessions: read<SessionsQuery, ReturnType<typeof listSessions>>(listSessions),
  getSession: read(getSession),
  putRecord: write<NewRecord, ReturnType<typeof put>>(put),
  findRecord: read(find),
  readRecord: read((runner, _tenant, id: number) => readRecord(runner, id)),
  listRecords: read(listRecords),
  touchRecords: note(touch),
  undoRecord: write(undo),
  putOriginals: readyWrite(readyOriginals, putOriginals),
  getOriginal: read(getOriginal),
  searchOriginals: read<WordSearch, ReturnType<typeof searchOriginals>>(searchOriginals),
  searchMessages: read<WordSearch, ReturnType<typeof searchMessages>>(searchMessages),
  putUsage: note<UsageEntry, void>(putUsage),
  findUsage: read(findUsage),
  listUsage: read(listUsage),
  totalUsage: read(totalUsage),
  putState: note(putState),
  getState: read(getState),
  holdings: read((runner, _tenant, tenant: string | undefined) => holdings(runner, tenant)),
  retainStep: write((runner, _tenant, retention: Retention) => retainStep(runner, retention)),
  size: read((runner) => size(runner)),
  withBranches: read(withBranches),
  deleteStep: write(deleteStep),
  check: { kind: "read", run: ({ db, runner }) => checkDatabase(db, runner) } satisfies Operation<
    undefined,
    readonly string[]
  >,
  checkWritable: {
    kind: "alone",
    run: ({ db }, _tenant, bytes: number) => checkWritable(db, bytes),
  } satisfies Operation<number, void>,
  vacuum: { kind: "alone", run: ({ db }) => vacuum(db) } satisfies Operation<undefined, void>,
};

function vacuum(db: DatabaseSync): void {
  // Words of what was deleted stay in the index until its segments are merged.
  db.exec("insert into words (words) values ('optimize'); vacuum; pragma wal_checkpoint(truncate)");
}

export type OperationName = keyof typeof OPERATIONS;
type RunOf<Name extends OperationName> = (typeof OPERATIONS)[Name]["run"];
export type ArgumentOf<Name extends OperationName> =
  Parameters<RunOf<Name>> extends [unknown, unknown, infer Argument, ...unknown[]] ? Argument : undefined;
export type AnswerOf<Name extends OperationName> = ReturnType<RunOf<Name>>;

/** One call on its way to the thread, and what comes back. */
export interface Call {
  readonly id: number;
  readonly name: OperationName;
  readonly tenant: string;
  readonly argument: unknown;
  /** What the argument carries, roughly. */
  readonly bytes: number;
}
