/** The report as one HTML file: picture, tables and what is to be known for reading them. Nothing is loaded from elsewhere. */
import type { Evaluation } from "./evaluate.ts";
import type { Figures } from "./figures.ts";
import { escaped, pictureOf } from "./picture.ts";
import { notScored, sectionsOf, summaryOf, type Section } from "./report.ts";

export interface PageDetails {
  readonly version: string;
  /** What produced it, as one would type it. */
  readonly command: string;
}

const STYLE = `
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .5rem 0 1rem; }
th, td { padding: .15rem .7rem; text-align: right; border-bottom: 1px solid #8884; }
th:first-child, td:first-child { text-align: left; white-space: pre; }
p { max-width: 44rem; } svg { max-width: 100%; height: auto; } code { font-size: .92em; }
`;

/** What each figure means; eval/README.md says more. */
const TERMS: readonly (readonly [term: string, meaning: string])[] = [
  ["kept", "tokens of the result, of the tokens before it"],
  ["held", "of the identifiers in the real continuation, the share that is in the result"],
  ["bound", "the share that is there in a verbatim piece of the original, next to words that explain it"],
  ["interval", "95 % of what other transcripts would have given, for bound"],
  ["unaided", "bound, of those asked for before any tool or person had shown them again"],
  ["recallable", "bound, or bound in an original to which a recall id in the result leads"],
  ["sentences", "of the handoff, what reads as sentences"],
];

export function pageOf(evaluation: Evaluation, figures: Figures, { version, command }: PageDetails): string {
  const summary = summaryOf(evaluation);
  const terms = TERMS.map(([term, meaning]) => `<li><b>${term}</b>: ${meaning}</li>`);
  return [
    "<!doctype html>",
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>Quality of the compactions</title><style>${STYLE}</style></head><body>`,
    "<h1>Quality of the compactions</h1>",
    `<p>${escaped(summary)}</p><p>precis ${escaped(version)}: <code>${escaped(command)}</code></p>`,
    pictureOf(evaluation, figures, summary.replace(/;.*/s, ".")),
    `<ul>${terms.join("")}</ul>`,
    ...sectionsOf(evaluation, figures).map(section),
    ...unscored(evaluation),
    "</body></html>\n",
  ].join("\n");
}

function section({ title, says, head, rows }: Section): string {
  const explanation = says === "" ? "" : `<p>${escaped(says)}</p>`;
  const body = rows.map((row) => tableRow("td", row)).join("\n");
  return `<h2>${escaped(title)}</h2>${explanation}<table>${tableRow("th", head)}\n${body}</table>`;
}

function tableRow(tag: "td" | "th", cells: readonly string[]): string {
  return `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join("")}</tr>`;
}

function unscored(evaluation: Evaluation): readonly string[] {
  const groups = [...notScored(evaluation)];
  if (groups.length === 0) return [];
  const lists = groups.map(([because, files]) => {
    const items = files.map(({ file, detail }) => `<li>${escaped(file)}: ${escaped(detail)}</li>`).join("");
    return `<details><summary>${escaped(because)}: ${files.length}</summary><ul>${items}</ul></details>`;
  });
  return ["<h2>Not scored</h2>", ...lists];
}
