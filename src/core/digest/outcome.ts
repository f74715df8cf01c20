/**
 * How a run ended: exit status, failing tests, counts, and its distinct errors where they first are.
 * One scan finds the few lines that can matter; only those are looked at closely, so a megabyte of output is cheap.
 */
import { head, withoutColour } from "./cut.ts";
import { errorKey, isErrorLine } from "./error-line.ts";
import { linesWith, pageOf } from "./page.ts";
import { sumOf, tallyIn, type Tally, distinctFailures, failureIn, type NamedFailure } from "./test-reports.ts";

export interface RunError {
  readonly text: string;
  /** The number of that line in the output, from 1. */
  readonly line: number;
  /** How many lines report the same error, wherever. */
  readonly count: number;
}

export interface Outcome {
  readonly exit?: number;
  /** Names of failing tests, in order, each once. */
  readonly failing: readonly string[];
  readonly passed?: number;
  readonly failed?: number;
  /** Distinct errors at their first place, at most `ERRORS_MAX`; further ones are not counted. */
  readonly errors: readonly RunError[];
}

/** Longer lines are judged by their first characters. */
const LINE_CHARS_MAX = 400;
/** Tools that print the status first do it in these lines. */
const HEADER_LINES = 5;
export const ERRORS_MAX = 200;
const FAILURES_MAX = 2_000;

/** What a line that matters holds, somewhere. */
const MARKED = new RegExp(
  [
    "[Ee]rror|ERROR|[Ff]ail|FAIL|[Ff]atal|FATAL|[Ee]xit|EXIT|[Ee]xception|CRITICAL|panic",
    String.raw`not ok|[Nn]o such|denied|not found|not recognized|core dumped|undefined ref|rspec \./|\*\*\* \[`,
    String.raw`passed|passing|pass \d|\d pass|tests? completed|Tests|tests,|examples,|runs,|Ran \d`,
    String.raw`\.go:\d|--- PASS|[✗✘✖×✕❌●]|:\d+:\d+: | x [\w@/-]+\(`,
  ].join("|"),
  "g",
);
/** Reporters that number their failures (mocha, phpunit, playwright): looked for only where a count says that there are any. */
const NUMBERED = /^ {0,8}\d{1,5}\) /gm;
const GO_RESULT = /^\s*--- (?:PASS|FAIL): /;

const EXIT =
  /^\W{0,4}(?:(?:error |the )?(?:command|process|program|script|shell)\b[^:]{0,60} )?exit(?:ed|s)?(?:[ _-]?(?:with )?(?:code|status|value)|(?=\s?[:=]))["'>]?\s?[:=]?\s?(-?\d{1,9})\b/i;
const EXIT_FIELD = /"exit_?code"\s*:\s*(-?\d{1,9})\b/i;
const EXIT_FIELD_CHARS = 400;

export function outcomeOf(text: string): Outcome {
  const found: FoundOutcome = {
    exit: undefined,
    exitInHeader: false,
    failures: [],
    tallies: [],
    errors: new Map(),
    goPassed: 0,
    goFailed: 0,
  };
  const page = pageOf(text);
  const lineAt = (number: number): string => page.lines[number]!.slice(0, LINE_CHARS_MAX);
  for (const number of linesWith(page, MARKED, Infinity)) read(lineAt(number), number + 1, found);
  const counts = sumCounts(found);
  if ((counts.failed ?? 0) > 0 && found.failures.length === 0)
    for (const number of linesWith(page, NUMBERED, Infinity)) addFailure(lineAt(number), found);
  const exit = found.exit ?? exitField(text);
  const isTestRun = counts.failed !== undefined || counts.passed !== undefined;
  return {
    ...(exit === undefined ? {} : { exit }),
    failing: distinctFailures(found.failures, isTestRun),
    ...counts,
    errors: [...found.errors.values()],
  };
}

type Counted = { -readonly [key in keyof RunError]: RunError[key] };

interface FoundOutcome {
  exit: number | undefined;
  exitInHeader: boolean;
  goPassed: number;
  goFailed: number;
  readonly failures: NamedFailure[];
  readonly tallies: Tally[];
  readonly errors: Map<string, Counted>;
}

function read(raw: string, number: number, found: FoundOutcome): void {
  const line = withoutColour(raw);
  const exit = /xit|XIT/.test(line) ? EXIT.exec(line) : null;
  if (exit !== null) {
    // A status above the output is the tool's word; further down the last one counts.
    if (found.exit === undefined || !found.exitInHeader) found.exit = Number(exit[1]);
    found.exitInHeader ||= number <= HEADER_LINES;
    return;
  }
  if (GO_RESULT.test(line)) {
    if (line.includes("PASS")) found.goPassed++;
    else found.goFailed++;
  }
  const tally = tallyIn(line);
  if (tally !== undefined) {
    found.tallies.push(tally);
    return;
  }
  addFailure(line, found);
  if (isErrorLine(line)) addError(found.errors, raw, number);
}

function addFailure(line: string, found: FoundOutcome): void {
  const failure = found.failures.length < FAILURES_MAX ? failureIn(withoutColour(line)) : undefined;
  if (failure !== undefined) found.failures.push(failure);
}

function addError(errors: Map<string, Counted>, line: string, number: number): void {
  const key = errorKey(withoutColour(line));
  const known = errors.get(key);
  if (known !== undefined) known.count++;
  else if (errors.size < ERRORS_MAX) errors.set(key, { text: line.trimEnd(), line: number, count: 1 });
}

function sumCounts(found: FoundOutcome): { readonly passed?: number; readonly failed?: number } {
  if (found.tallies.length > 0) return sumOf(found.tallies);
  if (found.goPassed + found.goFailed === 0) return {};
  // Without -v the tests that passed are not named, and their number is not known.
  return found.goPassed === 0 ? { failed: found.goFailed } : { passed: found.goPassed, failed: found.goFailed };
}

/** A tool may wrap its output in JSON and put the status beside it. */
function exitField(text: string): number | undefined {
  const match = EXIT_FIELD.exec(text.slice(-EXIT_FIELD_CHARS)) ?? EXIT_FIELD.exec(head(text, EXIT_FIELD_CHARS));
  return match === null ? undefined : Number(match[1]);
}
