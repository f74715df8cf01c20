/**
 * `npm run bench:schedule`: when each engine compacts, and what that costs, in windows from 32K to 1M with a fixed part (system
 * prompt and tools) of 0 to 80 % of the window and any usual `max_tokens`. `--engine NAME`, `--window 128k` and `--schedule
 * NAME` (several times each) choose some; `--keep` stores the figures of docs/schedule.md. Ends with 1 if a bound is broken.
 */
import { parseArgs } from "node:util";
import { readAmount } from "../src/core/compaction/budget.ts";
import { ENGINE_NAMES, type EngineName } from "../src/core/engines/names.ts";
import { DEFAULTS } from "../src/config/defaults.ts";
import { createProgress } from "./peers/progress.ts";
import { keep } from "./peers/results.ts";
import { brokenBounds, summariesOf } from "./schedule/bounds.ts";
import { TURNS } from "./schedule/agent-session.ts";
import { OUTPUTS_TOKENS, setupsOf, WINDOWS_TOKENS, type Setup } from "./schedule/grid.ts";
import type { Row } from "./schedule/measure.ts";
import { PAGE_ENGINE, PAGE_OUTPUT_TOKENS, type ScheduleFigures } from "./schedule/page.ts";
import { MODEL } from "./schedule/prompt-cost.ts";
import type { Schedule } from "./schedule/run.ts";
import { brokenLines, setupsTable, summaryTable } from "./schedule/tables.ts";
import { measureAll } from "./schedule/threads.ts";
import { MACHINE, machineLine } from "./table.ts";

const { values } = parseArgs({
  options: {
    engine: { type: "string", multiple: true },
    window: { type: "string", multiple: true },
    schedule: { type: "string", multiple: true },
    json: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
  },
});

const DEFAULT_SCHEDULE: Schedule = DEFAULTS.compression.schedule;
const engines = (values.engine ?? ENGINE_NAMES) as readonly EngineName[];
const windows = values.window?.map(windowFrom) ?? WINDOWS_TOKENS;
const schedules = [...new Set((values.schedule ?? ["threshold", "default"]).map(scheduleFrom))];
const isWhole = values.engine === undefined && values.window === undefined && values.schedule === undefined;
if (values.keep && !isWhole) throw new Error("--keep stores the figures of everything: choose nothing beside it");

function windowFrom(text: string): number {
  const tokens = readAmount(text.toLowerCase());
  if (tokens !== undefined && WINDOWS_TOKENS.includes(tokens)) return tokens;
  throw new Error(`--window ${text}: it is one of ${WINDOWS_TOKENS.join(", ")}`);
}

function scheduleFrom(name: string): Schedule {
  return name === "default" ? DEFAULT_SCHEDULE : (name as Schedule);
}

const setups = setupsOf(windows);
const progress = createProgress("schedule", setups.length);
const results = await measureAll(setups, { engines, schedules }, ({ setup }) =>
  progress.step(`${setup.windowTokens}, ${setup.fixedShare}, ${setup.outputTokens}`),
);
progress.end();

const rows = results.flatMap((result) => result.rows);
const impossible = results.flatMap((result) => result.impossible ?? []);
const summaries = summariesOf(rows);

if (values.json) {
  process.stdout.write(
    `${JSON.stringify({ machine: MACHINE, turns: TURNS, rows, impossible, summaries }, undefined, 2)}\n`,
  );
} else {
  const shown = rows.filter(({ engine }) => values.engine !== undefined || engine === PAGE_ENGINE);
  process.stdout.write(
    `${machineLine()}; ${TURNS} requests each, priced as ${MODEL}\n\n${setupsTable(shown, impossible)}\n\n`,
  );
  process.stdout.write(`${summaryTable(summaries)}\n\n${brokenLines(rows)}\n`);
}
if (values.keep) keep("schedule", "npm run bench:schedule -- --keep", { quick: false, figures: kept() });
if (rows.some((row) => brokenBounds(row).length > 0)) process.exitCode = 1;

/** What docs/schedule.md shows. */
function kept(): ScheduleFigures {
  const isDefault = ({ engine, schedule }: Row): boolean => engine === PAGE_ENGINE && schedule === DEFAULT_SCHEDULE;
  return {
    turns: TURNS,
    model: MODEL,
    outputsTokens: OUTPUTS_TOKENS,
    defaultSchedule: DEFAULT_SCHEDULE,
    rows: rows.filter((row) => isDefault(row) && isShown(row)),
    impossible: impossible.filter(isShown),
    impossibleSetups: impossible.length,
    summaries,
  };
}

function isShown({ outputTokens }: Setup): boolean {
  return outputTokens === PAGE_OUTPUT_TOKENS;
}
