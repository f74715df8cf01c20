/** An evaluation on a terminal: tables, each with what is to be known for reading it, and the files that are not scored. */
import { wrapped, clip, columnWidths, padEnd } from "../../../src/cli/screen/text.ts";
import type { Evaluation } from "../measure/evaluate.ts";
import type { Row } from "../measure/figures.ts";
import { LEGEND, notScored, sectionsOf, summaryOf, type Section } from "../measure/report.ts";
import { tableLines } from "./table.ts";
import type { Stream } from "../../../src/cli/screen/terminal.ts";

const FILES_SHOWN_MAX = 4;

export function evalPage(evaluation: Evaluation, figures: readonly Row[], stream: Stream): string {
  const sections = sectionsOf(evaluation, figures);
  return [
    ...wrapped(summaryOf(evaluation), stream.columns),
    "",
    ...sections.flatMap((section) => sectionLines(section, stream)),
    ...(sections.length === 0 ? [] : legend(stream)),
    ...unscored(evaluation, stream),
  ].join("\n");
}

/** Names on the left, figures under their heads. */
export function sectionLines({ title, says, head, rows }: Section, stream: Stream): readonly string[] {
  const { paint, columns } = stream;
  const names = head.findLastIndex((cell) => cell === "") + 1;
  return [
    ...wrapped(title, columns).map((line) => paint("strong", line)),
    ...(says === "" ? [] : wrapped(says, columns - 2).map((one) => `  ${paint("dim", one)}`)),
    ...tableLines({ head, rows: rows.map((cells) => ({ cells })), names, indent: 2 }, stream),
    "",
  ];
}

function legend(stream: Stream): readonly string[] {
  const { paint, columns } = stream;
  const [left = 0] = columnWidths(LEGEND);
  const lines = LEGEND.flatMap(([name, meaning]) =>
    wrapped(meaning, columns - left - 4).map((line, at) => `  ${padEnd(at === 0 ? name : "", left)}  ${line}`),
  );
  return [paint("strong", "Terms"), ...lines.map((line) => paint("dim", line)), ""];
}

function unscored(evaluation: Evaluation, { paint, columns }: Stream): readonly string[] {
  const groups = [...notScored(evaluation)];
  if (groups.length === 0) return [];
  const line = ({ file, detail }: { readonly file: string; readonly detail: string }): string => {
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
