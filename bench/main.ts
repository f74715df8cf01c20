/** `npm run bench [-- --json]`: prints what this machine measured, beside the targets. */
import { compactionRows, type Row } from "./compaction.ts";
import { estimateRows, type EstimateRow } from "./estimates.ts";
import { redactionRows, type RedactionRow } from "./redaction.ts";
import { storeRows, type StoreRow } from "./store.ts";
import { machineLine, MACHINE, table } from "./table.ts";

const compaction = await compactionRows();
const estimates = await estimateRows();
const redaction = await redactionRows();
const store = await storeRows();

if (process.argv.includes("--json")) {
  process.stdout.write(
    `${JSON.stringify({ machine: MACHINE, compaction, estimates, redaction, store }, undefined, 2)}\n`,
  );
} else {
  process.stdout.write(`${machineLine()}\n\n`);
  process.stdout.write(
    `${compactionTable(compaction)}\n\n${estimateTable(estimates)}\n\n${redactionTable(redaction)}\n\n${storeTable(store)}\n`,
  );
}

function compactionTable(rows: readonly Row[]): string {
  return table(
    ["compaction without a model, body to body", "best ms", "median ms", "p95 ms", "ratio", "target"],
    rows.map(({ name, times, targetMs, ratio }) => [
      name,
      times.minMs.toFixed(1),
      times.medianMs.toFixed(1),
      times.p95Ms.toFixed(1),
      ratio === undefined ? "" : `${ratio.value.toFixed(2)}×`,
      targetMs !== undefined
        ? `${times.medianMs < targetMs ? "under" : "OVER"} ${targetMs} ms`
        : ratio === undefined
          ? ""
          : `${ratio.value <= ratio.target ? "within" : "OVER"} ${ratio.target}×`,
    ]),
  );
}

function estimateTable(rows: readonly EstimateRow[]): string {
  return table(
    ["counting tokens", "median ms", "MB/s", "error %"],
    rows.map(({ name, times, megabytesPerSecond, errorPercent }) => [
      name,
      times.medianMs.toFixed(2),
      megabytesPerSecond.toFixed(1),
      errorPercent.toFixed(1),
    ]),
  );
}

function redactionTable(rows: readonly RedactionRow[]): string {
  return table(
    ["looking for secrets", "median ms", "MB/s", "MB/s with secretlint"],
    rows.map(({ name, times, megabytesPerSecond, withSecretlint }) => [
      name,
      times.medianMs.toFixed(2),
      megabytesPerSecond.toFixed(1),
      withSecretlint.toFixed(1),
    ]),
  );
}

function storeTable(rows: readonly StoreRow[]): string {
  return table(
    ["history in a file", "ms", ""],
    rows.map(({ name, milliseconds, remark }) => [name, milliseconds.toFixed(2), remark]),
  );
}
