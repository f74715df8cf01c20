/**
 * A compaction in the manner of a diff: runs of messages under a heading, what left behind `-`, what precis wrote behind
 * `+`, what was shortened behind `~` with both forms. Kept messages are counted.
 */
import type { MessageShown } from "../gateway/history/contract.ts";
import { count, counted } from "./amounts.ts";
import { clip, padStart, widthOf } from "./bars.ts";
import { wrapped } from "../config/wrap.ts";
import {
  alignedRuns,
  tokensOf,
  type AlignedRun,
  type Fate,
  type MessageAfter,
  type MessageBefore,
  type ShownCompaction,
} from "./compaction-shown.ts";
import type { Stream, TextStyle } from "./terminal.ts";
import { visible } from "./visible.ts";

/** Lines of a message that was shortened, before it. */
const BEFORE_LINES_MAX = 3;
/** Lines of what stands in its place; a handoff is shown whole. */
const AFTER_LINES_MAX = 12;
const NUMBER_COLUMNS = 5;

const HEADINGS: Readonly<Record<Fate, string>> = { kept: "kept", shortened: "shortened", replaced: "replaced" };

export function compactionDiff(view: ShownCompaction, stream: Stream): string {
  return alignedRuns(view)
    .flatMap((run) => [heading(run, stream), ...linesOf(run, stream), ""])
    .join("\n");
}

function heading({ fate, before, after }: AlignedRun, { paint, columns }: Stream): string {
  const [first, last] = [before[0]?.number, before.at(-1)?.number];
  const which = first === undefined ? "written by precis" : first === last ? `${first}` : `${first}–${last}`;
  const says = first === undefined ? which : `${which} ${HEADINGS[fate]}`;
  const [was, is] = [tokensOf(before), tokensOf(after)];
  const weight = was === is ? count(was) : `${count(was)} → ${count(is)}`;
  return paint("strong", clip(`@@ ${says} · ${weight} tokens`, columns));
}

function linesOf(run: AlignedRun, stream: Stream): readonly string[] {
  if (run.fate === "kept") return [stream.paint("dim", `  ${counted(run.before.length, "message")}, word for word`)];
  if (run.fate === "replaced")
    return [...run.before.map((one) => left(one, stream)), ...run.after.flatMap((one) => written(one, stream))];
  return run.before.flatMap((one, at) => shortened(one, run.after[at], stream));
}

/** One line: number, role, tokens, and how it begins. */
function messageLine(sign: string, message: MessageShown, { columns }: Stream): string {
  const { number, role, tokens, text, calls } = message;
  const head = `${sign}${padStart(String(number), NUMBER_COLUMNS)} ${role} `;
  const end = ` ${count(tokens)}`;
  const begins = [text.trim().split("\n", 1)[0]!, ...calls.map((call) => `→ ${call}`)].filter((one) => one !== "");
  const room = Math.max(1, columns - head.length - end.length);
  const says = clip(begins.join(" "), room);
  return `${head}${says}${" ".repeat(Math.max(0, room - widthOf(says)))}${end}`;
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
