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
const HEAD = ["", "cuts", "kept", "valid", "live request", "bound", "precis bound", "difference, 95 %"];
/** The other budgets are in the stored results, and in the last sentence. */
const SHOWN: readonly Row["setting"][] = ["as it comes", 0.1];

export function recallSection(kept: Kept<Figures["recall"]>): Blocks {
  const { absent, cuts, transcripts, rows } = kept.figures;
  return [
    "## What a later turn still finds",
    provenance(kept),
    `${cuts} cuts of ${transcripts} real transcripts. Each peer compacts what stands before the cut; beside it, precis without a model gets the size of that peer's result.
Figures are percentages, pooled over the cuts that the peer made smaller (second column); the row of precis is precis asked like a peer. The interval is of the difference, in points. Where no setting
of a peer fits a budget, its smallest result counts (“over”).`,
    ...SHOWN.flatMap((setting) =>
      tableOf(
        setting,
        rows.filter((row) => row.setting === setting),
        cuts,
      ),
    ),
    ...faults(rows),
    ...absentLines(absent),
    verdict(rows),
  ];
}

function tableOf(setting: Row["setting"], rows: readonly Row[], cuts: number): Blocks {
  const title =
    setting === "as it comes"
      ? "### Each peer as it comes"
      : `### A budget of ${percent(setting).replace(".0", "")} % of what stands before the cut`;
  const text =
    setting === "as it comes"
      ? [
          "With its own defaults; trimMessages and pruneMessages have none, and are set to 20,000 tokens and 20 messages.",
        ]
      : [];
  const cells = rows.map((row) => [
    row.peer,
    `${row.compacted} of ${cuts}`,
    ...(row.compacted === 0 ? Array.from({ length: HEAD.length - 2 }, () => "") : figuresOf(row)),
    ...(setting === "as it comes" ? [] : [overBudget(row)]),
  ]);
  const head = setting === "as it comes" ? HEAD : [...HEAD, "over"];
  return [title, ...text, markdownTable([head, ...cells])];
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

/** What the oracle found, by peer. */
function faults(rows: readonly Row[]): Blocks {
  const byPeer = Map.groupBy(
    rows.filter((row) => Object.keys(row.faults).length > 0),
    ({ peer }) => peer,
  );
  const lines = [...byPeer].map(([peer, own]) => {
    const codes = [...new Set(own.flatMap((row) => Object.keys(row.faults)))].toSorted();
    return `- ${peer}: ${listed(codes.map((code) => `\`${code}\``))}`;
  });
  if (lines.length === 0) return [];
  return [
    `**Valid**: by the rules of OpenAI Chat and Anthropic Messages, beyond what was wrong with the original; **live request**: the newest user message stands in it word for word. What was not valid:`,
    lines.join("\n"),
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
