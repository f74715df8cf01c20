/**
 * One exam from end to end. The same steps are gone through twice: by an estimator that says what is still to be paid for,
 * and by the models themselves.
 */
import { PrecisError } from "../../../src/core/errors.ts";
import { ENDING_CODES, type ModelAnswer, type Asker } from "./ask.ts";
import { contextOf, type ContextOptions } from "./contexts.ts";
import { dealLetters, gradingOf, type Sitting } from "./grader.ts";
import type { Step } from "../measure/evaluate.ts";
import type { ExamFolder } from "./folder.ts";
import type { ExamModels } from "./models.ts";
import { seatName, type Case, type Contestant, type ExamPlan, type Question, type ContestantRun } from "./plan.ts";
import { questionsFor } from "./questions.ts";
import { readingOf } from "./reader.ts";

/** Models asked at a time; providers limit requests a minute. */
const PARALLEL_MAX = 4;

export interface Exam {
  readonly plan: ExamPlan;
  readonly models: ExamModels;
  readonly options: Omit<ContextOptions, "handoff" | "asker">;
  readonly asker: Asker;
  /** Where contexts and grades are written for people to read; not while it is only calculated. */
  readonly folder?: ExamFolder;
  readonly onStep?: (step: Step) => Promise<void>;
}

/** What one seat earned at each question, and on how large a context. */
export interface SeatResult extends ContestantRun {
  readonly contextTokens: number;
  readonly points: Readonly<Record<number, number>>;
}

export interface CaseResult {
  readonly name: string;
  readonly file: string;
  readonly prefixTokens: number;
  readonly questions: readonly Question[];
  readonly seats: readonly SeatResult[];
  /** What went wrong, each with whom it concerns; a whole case without questions or grades has no seats. */
  readonly failures: readonly Failure[];
}

export interface Failure {
  readonly of: string;
  readonly because: string;
}

export interface ExamOutcome {
  readonly results: readonly CaseResult[];
  /** What ended it before the last case. */
  readonly ended?: PrecisError;
}

/** Cases in their order; one that fails does not end the others. */
export async function runExam(exam: Exam): Promise<ExamOutcome> {
  const { plan, onStep = async () => undefined } = exam;
  const results: CaseResult[] = [];
  for (const [at, one] of plan.cases.entries()) {
    const report = (doing: string): Promise<void> =>
      onStep({ doing: `${one.name}: ${doing}`, done: at, of: plan.cases.length });
    try {
      results.push(await examineCase(exam, one, report));
    } catch (error) {
      if (isEnding(error)) return { results, ended: error };
      throw error;
    }
  }
  return { results };
}

async function examineCase(exam: Exam, one: Case, report: (doing: string) => Promise<void>): Promise<CaseResult> {
  const { plan, models, options, asker } = exam;
  const { name, file, prefixTokens } = one;
  const empty = { name, file, prefixTokens, questions: [], seats: [], failures: [] };
  await report("questions");
  const written = await asker.ask(questionsFor(one, { model: models.writer, context: options.context }));
  if (written.kind === "failed") return { ...empty, failures: [{ of: "the questions", because: written.because }] };
  const questions = written.value;
  await report("readers");
  const seated = await inParallel(plan.contestants, (contestant) => seatsOf(exam, one, { contestant, questions }));
  const sittings = seated.flatMap(({ sittings: own }) => own);
  const failures = seated.flatMap(({ failures: own }) => own);
  if (sittings.length === 0) return { ...empty, questions, failures };
  await report("grades");
  const dealt = dealLetters(sittings, one, plan.seed);
  const graded = await asker.ask(gradingOf(one, { questions, dealt, model: models.grader }));
  if (graded.kind === "failed")
    return { ...empty, questions, failures: [...failures, { of: "the grades", because: graded.because }] };
  const seats = Object.entries(dealt).map(([letter, { seat, contextTokens }]): SeatResult => {
    const points = questions.map(({ id }) => [id, graded.value[id]![letter]!] as const);
    return { ...seat, contextTokens, points: Object.fromEntries(points) };
  });
  const result = { name, file, prefixTokens, questions, seats, failures };
  exam.folder?.write(`${name}/result.json`, `${JSON.stringify(result, undefined, 1)}\n`);
  return result;
}

interface SeatedContestants {
  readonly sittings: readonly (Sitting & { readonly contextTokens: number })[];
  readonly failures: readonly Failure[];
}

async function seatsOf(
  { plan, models, options, asker, folder }: Exam,
  one: Case,
  { contestant, questions }: { readonly contestant: Contestant; readonly questions: readonly Question[] },
): Promise<SeatedContestants> {
  const context = await contextOf(one, contestant, { ...options, handoff: models.handoff, asker }).catch(faultOf);
  if (context.kind === "failed") return { sittings: [], failures: [{ of: contestant.name, because: context.because }] };
  folder?.write(`${one.name}/context.${contestant.name}.txt`, `${context.value}\n`);
  const contextTokens = options.context.measure.text(context.value);
  const seats = Array.from({ length: plan.readers }, (_, at): ContestantRun => ({
    contestant: contestant.name,
    reader: at + 1,
  }));
  const sittings: SeatedContestants["sittings"][number][] = [];
  const failures: Failure[] = [];
  for (const seat of seats) {
    const read = await asker.ask(readingOf(one, { seat, context: context.value, questions, model: models.reader }));
    if (read.kind === "failed") failures.push({ of: seatName(seat), because: read.because });
    else sittings.push({ seat, answers: read.value, contextTokens });
  }
  return { sittings, failures };
}

/** What an engine trips over on one session concerns that contestant alone; what ends the exam is passed on. */
function faultOf(error: unknown): ModelAnswer<string> {
  if (isEnding(error)) throw error;
  return { kind: "failed", because: error instanceof Error ? error.message : String(error) };
}

function isEnding(error: unknown): error is PrecisError {
  return error instanceof PrecisError && ENDING_CODES.has(error.code);
}

/**
 * In the order of the items. After a rejection nothing further is begun, and what is under way is waited for, because its
 * answers are paid for and kept.
 */
async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const waiting = [...items.entries()];
  const serve = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, item] = next;
      try {
        results[at] = await work(item);
      } catch (error) {
        waiting.length = 0;
        throw error;
      }
    }
  };
  const served = await Promise.allSettled(Array.from({ length: PARALLEL_MAX }, serve));
  const rejected = served.find((one) => one.status === "rejected");
  if (rejected !== undefined) throw rejected.reason;
  return results;
}
