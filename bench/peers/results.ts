/** Raw results, one file a measurement, kept as JSON in bench/results: figures, versions and the machine; never content. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { MACHINE } from "../table.ts";

const FOLDER = join(import.meta.dirname, "..", "results");

export interface Kept<Figures> {
  /** What printed it. */
  readonly command: string;
  /** The day, as the machine's clock says. */
  readonly on: string;
  readonly machine: typeof MACHINE;
  /** The machine's load average over the last five minutes: above the number of cores, other work shared them. */
  readonly load?: number;
  /** True: fewer samples than the published figures have. */
  readonly quick: boolean;
  readonly figures: Figures;
}

export function keep<Figures>(
  name: string,
  command: string,
  { quick, figures }: Pick<Kept<Figures>, "quick" | "figures">,
): void {
  mkdirSync(FOLDER, { recursive: true });
  const on = new Date().toISOString().slice(0, "2026-11-22".length);
  const kept: Kept<Figures> = { command, on, machine: MACHINE, load: loadavg()[FIVE_MINUTES]!, quick, figures };
  writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify(kept, rounded, 2)}\n`);
}

/** `loadavg` gives one, five and fifteen. */
const FIVE_MINUTES = 1;

const DIGITS = 6;

/** Figures that nobody reads to the end would only make the files differ. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value;
}

/** Undefined where it was never measured. */
export function keptResult<Figures>(name: string): Kept<Figures> | undefined {
  const path = join(FOLDER, `${name}.json`);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Kept<Figures>) : undefined;
}
