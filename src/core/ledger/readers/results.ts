/** How a call ended, read from its result: whether it worked, the line that says so, and what failed. */
import { withoutColour } from "../../digest/cut.ts";
import { outcomeOf, type Outcome } from "../../digest/outcome.ts";
import type { ClassifiedCall } from "./commands.ts";
import { commitLogIn, type CommitLog } from "./commit-log.ts";
import { exceptionIn } from "./exception.ts";
import { misuseIn } from "./misuse.ts";
import { refusalIn } from "./refusals.ts";
import { wholeWords } from "./sentences.ts";

export interface CallResult {
  /** `undefined` where the result does not say. */
  readonly ok?: boolean;
  readonly exit?: number;
  readonly failing: readonly string[];
  readonly passed?: number;
  readonly failed?: number;
  /** Lines that report errors, verbatim; empty unless the call failed. */
  readonly errors: readonly string[];
  /** The line that says best how it ended, verbatim. */
  readonly outcome?: string;
  /** A line that reports an error where nothing says that the run failed. */
  readonly reports?: string;
  /** Where the program answered with its usage, the words that call it. */
  readonly usageOf?: string;
}

const ERRORS_MAX = 4;
const LINE_CHARS_MAX = 240;
/** How far from either end of a result its verdict is. */
const EDGE_CHARS = 1_200;
const EDGE_LINES = 5;
/** A tool's own refusal opens its result. */
const REFUSAL =
  /^\s*(?:<tool_use_error>|error\b|error:|failed\b|failure\b|could not\b|cannot\b|can't\b|no changes\b|not found|string to replace not found|permission denied|invalid\b|\w*Error:|tool execution (?:failed|aborted))/i;
/** A person stopped the call: what they say of it is their next message, and nothing has failed. */
const DECLINED =
  /^\s*(?:error: )?(?:the user doesn't want to proceed|\[?request interrupted|(?:the )?user (?:rejected|declined|denied))/i;
export const DECLINED_OUTCOME = "declined by the user";
const REFUSAL_WITHIN_CHARS = 200;
const BARE =
  /^\W*(?:FAIL(?:ED|URE)?|ERROR|errors?)\W*$|\btask failed$|^npm (?:ERR!|error) (?:code|errno|path|command|A complete log|workspace|Lifecycle)\b|^make: \*\*\*|^exit status \d+$|^FAIL\s+\S+\s+[\d.]+s$|^(?:error: )?usage:|^error: timed out(?: waiting for the condition)?$/i;
const SHORT_RESULT_CHARS = 240;

/** Whether a line says that something failed, not what. */
export function isBareError(line: string): boolean {
  return BARE.test(line.trim());
}

/** What harnesses print around a command's own output. */
const HARNESS_LINE =
  /^(?:bash-\$|\$|\(Open file: .*|\(Current directory: .*|\(no output\)|<\/?(?:stdout|stderr|tool_use_error|returncode|output)>|Exit code:? \d+|Command exited with code \d+|Output:|Shell cwd was reset.*|System: .*)$/i;
/** Lines that say something exact, the most exact first: a commit, an address, counts, a word of success. */
const TELLING: readonly RegExp[] = [
  /^\[[^\]]{1,80} [0-9a-f]{7,40}\]/,
  /^[^{["].{0,80}?https?:\/\/\S|^https?:\/\/\S/,
  /\b\d+ (?:passed|failed|errors?|issues?|warnings?|tests?|files? changed|insertions?|problems?)\b|[Nn]o (?:fixes applied|issues|errors)/,
  /\b(?:ok|FAIL|PASS|OK|passed|failed|created|[Ss]uccess\w*)\b/,
];
/** A task runner, or a shell that traces, says what it runs (`+ left-pad@1.3.0` is what npm has done). */
export const ECHO = /^(?:\[[\w:./-]+\] )?(?:\$ (?=[^\d\s])|> |\++ (?!\S+(?:@\d|==)\S*$))/;
/** Such a line is the last to be chosen. */
const ECHO_KIND = TELLING.length + 1;
/** What a subagent or a page opens with before it says anything; data says nothing in one line. */
const HEADLINE_CHARS_MAX = 24;
const PREAMBLE =
  /^[#<{["]|:$|^(?:perfect|great|excellent|now i|i have|i['’]ve (?:got|found|gathered)|let me|based on|here(?:'s| is| are))\b/i;

/** `outcomeIn` reads how a run ended, and may remember it. */
export function readResult(call: ClassifiedCall, text: string, isError: boolean, outcomeIn = outcomeOf): CallResult {
  if (DECLINED.test(text.slice(0, REFUSAL_WITHIN_CHARS)))
    return { ok: false, failing: [], errors: [], outcome: DECLINED_OUTCOME };
  return call.action === "run" ? runResult(call, { text, isError, outcomeIn }) : toolResult(call, text, isError);
}

function toolResult(call: ClassifiedCall, text: string, isError: boolean): CallResult {
  const opening = text.slice(0, REFUSAL_WITHIN_CHARS);
  const refusal = isAnswer(call) ? refusalIn(text, call.values) : undefined;
  if (isError || refusal !== undefined || REFUSAL.test(opening)) {
    const error = refusal ?? firstLine(text);
    return {
      ok: false,
      failing: [],
      errors: error === undefined ? [] : [error],
      ...(error === undefined ? {} : { outcome: error }),
    };
  }
  const outcome = toolOutcome(call, text);
  return { ok: true, failing: [], errors: [], ...(outcome === undefined ? {} : { outcome }) };
}

const LOOKING: ReadonlySet<string> = new Set(["read", "search", "list", "fetch", "plan"]);

/** What looks something up shows what is there: that it is refused or failed is no failure of the call. */
function isAnswer({ action, tool }: ClassifiedCall): boolean {
  return !LOOKING.has(action) && !LOOKS.test(tool);
}

const LOOKS = /(?:^|_)(?:check|describe|inspect|status|query)(?:_|$)/i;

/** What was read or found is material; that a file was changed is all there is to say of a change. */
function toolOutcome({ action }: ClassifiedCall, text: string): string | undefined {
  if (action === "other") return informativeLine(text);
  if (action !== "delegate" && action !== "fetch") return undefined;
  return firstLines(text).find((line) => line.length > HEADLINE_CHARS_MAX && !PREAMBLE.test(line));
}

interface RunOutput {
  readonly text: string;
  readonly isError: boolean;
  readonly outcomeIn: typeof outcomeOf;
}

function runResult(call: ClassifiedCall, { text, isError, outcomeIn }: RunOutput): CallResult {
  const purpose = call.run?.purpose ?? "other";
  // What a `cat` or a `grep` shows may hold the words of any failure; only its exit counts.
  const shown = purpose === "show" && !isError && !/^\s*(?:Error: )?(?:Exit code|Command exited)/i.test(text);
  const run = shown ? outcomeOf(text.slice(-EDGE_CHARS)) : outcomeIn(text);
  // What was committed before the last step failed is committed.
  const ends = purpose !== "commit" && endsFailed(text, run);
  const broken = run.failing.length > 0 || (run.failed ?? 0) > 0 || (purpose === "check" && run.errors.length > 0);
  const ok =
    run.exit !== undefined ? run.exit === 0 : shown ? undefined : !(isError || broken || ends || raised(text, run));
  // A search that finds nothing exits with 1, and nothing has failed.
  const failed = ok === false && !(purpose === "show" && run.exit === 1);
  const said = runLines(call.command ?? "", { text, shown, failed, run });
  return {
    ...(ok === undefined ? {} : { ok: !failed }),
    ...(run.exit === undefined ? {} : { exit: run.exit }),
    failing: shown ? [] : run.failing,
    ...(failed || shown || run.errors.length === 0 ? {} : { reports: run.errors[0]!.text }),
    ...(run.passed === undefined || shown ? {} : { passed: run.passed }),
    ...(run.failed === undefined || shown ? {} : { failed: run.failed }),
    ...said,
  };
}

interface RunEnd {
  readonly text: string;
  readonly shown: boolean;
  readonly failed: boolean;
  readonly run: Outcome;
}

/** The lines that say how a run ended, and what went wrong. */
function runLines(command: string, end: RunEnd): Pick<CallResult, "errors" | "outcome" | "usageOf"> {
  const { text, failed, run } = end;
  const conflicts = conflictsIn(text);
  if (conflicts !== undefined) return { errors: [conflicts], outcome: conflicts };
  const misuse = run.failing.length > 0 ? undefined : misuseIn(command, text, run.errors[0]?.text);
  if (misuse === undefined) return endLines(command, end);
  const usageOf = misuse.called;
  // Help that was asked for is no mistake.
  if (!failed && (run.exit === 0 || !misuse.complains)) return { ...endLines(command, end), usageOf };
  const error = clean(misuse.error);
  return { errors: failed ? [error] : [], outcome: error, usageOf };
}

function endLines(command: string, end: RunEnd): Pick<CallResult, "errors" | "outcome"> {
  const errors = end.failed ? errorsOf(end) : [];
  const outcome = end.failed ? (errors[0] ?? informativeLine(end.text)) : workedLine(command, end);
  return {
    errors: end.failed && errors.length === 0 && outcome !== undefined ? [outcome] : errors,
    ...(outcome === undefined ? {} : { outcome }),
  };
}

function errorsOf({ text, shown, run }: RunEnd): readonly string[] {
  const reported = run.errors.map((error) => clean(error.text));
  const exception = shown ? undefined : exceptionLine(text, reported);
  return informativeErrors(
    exception === undefined || reported.includes(exception) ? reported : [exception, ...reported],
    run.failing,
  );
}

/** A run that worked, as far as is known: what it made, what stopped it, or its verdict. */
function workedLine(command: string, { text, shown, run }: RunEnd): string | undefined {
  const log = shown ? undefined : commitLogIn(command, text);
  if (log !== undefined) return log.made ? commitLine(log) : verdictLine(`${log.before}${log.newest}`);
  const exception = shown
    ? undefined
    : exceptionLine(
        text,
        run.errors.map((error) => error.text),
      );
  const verdict = exception !== undefined && lastLines(text)[0] === exception ? undefined : verdictLine(text);
  return exception === undefined || (verdict !== undefined && tells(verdict) < TELLING.length) ? verdict : exception;
}

/** Whether the last that was printed is that a step failed; the line that ends a box stands below it. */
function endsFailed(text: string, { errors }: Outcome): boolean {
  return errors.length > 0 && ENDS_FAILED.test(lastLines(text).find((line) => line !== BOX_END) ?? "");
}

const ENDS_FAILED = /^(?:error|fatal): \S|^! \[(?:remote )?rejected\] |^│ Error: /;
const BOX_END = "╵";

const NODE_VERSION = /^Node\.js v\d/;

/** Whether an exception is the last that was printed: it ended the program. */
function raised(text: string, { errors }: Outcome): boolean {
  const exception = exceptionLine(
    text,
    errors.map((error) => error.text),
  );
  const last = exception === undefined ? undefined : lastLines(text)[0];
  return last !== undefined && (last === exception || NODE_VERSION.test(last));
}

function exceptionLine(text: string, errors: readonly string[]): string | undefined {
  const exception = exceptionIn(text, errors);
  return exception === undefined ? undefined : clean(exception);
}

/** Git's own answer to the commit, before the log that was shown of it: also that there was nothing to commit. */
function commitLine({ before, newest, subject }: CommitLog): string {
  const said = lastLines(before);
  const answer = said.find((line) => tells(line) === 0 || NOTHING_MADE.test(line));
  if (answer !== undefined) return answer;
  const isAnother = subject !== undefined && said.length > 0 && !newest.includes(subject);
  return (isAnother ? informativeLine(before) : undefined) ?? clean(newest);
}

const NOTHING_MADE = /^(?:nothing (?:added )?to commit|no changes added to commit)\b/;

const CONFLICT = /^CONFLICT \([^)\n]{1,60}\): .{0,200}?([\w./@-]+)(?: deleted in .*)?$/gm;
/** How the files in which a merge conflicts are announced, in the ledger and in handoffs. */
export const CONFLICTS = "merge conflicts in ";

/** The files in which Git could not merge. */
function conflictsIn(text: string): string | undefined {
  if (!text.includes("CONFLICT (")) return undefined;
  const files = Array.from(text.matchAll(CONFLICT), (match) => match[1]!);
  return files.length === 0 ? undefined : `${CONFLICTS}${[...new Set(files)].join(", ")}`;
}

/** Errors that say what is wrong before those that only say that something is; where tests have names, the names. */
function informativeErrors(errors: readonly string[], failing: readonly string[]): readonly string[] {
  const telling = errors.filter((error) => !isBareError(error) && !ECHO.test(error));
  const named = failing.slice(0, ERRORS_MAX).map((name) => `FAIL ${name}`);
  return (
    telling.length > 0 ? [...telling.slice(0, ERRORS_MAX - 1), ...named] : named.length > 0 ? named : errors
  ).slice(0, ERRORS_MAX);
}

/** A run that worked has a verdict when it prints one, or hardly anything else. */
function verdictLine(text: string): string | undefined {
  const line = informativeLine(text);
  return line !== undefined && !ECHO.test(line) && (text.length <= SHORT_RESULT_CHARS || tells(line) < TELLING.length)
    ? line
    : undefined;
}

/** The line near either end that says the most exact thing, or else the last one. */
function informativeLine(text: string): string | undefined {
  let best: string | undefined;
  let least = Infinity;
  for (const line of [...lastLines(text), ...firstLines(text)]) {
    const kind = ECHO.test(line) ? ECHO_KIND : tells(line);
    if (kind >= least) continue;
    best = line;
    least = kind;
  }
  return best;
}

/** Place of the first kind of telling that the line is of; their number for none. */
function tells(line: string): number {
  const kind = TELLING.findIndex((pattern) => pattern.test(line));
  return kind < 0 ? TELLING.length : kind;
}

function firstLine(text: string): string | undefined {
  return firstLines(text)[0];
}

/** The first lines that a command itself printed. */
function firstLines(text: string): readonly string[] {
  const lines: string[] = [];
  const end = Math.min(text.length, EDGE_CHARS);
  for (let start = 0; start < end && lines.length < EDGE_LINES;) {
    const newline = text.indexOf("\n", start);
    const stop = newline < 0 ? text.length : newline;
    addLine(lines, text.slice(start, Math.min(stop, start + 2 * LINE_CHARS_MAX)));
    start = stop + 1;
  }
  return lines;
}

/** The last ones, the very last first. */
function lastLines(text: string): readonly string[] {
  const lines: string[] = [];
  const start = Math.max(0, text.length - EDGE_CHARS);
  for (let end = text.length; end > start && lines.length < EDGE_LINES;) {
    const newline = text.lastIndexOf("\n", end - 1);
    // Where the edge falls inside a line, the line counts from its next word.
    const from = newline + 1 >= start ? newline + 1 : text.indexOf(" ", start) + 1 || end;
    addLine(lines, text.slice(from, Math.min(end, from + 2 * LINE_CHARS_MAX)));
    end = newline;
  }
  return lines;
}

function addLine(lines: string[], raw: string): void {
  const line = clean(raw);
  if (line !== "" && !HARNESS_LINE.test(line)) lines.push(line);
}

function clean(line: string): string {
  const words = withoutColour(line).replace(/^<tool_use_error>|<\/tool_use_error>$/g, "");
  return wholeWords(words.trim(), LINE_CHARS_MAX);
}
