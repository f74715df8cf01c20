/**
 * node eval/scripts/engine-table.ts FIGURES.JSON: writes the engines' recall into docs/engines/README.md, from what
 * `npm run --silent eval -- --engines all --json` printed.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ENGINE_NAMES } from "../../src/core/engines/names.ts";
import { markdownTable, withGenerated } from "../../scripts/docs/markdown.ts";
import type { Size } from "../src/measure/contest.ts";
import type { Row } from "../src/measure/figures.ts";

const FOLDER = join(import.meta.dirname, "../..", "docs", "engines");
const BUDGETS = [0.1, 0.2];

const { rows } = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as { readonly rows: readonly Row[] };

const found = (contestant: string, size: Size): Row | undefined =>
  rows.find((row) => row.contestant === contestant && row.size === size);
const shown = (share: number | undefined): string => (share === undefined ? "–" : (share * 100).toFixed(1));
const within = (row: Row | undefined): string =>
  row?.interval === undefined ? shown(row?.bound) : `${shown(row.bound)} (${row.interval.map(shown).join("–")})`;

function writeInto(page: string, name: string, text: string): void {
  const path = join(FOLDER, page);
  writeFileSync(path, withGenerated(readFileSync(path, "utf8"), name, text));
}

function tableOfAll(): string {
  const head = ["", "kept", "bound", "`compressor`, as large"];
  const ofBudget = BUDGETS.map((budget) => `bound at ${budget * 100} %`);
  const lines = [...ENGINE_NAMES.filter((name) => name !== "none"), "cover", "tail"].flatMap((name) => {
    const policy = found(name, "policy");
    const beside = found("compressor", `as ${name}`);
    if (found(name, BUDGETS[0]!) === undefined) return [];
    const atOwnSize = [shown(policy?.kept), within(policy), shown(beside?.bound)];
    const atBudgets = BUDGETS.map((budget) => within(found(name, budget)));
    return [[`\`${name}\``, ...atOwnSize, ...atBudgets]];
  });
  return markdownTable([[...head, ...ofBudget], ...lines]);
}

writeInto("README.md", "recall", tableOfAll());
