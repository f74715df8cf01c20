/**
 * Work on a database, written once for all of them: it yields each query, and whoever runs it gives back the rows, at once
 * or when they have come.
 */
import type { Vault } from "../vault.ts";
import type { Query } from "./query.ts";

export interface AskedQuery {
  readonly query: Query<never, unknown>;
  readonly args: unknown;
  /** `id`: of the row that was added, 0 where none was; only a file knows it. */
  readonly wants: "rows" | "row" | "changes" | "id";
}

export type Steps<Answer> = Generator<AskedQuery, Answer, unknown>;

/** What the work needs of its database beside queries. */
export interface Tables {
  /** What the contents are in the database as. */
  readonly vault: Vault;
  /** Waits for the other writers of these. */
  readonly lockToWrite: (keys: readonly string[]) => Steps<void>;
  /** Deletes those bodies that nothing refers to, and answers with their size. */
  readonly dropUnused: (bodies: Iterable<number>) => Steps<number>;
}

export function* all<Arguments, Row>(query: Query<Arguments, Row>, args: Arguments): Steps<readonly Row[]> {
  return (yield { query: query as Query<never, unknown>, args, wants: "rows" }) as readonly Row[];
}

export function* first<Arguments, Row>(query: Query<Arguments, Row>, args: Arguments): Steps<Row | undefined> {
  return (yield { query: query as Query<never, unknown>, args, wants: "row" }) as Row | undefined;
}

/** Answers with the number of rows that changed. */
export function* run<Arguments>(query: Query<Arguments, unknown>, args: Arguments): Steps<number> {
  return (yield { query: query as Query<never, unknown>, args, wants: "changes" }) as number;
}

export function answerNow<Answer>(steps: Steps<Answer>, ask: (asked: AskedQuery) => unknown): Answer {
  let step = steps.next();
  while (step.done !== true) step = steps.next(ask(step.value));
  return step.value;
}

export async function answerLater<Answer>(
  steps: Steps<Answer>,
  /** An answer, or one to wait for. */
  ask: (asked: AskedQuery) => unknown,
): Promise<Answer> {
  let step = steps.next();
  while (step.done !== true) step = steps.next(await ask(step.value));
  return step.value;
}
