/**
 * Runs calls in the order they came. Writes that wait together are committed together, because what takes time is the
 * disk; each still succeeds or fails by itself, and none is answered before it is on the disk.
 */
import type { DatabaseSync } from "node:sqlite";
import { storeError, toPlain, type PlainError } from "./failures.ts";
import { OPERATIONS, type AnyOperation, type Call, type OpenDatabase } from "./operations.ts";

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
  const notes = calls.some(({ name }) => OPERATIONS[name].kind === "write") ? "write" : "note";
  for (const call of calls) {
    const operation = OPERATIONS[call.name];
    switch (operation.kind) {
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
