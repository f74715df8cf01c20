/** A compaction as a person reads it: what the transcript was, what it is, and what became of its parts. */
import type { CompactionReport, Irreducible } from "../core/compaction/compaction.ts";
import type { LogNote } from "../logs/index.ts";
import { count, counted, percent } from "./amounts.ts";
import { bar, clip, padEnd, padStart } from "./bars.ts";
import type { Stream } from "./terminal.ts";
import { wrapped } from "./usage.ts";

const BAR_COLUMNS = 40;
const NAME_COLUMNS = 11;
const NOTES_SHOWN_MAX = 5;

export interface Heading {
  readonly name: string;
  readonly format: string;
  readonly to: string;
  readonly notes: readonly LogNote[];
}

/** The first line, and what reading the file had to leave out or mend. */
export function headingOf({ name, format, to, notes }: Heading, { paint, columns }: Stream): readonly string[] {
  const way = format === to ? format : `${format} → ${to}`;
  const shown = notes
    .slice(0, NOTES_SHOWN_MAX)
    .map((note) => clip(`${note.line > 0 ? `line ${note.line}: ` : ""}${note.text}`, columns - 2));
  const more =
    notes.length > shown.length ? [`and ${counted(notes.length - shown.length, "more remark")} on reading`] : [];
  return [
    `${paint("strong", clip(name, columns - way.length - 2))}  ${paint("dim", way)}`,
    ...[...shown, ...more].map((line) => `  ${paint("dim", line)}`),
    "",
  ];
}

/** For a transcript that was compacted. `keep` is the file that holds the originals, if one does. */
export function compactionPage(report: CompactionReport, keep: string | undefined, stream: Stream): string {
  const { paint } = stream;
  const { before, after } = report.tokens;
  const largest = Math.max(before, after, 1);
  const row = (name: string, tokens: number, look: "dim" | "good", says: string): string =>
    `  ${padEnd(name, NAME_COLUMNS)}${paint(look, padEnd(bar(tokens / largest, BAR_COLUMNS), BAR_COLUMNS))} ${paint("strong", padStart(count(tokens), 9))}  ${says}`;
  return [
    row("before", before, "dim", `tokens in ${counted(report.messages.before, "message")}`),
    row(
      "after",
      after,
      "good",
      `tokens in ${counted(report.messages.after, "message")}, ${percent((after - before) / largest).replace("-", "−")}`,
    ),
    "",
    ...partRows(report, stream),
    "",
    ...fates(report, keep, stream),
    ...warnings(report, stream),
    "",
  ].join("\n");
}

const PARTS: readonly (readonly [name: keyof CompactionReport["parts"], says: string])[] = [
  ["system", "the system prompt"],
  ["tools", "declarations of tools"],
  ["head", "the opening, word for word"],
  ["handoff", "what happened in between"],
  ["anchor", "the live request, word for word"],
  ["tail", "the newest messages"],
];

function partRows({ parts, tokens }: CompactionReport, { paint }: Stream): readonly string[] {
  const whole = Math.max(tokens.before, tokens.after, 1);
  return PARTS.filter(([name]) => parts[name] > 0).map(([name, says]) => {
    const drawn = padEnd(bar(parts[name] / whole, BAR_COLUMNS), BAR_COLUMNS);
    return `  ${padEnd(name, NAME_COLUMNS)}${paint("accent", drawn)} ${padStart(count(parts[name]), 9)}  ${paint("dim", says)}`;
  });
}

function fates(
  { messages, recall, lost }: CompactionReport,
  keep: string | undefined,
  { paint, columns }: Stream,
): readonly string[] {
  const row = (name: string, says: string): readonly string[] =>
    wrapped(says, columns - NAME_COLUMNS - 2).map(
      (line, at) => `  ${paint("dim", padEnd(at === 0 ? name : "", NAME_COLUMNS))}${line}`,
    );
  const back =
    keep === undefined
      ? "add `--keep FILE` to be able to fetch them back"
      : `\`precis recall ID --keep ${keep}\` gives the original back`;
  const examples =
    lost.examples.length === 0 ? "" : `, such as ${lost.examples.map((one) => clip(one, 60)).join(", ")}`;
  const missed = `${counted(lost.paths, "path")} and ${counted(lost.identifiers, "identifier")} that nothing in the result names${examples}`;
  return [
    ...row("kept", `${counted(messages.kept, "message")} word for word`),
    ...(messages.edited === 0 ? [] : row("digested", `${counted(messages.edited, "message")}, shortened in place`)),
    ...(messages.summarised === 0
      ? []
      : row("summarised", `${counted(messages.summarised, "message")}, in the handoff`)),
    ...(recall.length === 0 ? [] : row("recall", `${counted(recall.length, "id")}: ${back}`)),
    ...row(
      "missed",
      lost.paths + lost.identifiers === 0 ? "probably nothing: every path and identifier is still named" : missed,
    ),
  ];
}

function warnings({ degraded, irreducible }: CompactionReport, stream: Stream): readonly string[] {
  const lines = [...degraded, ...(irreducible === undefined ? [] : [irreducibleLine(irreducible)])];
  return lines.length === 0 ? [] : ["", ...lines.flatMap((line) => warned(line, stream))];
}

function warned(text: string, { paint, columns }: Stream): readonly string[] {
  return wrapped(text, columns - 4).map((line, at) => `${at === 0 ? paint("warn", "! ") : "  "}${line}`);
}

function irreducibleLine({ limit, smallest, because }: Irreducible): string {
  return `irreducible: ${count(smallest)} tokens is the least, above the ${count(limit)} asked for: ${because}`;
}

/** For a transcript that stays as it is. */
export function unchangedPage(because: string, irreducible: Irreducible | undefined, stream: Stream): string {
  const lines = [`  ${stream.paint("good", "unchanged")}  ${because}`];
  if (irreducible !== undefined) lines.push(...warned(irreducibleLine(irreducible), stream));
  return `${lines.join("\n")}\n`;
}
