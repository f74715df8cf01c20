/**
 * How a call ended, read from its result: done needs a result that says so, a mark that the run was cut off outranks any
 * summary above it, and what does not say is unknown. That a person declined is the harness's to say: by its error flag, at a tool of its
 * own whose errors nobody else writes. From any other result it is what that result says.
 */
import { isErrorLine } from "../digest/error-line.ts";
import { withoutColour } from "../digest/cut.ts";
import { outcomeOf } from "../digest/outcome.ts";
import { actionByName, isForeignTool, LOOKING } from "../digest/tool-names.ts";
import type { CallSummary } from "../digest/call.ts";
import type { CommandFacts } from "./shell.ts";
import { isOfClient } from "./envelopes.ts";
import { refusalIn } from "./refusals.ts";
import { declinedWith } from "./person.ts";
import { wholeWords } from "./text.ts";

export type EndingStatus = "done" | "failed" | "declined" | "interrupted" | "running" | "unknown";

export interface Ending {
  readonly status: EndingStatus;
  /** The line of the result that says best how it ended, verbatim; all of a short result without one. */
  readonly line?: string;
  readonly exit?: number;
  readonly passed?: number;
  readonly failed?: number;
  /** Names of failing tests. */
  readonly failing: readonly string[];
  /** Whether nothing but the result's own words says that a person declined. */
  readonly isHearsay?: true;
  /** What a person wrote when they declined, or what the result says that they did. */
  readonly words?: string;
}

export interface ResultToRead {
  readonly text: string;
  readonly isError: boolean;
  /** The exit status that the client states beside it. */
  readonly exit?: number | undefined;
}

const LINE_CHARS_MAX = 240;
const EDGE_CHARS = 1_200;
const EDGE_LINES = 5;
const SENTENCE_CHARS_MAX = 600;
const SHORT_RESULT_CHARS = 240;
/** So few are told whole; of more, any is one of a list. */
const SHORT_RESULT_LINES = 5;
const NOTHING_FAILED: readonly string[] = [];

/** How harnesses say that a person declined: Claude Code, OpenCode, Cline, Codex, Hermes. */
const DECLINED =
  /^\s*(?:error: )?(?:blocked: command denied by user\b|the user doesn't want to proceed with this tool use|(?:the )?user (?:rejected|declined|denied)\b|rejected by user\b|(?:exec command |patch )?rejected by user|exec_command failed\b[^\n]{0,300}? ?\W{0,4}rejected by user\b|permission denied by user)/i;
/** How they say that a call was not carried out, or not to its end. */
const NOT_CARRIED_OUT =
  /^\W{0,8}(?:(?:the |this )?(?:tool )?(?:call|use|execution|run|request|operation|command)? ?(?:was |has been )?(?:aborted|cancell?ed|interrupted|skipped|not (?:run|executed))|no result\b|\[?request interrupted|aborted by|user (?:aborted|cancell?ed|interrupted))/i;
/** The last lines of a run that was cut off: of a time-out only where it is the run's own, and not that of a connection or a test. */
const CUT_OFF =
  /^\W{0,4}(?:error: )?(?:(?:the |this )?(?:\w+ )?(?:call|execution|run|command|process)\b[^:\n]{0,80}? )?timed? ?out(?:\W*$| after\b| \d)|\^C$|\b(?:terminated|killed|aborted|interrupted|cancell?ed) (?:by|after|with|due|before)\b|^(?:\[|\()?(?:command |process )?(?:terminated|killed|aborted|interrupted|cancell?ed)(?:\]|\))?\.?$|\bSIG(?:TERM|KILL|INT)\b/i;
/** What a program says last that waited in vain. */
const TIMED_OUT = /\btimed out\b/i;
/** How a run or an agent in the background answers: Claude Code, Codex, OpenClaw. */
const RUNNING =
  /^(?:Command running in background|Async agent launched|Async agent started|Process running with session ID|Command still running \(session )/;
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

const ADDRESS_KIND = 1;
const SUCCESS_KIND = TELLING.length - 1;

/** A numbered line of a file that is shown. */
const OF_FILE = /^\d{1,7}(?:→|\t|:(?!\d))/;

/** Reads the result of a call. `facts` are those of its command, where it runs one. */
export function endingOf(call: CallSummary, facts: CommandFacts | undefined, result: ResultToRead): Ending {
  const { text, isError } = result;
  const looks = LOOKING.has(call.action);
  const isSentence = text.length <= SENTENCE_CHARS_MAX && !looks;
  if ((isError || isSentence) && DECLINED.test(text)) return declined(call, result);
  if ((isError || isSentence) && NOT_CARRIED_OUT.test(text.slice(0, LINE_CHARS_MAX)))
    return { status: "interrupted", failing: NOTHING_FAILED, ...lineOf(firstLines(text)[0]) };
  const isHandle = call.action === "delegate" && HANDLE.test(text);
  if (isHandle || (!looks && RUNNING.test(text.slice(0, SENTENCE_CHARS_MAX))))
    return { status: "running", failing: NOTHING_FAILED, ...lineOf(firstLines(text).slice(0, 2).join(" ")) };
  if (call.action === "run") return runEnding(facts, result);
  const { exit } = result;
  if (exit === undefined) return toolEnding(call, result);
  return { ...toolEnding(call, exit === 0 ? result : { ...result, isError: true }), exit };
}

function declined(call: CallSummary, result: ResultToRead): Ending {
  const { text } = result;
  const said = declinedWith(text) || (AFTER_COLON.exec(text.replace(DECLINED, ""))?.[1] ?? "").trim();
  const ending = { status: "declined", failing: NOTHING_FAILED } as const;
  if (isOfHarness(call, result)) return said === "" ? ending : { ...ending, words: said };
  const words = wholeWords(said.replace(/\s+/g, " "), SENTENCE_CHARS_MAX);
  return { ...ending, isHearsay: true, ...(said === "" ? {} : { words }) };
}

/**
 * Whether the client itself wrote a result: it flags an error of a tool of its own. The error of a server's tool, of a page or of a
 * command that ran is whatever these print.
 */
function isOfHarness({ tool, action }: CallSummary, { text, isError, exit }: ResultToRead): boolean {
  if (!isError || isForeignTool(tool) || actionByName(tool) === undefined || action === "fetch") return false;
  return action !== "run" || (exit ?? outcomeOf(text).exit) === undefined;
}

/** What follows a harness's own sentence. */
const AFTER_COLON = /:\s+([^]+)$/;

function lineOf(line: string | undefined): Pick<Ending, "line"> {
  return line === undefined ? {} : { line };
}

/** A change that may not have come about, by the first words of the tool: what it says is told, and nothing made of it. */
const MAY_HAVE_FAILED = /^\s*(?!(?:no|none|nothing|0)\b)(?:[\w'-]+ ){1,3}failed\b/i;
const DATA_FILE = /\.(?:json\w?|ndjson|ya?ml|log)$/i;

function toolEnding({ action, paths }: CallSummary, { text, isError }: ResultToRead): Ending {
  // A file of data may hold the fields of a refusal.
  const refusal = LOOKING.has(action) && paths.some((path) => DATA_FILE.test(path)) ? undefined : refusalIn(text);
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
  return !MAY_HAVE_FAILED.test(opening) && (shows || CHANGED.test(opening))
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

function runEnding(facts: CommandFacts | undefined, { text, isError, exit: stated }: ResultToRead): Ending {
  const shows = facts?.purpose === "show";
  // What a `cat` shows may hold the words of any failure: only its exit counts.
  const read = outcomeOf(shows ? text.slice(-EDGE_CHARS) : text);
  const run = stated === undefined ? read : { ...read, exit: stated };
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
  // Without a line that looks like an error, the last one is the nearest to what ended it: a word of success before it says nothing of that.
  const line = failed ? (errors[0] ?? lastLines(text)[0]) : workedLine(text, facts, errors.at(-1));
  return { status: failed ? "failed" : "done", failing, ...counts, ...lineOf(line) };
}

/** Where there is no exit status: tests that failed, or a check with errors. */
function saysFailed(run: ReturnType<typeof outcomeOf>, facts: CommandFacts | undefined): boolean {
  if (run.failing.length > 0 || (run.failed ?? 0) > 0) return true;
  return facts?.purpose === "check" && run.errors.length > 0;
}

/** A table of one row says that below it, in any language: what it says is the row. */
const ONE_ROW = /^\(1 \p{L}+\)$/u;

/** A run that worked has a verdict where it prints one, or hardly anything else; behind a pipe its exit may be another program's, and what is known is the error that it printed. */
function workedLine(text: string, facts: CommandFacts | undefined, error: string | undefined): string | undefined {
  if (facts?.purpose === "show") return undefined;
  const line = telling(text, facts?.purpose === "check");
  const kind = line === undefined ? TELLING.length : kindOf(line);
  if (kind < SUCCESS_KIND) return line;
  const lines = text.length <= SHORT_RESULT_CHARS ? text.split("\n").filter((one) => isOwn(clean(one))) : [];
  if (lines.length > 0 && lines.length <= SHORT_RESULT_LINES)
    return lines.length === 1 || lines.some((one) => ONE_ROW.test(clean(one))) ? line : withoutColour(text).trim();
  // A word of success may be of something else than what failed.
  if (kind === SUCCESS_KIND) return error === undefined || error === line ? line : `${error}\n${line}`;
  return error;
}

/** The line near either end that says the most exact thing, or else the last one. Of a check that is its verdict, and no address. */
function telling(text: string, isCheck: boolean): string | undefined {
  let best: string | undefined;
  let least = Infinity;
  const last = lastLines(text);
  for (const [at, line] of [...last, ...firstLines(text)].entries()) {
    if (ONE_ROW.test(line)) continue;
    const kind = kindOf(line);
    // How it ended stands at the end: above, a word of success is of what was shown.
    if ((isCheck && kind === ADDRESS_KIND) || (at >= last.length && kind === SUCCESS_KIND)) continue;
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
  return line !== "" && !isOfClient(line) && !OF_FILE.test(line);
}

function clean(line: string): string {
  const words = withoutColour(line.slice(0, 2 * LINE_CHARS_MAX)).replace(/^<tool_use_error>|<\/tool_use_error>$/g, "");
  return wholeWords(words.trim(), LINE_CHARS_MAX);
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
