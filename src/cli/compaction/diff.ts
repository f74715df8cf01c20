/**
 * A compaction as `--diff` shows it: runs of messages under a heading, what left behind `-`, what precis wrote behind `+`, what
 * was shortened behind `~` with both forms. Secrets are masked before anything is cut.
 */
import { findRecallId, shownMessage } from "../../gateway/history/context-view.ts";
import type { MessageShown } from "../../session/history.ts";
import { count, counted } from "../screen/amounts.ts";
import { clip, padStart, measureWidth, visible, wrapped } from "../screen/text.ts";
import type { Stream, TextStyle } from "../screen/terminal.ts";
import type { Compaction, CompactionReport, Destination } from "../../core/compaction/compaction.ts";
import type { Redactor } from "../../core/redaction/redactor.ts";
import type { Measure } from "../../core/transcript/measure.ts";
import type { Message, Origin } from "../../core/transcript/message.ts";

const BEFORE_LINES_MAX = 3;
const AFTER_LINES_MAX = 12;
const NUMBER_COLUMNS = 5;

const HEADINGS: Readonly<Record<Fate, string>> = { kept: "kept", shortened: "shortened", replaced: "replaced" };

export function compactionDiff(view: ShownCompaction, stream: Stream): string {
  return alignedRuns(view)
    .flatMap((run) => [heading(run, stream), ...readLines(run, stream), ""])
    .join("\n");
}

function heading({ fate, before, after }: AlignedRun, { paint, columns }: Stream): string {
  const [first, last] = [before[0]?.number, before.at(-1)?.number];
  const which = first === undefined ? "written by precis" : first === last ? `${first}` : `${first}–${last}`;
  const says = first === undefined ? which : `${which} ${HEADINGS[fate]}`;
  const [was, is] = [sumTokens(before), sumTokens(after)];
  const weight = was === is ? count(was) : `${count(was)} → ${count(is)}`;
  return paint("strong", clip(`@@ ${says} · ${weight} tokens`, columns));
}

function readLines(run: AlignedRun, stream: Stream): readonly string[] {
  if (run.fate === "kept") return [stream.paint("dim", `  ${counted(run.before.length, "message")}, word for word`)];
  if (run.fate === "replaced")
    return [...run.before.map((one) => left(one, stream)), ...run.after.flatMap((one) => written(one, stream))];
  return run.before.flatMap((one, at) => shortened(one, run.after[at], stream));
}

function messageLine(sign: string, message: MessageShown, { columns }: Stream): string {
  const { number, role, tokens, text, calls } = message;
  const head = `${sign}${padStart(String(number), NUMBER_COLUMNS)} ${role} `;
  const end = ` ${count(tokens)}`;
  const begins = [text.trim().split("\n", 1)[0]!, ...calls.map((call) => `→ ${call}`)].filter((one) => one !== "");
  const room = Math.max(1, columns - head.length - end.length);
  const says = clip(begins.join(" "), room);
  return `${head}${says}${" ".repeat(Math.max(0, room - measureWidth(says)))}${end}`;
}

function left(message: MessageBefore, stream: Stream): string {
  return stream.paint("bad", messageLine("-", message, stream));
}

function written(message: MessageAfter, stream: Stream): readonly string[] {
  const { number, origin, role } = message;
  const says = origin === "summary" ? "handoff" : origin === "anchor" ? "live request, repeated" : role;
  const head = `+${padStart(String(number), NUMBER_COLUMNS)} ${says}`;
  const most = origin === "summary" ? Infinity : AFTER_LINES_MAX;
  return [stream.paint("good", head), ...textLines(message.text, { sign: "+", look: "good", most }, stream)];
}

function shortened(before: MessageBefore, after: MessageAfter | undefined, stream: Stream): readonly string[] {
  const head = stream.paint("accent", messageLine("~", before, stream));
  if (after === undefined) return [head];
  return [
    head,
    ...textLines(before.text, { sign: "-", look: "bad", most: BEFORE_LINES_MAX }, stream),
    ...textLines(after.text, { sign: "+", look: "good", most: AFTER_LINES_MAX }, stream),
  ];
}

interface Lines {
  readonly sign: string;
  readonly look: TextStyle;
  readonly most: number;
}

function textLines(text: string, { sign, look, most }: Lines, { paint, columns }: Stream): readonly string[] {
  const lines = visible(text.trim()).replaceAll("\t", "  ").split("\n");
  const shown = lines
    .slice(0, most)
    .flatMap((line) => (most === Infinity ? wrapped(line, columns - 2) : [clip(line, columns - 2)]));
  const more = lines.length - Math.min(lines.length, most);
  return [
    ...shown.map((line) => paint(look, `${sign} ${line}`.trimEnd())),
    ...(more > 0 ? [paint("dim", `  … ${counted(more, "more line")}`)] : []),
  ];
}

/** A handoff is shown whole: the largest ones weigh some 12,000 tokens. */
const HANDOFF_CHARS_MAX = 200_000;

interface MessageBefore extends MessageShown {
  readonly became: Destination;
  readonly recall?: string | undefined;
}

interface MessageAfter extends MessageShown {
  readonly origin?: Origin | undefined;
}

interface ShownCompaction {
  readonly report: CompactionReport;
  readonly before: readonly MessageBefore[];
  readonly after: readonly MessageAfter[];
}

interface ShownWith {
  readonly redact: Redactor;
  readonly measure: Measure;
}

/** `messages` is the original conversation; of what came after the covered ones, it has what was there when it was made. */
export function shownCompaction(
  compaction: Compaction,
  messages: readonly Message[],
  shownWith: ShownWith,
): ShownCompaction {
  const { report, after, map, covered } = compaction;
  const rest = messages.slice(covered, Math.max(covered, report.messages.before));
  const becameOf = (at: number): Destination =>
    at < covered ? (map[at] ?? { kind: "summarised" }) : { kind: "kept", at: after.length + at - covered };
  return {
    report,
    before: messages.slice(0, covered + rest.length).map((message, at): MessageBefore => {
      return { ...showMessage(message, at, shownWith), became: becameOf(at), recall: findRecallId(compaction, at) };
    }),
    after: [...after, ...rest].map((message, at): MessageAfter => {
      return { ...showMessage(message, at, shownWith), origin: message.origin };
    }),
  };
}

function showMessage(message: Message, at: number, { redact, measure }: ShownWith): MessageShown {
  const shownWith = { redact, weigh: measure.message };
  const charsMax = message.origin === "summary" ? { charsMax: HANDOFF_CHARS_MAX } : {};
  return shownMessage(message, at + 1, { ...shownWith, ...charsMax });
}

type Fate = "kept" | "shortened" | "replaced";

interface AlignedRun {
  readonly fate: Fate;
  readonly before: readonly MessageBefore[];
  readonly after: readonly MessageAfter[];
}

/** Every message of both sides is in exactly one run, in its own order. */
function alignedRuns({ before, after }: ShownCompaction): readonly AlignedRun[] {
  const runs: { fate: Fate; before: MessageBefore[]; after: MessageAfter[] }[] = [];
  let placed = 0;
  const runOf = (fate: Fate): (typeof runs)[number] => {
    const last = runs.at(-1);
    if (last?.fate === fate) return last;
    runs.push({ fate, before: [], after: [] });
    return runs.at(-1)!;
  };
  const writtenUpTo = (end: number): void => {
    if (placed < end) for (const each of after.slice(placed, end)) runOf("replaced").after.push(each);
    placed = Math.max(placed, end);
  };
  for (const message of before) {
    const { became } = message;
    if (became.kind === "kept" || became.kind === "edited") {
      writtenUpTo(became.at);
      const run = runOf(became.kind === "kept" ? "kept" : "shortened");
      run.before.push(message);
      if (placed === became.at && placed < after.length) run.after.push(after[placed++]!);
    } else runOf("replaced").before.push(message);
  }
  writtenUpTo(after.length);
  return runs;
}

function sumTokens(messages: readonly { readonly tokens: number }[]): number {
  return messages.reduce((sum, { tokens }) => sum + tokens, 0);
}
