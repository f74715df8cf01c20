/** The tables of `precis eval`, word for word. */
import { markdownTable } from "../../../scripts/docs/markdown.ts";
import type { Figures } from "../main.ts";
import type { Kept } from "../results.ts";
import { provenance, type Blocks } from "./section.ts";

export function evaluationSection(kept: Kept<Figures["eval"]>): Blocks {
  const { summary, sections } = kept.figures;
  return [
    "## What `precis eval` says of precis",
    provenance(kept),
    "The tables of `precis eval $PRECIS_CORPUS/openai`; [what they mean](evaluation.md#what-is-counted).",
    summary,
    ...sections.flatMap(({ title, says, head, rows }) => [
      `### ${title}`,
      ...(says === "" ? [] : [says]),
      markdownTable([head, ...rows.map((row) => row.map(unindented))]),
    ]),
  ];
}

/** A cell of Markdown cannot begin with a space. */
function unindented(cell: string): string {
  return cell.replace(/^ +/, "· ");
}
