/** What calls did, a line each or gathered: what was only looked at, what was run and how it ended, what was changed and to what. */
import { described } from "../../digest/call.ts";
import { withoutHereDocuments } from "../../ledger/readers/commands.ts";
import { DECLINED_OUTCOME, ECHO } from "../../ledger/readers/results.ts";
import { runOutcomeOf } from "../../ledger/run-outcomes.ts";
import { remembered } from "../../transcript/remembered.ts";
import { clipped } from "../items.ts";
import { condensable, type Condensable } from "./condense.ts";
import { argumentsWithin, factsOf, shownIn, THING_CHARS_MAX, thingFacts, thingText, type Shown } from "./effects.ts";
import { factsBody, type Fact } from "./facts.ts";
import { failure, fixed, type CallOutcome } from "./outcomes.ts";
import { WEIGHTS, type CompletedEntry, type LinesContext, type RecordLine } from "./context.ts";
import { definedIn, writtenUnits } from "./edited-lines.ts";
import { reportUnits } from "./redacted-units.ts";

export type CallKind = "looked" | "edited" | "check" | "ran" | "changed";

const READ_ONLY_VERB =
  /^(?:get|list|ls|search|find|read|fetch|view|show|check|calculate|think|lookup|look|query|grep|glob|describe|count|inspect|status|open|cat|retrieve|browse|ask)(?:_|-|$|[A-Z])/;

function bareName(name: string): string {
  const start = name.lastIndexOf("__");
  return /[^./:]*$/.exec(start < 0 ? name : name.slice(start + 2))?.[0] ?? name;
}

export function callKindOf({ action, call }: Pick<CompletedEntry, "action" | "call">): CallKind {
  switch (action.action) {
    case "run":
      return action.purpose === "show"
        ? "looked"
        : action.purpose === "check"
          ? "check"
          : action.purpose === "commit"
            ? "changed"
            : "ran";
    case "edit":
    case "write":
      return action.onOpenFile === true || described(call).paths.length > 0 ? "edited" : "changed";
    case "read":
    case "search":
    case "list":
    case "plan":
    case "ask":
      return READ_ONLY_VERB.test(bareName(call.name)) || action.action !== "ask" ? "looked" : "changed";
    case "delegate":
      return "changed";
    default:
      return READ_ONLY_VERB.test(bareName(call.name)) ? "looked" : "changed";
  }
}

export function callLines(
  kind: CallKind,
  calls: readonly CompletedEntry[],
  context: LinesContext,
): readonly RecordLine[] {
  const message = calls[0]!.message;
  const line = (deedText: string, outcome = "", at = message): RecordLine => ({
    message: at,
    label: "· ",
    weight: WEIGHTS[kind],
    body: callBody(deedText, fixed(outcome)),
  });
  switch (kind) {
    case "looked":
      return lookedLines(calls, context);
    case "edited":
      return editedFiles(calls, context).map(({ message: at, ...edited }) => ({ ...line("", "", at), ...edited }));
    case "check":
    case "ran":
      return repeatedRuns(calls).flatMap(({ call, times }) => runLine(kind, call, times, context) ?? []);
    case "changed":
      return calls.map((call) => ({
        ...line("", "", call.message),
        body: changeBody(call, context),
      }));
  }
}

/** What was only looked at is gathered; what showed one thing by its values is described with them. */
function lookedLines(calls: readonly CompletedEntry[], context: LinesContext): readonly RecordLine[] {
  const shown: RecordLine[] = [];
  const others: CompletedEntry[] = [];
  for (const call of calls) {
    if (call.action.action === "plan") continue;
    const { shown: all, thing } = shownBy(call, () => shownNow(call));
    context.known.see(all);
    const body = thing === undefined ? undefined : callBody(byTool([call], context), factsBody(thing, context.redact));
    if (body === undefined) others.push(call);
    else shown.push({ message: call.message, label: "· ", weight: WEIGHTS.shown, body });
  }
  if (others.length === 0) return shown;
  const body = callBody(byTool(others, context), fixed(""));
  return [{ message: others[0]!.message, label: "· ", weight: WEIGHTS.looked, body }, ...shown];
}

interface ShownByCall {
  readonly shown: Shown | undefined;
  /** Its values, where it is a single thing. */
  readonly thing: readonly Fact[] | undefined;
}

function shownNow({ result }: CompletedEntry): ShownByCall {
  const shown = shownIn(result);
  return { shown, thing: result.length > THING_CHARS_MAX ? undefined : factsOf(shown) };
}

/** About what may be kept of what calls showed; and what a value takes beside its characters. */
const SHOWN_BYTES_MAX = 4_000_000;
const LEAF_BYTES = 150;

/** The same in one handoff after another. */
const shownBy = remembered<CompletedEntry, ShownByCall>({
  bytesOf: ({ shown, thing = [] }) => LEAF_BYTES * (1 + (shown?.leaves.size ?? 0) + thing.length),
  bytesMax: SHOWN_BYTES_MAX,
});

/** A run, and how it ended: with its errors, as long as they are. Nothing for a check that went well as it did before. */
function runLine(
  kind: "check" | "ran",
  call: CompletedEntry,
  times: number,
  context: LinesContext,
): RecordLine | undefined {
  const failed = call.action.ok === false && context.stillFails(call.answered);
  const outcome = failed ? withErrors(outcomeOf(call, context), call, context) : outcomeOf(call, context);
  const weight = failed ? WEIGHTS.failed : WEIGHTS[kind];
  const command = runText(call, times, context);
  const isRoutine = kind === "check" && call.action.ok === true;
  const routine = `${command} ${outcome}`.replace(DURATION, "");
  if (isRoutine && context.said.newness({ text: routine }) === undefined) return undefined;
  return { message: call.message, label: "· ", weight, body: callBody(command, fixed(outcome)) };
}

const DURATION = /\d[\d.,]*\s?(?:ms|s|secs?|seconds|minutes)\b/g;

const ERRORS_SHOWN_MAX = 4;
const RUN_CHARS_READ_MAX = 40_000;
/** What a test expected and what it got, as the runners of several languages write it. */
const ASSERTION =
  /^[ \t]*(?:\S+\.\w{1,4}:\d+:(?:\d+:)? .{0,300}\b(?:want|expected|got|should)\b.{0,200}|E {2,}\S.{0,300}|(?:AssertionError|AssertionFailedError)\b.{0,300}|(?:[Ee]xpected|[Aa]ctual|[Rr]eceived|left|right):? .{1,200})$/gm;

function withErrors(outcome: string, { result, answer }: CompletedEntry, { redact }: LinesContext): string {
  const asserted = result.slice(0, RUN_CHARS_READ_MAX).match(ASSERTION) ?? [];
  const reported = answer === undefined ? [] : runOutcomeOf(answer, result).errors.map(({ text }) => text);
  const errors = [...asserted, ...reported]
    .map((text) => redact(text).trim().replace(/\s+/g, " "))
    .filter((text) => !outcome.includes(text) && !text.includes(outcome));
  return [outcome, ...errors.slice(0, ERRORS_SHOWN_MAX)].filter((text) => text !== "").join("; ");
}

/** What was done and what came of it, each cut at its end: where room is short, the outcome gets at least half. */
function callBody(done: string, outcome: Condensable): Condensable {
  const chars = done.length + (outcome.chars === 0 ? 0 : ARROW_CHARS + outcome.chars);
  return {
    chars,
    within: (charsMax) => {
      if (charsMax < Math.min(chars, LINE_CHARS_MIN)) return "";
      if (outcome.chars === 0) return clipped(done, charsMax);
      if (charsMax < Math.min(chars, BOTH_CHARS_MIN)) return "";
      const ending = outcome.within(
        Math.max(charsMax - done.length - ARROW_CHARS, Math.floor(charsMax / 2) - ARROW_CHARS),
      );
      return ending === ""
        ? clipped(done, charsMax)
        : `${clipped(done, charsMax - ending.length - ARROW_CHARS)} → ${ending}`;
    },
  };
}

const ARROW_CHARS = 3;
const LINE_CHARS_MIN = 40;
/** With less, the beginnings of both would be left, and neither could be understood. */
const BOTH_CHARS_MIN = 80;
const COMMAND_CHARS_MAX = 400;
const OUTCOME_CHARS_MAX = 300;
const ARGUMENTS_CHARS_MAX = 500;

/** `a.ts ×3, b.ts`: each once, in the order of first mention. */
function counted(texts: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const text of texts) if (text !== "") counts.set(text, (counts.get(text) ?? 0) + 1);
  return Array.from(counts, ([text, times]) => (times > 1 ? `${text} ×${times}` : text));
}

type Edited = Pick<RecordLine, "message" | "body" | "touched"> & Partial<Pick<RecordLine, "weight">>;

/** For each file, how often it was edited and what was written; what failed, with the reason. */
function editedFiles(calls: readonly CompletedEntry[], context: LinesContext): readonly Edited[] {
  const worked = calls.filter(({ action }) => action.ok !== false);
  const failed = calls.filter(({ action }) => action.ok === false);
  const targets = new Map(worked.map((call) => [call, targetOf(call, context)]));
  const byFile = Map.groupBy(worked, (call) => `${bareName(call.call.name)} ${targets.get(call)!}`);
  const edited = Array.from(byFile, ([name, own]) => ({
    message: own[0]!.message,
    body: headed(own.length > 1 ? `${name} ×${own.length}` : name, writtenIn(own, context)),
    touched: own.map((call) => ({
      name: targets.get(call)!.replace(/^.*\//, ""),
      defined: () => definedIn(call.call, context.redact),
    })),
  }));
  if (failed.length === 0) return edited;
  const last = failed.at(-1)!;
  const weight = context.stillFails(last.answered) ? WEIGHTS.failed : WEIGHTS.ran;
  const body = callBody(byTool(failed, context), fixed(outcomeOf(last, context)));
  return [...edited, { message: last.message, weight, body }];
}

/** A short line means something else in another function; a long one that was written before is a comment or a copy. */
function writtenIn(calls: readonly CompletedEntry[], { redact, said }: LinesContext): Condensable {
  const lines = calls.flatMap(({ call }) => writtenUnits(call, redact));
  return condensable(lines.filter((line) => line.text.length < COPY_CHARS_MIN || said.newness(line) !== undefined));
}

const COPY_CHARS_MIN = 40;

/** A heading, and below it as much of a text as there is room for; nothing where not even the heading has room. */
function headed(heading: string, text: Condensable): Condensable {
  return {
    chars: heading.length + (text.chars === 0 ? 0 : 1 + text.chars),
    within: (charsMax) => {
      if (charsMax < heading.length) return "";
      const below = text.within(charsMax - heading.length - 1);
      return below === "" || below.length < Math.min(text.chars, BELOW_CHARS_MIN) ? heading : `${heading}\n${below}`;
    },
  };
}

/** A line or two of a long text say nothing. */
const BELOW_CHARS_MIN = 120;

/** `Edit a.ts ×3, b.ts; Write c.ts`: what each tool was given, in the order of first use. */
function byTool(calls: readonly CompletedEntry[], context: LinesContext): string {
  const targets = new Map<string, string[]>();
  for (const call of calls) {
    const tool = bareName(call.call.name);
    const own = targets.get(tool) ?? [];
    targets.set(tool, own);
    own.push(targetOf(call, context));
  }
  return Array.from(targets, ([tool, own]) => `${tool} ${counted(own).join(", ")}`).join("; ");
}

/** Runs of one command in a row are one line, with the outcome of the last. */
function repeatedRuns(
  calls: readonly CompletedEntry[],
): readonly { readonly call: CompletedEntry; readonly times: number }[] {
  const runs: { call: CompletedEntry; times: number }[] = [];
  for (const call of calls) {
    const last = runs.at(-1);
    if (last?.call.action.text === call.action.text) {
      last.call = call;
      last.times++;
    } else runs.push({ call, times: 1 });
  }
  return runs;
}

const CHANGES_FOLDER = /^\s*cd\s+[^\s;&|]+\s*(?:&&|;|\n)\s*(?=\S)/;
const PAGING = /\s*\|\s*(?:tail|head)\s+(?:-n\s*)?-?\d+\s*$|\s*2>&1(?=\s*(?:$|\|))/g;

function runText(call: CompletedEntry, times: number, context: LinesContext): string {
  const text = call.action.text.slice(0, COMMAND_CHARS_READ_MAX);
  if (call.action.ok !== false && COMMITTED.test(call.action.outcome ?? "") && onlyCommits(text)) return "git commit";
  const command = context.redact(withoutWrittenText(text)).replace(CHANGES_FOLDER, "").replace(PAGING, "");
  const shown = clipped(context.shortened(command).replace(/\s+/g, " "), COMMAND_CHARS_MAX);
  return `\`${shown}\`${times > 1 ? ` ×${times}` : ""}`;
}

/** What Git answers to a commit, with its message. */
const COMMITTED = /^\[\S+ (?:\([^)]*\) )?[0-9a-f]{7,40}\] /;
const QUOTED = /"(?:[^"\\]|\\[\s\S])*"|'[^']*'/g;
const COMMIT_STEP = /^\s*(?:cd|git add|git commit)\b[^|<>`$]*$/;

/** Whether a command only commits, whatever its message says. */
function onlyCommits(command: string): boolean {
  return command
    .replace(QUOTED, "")
    .split(/&&|;/)
    .every((step) => COMMIT_STEP.test(step));
}

/** A here-document that only becomes a file says nothing of what the command does. */
function withoutWrittenText(command: string): string {
  return WRITES_DOCUMENT.test(command)
    ? withoutHereDocuments(command).replace(DOCUMENT_START, (start) => `${start} …`)
    : command;
}

const DOCUMENT_START = /<<-?[ \t]*["']?\w+["']?/g;
const WRITES_DOCUMENT = /\b(?:cat|tee)\b[^\n|;&]{0,200}<</;

/** Far more than is shown, so that nothing is cut before it was redacted. */
const COMMAND_CHARS_READ_MAX = 4_000;
const RESULT_CHARS_READ_MAX = 2_000;

/** A call that changed something, or had somebody else work: its arguments, and what came of it. */
function changeBody(call: CompletedEntry, context: LinesContext): Condensable {
  if (call.action.action === "run") return callBody(runText(call, 1, context), fixed(outcomeOf(call, context)));
  const name = bareName(call.call.name);
  const raw = context.shortened(context.redact(call.call.arguments));
  const outcome = changeOutcome(call, context);
  const given = argumentsWithin(raw);
  const whole = `${name}(${given(isRepeated(given, context) ? ARGUMENTS_CHARS_REPEATED : ARGUMENTS_CHARS_MAX)})`;
  const chars = whole.length + (outcome.chars === 0 ? 0 : ARROW_CHARS + outcome.chars);
  const roomFor = (charsMax: number): number => {
    const room = Math.max(charsMax - whole.length - ARROW_CHARS, Math.floor(charsMax / 2));
    if (room >= outcome.chars || outcome.charsMin === undefined) return room;
    const shortest = name.length + given(ARGUMENTS_CHARS_MIN).length + 2;
    return Math.max(room, Math.min(outcome.charsMin(), charsMax - shortest - ARROW_CHARS));
  };
  let all: string | undefined;
  return {
    chars,
    within: (charsMax) => {
      if (charsMax < LINE_CHARS_MIN) return "";
      if (all !== undefined && charsMax >= chars) return all;
      const ending = outcome.within(roomFor(charsMax));
      const room = charsMax - (ending === "" ? 0 : ending.length + ARROW_CHARS);
      const done =
        whole.length <= room ? whole : `${name}(${given(Math.max(ARGUMENTS_CHARS_MIN, room - name.length - 2))})`;
      const text = ending === "" ? done : `${done} → ${ending}`;
      if (charsMax >= chars) all = text;
      return text;
    },
  };
}

/**
 * What came of a call: what it reported, or why it failed, or what it changed, or the values of what it made; the line that
 * says how it ended where it shows none of these.
 */
function changeOutcome(call: CompletedEntry, context: LinesContext): CallOutcome {
  const changes = context.known.changesIn(call.result, call.call.arguments);
  if (call.action.action === "delegate")
    return condensable(reportUnits(call, context.redact), context.said, { worth: context.worthOfReport });
  if (call.action.ok === false) return failure(outcomeOf(call, context));
  const facts = changes ?? thingFacts(call.result, { known: call.call.arguments, fieldsMin: 1 });
  return facts === undefined ? fixed(outcomeOf(call, context)) : factsBody(facts, context.redact);
}

/** Whether the arguments say what was said before, in other words perhaps. */
function isRepeated(given: (charsMax: number) => string, { said }: LinesContext): boolean {
  const text = given(ARGUMENTS_CHARS_MAX);
  return text.length > ARGUMENTS_CHARS_REPEATED && said.newness({ text }) === undefined;
}

const ARGUMENTS_CHARS_REPEATED = 60;
const ARGUMENTS_CHARS_MIN = 20;

function outcomeOf({ action, result }: CompletedEntry, { redact }: LinesContext): string {
  const first = countsOf(action) ?? action.outcome ?? firstLineOf(result);
  // The first characters of a value in JSON say nothing; its values may.
  const said = action.ok !== false && OPENS_JSON.test(first) ? (thingText(result) ?? "") : first;
  if (NO_RESULT.test(said)) return "";
  const text = clipped(redact(said).replace(/\s+/g, " "), OUTCOME_CHARS_MAX);
  return action.ok === false && text !== DECLINED_OUTCOME && !SAYS_FAILED.test(text)
    ? `failed${text === "" ? "" : `: ${text}`}`
    : text;
}

const SAYS_FAILED = /\b(?:fail|error)|^\w+: (?:false|denied|declined|rejected|refused)\b/i;

/** How many tests passed says more than any line of a check that worked. */
function countsOf({ ok, passed }: CompletedEntry["action"]): string | undefined {
  return ok === true && passed !== undefined ? `${passed} passed` : undefined;
}

/** What a program prints about itself before it says anything, and where a difference begins. */
const PREFACE = /^(?:[{[]$|▶|ℹ |diff --git |index [0-9a-f]+\.\.|(?:---|\+\+\+) )/;

const OPENS_JSON = /^(?:\{\s*"|\[\s*[{"])/;
const NO_RESULT = /^\W*no (?:result|output)\b.{0,20}$/i;

function firstLineOf(result: string): string {
  const lines = result.slice(0, RESULT_CHARS_READ_MAX).split("\n");
  const line = lines.find((one) => one.trim() !== "" && !ECHO.test(one.trim()))?.trim() ?? "";
  return PREFACE.test(line) ? "" : line;
}

function targetOf({ action, call }: CompletedEntry, context: LinesContext): string {
  const target = action.target.endsWith("…") ? action.target.replace(/\S*…$/, "…") : action.target;
  const text =
    target === "" ? bareName(call.name) : action.action === "run" ? target.replace(CHANGES_FOLDER, "") : target;
  return clipped(context.shortened(context.redact(text)), TARGET_CHARS_MAX);
}

const TARGET_CHARS_MAX = 120;
