/** The table of cost beside recall. */
import { markdownTable } from "../../../scripts/docs/markdown.ts";
import { PRICES, TRIGGER_TOKENS, WINDOW_TOKENS } from "../compaction/prices.ts";
import type { Figures } from "../main.ts";
import type { Kept } from "../results.ts";
import { absentLines, provenance, type Blocks } from "./section.ts";
import { listed, percent, thousands, times } from "./wording.ts";

type Row = Figures["cost"]["rows"][number];

const HEAD = ["strategy", "cost, M", "busts", "not valid", "bound, %", "precis costs"];

/** The rows of this setting are in the stored results, and in the last sentences. */
const LARGER = "leaves 20K";

export function costSection(kept: Kept<Figures["cost"]>): Blocks {
  const { absent, cuts, transcripts, rows } = kept.figures;
  const [ours] = rows;
  return [
    "## What a session costs, beside what it remembers",
    provenance(kept),
    `${ours!.sessions} long stretches of ${transcripts} real sessions, ${ours!.requests} requests, each with the whole history, made smaller by each strategy once it is over ${thousands(TRIGGER_TOKENS)} tokens (half of a window of
${thousands(WINDOW_TOKENS)}). Cost is in millions of input tokens under an ideal prefix cache: ${PRICES.read} for a token read, ${PRICES.write} for one written, and what a summary costs. **Bound** is recall of what was really sent, at ${cuts} cuts. **Busts** are requests whose prefix had changed. **Precis costs**: its cost at its own threshold over this row's. **Not valid**: refused by a provider. Peers leave 8K tokens, pruneMessages 20 messages, Headroom 4.`,
    markdownTable([HEAD, ...rows.filter(({ how }) => how !== LARGER).map(cellsOf)]),
    ...absentLines(absent),
    verdict(rows),
  ];
}

function cellsOf(row: Row): readonly string[] {
  return [
    isOurs(row) || row.name === "nothing" ? `${row.name}, ${row.how}` : row.name,
    row.cost.toFixed(3),
    String(row.busts),
    String(row.invalid),
    percent(row.bound),
    isOurs(row) && row.costRatio === 1 ? "" : times(row.costRatio),
  ];
}

const isOurs = ({ name }: Row): boolean => name === "precis";

/** By the 95 % interval over sessions. */
function remembersLess({ boundDifference: [low] }: Row): boolean {
  return low > 0;
}

function verdict(rows: readonly Row[]): string {
  const peers = rows.filter((row) => !isOurs(row) && row.name !== "nothing");
  const named = (found: readonly Row[]): string => listed(found.map(({ name, how }) => `${name} (${how})`));
  const remembering = peers.filter((row) => !remembersLess(row));
  const cheaper = peers.filter(({ costRatio }) => costRatio > 1);
  return [
    remembering.length === 0
      ? "No peer here remembers as much as precis."
      : `Peers whose recall is not clearly below that of precis: ${named(remembering)}; of these cheaper than precis, by the figure: ${named(remembering.filter((row) => row.costRatio > 1)) || "none"}.`,
    cheaper.length === 0
      ? "None is cheaper."
      : `Cheaper than precis at its threshold, by the figure: ${named(cheaper)}.`,
  ].join("\n");
}
