/**
 * What can be asked of the thread that has the file, by name. Reads and writes run in whatever transaction is open;
 * what runs alone must have none. A note outlives the process like any write, and is not waited for until the disk has it:
 * when the power fails, the last ones may be missing.
 */
import type { DatabaseSync } from "node:sqlite";
import type { Appended } from "../store.ts";
import { appendChain, brokenLinks, type ChainEnd } from "../sql/chains.ts";
import { NOTES, READS, WRITES, type OperationName, type OwnOperations } from "../sql/operations.ts";
import { dropStaged, putOriginals, stagePieces, type NewOriginals, type StagedPieces } from "../sql/originals.ts";
import { query } from "../sql/query.ts";
import { deleteStep, retainStep } from "../sql/retention.ts";
import type { Steps } from "../sql/steps.ts";
import { addMessages, piecesToAdd, readyEntries, readyOriginals, readyPieces, type ReadyBody } from "./bodies.ts";
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

export type AnyOperation = Operation<unknown, unknown>;
type Work = (runner: Runner, tenant: string, argument: never) => Steps<unknown>;

/** The same work for a file: in its thread, in whatever transaction is open. */
function on<Name extends string>(
  kind: Kind,
  works: Readonly<Record<Name, Work>>,
): Readonly<Record<Name, AnyOperation>> {
  const operations = Object.entries<Work>(works).map(([name, work]): [string, AnyOperation] => [
    name,
    { kind, run: ({ runner }, tenant, argument) => runner.answer(work(runner, tenant, argument as never)) },
  ]);
  return Object.fromEntries(operations) as Readonly<Record<Name, AnyOperation>>;
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

const stage: Operation<StagedPieces, boolean, readonly ReadyBody[]> = {
  kind: "write",
  ready: ({ runner }, tenant, some) => runner.answer(readyPieces(runner.vault, tenant, some)),
  run: ({ runner }, tenant, some, ready) => runner.answer(stagePieces(runner, tenant, some, piecesToAdd(ready).add)),
};

type Own<Types extends readonly [unknown, unknown]> = Pick<Operation<Types[0], Types[1], never>, "kind" | "run">;

const OWN = {
  append,
  putOriginals: addOriginals,
  stagePieces: stage,
  dropStaged: { kind: "write", run: ({ runner }, tenant, names) => runner.answer(dropStaged(runner, tenant, names)) },
  retainStep: {
    kind: "write",
    run: ({ runner }, _, retention) => runner.answer(retainStep(runner, retention, usedBytes)),
  },
  deleteStep: { kind: "write", run: ({ runner }, tenant, names) => runner.answer(deleteStep(runner, tenant, names)) },
  size: { kind: "read", run: ({ runner }) => runner.all(usedBytes, {})[0]!.bytes },
  check: { kind: "read", run: ({ db, runner }) => checkDatabase(db, runner) },
  checkWritable: { kind: "alone", run: ({ db }, _, bytes) => checkWritable(db, bytes) },
  vacuum: { kind: "alone", run: ({ db }) => vacuum(db) },
} satisfies { readonly [Name in keyof OwnOperations]: Own<OwnOperations[Name]> };

export const OPERATIONS: Readonly<Record<OperationName, AnyOperation>> = {
  ...on("read", READS),
  ...on("write", WRITES),
  ...on("note", NOTES),
  ...(OWN as Readonly<Record<keyof OwnOperations, AnyOperation>>),
};

function vacuum(db: DatabaseSync): void {
  // Words of what was deleted stay in the index until its segments are merged.
  db.exec("insert into words (words) values ('optimize'); vacuum; pragma wal_checkpoint(truncate)");
}

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
