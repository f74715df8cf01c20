/** The table of recall at size. */
import { markdownTable } from "../../../scripts/docs/markdown.ts";
import type { Figures } from "../main.ts";
import type { Kept } from "../results.ts";
import { absentLines, provenance, type Blocks } from "./section.ts";
import { listed, percent, pointsInterval } from "./wording.ts";

type Row = Figures["recall"]["rows"][number];

const OURS = "precis";
/** Peers that make things shorter where they can, and not to a size. */
const WITHOUT_SIZE: ReadonlySet<string> = new Set(["Headroom"]);
const HEAD = ["", "kept", "valid", "live request", "bound", "precis bound", "difference, 95 %"];
/** The other budgets are in the stored results, and in the last sentence. */
const SHOWN: readonly Row["setting"][] = ["as it comes", 0.1];

export function recallSection(kept: Kept<Figures["recall"]>): Blocks {
  const { absent, cuts, transcripts, rows } = kept.figures;
  return [
    "## What a later turn still finds",
    provenance(kept),
    `${cuts} cuts of ${transcripts} real transcripts. Each peer compacts what is before the cut, at its defaults and at a budget; beside it, precis without a model gets the size of that peer's result (“precis bound”).
Figures are percentages over the cuts that the peer made smaller. The interval is of the difference, in points.`,
    ...SHOWN.flatMap((setting) =>
      tableOf(
        setting,
        rows.filter((row) => row.setting === setting),
      ),
    ),
    "**Valid**: by the rules of OpenAI Chat and Anthropic Messages; **live request**: the newest user message is in it word for word; **over**: cuts in which no setting fits the budget. trimMessages and pruneMessages have no defaults, and are set to 20,000 tokens and 20 messages.",
    ...absentLines(absent),
    verdict(rows),
  ];
}

function tableOf(setting: Row["setting"], rows: readonly Row[]): Blocks {
  const title =
    setting === "as it comes"
      ? "### Each peer with its own defaults"
      : `### A budget of ${percent(setting).replace(".0", "")} % of what stands before the cut`;
  const cells = rows.map((row) => [
    row.peer,
    ...(row.compacted === 0 ? Array.from({ length: HEAD.length - 1 }, () => "") : figuresOf(row)),
    ...(setting === "as it comes" ? [] : [overBudget(row)]),
  ]);
  const head = setting === "as it comes" ? HEAD : [...HEAD, "over"];
  return [title, markdownTable([head, ...cells])];
}

function overBudget({ peer, overBudget: over }: Row): string {
  return WITHOUT_SIZE.has(peer) ? `${over}; takes no size` : String(over);
}

function figuresOf(row: Row): readonly string[] {
  return [
    percent(row.kept),
    percent(row.valid),
    percent(row.liveRequest),
    percent(row.bound),
    ...(row.peer === OURS ? ["", ""] : [percent(row.oursBound), pointsInterval(row.differenceInterval)]),
  ];
}

function verdict(rows: readonly Row[]): string {
  const counted = rows.filter(({ peer, compacted }) => peer !== OURS && compacted > 0);
  const better = counted.filter(({ differenceInterval: [, high] }) => high < 0);
  const apart = counted.filter(({ differenceInterval: [low] }) => low > 0);
  const ahead = `In ${apart.length} of ${counted.length} comparisons, as they come and at budgets of 5, 10 and 20 %, precis binds more than the peer at the same size, beyond the interval`;
  const behind =
    better.length === 0
      ? "in none less."
      : `in ${better.length} less: ${listed(better.map(({ peer, setting }) => `${peer} (${setting})`))}.`;
  return `${ahead}; ${behind}`;
}
