/** Raw results, one file a measurement, kept as JSON in bench/results: figures, versions and the machine; never content. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MACHINE } from "../table.ts";

const FOLDER = join(import.meta.dirname, "..", "results");

export interface Kept<Figures> {
  /** What printed it. */
  readonly command: string;
  /** The day, as the machine's clock says. */
  readonly on: string;
  readonly machine: typeof MACHINE;
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
  const kept: Kept<Figures> = { command, on, machine: MACHINE, quick, figures };
  writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify(kept, rounded, 2)}\n`);
}

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
