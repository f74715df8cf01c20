/**
 * Answers on the caller's own thread what is asked before every request. In a write-ahead log a reader waits for nobody,
 * and these questions read little: the way to the store's thread and back would take ten times as long. What reads as
 * much as a whole chain stays with the thread, so that nobody else waits for it.
 */
import type { DatabaseSync } from "node:sqlite";
import { openDatabase, type FileOptions } from "./database.ts";
import type { AnswerOf, OperationName } from "../sql/operations.ts";
import type { Call } from "./operations.ts";
import { createRunner, type Runner } from "./query.ts";
import { countStored } from "../sql/chains.ts";
import { findRecord } from "../sql/compaction-records.ts";
import { getStates } from "../sql/usage.ts";
import type { Steps } from "../sql/steps.ts";

type Question = "findRecord" | "countStored" | "getStates";
type Ask<Name extends OperationName> = (runner: Runner, tenant: string, argument: never) => Steps<AnswerOf<Name>>;

const QUESTIONS: { readonly [Name in Question]: Ask<Name> } = {
  findRecord: (_, tenant, asked) => findRecord(tenant, asked),
  countStored: (_, tenant, links) => countStored(tenant, links),
  getStates,
};

/** A question that is asked after a write was begun must see it: such a question goes the same way, behind the write. */
const BEHIND: Readonly<Record<Question, readonly OperationName[]>> = {
  findRecord: ["putRecord", "undoRecord"],
  countStored: ["append"],
  getStates: ["putState"],
};

const CACHE_KIBIBYTES = 256;

export interface Reader {
  /** Undefined where the store's thread has to be asked, which also knows what is wrong. */
  readonly answer: (call: Pick<Call, "name" | "tenant" | "argument">) => { readonly answer: unknown } | undefined;
  /** A call is on its way to the thread until what is returned is called. */
  readonly begun: (name: OperationName) => () => void;
  /** Lets go of the file; the next question opens it again. */
  readonly close: () => void;
}

export function createReader(file: FileOptions): Reader {
  let open: { readonly db: DatabaseSync; readonly runner: Runner } | "refused" | undefined;
  const underWay = new Map<OperationName, number>();
  const add = (name: OperationName, count: number): void => void underWay.set(name, (underWay.get(name) ?? 0) + count);
  return {
    answer: ({ name, tenant, argument }) => {
      if (!isQuestion(name) || BEHIND[name].some((write) => (underWay.get(write) ?? 0) > 0)) return undefined;
      open ??= openToRead(file);
      if (open === "refused") return undefined;
      try {
        return { answer: open.runner.answer<unknown>(QUESTIONS[name](open.runner, tenant, argument as never)) };
      } catch {
        return undefined;
      }
    },
    begun: (name) => {
      add(name, 1);
      return () => add(name, -1);
    },
    close: () => {
      if (open !== "refused") open?.db.close();
      open = undefined;
    },
  };
}

function isQuestion(name: OperationName): name is Question {
  return Object.hasOwn(QUESTIONS, name);
}

function openToRead(file: FileOptions): { readonly db: DatabaseSync; readonly runner: Runner } | "refused" {
  try {
    // A call that would have to wait is left to the thread.
    const db = openDatabase({ ...file, readOnly: true, busyTimeoutMs: 0 });
    db.exec(`pragma cache_size = -${CACHE_KIBIBYTES}`);
    return { db, runner: createRunner(db, file.key) };
  } catch {
    return "refused";
  }
}
