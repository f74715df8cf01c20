/** Every case for every contestant, several runs each, and the figures of them. */
import type { Step } from "../../eval/evaluate.ts";
import type { Section } from "../../eval/report.ts";
import type { Asker } from "../ask.ts";
import { contextOf, type ContextOptions } from "../contexts.ts";
import type { ExamFolder } from "../folder.ts";
import { differenceOf, shareInterval, type Groups } from "../intervals.ts";
import type { Contestant } from "../plan.ts";
import type { Failure } from "../run.ts";
import type { DifferenceRow } from "../tally.ts";
import type { ContinueCase } from "./case-folders.ts";
import { runTrial, type TrialResult } from "./trial.ts";

export const RUNS_DEFAULT = 3;
export const RUNS_MAX = 20;

export interface TrialsRequest {
  readonly cases: readonly ContinueCase[];
  readonly contestants: readonly Contestant[];
  readonly runs: number;
  readonly agent: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly options: ContextOptions & { readonly asker: Asker };
  readonly folder: ExamFolder;
  readonly onStep: (step: Step) => Promise<void>;
}

export interface TrialsOutcome {
  readonly trials: readonly TrialResult[];
  readonly failures: readonly (Failure & { readonly case: string })[];
}

/** One after the other: agents are heavy, and a check may want the machine for itself. */
export async function runTrials(request: TrialsRequest): Promise<TrialsOutcome> {
  const { cases, contestants, runs, agent, environment, options, folder, onStep } = request;
  const trials: TrialResult[] = [];
  const failures: (Failure & { case: string })[] = [];
  const of = cases.length * contestants.length * runs;
  let done = 0;
  for (const one of cases)
    for (const contestant of contestants) {
      await onStep({ doing: `${one.name}: context of ${contestant.name}`, done, of });
      const made = await contextOf(one, contestant, options);
      if (made.kind === "failed") {
        failures.push({ case: one.name, of: contestant.name, because: made.because });
        done += runs;
        continue;
      }
      for (let run = 1; run <= runs; run++) {
        await onStep({ doing: `${one.name}: ${contestant.name}, run ${run}`, done: done++, of });
        const context = made.value;
        trials.push(await runTrial({ one, contestant: contestant.name, run, context, agent, environment, folder }));
      }
    }
  return { trials, failures };
}

type Part = "checks" | "rules";

export interface TrialRow {
  readonly contestant: string;
  readonly runs: number;
  /** Runs in which everything held. */
  readonly whole: number;
  /** Runs whose agent failed or was ended. */
  readonly failed: number;
  readonly checks: TrialScore;
  readonly rules: TrialScore;
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
    };
  });
  const rank = ({ checks, rules }: TrialRow): number => (checks.share ?? 0) + (rules.share ?? 0);
  return rows.toSorted((a, b) => rank(b) - rank(a));
}

function isWhole({ checks, rules }: TrialResult): boolean {
  return [...checks, ...rules].every(({ passed }) => passed);
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

/** Every pair, over the checks and rules that both went through; the runs of a check count as their mean. */
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
      const marks = own.flatMap((one) => [...one.checks, ...one.rules]);
      const byName = Map.groupBy(marks, (mark) => mark.name);
      const mean = (list: typeof marks): number => list.filter(({ passed }) => passed).length / list.length;
      return [name, new Map([...byName].map(([check, list]) => [check, mean(list)]))] as const;
    }),
  );
}

export function trialSections(trials: readonly TrialResult[]): readonly Section[] {
  return [
    {
      title: "Agents that continue",
      says: "checks: whether the work was done. rules: whether the rules of the session were followed. In parentheses the 95 % interval over checks and cases. whole: runs that passed everything. failed: runs in which the agent failed or ran out of time.",
      head: ["", "checks", "rules", "whole", "runs", "failed"],
      rows: trialRows(trials).map(({ contestant, checks, rules, whole, runs, failed }) => {
        return [
          contestant,
          shown(checks),
          shown(rules),
          String(whole),
          String(runs),
          failed === 0 ? "" : String(failed),
        ];
      }),
    },
    {
      title: "Every run",
      says: "",
      head: ["", "", "run", "checks", "rules"],
      rows: trials.map((one) => [one.case, one.contestant, String(one.run), passedOf(one.checks), passedOf(one.rules)]),
    },
  ];
}

function shown({ share, low, high }: TrialScore): string {
  if (share === undefined) return "–";
  return `${percent(share)} (${percent(low)}–${percent(high)})`;
}

function percent(share: number): string {
  return (share * 100).toFixed(0);
}

function passedOf(marks: TrialResult["checks"]): string {
  return `${marks.filter(({ passed }) => passed).length}/${marks.length}`;
}
