/** Every case for every contestant, several runs each, and the figures of them. */
import type { Step } from "../../measure/evaluate.ts";
import type { Section } from "../../measure/report.ts";
import type { Asker } from "../ask.ts";
import { contextOf, type ContextOptions } from "../contexts.ts";
import type { ExamFolder } from "../folder.ts";
import { differenceOf, shareInterval, type Groups } from "../intervals.ts";
import type { Contestant } from "../plan.ts";
import type { Failure } from "../run.ts";
import type { DifferenceRow } from "../tally.ts";
import type { ContinueCase } from "./case-folders.ts";
import { markTrial, prepareTrial, runTrial, type TrialPlace, type TrialResult } from "./trial.ts";

export const RUNS_DEFAULT = 3;
export const RUNS_MAX = 20;

/** A command runs the agents, or somebody else does: then folders are prepared first and marked later. */
export type Work =
  | { readonly by: "command"; readonly agent: string }
  | { readonly by: "hand"; readonly now: "prepare" | "mark" };

export interface TrialsRequest {
  readonly cases: readonly ContinueCase[];
  readonly contestants: readonly Contestant[];
  readonly runs: number;
  readonly work: Work;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly options: ContextOptions & { readonly asker: Asker };
  readonly folder: ExamFolder;
  readonly onStep: (step: Step) => Promise<void>;
}

export interface TrialsOutcome {
  /** Folders that an agent can work in now. */
  readonly prepared: number;
  /** Runs without an answer. */
  readonly open: number;
  readonly trials: readonly TrialResult[];
  readonly failures: readonly (Failure & { readonly case: string })[];
}

/** One after the other: agents are heavy, and a check may want the machine for itself. */
export async function runTrials(request: TrialsRequest): Promise<TrialsOutcome> {
  const { cases, contestants, runs, work, environment, options, folder, onStep } = request;
  const made: Made = { trials: [], failures: [], prepared: 0, open: 0 };
  const of = cases.length * contestants.length * runs;
  let done = 0;
  for (const one of cases)
    for (const contestant of contestants) {
      await onStep({ doing: `${one.name}: context of ${contestant.name}`, done, of });
      const context = await contextFor(one, contestant, { ...options, work });
      if (context.kind === "failed") {
        made.failures.push({ case: one.name, of: contestant.name, because: context.because });
        done += runs;
        continue;
      }
      for (let run = 1; run <= runs; run++) {
        await onStep({ doing: `${one.name}: ${contestant.name}, run ${run}`, done: done++, of });
        const place = { one, contestant: contestant.name, run, environment, folder };
        await workAt(place, { work, context: context.value, made });
      }
    }
  return made;
}

interface Made extends TrialsOutcome {
  prepared: number;
  open: number;
  readonly trials: TrialResult[];
  readonly failures: (Failure & { readonly case: string })[];
}

/** Marking needs none: it is in the folder, with what was made of it. */
async function contextFor(
  one: ContinueCase,
  contestant: Contestant,
  { work, ...options }: TrialsRequest["options"] & { readonly work: Work },
): ReturnType<typeof contextOf> {
  if (work.by === "hand" && work.now === "mark") return { kind: "answered", value: "", kept: true };
  return contextOf(one, contestant, options);
}

interface WorkToDo {
  readonly work: Work;
  readonly context: string;
  readonly made: Made;
}

async function workAt(place: TrialPlace, { work, context, made }: WorkToDo): Promise<void> {
  if (work.by === "command") {
    made.trials.push(await runTrial({ ...place, context, agent: work.agent }));
  } else if (work.now === "prepare") {
    prepareTrial(place, context);
    made.prepared += 1;
  } else {
    const result = await markTrial(place);
    if (result === undefined) made.open += 1;
    else made.trials.push(result);
  }
}

type Part = "checks" | "rules" | "questions";

export interface TrialRow {
  readonly contestant: string;
  readonly runs: number;
  /** Runs in which everything held. */
  readonly whole: number;
  /** Runs whose agent failed or was ended. */
  readonly failed: number;
  readonly checks: TrialScore;
  readonly rules: TrialScore;
  readonly questions: TrialScore;
}

export interface TrialScore {
  readonly share?: number;
  readonly low: number;
  readonly high: number;
  /** Checks in all runs. */
  readonly count: number;
}

/** The best first. */
export function trialRows(trials: readonly TrialResult[]): readonly TrialRow[] {
  const rows = [...Map.groupBy(trials, ({ contestant }) => contestant)].map(([contestant, own]): TrialRow => {
    return {
      contestant,
      runs: own.length,
      whole: own.filter(isWhole).length,
      failed: own.filter(({ agent }) => agent.timedOut || agent.code !== 0).length,
      checks: scoreOf(own, "checks"),
      rules: scoreOf(own, "rules"),
      questions: scoreOf(own, "questions"),
    };
  });
  const rank = ({ checks, rules, questions }: TrialRow): number =>
    (checks.share ?? 0) + (rules.share ?? 0) + (questions.share ?? 0);
  return rows.toSorted((a, b) => rank(b) - rank(a));
}

function isWhole(trial: TrialResult): boolean {
  return marksIn(trial).every(({ passed }) => passed);
}

function marksIn({ checks, rules, questions }: TrialResult): TrialResult["checks"] {
  return [...checks, ...rules, ...questions];
}

function scoreOf(trials: readonly TrialResult[], part: Part): TrialScore {
  const groups: Groups = [...Map.groupBy(trials, (one) => one.case).values()].map((own) =>
    own.flatMap((one) => one[part].map(({ passed }) => Number(passed))),
  );
  const values = groups.flat();
  const interval = shareInterval(groups);
  if (values.length === 0) return { ...interval, count: 0 };
  return { ...interval, share: values.reduce((sum, one) => sum + one, 0) / values.length, count: values.length };
}

/** Every pair, over the checks, rules and questions that both went through; the runs of a check count as their mean. */
export function trialDifferences(trials: readonly TrialResult[]): readonly DifferenceRow[] {
  const names = trialRows(trials).map(({ contestant }) => contestant);
  const means = new Map(names.map((name) => [name, meansOf(trials.filter(({ contestant }) => contestant === name))]));
  const pairs = names.flatMap((one, at) => names.slice(at + 1).map((other) => [one, other] as const));
  return pairs.map(([one, other]) => {
    const [ours, theirs] = [means.get(one)!, means.get(other)!];
    const groups = [...ours].map(([name, checks]) =>
      [...checks].flatMap(([check, mean]) => {
        const against = theirs.get(name)?.get(check);
        return against === undefined ? [] : [[mean, against] as const];
      }),
    );
    return { one, other, ...differenceOf(groups) };
  });
}

/** By case and check, the share of runs that passed it. */
function meansOf(trials: readonly TrialResult[]): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const cases = Map.groupBy(trials, (one) => one.case);
  return new Map(
    [...cases].map(([name, own]) => {
      const marks = own.flatMap(marksIn);
      const byName = Map.groupBy(marks, (mark) => mark.name);
      const mean = (list: typeof marks): number => list.filter(({ passed }) => passed).length / list.length;
      return [name, new Map([...byName].map(([check, list]) => [check, mean(list)]))] as const;
    }),
  );
}

export function trialSections(trials: readonly TrialResult[]): readonly Section[] {
  const rows = trialRows(trials);
  return [
    {
      title: "Agents that continue",
      says: "checks: whether the work was done. rules: whether the rules of the session were followed. answers: whether the agent knew what only the session tells. In parentheses the 95 % interval over checks and cases. whole: runs that passed everything. failed: runs in which the agent failed or ran out of time.",
      head: ["", "checks", "rules", "answers", "whole", "runs", "failed"],
      rows: rows.map(({ contestant, checks, rules, questions, whole, runs, failed }) => {
        const figures = [shown(checks), shown(rules), shown(questions), String(whole), String(runs)];
        return [contestant, ...figures, failed === 0 ? "" : String(failed)];
      }),
    },
    {
      title: "Every run",
      says: "",
      head: ["", "", "run", "checks", "rules", "answers"],
      rows: trials.map((one) => {
        const parts = [passedOf(one.checks), passedOf(one.rules), passedOf(one.questions)];
        return [one.case, one.contestant, String(one.run), ...parts];
      }),
    },
    ...missedSection(trials, rows),
  ];
}

/** Which decision got lost where: what no run missed is left out. */
function missedSection(trials: readonly TrialResult[], rows: readonly TrialRow[]): readonly Section[] {
  const cases = Map.groupBy(trials, (one) => one.case);
  const missed = [...cases].flatMap(([name, own]) => {
    const checks = [...new Set(own.flatMap((one) => marksIn(one).map((mark) => mark.name)))];
    return checks.map((check) => [name, check, missesOf(own, { check, rows })] as const);
  });
  const some = missed.filter(([, , misses]) => misses !== "");
  if (some.length === 0) return [];
  return [{ title: "What was missed", says: "With the number of runs.", head: ["", "", ""], rows: some }];
}

function missesOf(
  trials: readonly TrialResult[],
  { check, rows }: { readonly check: string; readonly rows: readonly TrialRow[] },
): string {
  const misses = ({ contestant }: TrialRow): number =>
    trials.filter(
      (one) => one.contestant === contestant && marksIn(one).some(({ name, passed }) => name === check && !passed),
    ).length;
  const counts = rows.map((row) => [row.contestant, misses(row)] as const).filter(([, count]) => count > 0);
  return counts.map(([contestant, count]) => `${contestant} ${count}`).join(", ");
}

function shown({ share, low, high }: TrialScore): string {
  if (share === undefined) return "–";
  return `${percent(share)} (${percent(low)}–${percent(high)})`;
}

function percent(share: number): string {
  return (share * 100).toFixed(0);
}

function passedOf(marks: TrialResult["checks"]): string {
  return marks.length === 0 ? "–" : `${marks.filter(({ passed }) => passed).length}/${marks.length}`;
}
