/**
 * What can be asked of the thread that has the file, by name. Reads and writes run in whatever transaction is open;
 * what runs alone must have none. A note outlives the process like any write, and is not waited for until the disk has it:
 * when the power fails, the last ones may be missing.
 */
import type { DatabaseSync } from "node:sqlite";
import type { Appended, Retention, SessionEntry, SessionsQuery } from "../store.ts";
import type { ChainEnd } from "../sql/appending.ts";
import { appendChain, countStored, readChain, readLinks, brokenLinks } from "../sql/chains.ts";
import { getOriginal, putOriginals, type NewOriginals } from "../sql/originals.ts";
import { query } from "../sql/query.ts";
import { findRecord, listRecords, putRecord, readRecord, touchRecords, undoRecord } from "../sql/compaction-records.ts";
import { deleteStep, holdings, retainStep, withBranches } from "../sql/retention.ts";
import { searchMessages, searchOriginals } from "../sql/search.ts";
import { getSession, listSessions } from "../sql/sessions.ts";
import { first, type Steps } from "../sql/steps.ts";
import { listTenants } from "../sql/tenants.ts";
import { findUsage, getState, listUsage, putState, putUsage } from "../sql/usage.ts";
import { addMessages, piecesToAdd, readyEntries, readyOriginals, type ReadyBody } from "./bodies.ts";
import type { Runner } from "./query.ts";
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { noRoomError } from "./failures.ts";
import { keyOf } from "../text-bytes.ts";

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

type OnTables<Argument, Answer> = (runner: Runner, tenant: string, argument: Argument) => Steps<Answer>;
type OfTenant<Argument, Answer> = (tenant: string, argument: Argument) => Steps<Answer>;

function on(kind: "read" | "write" | "note") {
  return <Argument, Answer>(work: OnTables<Argument, Answer>): Operation<Argument, Answer> => {
    return { kind, run: ({ runner }, tenant, argument) => runner.answer(work(runner, tenant, argument)) };
  };
}

const [read, write, note] = [on("read"), on("write"), on("note")];

function ofTenant<Argument, Answer>(work: OfTenant<Argument, Answer>): OnTables<Argument, Answer> {
  return (_, tenant, argument) => work(tenant, argument);
}

/** What the file's pages hold, without those that are free. */
const usedBytes = query<object, { bytes: number }>(`
  select ((select page_count from pragma_page_count) - (select freelist_count from pragma_freelist_count))
    * (select page_size from pragma_page_size) as bytes`);

const append: Operation<ChainEnd, Appended | undefined, readonly ReadyBody[]> = {
  kind: "write",
  ready: ({ runner }, tenant, end) => runner.answer(readyEntries(runner.vault, tenant, end)),
  run: ({ runner }, tenant, end, ready) =>
    runner.answer(appendChain(runner, tenant, end, (fresh) => addMessages(fresh, ready))),
};

const addOriginals: Operation<NewOriginals, void, readonly (readonly ReadyBody[])[]> = {
  kind: "write",
  ready: ({ runner }, tenant, fresh) => runner.answer(readyOriginals(runner.vault, tenant, fresh)),
  run: ({ runner }, tenant, fresh, ready) =>
    runner.answer(putOriginals(runner, tenant, fresh, (at) => piecesToAdd(ready[at]!))),
};

export const OPERATIONS = {
  countStored: read(ofTenant(countStored)),
  append,
  readChain: read(readChain),
  readLinks: read(ofTenant(readLinks)),
  listTenants: read(() => listTenants()),
  listSessions: read(ofTenant<SessionsQuery, readonly SessionEntry[]>(listSessions)),
  getSession: read(ofTenant(getSession)),
  putRecord: write(putRecord),
  findRecord: read(ofTenant(findRecord)),
  readRecord: read((runner, _, id: number) => readRecord(runner, id)),
  listRecords: read(ofTenant(listRecords)),
  touchRecords: note(ofTenant(touchRecords)),
  undoRecord: write(undoRecord),
  putOriginals: addOriginals,
  getOriginal: read(getOriginal),
  searchOriginals: read(searchOriginals),
  searchMessages: read(searchMessages),
  putUsage: note(ofTenant(putUsage)),
  findUsage: read(ofTenant(findUsage)),
  listUsage: read(ofTenant(listUsage)),
  putState: note(putState),
  getState: read(getState),
  holdings: read((_, _tenant, tenant: string | undefined) => holdings(tenant)),
  retainStep: write((runner, _, retention: Retention) => retainStep(runner, retention, usedBytes)),
  size: read(function* size() {
    return (yield* first(usedBytes, {}))!.bytes;
  }),
  withBranches: read(ofTenant(withBranches)),
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

const allBodies = query<object, { id: number; hash: Uint8Array; encoding: string; content: Uint8Array }>(
  `select id, hash, encoding, content from bodies`,
);

function isWhat({ vault }: Runner, row: { encoding: string; content: Uint8Array }, hash: Uint8Array): boolean {
  try {
    return Buffer.compare(vault.keyed(keyOf(row.encoding, vault.open("body", row.content))), hash) === 0;
  } catch {
    // Damage to an encrypted body shows when it is opened.
    return false;
  }
}

/**
 * Looks for damage: what SQLite knows of, bodies that are not what their hash says, chains with a gap. One line a fault; none for
 * a sound file. Reads the whole of it.
 */
function checkDatabase(db: DatabaseSync, runner: Runner): readonly string[] {
  const faults: string[] = [];
  for (const row of db.prepare("pragma integrity_check").iterate()) {
    if (row["integrity_check"] !== "ok") faults.push(String(row["integrity_check"]));
  }
  for (const row of db.prepare("pragma foreign_key_check").iterate())
    faults.push(
      `${String(row["table"])} row ${String(row["rowid"])} refers to a missing row of ${String(row["parent"])}`,
    );
  for (const { id, hash, encoding, content } of runner.each(allBodies, {}))
    if (!isWhat(runner, { encoding, content }, hash)) faults.push(`body ${id} does not match its hash`);
  for (const { link } of runner.all(brokenLinks, {})) faults.push(`link ${link} does not follow the one before it`);
  return faults;
}
