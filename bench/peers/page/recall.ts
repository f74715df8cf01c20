/** The table of recall at size. */
import { markdownTable } from "../../../scripts/docs/markdown.ts";
import type { Figures } from "../main.ts";
import type { Kept } from "../results.ts";
import { absentLines, provenance, type Blocks } from "./section.ts";
import { listed, percent, pointsInterval } from "./wording.ts";

type Row = Figures["recall"]["rows"][number];

const OURS = "precis";
const HEAD = ["", "kept", "valid", "live request", "bound", "precis bound", "difference, 95 %"];
/** The other budgets are in the stored results, and in the last sentence. */
const SHOWN: Row["setting"] = "as it comes";

export function recallSection(kept: Kept<Figures["recall"]>): Blocks {
  const { absent, cuts, transcripts, rows } = kept.figures;
  return [
    "## What a later turn still finds",
    provenance(kept),
    `${cuts} cuts of ${transcripts} real transcripts. Each peer compacts what is before the cut with its own defaults (trimMessages to 20,000 tokens, pruneMessages to 20 messages); beside it, precis without a model gets the size of that peer's result (“precis bound”).
Figures are percentages over the cuts that the peer made smaller. The interval is of the difference, in points.`,
    tableOf(rows.filter(({ setting }) => setting === SHOWN)),
    "**Valid**: by the rules of OpenAI Chat and Anthropic Messages; **live request**: the newest user message is in it word for word.",
    ...absentLines(absent),
    verdict(rows),
  ];
}

function tableOf(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.peer,
    ...(row.compacted === 0 ? Array.from({ length: HEAD.length - 1 }, () => "") : figuresOf(row)),
  ]);
  return markdownTable([HEAD, ...cells]);
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
