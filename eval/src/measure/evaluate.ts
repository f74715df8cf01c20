/**
 * An evaluation from end to end: every session is surveyed, and every distinct cut is examined. Nothing here depends on how many threads there are.
 */
import type { ExaminedEngine, Finding, Plan } from "./plan.ts";
import { sourcesOf } from "./sources.ts";
import type { Survey } from "./survey.ts";
import type { Product, Task } from "./task.ts";
import { startThreads, type Threads } from "./threads.ts";

export interface Request {
  /** Files and folders, absolute. */
  readonly paths: readonly string[];
  /** What names are shown relative to. */
  readonly folder: string;
  /** Shares of the prefix's tokens, above 0 and below 1. */
  readonly budgets: readonly number[];
  readonly engines: readonly string[];
  readonly threads: number;
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
  const sources = sourcesOf(request.paths, request.folder);
  const threads = startThreads(request.threads);
  try {
    const surveys: Survey[] = [];
    const surveying = sources.map((source): Task => ({ kind: "survey", source }));
    await runTasks(threads, { tasks: surveying, doing: "reading sessions", onStep }, (product) => {
      if (product.kind === "survey") surveys.push(product.survey);
    });
    surveys.sort((a, b) => (a.source.path < b.source.path ? -1 : 1));
    return await examineAll(request, { surveys, threads, onStep });
  } finally {
    await threads.end();
  }
}

interface Surveyed {
  readonly surveys: readonly Survey[];
  readonly threads: Threads;
  readonly onStep: (step: Step) => Promise<void>;
}

async function examineAll(request: Request, { surveys, threads, onStep }: Surveyed): Promise<Evaluation> {
  const { budgets, engines, exportFolder } = request;
  const entrants = engines.map((engine): ExaminedEngine => ({ name: engine, engine }));
  const planFor = (): Plan => ({
    budgets,
    entrants,
    ...(exportFolder === undefined ? {} : { exportFolder }),
  });
  const { examinations, repeated } = distinct(surveys, planFor);
  const findings: Finding[] = [];
  const faults = new Map<string, string>();
  await runTasks(threads, { tasks: examinations, doing: "examining cuts", onStep }, (product) => {
    if (product.kind === "finding") findings.push(product.finding);
    if (product.kind === "fault") faults.set(product.file, product.because);
  });
  const place = new Map(surveys.map(({ source }, at) => [source.name, at]));
  findings.sort((a, b) => place.get(a.file)! - place.get(b.file)!);
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

/** Checkpoints of one session repeat it: a cut that is the same twice is examined once, in the first file. */
function distinct(
  surveys: readonly Survey[],
  planFor: (survey: Survey) => Plan,
): { readonly examinations: readonly Task[]; readonly repeated: ReadonlyMap<string, number> } {
  const seen = new Set<string>();
  const repeated = new Map<string, number>();
  const examinations = surveys.flatMap((survey): readonly (Task & { readonly kind: "examine" })[] => {
    const { source } = survey;
    const keys = [...survey.cuts, ...survey.recorded.map((key) => `recorded ${key}`)];
    const places = [...keys.keys()].filter((at) => !seen.has(keys[at]!) && seen.add(keys[at]!));
    repeated.set(source.path, survey.cuts.length - places.filter((at) => at < survey.cuts.length).length);
    if (places.length === 0) return [];
    return [{ kind: "examine", source, places, keys: places.map((at) => keys[at]!), plan: planFor(survey) }];
  });
  return { examinations: examinations.toSorted((a, b) => b.source.bytes - a.source.bytes), repeated };
}

interface Running {
  readonly tasks: readonly Task[];
  readonly doing: string;
  readonly onStep: (step: Step) => Promise<void>;
}

/** Steps are cuts where a task has several. */
async function runTasks(
  threads: Threads,
  { tasks, doing, onStep }: Running,
  found: (product: Product) => void,
): Promise<void> {
  const of = tasks.reduce((sum, task) => sum + (task.kind === "examine" ? task.places.length : 1), 0);
  let done = 0;
  await onStep({ doing, done, of });
  await threads.run(tasks, (product) => {
    found(product);
    void onStep({ doing, done: ++done, of });
  });
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
