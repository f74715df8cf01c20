/** The table of what gateways add. */
import { markdownTable } from "../../../scripts/docs/markdown.ts";
import type { Figures } from "../main.ts";
import type { Kept } from "../results.ts";
import { absentLines, provenance, type Blocks } from "./section.ts";
import { listed, milliseconds } from "./wording.ts";

type Row = Figures["gateways"]["rows"][number];

export function gatewaysSection(kept: Kept<Figures["gateways"]>): Blocks {
  const { absent, rows, versions } = kept.figures;
  return [
    "## What a gateway adds to a call",
    provenance(kept),
    `${listed(versions)}, beside \`precis serve\` with a history on disk, before the same upstream. Nothing is compacted. Milliseconds that are added to a call, medians and, in brackets, 95th percentiles; ${calls(rows)}`,
    markdownTable([["case", ...COLUMNS.map(([wire, door]) => `${wire}: ${door}`)], ...caseRows(rows)]),
    ...absentLines(absent),
    verdict(rows),
  ];
}

const PEERS = /Portkey|router/;
/** A bare proxy and the router's second mode are in the stored results. */
const COLUMNS = [
  ["chat", "precis"],
  ["chat", "Portkey"],
  ["messages", "precis"],
  ["messages", "claude-code-router, passing"],
] as const;

function caseRows(rows: readonly Row[]): readonly (readonly string[])[] {
  const cases = [...new Set(rows.map((row) => row.case))];
  return cases.map((one) => [
    one,
    ...COLUMNS.map(([wire, door]) => {
      const row = rows.find((other) => other.case === one && other.wire === wire && other.door === door);
      return row === undefined ? "" : `${milliseconds(row.addedMs)} (${milliseconds(row.addedP95Ms)})`;
    }),
  ]);
}

function calls(rows: readonly Row[]): string {
  const failed = rows.reduce((sum, row) => sum + row.failed, 0);
  return `${Math.min(...rows.map((row) => row.calls))} calls of each kind or more, of which ${failed === 0 ? "none" : failed} failed.`;
}

function verdict(rows: readonly Row[]): string {
  const peers = rows.filter(({ door }) => PEERS.test(door) && COLUMNS.some(([, shown]) => shown === door));
  const oursBeside = (row: Row): Row =>
    rows.find((other) => other.door === "precis" && other.case === row.case && other.wire === row.wire)!;
  const won = peers.filter((row) => row.addedMs <= oursBeside(row).addedMs);
  const lost = peers.length - won.length;
  const where = won.map((row) => `${row.door} at ${row.case}`);
  return `precis adds less than the peer in ${lost} of ${peers.length} comparisons${won.length === 0 ? "." : `; more than ${listed(where)}.`}`;
}
