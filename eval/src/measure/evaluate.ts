/** An evaluation from end to end: every session is cut, and at every distinct cut all contestants are marked. */
import { reasonOf } from "../../../src/platform/system-errors.ts";
import { attemptsOf, EVALUATION_CUTS, refusalOf, type Cut } from "../recall/cuts.ts";
import { createExam, type Score } from "../recall/exam.ts";
import { createReader, type Reader } from "../recall/reader.ts";
import { baselineResults, engineResults, type Result } from "./contest.ts";
import { sessionAt } from "./session.ts";
import { sourcesOf, type Source } from "./sources.ts";

export interface Request {
  /** Files and folders, absolute. */
  readonly paths: readonly string[];
  /** What names are shown relative to. */
  readonly folder: string;
  /** Shares of the prefix's tokens, above 0 and below 1. */
  readonly budgets: readonly number[];
  readonly engines: readonly string[];
}

export interface Step {
  readonly doing: string;
  readonly done: number;
  readonly of: number;
}

export interface Evaluation extends Pick<Request, "budgets" | "engines"> {
  readonly sessions: readonly SessionAccount[];
  readonly findings: readonly Finding[];
}

/** One contestant at one size on one cut. */
export type Mark = Score & Pick<Result, "contestant" | "size" | "unchanged">;

export interface Finding {
  readonly file: string;
  /** Where in its stretch the cut lies. */
  readonly share: number;
  readonly tokens: number;
  readonly marks: readonly Mark[];
}

export interface SessionAccount {
  readonly file: string;
  readonly format?: string;
  readonly messages?: number;
  readonly tokens?: number;
  readonly cuts: number;
  /** Of the cuts, those that an earlier file of the list has too. */
  readonly repeated: number;
  /** Why it is not scored. */
  readonly because?: string;
  /** What an engine failed with: only what was found before counts. */
  readonly fault?: string;
}

/** Throws `unreadable_input` for a path that is not there or a named file that is no session, and `unknown_engine`. */
export async function evaluate(request: Request, onStep: (step: Step) => Promise<void>): Promise<Evaluation> {
  const { paths, folder, budgets, engines } = request;
  const sources = sourcesOf(paths, folder);
  // What a person named is read before the first session takes its time.
  for (const source of sources) if (source.named) sessionAt(source);
  const seen = new Set<string>();
  const sessions: SessionAccount[] = [];
  const findings: Finding[] = [];
  for (const [done, source] of sources.entries()) {
    await onStep({ doing: "examining sessions", done, of: sources.length });
    const { account, cuts, reader } = survey(source, seen);
    // An engine's failure in one session must not cost the findings of all others.
    try {
      for (const cut of cuts) findings.push(await examine(cut, reader, { file: source.name, budgets, engines }));
      sessions.push(account);
    } catch (error) {
      sessions.push({ ...account, fault: reasonOf(error) });
    }
  }
  return { budgets, engines, sessions, findings };
}

interface Survey {
  readonly account: SessionAccount;
  /** Those that no earlier file has: checkpoints of one session repeat it. */
  readonly cuts: readonly Cut[];
  readonly reader: Reader;
}

function survey(source: Source, seen: Set<string>): Survey {
  const reader = createReader();
  const file = source.name;
  const session = sessionAt(source);
  if (typeof session === "string")
    return { account: { file, cuts: 0, repeated: 0, because: session }, cuts: [], reader };
  const { format, messages } = session;
  const attempts = [...attemptsOf(messages, reader, EVALUATION_CUTS)];
  const all = attempts.flatMap((attempt) => (attempt.kind === "cut" ? [attempt.cut] : []));
  const cuts = all.filter(({ prefix }) => {
    const key = `${reader.text(prefix.at(-1)!)}${reader.size(prefix)}`;
    return !seen.has(key) && seen.add(key);
  });
  const account = { file, format, messages: messages.length, tokens: reader.size(messages), cuts: all.length };
  const because = all.length > 0 ? {} : { because: refusalOf(attempts, EVALUATION_CUTS) };
  return { account: { ...account, repeated: all.length - cuts.length, ...because }, cuts, reader };
}

async function examine(
  cut: Cut,
  reader: Reader,
  { file, budgets, engines }: Pick<Request, "budgets" | "engines"> & { readonly file: string },
): Promise<Finding> {
  const exam = createExam(cut, reader);
  const results = [...baselineResults(cut, reader, budgets)];
  for (const engine of engines)
    for (const each of await engineResults(cut, reader, { engine, budgets })) results.push(each);
  const marks = results.map(({ contestant, size, unchanged, text, recallable }) => {
    return { contestant, size, unchanged, ...exam.score(text, recallable) };
  });
  return { file, share: cut.share, tokens: exam.total, marks };
}
