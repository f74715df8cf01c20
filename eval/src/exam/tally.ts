/** From grades to figures: points by contestant and kind of question with intervals, and which differences prove anything. */
import { differenceOf, shareInterval, type Difference, type Groups, type Interval } from "./intervals.ts";
import { KINDS, type Contestant, type Kind, type Question } from "./plan.ts";
import type { CaseResult } from "./run.ts";

export type Column = "all" | Kind;
const COLUMNS: readonly Column[] = ["all", ...KINDS];

/** A share of the points of one kind of question. */
export interface Score extends Interval {
  /** Absent where nothing was asked. */
  readonly share?: number;
  readonly questions: number;
}

export interface ContestantRow {
  readonly contestant: string;
  readonly scores: Readonly<Record<Column, Score>>;
  /** Tokens of the contexts, of those before the cuts; more than 1 where a context came out larger. */
  readonly kept: number;
  /** Cases in which it was graded. */
  readonly cases: number;
  /** Cases in which it could not be. */
  readonly failed: number;
}

export interface DifferenceRow extends Difference {
  readonly one: string;
  readonly other: string;
}

export interface ExamFigures {
  /** The best first. */
  readonly rows: readonly ContestantRow[];
  /** Every pair, over the questions that both were asked. */
  readonly differences: readonly DifferenceRow[];
  /** Sessions with grades. */
  readonly cases: number;
  readonly questions: number;
}

export function figuresOf(results: readonly CaseResult[], contestants: readonly Contestant[]): ExamFigures {
  const graded = results.filter(({ seats }) => seats.length > 0);
  const rows = contestants
    .map(({ name }) => rowOf(name, results, graded))
    .toSorted((a, b) => (b.scores.all.share ?? -1) - (a.scores.all.share ?? -1));
  const names = rows.filter(({ cases }) => cases > 0).map(({ contestant }) => contestant);
  const pairs = names.flatMap((one, at) => names.slice(at + 1).map((other) => [one, other] as const));
  return {
    rows,
    differences: pairs.map(([one, other]) => ({ one, other, ...differenceBetween(graded, one, other) })),
    cases: graded.length,
    questions: graded.reduce((sum, { questions }) => sum + questions.length, 0),
  };
}

function rowOf(contestant: string, results: readonly CaseResult[], graded: readonly CaseResult[]): ContestantRow {
  const own = graded.filter(({ seats }) => seats.some((seat) => seat.contestant === contestant));
  const scores = Object.fromEntries(COLUMNS.map((column) => [column, scoreOf(contestant, own, column)]));
  const sizes = own.flatMap((result) => seatsOf(result, contestant).slice(0, 1));
  const before = own.reduce((sum, { prefixTokens }) => sum + prefixTokens, 0);
  return {
    contestant,
    scores: scores as Readonly<Record<Column, Score>>,
    kept: before === 0 ? 0 : sizes.reduce((sum, { contextTokens }) => sum + contextTokens, 0) / before,
    cases: own.length,
    failed: results.length - own.length,
  };
}

function scoreOf(contestant: string, own: readonly CaseResult[], column: Column): Score {
  const groups: Groups = own.map((result) =>
    askedIn(result, column).map((question) => pointsAt(result, contestant, question)),
  );
  const values = groups.flat();
  const interval = shareInterval(groups);
  if (values.length === 0) return { ...interval, questions: 0 };
  return { ...interval, share: values.reduce((sum, one) => sum + one, 0) / values.length, questions: values.length };
}

function askedIn({ questions }: CaseResult, column: Column): readonly Question[] {
  return column === "all" ? questions : questions.filter(({ kind }) => kind === column);
}

function seatsOf({ seats }: CaseResult, contestant: string): CaseResult["seats"] {
  return seats.filter((seat) => seat.contestant === contestant);
}

/** The mean of its readers. */
function pointsAt(result: CaseResult, contestant: string, { id }: Question): number {
  const seats = seatsOf(result, contestant);
  return seats.reduce((sum, { points }) => sum + points[id]!, 0) / seats.length;
}

function differenceBetween(graded: readonly CaseResult[], one: string, other: string): Difference {
  const both = graded.filter((result) => [one, other].every((name) => seatsOf(result, name).length > 0));
  return differenceOf(
    both.map((result) =>
      result.questions.map((question) => [pointsAt(result, one, question), pointsAt(result, other, question)] as const),
    ),
  );
}
