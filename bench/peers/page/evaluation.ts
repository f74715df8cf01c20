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
    "The same tables as `precis eval $PRECIS_CORPUS/openai` prints, beside the baselines that anyone gets without a handoff.",
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
