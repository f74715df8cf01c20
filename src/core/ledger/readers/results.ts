/** How a call ended, read from its result: whether it worked, the line that says so, and what failed. */
import { withoutColour } from "../../digest/cut.ts";
import { outcomeOf } from "../../digest/outcome.ts";
import type { CommandPurpose, ClassifiedCall } from "./commands.ts";
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
/** Says that something failed, not what. */
const BARE =
  /^\W*(?:FAIL(?:ED|URE)?|ERROR|errors?)\W*$|\btask failed$|^npm (?:ERR!|error) (?:code|errno|path|command|A complete log|workspace|Lifecycle)\b|^make: \*\*\*|^exit status \d+$|^FAIL\s+\S+\s+[\d.]+s$/i;
const SHORT_RESULT_CHARS = 240;
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
/** What a subagent or a page opens with before it says anything; data says nothing in one line. */
const HEADLINE_CHARS_MAX = 24;
const PREAMBLE =
  /^[#<{["]|:$|^(?:perfect|great|excellent|now i|i have|i['’]ve (?:got|found|gathered)|let me|based on|here(?:'s| is| are))\b/i;

/** `outcomeIn` reads how a run ended, and may remember it. */
export function readResult(call: ClassifiedCall, text: string, isError: boolean, outcomeIn = outcomeOf): CallResult {
  if (DECLINED.test(text.slice(0, REFUSAL_WITHIN_CHARS)))
    return { ok: false, failing: [], errors: [], outcome: DECLINED_OUTCOME };
  return call.action === "run"
    ? runResult(call.run?.purpose ?? "other", { text, isError, outcomeIn })
    : toolResult(call, text, isError);
}

function toolResult(call: ClassifiedCall, text: string, isError: boolean): CallResult {
  const opening = text.slice(0, REFUSAL_WITHIN_CHARS);
  if (isError || REFUSAL.test(opening)) {
    const error = firstLine(text);
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

function runResult(purpose: CommandPurpose, { text, isError, outcomeIn }: RunOutput): CallResult {
  // What a `cat` or a `grep` shows may hold the words of any failure; only its exit counts.
  const shown = purpose === "show" && !isError && !/^\s*(?:Error: )?(?:Exit code|Command exited)/i.test(text);
  const run = shown ? outcomeOf(text.slice(-EDGE_CHARS)) : outcomeIn(text);
  const broken = run.failing.length > 0 || (run.failed ?? 0) > 0 || (purpose === "check" && run.errors.length > 0);
  const ok = run.exit !== undefined ? run.exit === 0 : shown ? undefined : !(isError || broken);
  // A search that finds nothing exits with 1, and nothing has failed.
  const failed = ok === false && !(purpose === "show" && run.exit === 1);
  const errors = failed
    ? informativeErrors(
        run.errors.map((error) => clean(error.text)),
        run.failing,
      )
    : [];
  const conflicts = conflictsIn(text);
  const outcome = conflicts ?? (failed ? (errors[0] ?? informativeLine(text)) : verdictLine(text));
  return {
    ...(ok === undefined ? {} : { ok: !failed }),
    ...(run.exit === undefined ? {} : { exit: run.exit }),
    failing: shown ? [] : run.failing,
    ...(run.passed === undefined || shown ? {} : { passed: run.passed }),
    ...(run.failed === undefined || shown ? {} : { failed: run.failed }),
    errors:
      conflicts !== undefined
        ? [conflicts]
        : failed && errors.length === 0 && outcome !== undefined
          ? [outcome]
          : errors,
    ...(outcome === undefined ? {} : { outcome }),
  };
}

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
  const telling = errors.filter((error) => !BARE.test(error));
  const named = failing.slice(0, ERRORS_MAX).map((name) => `FAIL ${name}`);
  return (
    telling.length > 0 ? [...telling.slice(0, ERRORS_MAX - 1), ...named] : named.length > 0 ? named : errors
  ).slice(0, ERRORS_MAX);
}

/** A run that worked has a verdict when it prints one, or hardly anything else. */
function verdictLine(text: string): string | undefined {
  const line = informativeLine(text);
  return line !== undefined && (text.length <= SHORT_RESULT_CHARS || tells(line) < TELLING.length) ? line : undefined;
}

/** The line near either end that says the most exact thing, or else the last one. */
function informativeLine(text: string): string | undefined {
  const last = lastLines(text);
  let best = last[0];
  let least = best === undefined ? Infinity : tells(best);
  for (const line of [...last.slice(1), ...firstLines(text)]) {
    const kind = tells(line);
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
