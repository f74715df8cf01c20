/** A compaction as a person reads it: what the transcript was, what it is, and what became of its parts. */
import { wrapped, clip, padEnd, padStart, track, measureWidth } from "../screen/text.ts";
import {
  RECEIPT_FATES,
  RECEIPT_KINDS,
  type CompactionReport,
  type Irreducible,
  type Receipt,
  type SummaryAccount,
  SAVED_LITTLE_ADVICE,
  savedLittle,
} from "../../core/compaction/compaction.ts";
import { countIn } from "../../core/receipt/counts.ts";
import type { LogNote } from "../../logs/log.ts";
import { failureAdvice } from "../../session/cooldowns.ts";
import type { DisabledEngine } from "../../session/events.ts";
import type { HookFailure } from "../../session/operator-hooks/operator-hooks.ts";
import { change, count, counted } from "../screen/amounts.ts";
import { FATE_NAMES, fateText, RECEIPT_NAMES } from "../screen/receipt-names.ts";
import { namedLines } from "../screen/table.ts";
import type { TextStyle, Stream } from "../screen/terminal.ts";
import { windowText, type Window } from "../settings/flags.ts";

const BAR_COLUMNS_MIN = 12;
const BAR_COLUMNS_MAX = 40;
const NAME_COLUMNS = 11;
const FIGURE_COLUMNS = 9;
const SAYS_COLUMNS = 37;
const EXAMPLE_COLUMNS_MAX = 48;
const EXAMPLES_SHOWN_MAX = 3;
const IDS_SHOWN_MAX = 3;
const PRICE_DIGITS = 4;
const NOTES_SHOWN_MAX = 5;

export interface Heading {
  readonly name: string;
  readonly format: string;
  readonly to: string;
  readonly notes: readonly LogNote[];
}

export function headingLines({ name, format, to, notes }: Heading, { paint, columns }: Stream): readonly string[] {
  const way = format === to ? format : `${format} → ${to}`;
  const shown = notes
    .slice(0, NOTES_SHOWN_MAX)
    .map((note) => clip(`${note.line > 0 ? `line ${note.line}: ` : ""}${note.text}`, columns - 2));
  const more =
    notes.length > shown.length ? [`and ${counted(notes.length - shown.length, "more remark")} on reading`] : [];
  const room = columns - way.length - 2;
  const title = measureWidth(name) <= room ? name : clip(name.slice(name.lastIndexOf("/") + 1), room);
  return [
    `${paint("strong", title)}  ${paint("dim", way)}`,
    ...[...shown, ...more].map((line) => `  ${paint("dim", line)}`),
    "",
  ];
}

/** For a transcript that was compacted. `back` says how an original is fetched again. */
export function compactionPage(report: CompactionReport, back: string, stream: Stream): string {
  const { tokens, messages, parts } = report;
  const whole = Math.max(tokens.before, tokens.after, 1);
  const row = (name: string, amount: number, look: TextStyle, says: string): string => {
    const figure = padStart(count(amount), FIGURE_COLUMNS);
    const columns = barColumns(stream);
    const bar = columns === 0 ? "" : `${stream.paint(look, track(amount / whole, columns))} `;
    const start = `  ${padEnd(name, NAME_COLUMNS)}${bar}${figure}`;
    return columns === 0 ? `${start}\n${" ".repeat(NAME_COLUMNS + 2)}${says}` : `${start}  ${says}`;
  };
  const after = `in ${counted(messages.after, "message")}, ${stream.paint("good", change(tokens.before, tokens.after))}`;
  return [
    row("before", tokens.before, "dim", `tokens in ${counted(messages.before, "message")}`),
    row("after", tokens.after, "good", after),
    "",
    ...PARTS.filter(([name]) => parts[name] > 0).map(([name, says]) =>
      row(name, parts[name], "accent", stream.paint("dim", says)),
    ),
    "",
    ...fates(report, back, stream),
    ...warnings(report, stream),
    "",
  ].join("\n");
}

/** What the widest row leaves; nothing on a terminal too narrow for bars. */
function barColumns({ columns }: Stream): number {
  if (columns < NAME_COLUMNS + FIGURE_COLUMNS + SAYS_COLUMNS + BAR_COLUMNS_MIN) return 0;
  return Math.min(Math.max(columns - NAME_COLUMNS - FIGURE_COLUMNS - SAYS_COLUMNS, BAR_COLUMNS_MIN), BAR_COLUMNS_MAX);
}

const PARTS: readonly (readonly [name: keyof CompactionReport["parts"], says: string])[] = [
  ["system", "the system prompt"],
  ["tools", "declarations of tools"],
  ["head", "messages before the handoff, word for word"],
  ["handoff", "what happened in between"],
  ["anchor", "the live request, word for word"],
  ["tail", "the newest messages"],
];

function fates(
  { messages, recall, receipt, summary }: CompactionReport,
  back: string,
  stream: Stream,
): readonly string[] {
  const row = (name: string, says: string): readonly string[] => named(name, says, "dim", stream);
  return [
    ...(summary === undefined ? [] : writtenBy(summary).flatMap((line) => row("written", line))),
    ...row("kept", `${counted(messages.kept, "message")} word for word`),
    ...(messages.edited === 0 ? [] : row("digested", `${counted(messages.edited, "message")}, shortened in place`)),
    ...(messages.summarised === 0
      ? []
      : row("summarised", `${counted(messages.summarised, "message")}, in the handoff`)),
    ...(messages.removed === undefined
      ? []
      : row("removed", `${counted(messages.removed, "tool result")} without a call, which providers refuse`)),
    ...(recall.length === 0 ? [] : [...row("recall", recallIds(recall)), ...row("", back)]),
    ...(receipt === undefined ? [] : receiptLines(receipt).flatMap((line, at) => row(at === 0 ? "receipt" : "", line))),
  ];
}

function writtenBy({ by, steps, items, because }: SummaryAccount): readonly string[] {
  if (by === "ledger") return steps.length > 0 || because === undefined ? [] : [`by code: ${because}`];
  const { model, role, calls, tokens, costUsd } = steps.find(({ outcome }) => outcome === "written")!;
  const price = costUsd === undefined ? "" : `, $${costUsd.toFixed(PRICE_DIGITS)}`;
  const dropped = (items?.dropped ?? []).reduce((sum, one) => sum + one.count, 0);
  const line = [
    role === "provider" ? `by ${model}, at its provider` : `by ${model}, the ${role} model`,
    `${counted(calls, "call")}, ${count(tokens.input)} tokens in, ${count(tokens.output)} out${price}`,
    ...(dropped === 0 ? [] : [`${counted(dropped, "item")} of its answer left out`]),
    ...(because === undefined ? [] : [because]),
  ].join("; ");
  return [line];
}

function recallIds(ids: readonly string[]): string {
  const more = ids.length - IDS_SHOWN_MAX;
  const list = ids.slice(0, IDS_SHOWN_MAX).join(", ");
  return `${counted(ids.length, "id")}: ${list}${more > 0 ? ` and ${count(more)} more` : ""}`;
}

function receiptLines(receipt: Receipt): readonly string[] {
  const lines = RECEIPT_KINDS.flatMap((kind) => {
    const counts = RECEIPT_FATES.map((fate) => ({ fate, number: countIn(receipt, kind, fate) }));
    const some = counts.filter(({ number }) => number > 0);
    if (some.length === 0) return [];
    const all = some.reduce((sum, { number }) => sum + number, 0);
    const says = some.map(({ fate, number }) => `${count(number)} ${FATE_NAMES[fate]}`).join(", ");
    const gone = receipt.lines.filter((line) => line.kind === kind && line.fate !== "kept");
    const such = gone.toSorted((one, other) => Number(other.fate === "lost") - Number(one.fate === "lost"));
    return [
      `${counted(all, RECEIPT_NAMES[kind])}: ${says}`,
      ...such
        .slice(0, EXAMPLES_SHOWN_MAX)
        .map((line) => `  "${clip(line.text, EXAMPLE_COLUMNS_MAX)}" ${fateText(line)}`),
    ];
  });
  return lines.length === 0 ? ["nothing that had to be kept"] : lines;
}

function named(name: string, says: string, look: TextStyle, stream: Stream): readonly string[] {
  return namedLines(name, says, { left: NAME_COLUMNS, look }, stream);
}

function warnings(report: CompactionReport, stream: Stream): readonly string[] {
  const { degraded, irreducible, summary } = report;
  const lines = [
    ...degraded,
    ...failureAdvice(summary?.steps ?? []),
    ...(irreducible === undefined ? [] : [irreducibleLine(irreducible)]),
    ...(savedLittle(report) ? [`It saved less than a tenth: ${SAVED_LITTLE_ADVICE}.`] : []),
  ];
  return lines.length === 0 ? [] : ["", ...lines.flatMap((line) => warned(line, stream))];
}

function warned(text: string, { paint, columns }: Stream): readonly string[] {
  return wrapped(text, columns - 4).map((line, at) => `${at === 0 ? paint("warn", "! ") : "  "}${line}`);
}

function irreducibleLine({ limit, smallest, because }: Irreducible): string {
  return `Cannot reach ${count(limit)} tokens; the smallest useful result has ${count(smallest)}: ${because}`;
}

export interface Unchanged {
  readonly because: string;
  readonly irreducible: Irreducible | undefined;
  readonly next: string | undefined;
}

export function unchangedPage({ because, irreducible, next }: Unchanged, stream: Stream): string {
  const lines = [
    ...named("unchanged", because, "good", stream),
    ...(next === undefined ? [] : named("next", next, "dim", stream)),
  ];
  if (irreducible !== undefined) for (const each of warned(irreducibleLine(irreducible), stream)) lines.push(each);
  return `${lines.join("\n")}\n`;
}

export function forcedLine(because: string | undefined, stream: Stream): string {
  return because === undefined ? "" : `${named("forced", because, "dim", stream).join("\n")}\n\n`;
}

export function windowLine(window: Window, stream: Stream): string {
  return `${named("window", windowText(window), "dim", stream).join("\n")}\n`;
}

export function invalidPage(lines: readonly string[], stream: Stream): string {
  const rows = lines.flatMap((line, at) => named(at === 0 ? "invalid" : "", line, "warn", stream));
  return rows.map((row) => `${row}\n`).join("");
}

export function usePage(says: string, stream: Stream): string {
  return `${named("next", says, "dim", stream).join("\n")}\n`;
}

export function disabledEnginePage(disabledEngine: DisabledEngine | undefined, stream: Stream): string {
  if (disabledEngine === undefined) return "";
  return `${warned(`${disabledEngine.engine}: ${disabledEngine.detail}`, stream).join("\n")}\n`;
}

/** Hooks that failed: the compaction is in effect all the same. */
export function hookFailuresPage(failures: readonly HookFailure[], stream: Stream): string {
  const lines = failures.flatMap(({ message, detail }) =>
    warned(detail === undefined ? message : `${message}: ${detail}`, stream),
  );
  return lines.map((line) => `${line}\n`).join("");
}
