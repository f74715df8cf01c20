/** docs/benchmarks.md, written from the stored results and nothing else: the same results give the same page. */
import type { Figures, Section } from "../main.ts";
import { keptResult, type Kept } from "../results.ts";
import { costSection } from "./cost.ts";
import { gatewaysSection } from "./gateways.ts";
import { recallSection } from "./recall.ts";
import type { Blocks } from "./section.ts";
import { speedSection } from "./speed.ts";
import { textSections } from "./text.ts";

const OPENING: Blocks = [
  "# Benchmarks",
  `<!-- Written by \`npm run docs:benchmarks\` from bench/results. -->`,
  `This page measures precis beside other tools, each by its own package, on the same input; \`bench/results\` has the raw figures. [The evaluation](../eval/README.md) defines recall, and has [what \`precis-eval measure\` says of precis](../eval/README.md#results-over-the-corpus).`,
  "    PRECIS_CORPUS=… npm run bench:peers      # an hour; `-- --quick recall` takes half a minute\n    npm run docs:benchmarks                  # writes this page from the results",
  `- **The model is a stub, the same for all**: where a peer asks for a summary, it gets evenly spaced lines of what it showed. precis asks no model here.
- **The measure favours precis**: recall is by our own definition. What a tool can fetch again does not count.
- **Headroom** never drops a message and takes no size: it makes tool results shorter, reversibly. Its model for prose, Kompress, is not part of these figures.`,
];

const SECTIONS: { readonly [Name in Section]: (kept: Kept<Figures[Name]>) => Blocks } = {
  recall: recallSection,
  cost: costSection,
  speed: speedSection,
  gateways: gatewaysSection,
  text: textSections,
};

/** The whole page. What was never measured has no section. */
export function benchmarksPage(): string {
  const blocks = Object.keys(SECTIONS).flatMap((name) => blocksOf(name as Section));
  return `${[...OPENING, ...blocks].join("\n\n")}\n`;
}

function blocksOf<Name extends Section>(name: Name): Blocks {
  const kept = keptResult<Figures[Name]>(name);
  return kept === undefined ? [] : SECTIONS[name](kept);
}
