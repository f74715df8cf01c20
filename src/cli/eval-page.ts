/** An evaluation on a terminal: tables, each with what is to be known for reading it, and the files that are not scored. */
import { wrapped } from "../config/wrap.ts";
import type { Evaluation } from "../lab/eval/evaluate.ts";
import type { Figures } from "../lab/eval/figures.ts";
import { notScored, sectionsOf, summaryOf, type Section, type Unscored } from "../lab/eval/report.ts";
import { clip, columnWidths, padEnd, padStart } from "./bars.ts";
import type { Stream } from "./terminal.ts";

const FILES_SHOWN_MAX = 4;

export function evalPage(evaluation: Evaluation, figures: Figures, stream: Stream): string {
  return [
    ...wrapped(summaryOf(evaluation), stream.columns),
    "",
    ...sectionsOf(evaluation, figures).flatMap((section) => table(section, stream)),
    ...unscored(evaluation, stream),
  ].join("\n");
}

/** Names on the left, figures under their heads. */
function table({ title, says, head, rows }: Section, { paint, columns }: Stream): readonly string[] {
  const widths = columnWidths([head, ...rows]);
  const isName = widths.map((_, at) => head[at] === "");
  const line = (row: readonly string[]): string =>
    `  ${row.map((cell, at) => (isName[at] === true ? padEnd : padStart)(cell, widths[at]!)).join("  ")}`.trimEnd();
  return [
    paint("strong", title),
    ...(says === "" ? [] : wrapped(says, columns - 2).map((one) => `  ${paint("dim", one)}`)),
    paint("dim", line(head)),
    ...rows.map(line),
    "",
  ];
}

function unscored(evaluation: Evaluation, { paint, columns }: Stream): readonly string[] {
  const groups = [...notScored(evaluation)];
  if (groups.length === 0) return [];
  const line = ({ file, detail }: Unscored): string => {
    const shown = file.slice(file.lastIndexOf("/") + 1);
    return `    ${paint("dim", clip(detail === "" ? shown : `${shown}: ${detail}`, columns - 4))}`;
  };
  const listed = groups.flatMap(([because, files]) => [
    `  ${because}: ${files.length}`,
    ...files.slice(0, FILES_SHOWN_MAX).map(line),
    ...(files.length > FILES_SHOWN_MAX ? [`    ${paint("dim", `and ${files.length - FILES_SHOWN_MAX} more`)}`] : []),
  ]);
  return [paint("strong", "Not scored"), ...listed, ""];
}
