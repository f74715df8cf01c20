/** docs/benchmarks.md, written from the stored results and nothing else: the same results give the same page. */
import type { Figures, Section } from "../main.ts";
import { keptResult, type Kept } from "../results.ts";
import { costSection } from "./cost.ts";
import { evaluationSection } from "./evaluation.ts";
import { gatewaysSection } from "./gateways.ts";
import { recallSection } from "./recall.ts";
import type { Blocks } from "./section.ts";
import { speedSection } from "./speed.ts";
import { textSections } from "./text.ts";

const OPENING: Blocks = [
  "# Benchmarks",
  `<!-- Written by \`npm run docs:benchmarks\` from bench/results; a test fails where it is out of date. -->`,
  `precis beside what else there is, each peer by its own package at the version that is named, all in one run on the same input. Ratios and
medians; the machine is named with each result; the raw figures are in \`bench/results\`. Where a peer is better, the table shows it and the
sentence below says it. How recall is defined and where it misleads: [evaluation.md](evaluation.md).`,
  "    PRECIS_CORPUS=… npm run bench:peers      # installs bench/peers once, then measures and keeps the results\n    npm run docs:benchmarks                  # writes this page from them",
  `**The model is a stub, the same for all.** Where a peer asks a model for a summary, it gets lines of what it showed, word for word and evenly
spaced, as many as fit the length: a fixed length, or what it asks for where that is less; of a budget, a quarter. The stub never quotes a
peer's own instructions. A real model chooses better lines, and may write worse ones; what is compared is what each peer shows, keeps and
throws away. precis asks no model in any of these tables.`,
  `**Peers are given their best.** Where a budget is set, each peer's knob is turned until its result is as large as the budget allows; the
cache that prices their requests is ideal. What they do not do, such as leave the newest request in place, is counted as it is.`,
];

const SECTIONS: { readonly [Name in Section]: (kept: Kept<Figures[Name]>) => Blocks } = {
  eval: evaluationSection,
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
