/**
 * How a call ended, read from its result: done needs a result that says so, a mark that the run was cut off outranks any
 * summary above it, and what does not say is unknown. Whether a person declined is told by the harness alone: by its error flag, or by a
 * result that is nothing but its sentence.
 */
import { isErrorLine } from "../digest/error-line.ts";
import { withoutColour } from "../digest/cut.ts";
import { outcomeOf } from "../digest/outcome.ts";
import { LOOKING } from "../digest/tool-names.ts";
import type { CallSummary } from "../digest/call.ts";
import type { CommandFacts } from "./shell.ts";
import { refusalIn } from "./refusals.ts";
import { declinedWith } from "./person.ts";
import { wholeWords } from "./text.ts";

export type EndingStatus = "done" | "failed" | "declined" | "interrupted" | "running" | "unknown";

export interface Ending {
  readonly status: EndingStatus;
  /** The line of the result that says best how it ended, verbatim. */
  readonly line?: string;
  readonly exit?: number;
  readonly passed?: number;
  readonly failed?: number;
  /** Names of failing tests. */
  readonly failing: readonly string[];
  /** What a person wrote when they declined. */
  readonly words?: string;
  /** What the result of a declined call says where nothing but its own words shows whose they are. */
  readonly reason?: string;
}

export interface ResultToRead {
  readonly text: string;
  readonly isError: boolean;
}

const LINE_CHARS_MAX = 240;
const EDGE_CHARS = 1_200;
const EDGE_LINES = 5;
const SENTENCE_CHARS_MAX = 600;
const SHORT_RESULT_CHARS = 240;
const NOTHING_FAILED: readonly string[] = [];

/** How harnesses say that a person declined: Claude Code, OpenCode, Cline, Codex. */
const DECLINED =
  /^\s*(?:error: )?(?:the user doesn't want to proceed with this tool use|(?:the )?user (?:rejected|declined|denied)\b|rejected by user\b|(?:exec command |patch )?rejected by user|permission denied by user)/i;
/** How they say that a call was not carried out, or not to its end. */
const NOT_CARRIED_OUT =
  /^\W{0,8}(?:(?:the |this )?(?:tool )?(?:call|use|execution|run|request|operation|command)? ?(?:was |has been )?(?:aborted|cancell?ed|interrupted|skipped|not (?:run|executed))|no result\b|\[?request interrupted|aborted by|user (?:aborted|cancell?ed|interrupted))/i;
/** The last lines of a run that was cut off: of a time-out only where it is the run's own, and not that of a connection or a test. */
const CUT_OFF =
  /^\W{0,4}(?:error: )?(?:(?:the |this )?(?:\w+ )?(?:call|execution|run|command|process)\b[^:\n]{0,80}? )?timed? ?out(?:\W*$| after\b| \d)|\^C$|\b(?:terminated|killed|aborted|interrupted|cancell?ed) (?:by|after|with|due|before)\b|^(?:\[|\()?(?:command |process )?(?:terminated|killed|aborted|interrupted|cancell?ed)(?:\]|\))?\.?$|\bSIG(?:TERM|KILL|INT)\b/i;
/** What a program says last that waited in vain. */
const TIMED_OUT = /\btimed out\b/i;
/** How a run or an agent in the background answers: Claude Code, Codex. */
const RUNNING =
  /^(?:Command running in background|Async agent launched|Async agent started|Process running with session ID)|^(?:[^\n]{0,80}\n){0,4}Process running with session ID/;
/** All that some tools answer who start an agent is the id of it. */
const HANDLE = /^\s*\{[^{}]{0,300}"(?:agent|task|thread)_?id"\s*:\s*"[\w-]+"[^{}]{0,300}\}\s*$/i;
/** A tool's own refusal opens its result. */
const REFUSAL =
  /^\s*(?:<tool_use_error>|error\b|failed\b|failure\b|could not\b|cannot\b|can't\b|unable to\b|no changes\b|not found|no such|string to replace not found|permission denied|access denied|invalid\b|\w*(?:Error|Exception): )/i;
/** What a tool says that has changed something. */
const CHANGED =
  /\b(?:updated?|created?|wrote|written|saved?|applied|replaced|edited|inserted|deleted|removed|renamed|moved|added|success(?:ful(?:ly)?)?|done|ok)\b|^\s*$/i;
/** Lines that say something exact, the most exact first: a commit, an address, counts, a word of success. */
const TELLING: readonly RegExp[] = [
  /^\[[^\]]{1,80} [0-9a-f]{7,40}\]/,
  /^[^{["].{0,80}?https?:\/\/\S|^https?:\/\/\S/,
  /\b\d+ (?:passed|failed|errors?|issues?|warnings?|tests?|files? changed|insertions?|problems?)\b/,
  /\b(?:ok|FAIL|PASS|OK|passed|failed|created|success\w*)\b/i,
];
/** What harnesses print around a command's own output. */
const HARNESS_LINE =
  /^(?:bash-\$|\$|\(Open file: .*|\(Current directory: .*|\(no output\)|<\/?(?:stdout|stderr|tool_use_error|returncode|output)>|Exit code:? \d+|Command exited with code \d+|Output:|Wall time:? .*|Total output lines: \d+|Chunk ID: .*|Process exited with code \d+|Original token count: \d+|Shell cwd was reset.*|System: .*)$/i;

/** Reads the result of a call. `facts` are those of its command, where it runs one. */
export function endingOf(call: CallSummary, facts: CommandFacts | undefined, result: ResultToRead): Ending {
  const { text, isError } = result;
  const looks = LOOKING.has(call.action);
  const isSentence = text.length <= SENTENCE_CHARS_MAX && !looks;
  if ((isError || isSentence) && DECLINED.test(text)) return declined(text, isError);
  if ((isError || isSentence) && NOT_CARRIED_OUT.test(text.slice(0, LINE_CHARS_MAX)))
    return { status: "interrupted", failing: NOTHING_FAILED, ...lineOf(firstLines(text)[0]) };
  const isHandle = call.action === "delegate" && HANDLE.test(text);
  if (isHandle || (!looks && RUNNING.test(text.slice(0, SENTENCE_CHARS_MAX))))
    return { status: "running", failing: NOTHING_FAILED, ...lineOf(firstLines(text).slice(0, 2).join(" ")) };
  return call.action === "run" ? runEnding(facts, result) : toolEnding(call, result);
}

function declined(text: string, isError: boolean): Ending {
  const said = declinedWith(text) || (AFTER_COLON.exec(text.replace(DECLINED, ""))?.[1] ?? "").trim();
  const isOfPerson = isError && declinedWith(text) !== "";
  const reason = wholeWords(said.replace(/\s+/g, " "), SENTENCE_CHARS_MAX);
  const told = said === "" ? {} : isOfPerson ? { words: said } : { reason };
  return { status: "declined", failing: NOTHING_FAILED, ...told };
}

/** What follows a harness's own sentence. */
const AFTER_COLON = /:\s+([^]+)$/;

function lineOf(line: string | undefined): Pick<Ending, "line"> {
  return line === undefined ? {} : { line };
}

function toolEnding({ action, paths }: CallSummary, { text, isError }: ResultToRead): Ending {
  const refusal = LOOKING.has(action) ? undefined : refusalIn(text);
  if (isError || refusal !== undefined || REFUSAL.test(text.slice(0, SHORT_RESULT_CHARS)))
    return { status: "failed", failing: NOTHING_FAILED, ...lineOf(refusal ?? firstLines(text)[0]) };
  const isChange = action === "edit" || action === "write";
  // A tool that changes what is in no file answers with the thing as it is now.
  const showsThing = paths.length === 0 && text.trimStart().startsWith("{");
  if (!isChange || showsThing) return { status: "done", failing: NOTHING_FAILED };
  const opening = text.slice(0, SENTENCE_CHARS_MAX);
  const wrong = errorAbove(opening);
  if (wrong !== undefined) return { status: "failed", failing: NOTHING_FAILED, ...lineOf(wrong) };
  const shows = text.length > SENTENCE_CHARS_MAX || paths.some((path) => opening.includes(baseName(path)));
  return shows || CHANGED.test(opening)
    ? { status: "done", failing: NOTHING_FAILED }
    : { status: "unknown", failing: NOTHING_FAILED, ...lineOf(firstLines(text)[0]) };
}

/** An error that a tool reports before it says that it has changed anything, and above the lines of the file that it shows. */
function errorAbove(opening: string): string | undefined {
  const lines = opening.split("\n");
  const shown = lines.findIndex((line) => /^\s*\d+\s*[:|\t→]/.test(line));
  const at = lines.slice(0, shown < 0 ? undefined : shown).findIndex((line) => isErrorLine(line));
  const before = lines.slice(0, Math.max(0, at)).join("\n");
  return at < 0 || (before !== "" && CHANGED.test(before)) ? undefined : lines[at]!.trim();
}

function runEnding(facts: CommandFacts | undefined, { text, isError }: ResultToRead): Ending {
  const shows = facts?.purpose === "show";
  // What a `cat` shows may hold the words of any failure: only its exit counts.
  const run = outcomeOf(shows ? text.slice(-EDGE_CHARS) : text);
  const counts = {
    ...(run.exit === undefined ? {} : { exit: run.exit }),
    ...(run.passed === undefined || shows ? {} : { passed: run.passed }),
    ...(run.failed === undefined || shows ? {} : { failed: run.failed }),
  };
  const failing = shows ? NOTHING_FAILED : run.failing;
  const cutOff = shows ? undefined : lastLines(text).find((line) => line.length < LINE_CHARS_MAX && CUT_OFF.test(line));
  if (cutOff !== undefined && run.exit !== 0) return { status: "interrupted", line: cutOff, failing, ...counts };
  const errors = shows && (run.exit ?? 0) === 0 ? [] : run.errors.map((error) => clean(error.text));
  // A search that finds nothing exits with 1, and nothing has failed.
  const isEmpty = shows && run.exit === 1 && run.errors.length === 0;
  const isFailure = isError || (!shows && (saysFailed(run, facts) || TIMED_OUT.test(lastLines(text)[0] ?? "")));
  const failed = run.exit === undefined ? isFailure : run.exit !== 0 && !isEmpty;
  const line = failed ? (errors[0] ?? telling(text)) : workedLine(text, shows);
  return { status: failed ? "failed" : "done", failing, ...counts, ...lineOf(line) };
}

/** Where there is no exit status: tests that failed, or a check with errors. */
function saysFailed(run: ReturnType<typeof outcomeOf>, facts: CommandFacts | undefined): boolean {
  if (run.failing.length > 0 || (run.failed ?? 0) > 0) return true;
  return facts?.purpose === "check" && run.errors.length > 0;
}

/** A run that worked has a verdict where it prints one, or hardly anything else. */
function workedLine(text: string, shows: boolean): string | undefined {
  if (shows) return undefined;
  const line = telling(text);
  return line !== undefined && (text.length <= SHORT_RESULT_CHARS || kindOf(line) < TELLING.length) ? line : undefined;
}

/** The line near either end that says the most exact thing, or else the last one. */
function telling(text: string): string | undefined {
  let best: string | undefined;
  let least = Infinity;
  for (const line of [...lastLines(text), ...firstLines(text)]) {
    const kind = kindOf(line);
    if (kind < least) [best, least] = [line, kind];
  }
  return best;
}

function kindOf(line: string): number {
  const kind = TELLING.findIndex((pattern) => pattern.test(line));
  return kind < 0 ? TELLING.length : kind;
}

/** All that a call printed, where that is one line; without what a harness prints around it. */
export function onlyLine(text: string): string | undefined {
  if (text.length > SENTENCE_CHARS_MAX) return undefined;
  const [line, ...others] = firstLines(text);
  return others.length === 0 ? line : undefined;
}

/** The first lines that a command itself printed. */
function firstLines(text: string): readonly string[] {
  const opening = text.slice(0, EDGE_CHARS).split("\n");
  return opening.map(clean).filter(isOwn).slice(0, EDGE_LINES);
}

/** The last ones, the very last first. */
function lastLines(text: string): readonly string[] {
  const ending = text.slice(-EDGE_CHARS).split("\n");
  const whole = text.length > EDGE_CHARS ? ending.slice(1) : ending;
  return whole.toReversed().map(clean).filter(isOwn).slice(0, EDGE_LINES);
}

function isOwn(line: string): boolean {
  return line !== "" && !HARNESS_LINE.test(line);
}

function clean(line: string): string {
  const words = withoutColour(line.slice(0, 2 * LINE_CHARS_MAX)).replace(/^<tool_use_error>|<\/tool_use_error>$/g, "");
  return wholeWords(words.trim(), LINE_CHARS_MAX);
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
