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
  `On two cores that others share, \`recall\` takes some ten minutes, \`cost\` and \`speed\` a quarter of an hour each, the rest less;
\`npm run bench:peers -- --quick recall\` takes four cuts, and half a minute. With \`--quick\`, \`speed\` takes three transcripts and goes through two
sessions once, and \`gateways\` makes 60 calls of each kind.`,
  `**The model is a stub, the same for all.** Where a peer asks a model for a summary, it gets lines of what it showed, word for word and evenly
spaced, as many as fit the length: a fixed length, or what it asks for where that is less; of a budget, a quarter. The stub never quotes a
peer's own instructions. A real model chooses better lines, and may write worse ones; what is compared is what each peer shows, keeps and
throws away. precis asks no model in any of these tables.`,
  `**Peers are given their best.** Where a budget is set, each peer's knob is turned until its result is as large as the budget allows; the
cache that prices their requests is ideal. What they do not do, such as leave the newest request in place, is counted as it is.`,
  `**Two peers are Python packages** and run in a process of their own, from an environment that the bench makes in \`~/.cache/precis-bench-peers\`
by versions and hashes (Python 3.11 to 3.13, some 760 MB, once). Where it cannot be made, both are listed as not measured. Nothing in them is
patched, and nothing leaves the machine.`,
  `- **Hermes Agent** (\`hermes-agent\`): the whole of \`ContextCompressor.compress\`, with its defaults and a window of 128,000 tokens, so that its tail is
  the "~20K tokens" it documents. It prunes tool results, keeps head and tail, and has the middle summarized; its model is the stub, asked over HTTP
  as any custom provider. For a budget, \`tail_token_budget\` is turned, and \`protect_last_n\` (20) with it. It keeps the newest request with all that
  followed it, so it cannot go below the length of the last turn. Its own trigger is later than the one used here, and its guard against
  compacting in vain is not asked.
- **Headroom** (\`headroom-ai[code]\`): \`compress(messages)\` as its README calls it. It never drops a message; it makes tool results shorter where
  their kind allows, "reversible", with the originals behind a tool. So it has no setting for a size: \`protect_recent\` (4) is turned. **Its model for prose,
  Kompress, is not in the package but downloaded on first use, and is not part of these figures**: with it, less prose would be kept. Whole histories
  at a tenth of their size are not what it is for; the savings that it states are 21 to 57 %, on prompts full of tool results. Its proxy is not measured.`,
  `**Where the measure favours precis.** Recall is by our own definition, and precis chooses what it quotes by weights fitted to that definition (on
other repositories); no peer was made for it. What a peer can fetch again by a tool, Headroom's originals and precis' recall alike, does not count.
A handoff that a real model words anew would lose some of what the stub quotes and say more of what it means, which this measure does not see.`,
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
