/**
 * Work on a database, written once for all of them: it yields each query, and whoever runs it gives back the rows, at once
 * or when they have come.
 */
import { createRecentMap } from "../recent-map.ts";
import type { Vault } from "../vault.ts";
import type { Query } from "./query.ts";

export interface AskedQuery {
  readonly query: Query<never, unknown>;
  readonly args: unknown;
  /** `id`: of the row that was added, 0 where none was; only a file knows it. */
  readonly wants: "rows" | "row" | "changes" | "id";
}

/** Several at once need nothing of each other's answers: they are asked in their order, and none waits. */
export type Steps<Answer> = Generator<AskedQuery | readonly AskedQuery[], Answer, unknown>;

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

/** Two pieces of work of which neither needs the other's answers, nor asks several things at once: what each asks next is asked together. */
export function* together<One, Other>(one: Steps<One>, other: Steps<Other>): Steps<readonly [One, Other]> {
  let [ones, others] = [one.next(), other.next()];
  while (ones.done !== true && others.done !== true) {
    const answers = (yield [ones.value, others.value].flat()) as readonly [unknown, unknown];
    [ones, others] = [one.next(answers[0]), other.next(answers[1])];
  }
  while (ones.done !== true) ones = one.next(yield ones.value);
  while (others.done !== true) others = other.next(yield others.value);
  return [ones.value, others.value];
}

export function answerNow<Answer>(steps: Steps<Answer>, ask: (asked: AskedQuery) => unknown): Answer {
  let step = steps.next();
  while (step.done !== true) step = steps.next("query" in step.value ? ask(step.value) : step.value.map(ask));
  return step.value;
}

export async function answerLater<Answer>(
  steps: Steps<Answer>,
  /** An answer, or one to wait for. */
  ask: (asked: AskedQuery) => unknown,
): Promise<Answer> {
  let step = steps.next();
  while (step.done !== true)
    step = steps.next(await ("query" in step.value ? ask(step.value) : Promise.all(step.value.map(ask))));
  return step.value;
}

/** Rows that stay as they are once they are there: each is read once. */
export interface LastingRows {
  readonly find: (asked: AskedQuery) => unknown;
  /** Only of what is read outside any transaction: that is committed. */
  readonly keep: (asked: AskedQuery, row: unknown) => void;
  /** Somebody may have put an earlier state of the database in its place. */
  readonly forget: () => void;
}

const LASTING_ROWS_MAX = 10_000;

export function createLastingRows(): LastingRows {
  let rows = createRecentMap<unknown>({ entries: LASTING_ROWS_MAX });
  return {
    find: (asked) => (asked.query.lasting ? rows.get(questionKey(asked)) : undefined),
    keep: (asked, row) => (asked.query.lasting && row !== undefined ? rows.set(questionKey(asked), row) : undefined),
    forget: () => void (rows = createRecentMap<unknown>({ entries: LASTING_ROWS_MAX })),
  };
}

function questionKey({ query, args }: AskedQuery): string {
  return `${query.sql} ${JSON.stringify(args)}`;
}
