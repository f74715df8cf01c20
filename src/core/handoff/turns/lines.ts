/**
 * What there is to tell of a turn, line by line: words of people and system, deeds with how they ended, what was looked at, and
 * what the agent said. Each line says what it is worth; how much of it is told is decided by the room.
 */
import { describeCall } from "../../digest/call.ts";
import { oneLine } from "../../digest/cut.ts";
import { isErrorLine } from "../../digest/error-line.ts";
import { withoutGutter } from "../../digest/numbered-lines.ts";
import { LOOKING } from "../../digest/tool-names.ts";
import type { CallEvent, HeardEvent, SaidEvent, SessionEvent } from "../../events/events.ts";
import { createKnownThings, argumentsWithin, thingText, valuesIn, type KnownThings } from "../../events/things.ts";
import { keyOf } from "../../events/text.ts";
import type { Part } from "../../transcript/message.ts";
import { lastingLines } from "./overwritten.ts";
import { repeatedLines } from "./repeated.ts";
import { linesBody, proseBody, type Body } from "./shape.ts";
import type { Turn } from "./turns.ts";

export type LineKind = "request" | "system" | "record" | "answer" | "remark" | "report" | "deed" | "look" | "shown";

export interface Line {
  readonly message: number;
  readonly kind: LineKind;
  readonly lead: string;
  readonly body: Body;
  /** Beside the others of its age; 0 to 3. */
  readonly worth: number;
}

export interface LinesOptions {
  readonly redact: (text: string) => string;
  /** A path or text as it is written in the handoff: below the session's folder. */
  readonly shortened: (text: string) => string;
  /** Whether a text stands word for word beside the handoff. */
  readonly isBeside: (text: string) => boolean;
  /** Whether words of people are told here, and not in a section of their own. */
  readonly tellsRequests: boolean;
  /** Calls that still run: they are told as what is in progress. */
  readonly running: ReadonlySet<CallEvent>;
  /** The room is there to be used: what is left of it goes to whatever is told in part or not at all. */
  readonly fillsRoom?: boolean | undefined;
}

/** What kinds of line are worth, against each other: chosen by hand. */
export const WORTH: Readonly<Record<LineKind, number>> = {
  request: 2.5,
  system: 2.5,
  record: 2.5,
  answer: 1.5,
  report: 1,
  deed: 0.6,
  remark: 0.35,
  shown: 0.25,
  look: 0.15,
};
const REMARK_CHARS_MIN = 60;
const TARGET_CHARS_MAX = 200;
const LOOKS_MAX = 12;
const LABELS_CHARS_MAX = 80;
/** A person's longer text was pasted, at least in part. */
export const PASTE_CHARS_MIN = 2_000;
const SHOWN_CHARS_MIN = 120;

/** The lines of all turns, turn by turn, the oldest first. */
export function linesOfTurns(turns: readonly Turn[], options: LinesOptions): readonly (readonly Line[])[] {
  const calls = turns.flatMap(({ events }) => events.filter((event) => event.kind === "call"));
  const lasting = lastingLines(calls);
  const things = createKnownThings();
  const isRepeated = repeatedLines(newestOfEach(calls));
  return turns.map((turn) => createTeller({ ...options, lasting, things, isRepeated }).tell(turn));
}

interface TellerOptions extends LinesOptions {
  readonly lasting: ReadonlyMap<CallEvent, readonly string[]>;
  readonly things: KnownThings;
  /** Whether a line stands in results of several calls. */
  readonly isRepeated: (line: string) => boolean;
}

interface Teller {
  readonly tell: (turn: Turn) => readonly Line[];
}

function createTeller(options: TellerOptions): Teller {
  return {
    tell: ({ events }) => {
      const answer = events.findLast((event) => event.kind === "said");
      const told = onceEach(events);
      const lines = told.flatMap((event) => linesOf(event, answer, options));
      const looks = lookLines(events, { ...options, shows: isOpen(answer) });
      return [...lines, ...looks].toSorted((a, b) => a.message - b.message);
    },
  };
}

/** What was looked at in a turn is told by its answer; where there is none, by what it showed. */
function isOpen(answer: SaidEvent | undefined): boolean {
  return answer === undefined || !answer.ends || answer.text.length < ANSWER_CHARS_MIN;
}

const ANSWER_CHARS_MIN = 200;

function linesOf(event: SessionEvent, answer: SaidEvent | undefined, options: TellerOptions): readonly Line[] {
  switch (event.kind) {
    case "heard":
      return heardLines(event, options);
    case "said":
      return saidLines(event, event === answer, options);
    case "call":
      return isLook(event) || options.running.has(event)
        ? []
        : [...deedLines(event, options), ...printedLines(event, options)];
  }
}

type LineWords = Pick<Line, "lead" | "body">;

function line(kind: LineKind, message: number, { lead, body }: LineWords, times = 1): Line {
  return { kind, message, lead, body, worth: WORTH[kind] * times };
}

/** A call that did not do what it should is worth more than one that did, and a question that was asked less than what was stated. */
const NOT_DONE_TIMES = 1.6;
const QUESTION_TIMES = 0.7;
const QUESTION = /[?？]["')\]」』]*\s*$/;

function heardLines({ speaker, message }: HeardEvent, options: TellerOptions): readonly Line[] {
  const { redact, isBeside, tellsRequests } = options;
  switch (speaker.by) {
    case "person": {
      if (!tellsRequests || isBeside(speaker.text)) return [];
      const media = speaker.media.map((part) => mediaText(part, message)).join(" ");
      const text = [redact(speaker.text), media].filter((part) => part !== "").join("\n");
      const times = QUESTION.test(speaker.text) ? QUESTION_TIMES : 1;
      return [line("request", message, { lead: `[${message + 1}] User: `, body: proseBody(text) }, times)];
    }
    case "command":
      return [line("request", message, { lead: `[${message + 1}] User: `, body: proseBody(speaker.text, redact) })];
    case "template":
      return spoken("look", message, { lead: "Text of that command: ", text: speaker.text }, options);
    case "system":
      return isBeside(speaker.text)
        ? []
        : spoken("system", message, { lead: `[${message + 1}] System: `, text: speaker.text }, options);
    case "summary":
      return spoken("record", message, { lead: "Earlier summary: ", text: speaker.text }, options);
    case "report":
      return spoken("report", message, { lead: "Report: ", text: speaker.text }, options);
    case "console":
      return spoken("shown", message, { lead: "Console of the user: ", text: speaker.text }, options);
    default:
      return [];
  }
}

interface Spoken {
  readonly lead: string;
  readonly text: string;
}

function spoken(kind: LineKind, message: number, { lead, text }: Spoken, { redact }: TellerOptions): readonly Line[] {
  return text.trim() === "" ? [] : [line(kind, message, { lead, body: proseBody(text, redact) })];
}

/** `[image/png, 3 KB, message 12]`: the original is found by the number of its message. */
export function mediaText(part: Part, message: number): string {
  if (part.kind !== "image" && part.kind !== "file") return "";
  const { source } = part;
  const kind = source.type === "data" ? source.mediaType : part.kind;
  const size = source.type === "data" ? [`${Math.ceil((source.data.length * 0.75) / 1024)} KB`] : [];
  const name = part.kind === "file" && part.name !== undefined ? [part.name] : [];
  return `[${[part.kind === "image" ? "picture" : "document", ...name, kind, ...size].join(", ")}; word for word in message ${message + 1}]`;
}

const LEADS_IN = /[:：]\s*$/;

/** The last words of a turn are its answer; what was said on the way counts less, and not at all where it only announces. */
function saidLines(event: SaidEvent, isAnswer: boolean, { redact, isBeside }: TellerOptions): readonly Line[] {
  const { message, text } = event;
  if (isBeside(text)) return [];
  if (!isAnswer && (text.length < REMARK_CHARS_MIN || LEADS_IN.test(text))) return [];
  return [line(isAnswer ? "answer" : "remark", message, { lead: "Agent: ", body: bodyOf(event, redact) })];
}

/** What was said is told again in the next handoff. */
const bodies = new WeakMap<SaidEvent, { readonly redact: (text: string) => string; readonly body: Body }>();

function bodyOf(event: SaidEvent, redact: (text: string) => string): Body {
  let known = bodies.get(event);
  if (known?.redact !== redact) bodies.set(event, (known = { redact, body: proseBody(event.text, redact) }));
  return known.body;
}

function isLook({ summary, facts, ending }: CallEvent): boolean {
  if (ending.status !== "done" || (ending.exit ?? 0) !== 0) return false;
  return LOOKING.has(summary.action) || facts?.purpose === "show";
}

/** Of runs and edits that were made again, the last; a try that failed is told once where the same was done after it. */
function onceEach(events: readonly SessionEvent[]): readonly SessionEvent[] {
  const later = new Set<string>();
  const kept = events.toReversed().filter((event) => {
    if (event.kind !== "call" || isLook(event)) return true;
    const { status, line: how = "" } = event.ending;
    const deed = `${event.summary.tool} ${event.summary.command ?? event.summary.paths[0] ?? event.call.arguments}`;
    const same = event.summary.action === "edit" ? (status === "done" ? "" : deed) : `${deed} ${status} ${keyOf(how)}`;
    const redone = status !== "done" && event.summary.action === "edit" && later.has(`${deed} done`);
    const known = redone || (same !== "" && later.has(same));
    later.add(same).add(`${deed} ${status}`);
    return !known;
  });
  return kept.toReversed();
}

function deedLines(event: CallEvent, options: TellerOptions): readonly Line[] {
  const { message } = event;
  const lead = "· ";
  if (isReport(event))
    return [
      line("deed", message, { lead, body: deedBody(event, options) }),
      line("report", message, {
        lead: "Its report: ",
        body: proseBody(event.text, options.redact, { isLess: options.isRepeated }),
      }),
    ];
  const times = event.ending.status === "done" ? 1 : NOT_DONE_TIMES;
  return [line("deed", message, { lead, body: deedBody(event, options) }, times)];
}

/** A run's own words count little beside how it ended. */
const PRINTED_TIMES = 0.2;

/** What a run printed beside how it ended, where the room is there to be used. */
function printedLines(event: CallEvent, options: TellerOptions): readonly Line[] {
  const { summary, message, text } = event;
  if (options.fillsRoom !== true || summary.action !== "run" || text.length < SHOWN_CHARS_MIN) return [];
  return [line("shown", message, shownAs(event, options), PRINTED_TIMES)];
}

const REPORT_CHARS_MIN = 300;

/** Whether an agent that the call started reported so much that it has a line of its own. */
function isReport({ summary, ending, text }: CallEvent): boolean {
  return summary.action === "delegate" && ending.status === "done" && text.length > REPORT_CHARS_MIN;
}

/** The call, how it ended, and below it the lines that it wrote. */
function deedBody(event: CallEvent, options: TellerOptions): Body {
  const { summary, ending } = event;
  const { redact, shortened } = options;
  const how = howText(event, options);
  const what = callWithin(event, options);
  const added = options.lasting.get(event) ?? [];
  let lines: Body | undefined;
  const isChange = summary.action === "edit" || summary.action === "write";
  const chars = what(Infinity).length + how.length + linesBody(added).chars;
  return {
    chars,
    within: (charsMax) => {
      if (charsMax < Math.min(chars, DEED_CHARS_MIN)) return "";
      const isWhole = charsMax >= chars || how.length <= Math.max(charsMax * 0.6, DEED_CHARS_MIN);
      const outcome = isWhole ? how : ` ${oneLine(how, Math.floor(charsMax * 0.6))}`;
      const head = `${what(Math.max(DEED_CHARS_MIN, charsMax - outcome.length))}${outcome}`;
      lines ??= linesBody(added.length === 0 ? added : redact(added.join("\n")).split("\n"));
      const below = lines.within(charsMax - head.length);
      if (below !== "") return shortened(`${head}\n${below}`);
      return isChange && added.length > 0 && ending.status === "done"
        ? shortened(`${head} (+${added.length} lines)`)
        : shortened(head);
    },
  };
}

const DEED_CHARS_MIN = 32;

/** What a call was about. Its arguments are redacted before they are cut: half a secret is not known as one. */
export function targetText({ summary, call }: CallEvent, redact: (text: string) => string): string {
  if (summary.command !== undefined) return redact(summary.command);
  const args = redact(call.arguments);
  return redact(args === call.arguments ? summary.target : describeCall(call.name, args).target);
}

/** The command, or the tool with what it worked on. */
function callWithin(event: CallEvent, { redact }: TellerOptions): (charsMax: number) => string {
  const { summary, call } = event;
  const { action, command, tool, paths } = summary;
  if (command !== undefined) {
    const text = redact(command.trim()).replace(/\s+/g, " ");
    return (charsMax) => `\`${oneLine(text, Math.max(DEED_CHARS_MIN, Math.min(charsMax, TARGET_CHARS_MAX * 2)))}\``;
  }
  if ((action === "edit" || action === "write") && paths.length > 0)
    return () => `${tool} ${redact(paths.slice(0, LOOKS_MAX).join(", "))}`;
  if (action === "delegate" || action === "ask")
    return (charsMax) => oneLine(`${tool} ${targetText(event, redact)}`, Math.min(charsMax, TARGET_CHARS_MAX));
  const given = argumentsWithin(redact(call.arguments));
  return (charsMax) => `${tool}(${given(Math.max(DEED_CHARS_MIN, Math.min(charsMax, 600) - tool.length))})`;
}

/** How it ended, in words of the result; nothing where all there is to say is that it was done. */
function howText(event: CallEvent, { redact, things }: TellerOptions): string {
  const { ending, summary, text } = event;
  const said = ending.line === undefined ? "" : redact(ending.line);
  switch (ending.status) {
    case "declined":
      return ` → declined by the user${ending.words === undefined ? "" : `: ${redact(ending.words)}`}`;
    case "interrupted":
      return ` → interrupted${ending.passed === undefined ? "" : `, ${ending.passed} passed so far`}${said === "" ? "" : `: ${said}`}`;
    case "running":
      return ` → running: ${said}`;
    case "unknown":
      return ` → ${said === "" ? "how it ended is not known" : said}`;
    case "failed": {
      const names = ending.failing.length === 0 ? "" : ` (failing: ${ending.failing.slice(0, FAILING_MAX).join(", ")})`;
      return ` → failed${countsText(event) || codeText(event)}${said === "" ? "" : `: ${said}`}${redact(names)}`;
    }
    case "done":
      break;
  }
  if (summary.action === "run") {
    const code = (ending.exit ?? 0) === 0 ? "" : ` exit code ${ending.exit}`;
    const how = countsText(event) || (said === "" ? code : ` ${said}`);
    return how === "" ? "" : ` →${how}`;
  }
  const isFileChange = (summary.action === "edit" || summary.action === "write") && summary.paths.length > 0;
  if (isFileChange || isReport(event)) return "";
  const shown = redact(text.trim());
  const changes = things.changesIn(shown, summary.values.join("\n")) ?? thingText(shown);
  const facts = changes ?? (shown.length <= RESULT_CHARS_MAX ? valuesIn(shown) : undefined);
  return shown === "" ? "" : ` → ${facts ?? oneLine(shown, RESULT_CHARS_MAX)}`;
}

const FAILING_MAX = 8;
const RESULT_CHARS_MAX = 900;

function codeText({ ending: { exit, line: said } }: CallEvent): string {
  return exit === undefined || said !== undefined ? "" : ` with exit code ${exit}`;
}

function countsText({ ending: { passed, failed } }: CallEvent): string {
  const counts = [
    ...(failed === undefined || failed === 0 ? [] : [`${failed} failed`]),
    ...(passed === undefined ? [] : [`${passed} passed`]),
  ];
  return counts.length === 0 ? "" : ` ${counts.join(", ")}`;
}

interface LookOptions extends TellerOptions {
  /** Whether what was shown is told too. */
  readonly shows: boolean;
}

/** One line for all that a turn looked at, and a line for what each look showed. */
function lookLines(events: readonly SessionEvent[], options: LookOptions): readonly Line[] {
  const looks = events.filter(
    (event) => event.kind === "call" && isLook(event) && event.summary.action !== "plan",
  ) as CallEvent[];
  if (looks.length === 0) return [];
  const { redact, shortened } = options;
  const labels = [...new Set(looks.map((event) => oneLine(shortened(targetText(event, redact)), LABELS_CHARS_MAX)))];
  const shown = options.shows ? looks.filter(({ text }) => text.length >= SHOWN_CHARS_MIN) : [];
  return [
    line("look", looks[0]!.message, { lead: "· looked at: ", body: listBody(labels.filter((label) => label !== "")) }),
    ...newestOfEach(shown).map((event) => line("shown", event.message, shownAs(event, options))),
  ];
}

/** What a call showed; errors in it stay before other lines. */
function shownAs(event: CallEvent, { redact, shortened, isRepeated }: TellerOptions): LineWords {
  return {
    lead: `· ${oneLine(shortened(`${event.summary.tool} ${targetText(event, redact)}`), LABELS_CHARS_MAX)} showed: `,
    body: proseBody(event.text, (whole) => redact(withoutGutter(whole)), { isMore: isErrorLine, isLess: isRepeated }),
  };
}

function newestOfEach(looks: readonly CallEvent[]): readonly CallEvent[] {
  return [...new Map(looks.map((event) => [event.summary.target, event])).values()];
}

/** As many as fit, the newest last. */
function listBody(labels: readonly string[]): Body {
  const all = labels.join(", ");
  return {
    chars: all.length,
    within: (charsMax) => {
      if (all.length <= charsMax) return all;
      const kept: string[] = [];
      let left = charsMax - 12;
      for (const label of labels.toReversed()) {
        if (label.length + 2 > left) break;
        left -= label.length + 2;
        kept.unshift(label);
      }
      return kept.length === 0 ? "" : `${kept.join(", ")} (+${labels.length - kept.length})`;
    },
  };
}
