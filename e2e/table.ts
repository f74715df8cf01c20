/** The verdicts for a person: a line for each client, then what each changed in what it had sent, then what did not hold. */
import type { Verdict } from "./verdict.ts";

const HEADINGS = [
  "client",
  "version",
  "turns",
  "compactions",
  "found after",
  "goes on",
  "refused",
  "largest / window",
  "markers",
  "exits",
];

export function tableOf(verdicts: readonly Verdict[]): string {
  const rows = [HEADINGS, ...verdicts.map(rowOf)];
  const widths = HEADINGS.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  const lines = rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join("  ")
      .trimEnd(),
  );
  return `${[...lines, "", ...verdicts.flatMap(changesOf), ...verdicts.flatMap(faultsOf)].join("\n")}\n`;
}

function rowOf(one: Verdict): readonly string[] {
  return [
    one.client,
    one.version,
    String(one.turns),
    String(one.compactions),
    `${one.hits} of ${one.after}`,
    `${one.continued} of ${one.continuable}`,
    String(one.refused),
    `${one.largestTokens} / ${one.windowTokens}`,
    String(one.markersMax),
    one.exits.join(" "),
  ];
}

function changesOf({ client, changes }: Verdict): readonly string[] {
  const inside = changes.filter(({ deepest }) => deepest !== undefined);
  if (inside.length === 0) return [`${client} changed nothing in its messages`];
  return inside.map(({ what, times, deepest }) => `${client} ${what}: ${times} times, at most ${deepest} from the end`);
}

function faultsOf({ client, faults }: Verdict): readonly string[] {
  return faults.map((fault) => `FAULT ${client}: ${fault}`);
}
