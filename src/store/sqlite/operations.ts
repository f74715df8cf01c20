/**
 * What can be asked of the thread that has the file, by name. Reads and writes run in whatever transaction is open;
 * what runs alone must have none. A note outlives the process like any write, and is not waited for until the disk has it:
 * when the power fails, the last ones may be missing.
 *
 * Calls run in the order they came. Writes that wait together are committed together, because what takes time is the disk; each
 * still succeeds or fails by itself, and none is answered before it is on the disk.
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
import { noRoomError, storeError, toPlain, type PlainError } from "./failures.ts";
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

interface Operation<Argument, Answer, Ready = unknown> {
  readonly kind: Kind;
  /** Of a write: it is only waited for with what follows it. */
  readonly isNote?: (argument: Argument) => boolean;
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
  isNote: ({ more }) => more === true,
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

const OPERATIONS: Readonly<Record<OperationName, AnyOperation>> = {
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

/** After this, what has gathered is committed, so that the first does not wait for the last. */
const GROUP_MS_MAX = 50;
/** What carries more is made ready with the file unlocked, whatever has gathered. */
const LOCKED_BYTES_MAX = 64 * 1024;

export type Reply =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: PlainError };

type Durability = "write" | "note";

/** In a write-ahead log, `normal` leaves the disk to the next commit with `full`. */
const SYNCHRONOUS: Readonly<Record<Durability, string>> = { write: "full", note: "normal" };

export function serve(database: OpenDatabase, path: string, calls: readonly Call[]): readonly Reply[] {
  const group = createGroup(database, path);
  const notes = calls.some((call) => kindOf(call) === "write") ? "write" : "note";
  for (const call of calls) {
    const operation = OPERATIONS[call.name];
    switch (kindOf(call)) {
      case "read":
        group.attempt(call, operation);
        break;
      case "write":
        group.write(call, operation, "write");
        break;
      // Beside a write, it costs nothing more to wait for the disk, and a commit less.
      case "note":
        group.write(call, operation, notes);
        break;
      case "alone":
        group.commit();
        group.attempt(call, operation);
        break;
    }
  }
  group.end();
  return group.replies;
}

function kindOf({ name, argument }: Call): Kind {
  const { kind, isNote }: AnyOperation = OPERATIONS[name];
  return isNote?.(argument) === true ? "note" : kind;
}

function begin(db: DatabaseSync, { wanted, before }: Readonly<Record<"wanted" | "before", Durability>>): void {
  // Cannot be changed within a transaction.
  if (wanted !== before) db.exec(`pragma synchronous = ${SYNCHRONOUS[wanted]}`);
  db.exec("begin immediate");
}

function createGroup(database: OpenDatabase, path: string) {
  const { db } = database;
  const { replies, reply, commit, loseAll } = createReplies(db, path);
  let since = 0;
  /** Of the open transaction, or of the next one. */
  let durability: Durability = "write";

  const attempt = (call: Call, { run }: AnyOperation): void => {
    try {
      reply(call, { answer: run(database, call.tenant, call.argument, undefined) });
    } catch (error) {
      reply(call, { error });
    }
  };

  const write = (call: Call, { ready, run }: AnyOperation, wanted: Durability): void => {
    if ((wanted === "write" && durability === "note") || call.bytes > LOCKED_BYTES_MAX) commit();
    let made: unknown;
    try {
      made = ready?.(database, call.tenant, call.argument);
      if (!db.isTransaction) {
        begin(db, { wanted, before: durability });
        [durability, since] = [wanted, performance.now()];
      }
    } catch (error) {
      reply(call, { error });
      return;
    }
    try {
      db.exec("savepoint one");
      const answer = run(database, call.tenant, call.argument, made);
      db.exec("release one");
      reply(call, { answer });
    } catch (error) {
      reply(call, { error });
      // A full disk may have taken the whole transaction back already.
      if (db.isTransaction) db.exec("rollback to one; release one");
      else loseAll(error);
    }
    if (performance.now() - since > GROUP_MS_MAX) commit();
  };

  const end = (): void => {
    commit();
    if (durability === "note") db.exec(`pragma synchronous = ${SYNCHRONOUS.write}`);
  };

  return { replies, attempt, write, commit, end };
}

type Outcome = { readonly answer: unknown } | { readonly error: unknown };

function createReplies(db: DatabaseSync, path: string) {
  const replies: Reply[] = [];
  /** Answers that hold only when the open transaction is committed: of writes, and of what may have read them. */
  let held: Reply[] = [];
  const failed = ({ id }: Pick<Call, "id">, error: unknown): Reply => ({ id, error: toPlain(storeError(error, path)) });
  const reply = (call: Call, outcome: Outcome): void => {
    const into = db.isTransaction ? held : replies;
    into.push("error" in outcome ? failed(call, outcome.error) : { id: call.id, answer: outcome.answer });
  };
  const loseAll = (error: unknown): void => {
    if (db.isTransaction) db.exec("rollback");
    for (const each of held.map((one) => failed(one, error))) replies.push(each);
    held = [];
  };
  const commit = (): void => {
    if (!db.isTransaction) return;
    try {
      db.exec("commit");
      for (const each of held) replies.push(each);
      held = [];
    } catch (error) {
      loseAll(error);
    }
  };
  return { replies, reply, commit, loseAll };
}
