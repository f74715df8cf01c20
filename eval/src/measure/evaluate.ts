/** An evaluation from end to end: every session is surveyed, and every distinct cut is examined. */
import { reasonOf } from "../../../src/platform/system-errors.ts";
import { examine, type ExamineRequest } from "./examine.ts";
import type { Finding, Plan } from "./plan.ts";
import { sourcesOf } from "./sources.ts";
import { surveyOf, type Survey } from "./survey.ts";

export interface Request {
  /** Files and folders, absolute. */
  readonly paths: readonly string[];
  /** What names are shown relative to. */
  readonly folder: string;
  /** Shares of the prefix's tokens, above 0 and below 1. */
  readonly budgets: readonly number[];
  readonly engines: readonly string[];
  /** Where what each contestant kept is written, whole. */
  readonly exportFolder?: string;
}

export interface Step {
  readonly doing: string;
  readonly done: number;
  readonly of: number;
}

export interface Evaluation {
  readonly budgets: readonly number[];
  /** In the order of the report. */
  readonly entrants: readonly string[];
  readonly sessions: readonly SessionAccount[];
  readonly findings: readonly Finding[];
}

export interface SessionAccount {
  readonly file: string;
  readonly format?: string;
  readonly messages?: number;
  readonly tokens?: number;
  readonly cuts: number;
  /** Of the cuts, those that an earlier file of the list has too. */
  readonly repeated: number;
  readonly recorded: number;
  /** Why it is not scored. */
  readonly because?: string;
  /** What an engine tripped over: only what was found before counts. */
  readonly fault?: string;
}

/** Throws `unreadable_input` for a path that is not there, and `unknown_engine`. */
export async function evaluate(request: Request, onStep: (step: Step) => Promise<void>): Promise<Evaluation> {
  const { budgets, engines, exportFolder } = request;
  const plan: Plan = { budgets, engines, ...(exportFolder === undefined ? {} : { exportFolder }) };
  const sources = sourcesOf(request.paths, request.folder);
  const surveys: Survey[] = [];
  for (const [done, source] of sources.entries()) {
    await onStep({ doing: "reading sessions", done, of: sources.length });
    surveys.push(surveyOf(source));
  }
  surveys.sort((a, b) => (a.source.path < b.source.path ? -1 : 1));
  const { examinations, repeated } = distinct(surveys, plan);
  const of = examinations.reduce((sum, { places }) => sum + places.length, 0);
  const findings: Finding[] = [];
  const faults = new Map<string, string>();
  for (const one of examinations) {
    await onStep({ doing: "examining cuts", done: findings.length, of });
    // What an engine trips over in one session must not cost the findings of all others.
    try {
      for await (const finding of examine(one)) findings.push(finding);
    } catch (error) {
      faults.set(one.source.name, reasonOf(error));
    }
  }
  return {
    budgets,
    entrants: [...engines],
    sessions: surveys.map((survey) => {
      const fault = faults.get(survey.source.name);
      const account = accountOf(survey, repeated.get(survey.source.path) ?? 0);
      return fault === undefined ? account : { ...account, fault };
    }),
    findings,
  };
}

interface Distinct {
  readonly examinations: readonly ExamineRequest[];
  /** By path, how many cuts an earlier file has too. */
  readonly repeated: ReadonlyMap<string, number>;
}

/** Checkpoints of one session repeat it: a cut that is the same twice is examined once, in the first file. */
function distinct(surveys: readonly Survey[], plan: Plan): Distinct {
  const seen = new Set<string>();
  const repeated = new Map<string, number>();
  const examinations = surveys.flatMap(({ source, cuts, recorded }): readonly ExamineRequest[] => {
    const keys = [...cuts, ...recorded.map((key) => `recorded ${key}`)];
    const places = [...keys.keys()].filter((at) => !seen.has(keys[at]!) && seen.add(keys[at]!));
    repeated.set(source.path, cuts.length - places.filter((at) => at < cuts.length).length);
    return places.length === 0 ? [] : [{ source, places, keys: places.map((at) => keys[at]!), plan }];
  });
  return { examinations, repeated };
}

function accountOf({ source, session, cuts, recorded, because }: Survey, repeated: number): SessionAccount {
  return {
    file: source.name,
    ...session,
    cuts: cuts.length,
    repeated,
    recorded: recorded.length,
    ...(because === undefined ? {} : { because }),
  };
}
