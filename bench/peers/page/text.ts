/** The tables of reading text: counting, looking for secrets. */
import { markdownTable } from "../../../scripts/docs/markdown.ts";
import type { Figures } from "../main.ts";
import type { Kept } from "../results.ts";
import { absentLines, provenance, type Blocks } from "./section.ts";
import { listed, percent } from "./wording.ts";

type Text = Figures["text"];

export function textSections(kept: Kept<Text>): Blocks {
  const { estimates, secrets } = kept.figures;
  return ["## Counting tokens", provenance(kept), ...estimateBlocks(estimates), ...secretBlocks(secrets)];
}

function estimateBlocks({ rows, absent }: Text["estimates"]): Blocks {
  const guesses = rows.filter(({ name }) => !name.includes("exact"));
  const [best] = guesses.toSorted((a, b) => a.error95 - b.error95);
  const [fastest] = guesses.toSorted((a, b) => b.medianSpeed - a.medianSpeed);
  return [
    `p95 is the error in percent against exact o200k counts, of pieces of 2,000 characters. [Estimates](estimates.md) has the errors of precis by kind.`,
    markdownTable([
      ["", "package", "MB/s", "p95"],
      ...rows.map((row) => [
        row.name,
        row.from,
        row.medianSpeed < 10 ? row.medianSpeed.toFixed(1) : row.medianSpeed.toFixed(0),
        percent(row.error95),
      ]),
    ]),
    ...absentLines(absent),
    `Of those that estimate, ${best!.name} is the nearest and ${fastest!.name} the fastest.`,
  ];
}

function secretBlocks({ rows, absent, planted, clean }: Text["secrets"]): Blocks {
  const kinds = Object.keys(rows[0]!.speed);
  const wins = kinds.filter((kind) => {
    const [fastest] = rows.toSorted((a, b) => b.speed[kind]! - a.speed[kind]!);
    return fastest!.from !== "this repository";
  });
  return [
    "## Looking for secrets",
    `Found of ${planted.tokens} planted tokens of vendors and ${planted.named} secrets that are known by their name or place. **The planted ones are ours**, so the shares favour precis. False alarms: of ${clean} texts without any secret.`,
    markdownTable([
      ["", "package", "MB/s", "tokens, %", "named, %", "false alarms"],
      ...rows.map((row) => [
        row.name,
        row.from,
        row.medianSpeed.toFixed(0),
        percent(row.tokens),
        percent(row.named),
        String(row.falseAlarms),
      ]),
    ]),
    ...absentLines(absent),
    wins.length === 0 ? "No peer is faster on any kind of text." : `A peer is the fastest on: ${listed(wins)}.`,
  ];
}
