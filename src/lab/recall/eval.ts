/**
 * npm run eval [-- --json] [-- --export DIR]: what a later turn would still find after a compaction, beside the
 * baselines. `--export` writes what each contestant kept, so that another implementation can mark it.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PrecisError } from "../../core/errors.ts";
import { readCorpus } from "./corpus.ts";
import { CONTESTANTS, evaluate, rowsOf, type Result, type Row, type Step } from "./evaluation.ts";

const EXIT_UNREADABLE = 3;

const { values } = parseArgs({ options: { json: { type: "boolean" }, export: { type: "string" } } });
try {
  const results = await evaluate(readCorpus(), progress);
  if (values.export !== undefined) exportTo(values.export, results);
  const rows = rowsOf(results);
  process.stdout.write(values.json === true ? `${JSON.stringify(rows, null, 2)}\n` : table(rows, results));
} catch (error) {
  if (!(error instanceof PrecisError)) throw error;
  process.stderr.write(`${error.message} (${error.code})\n${error.hint}\n`);
  process.exitCode = EXIT_UNREADABLE;
}

function progress({ done, of }: Step): void {
  if (!process.stderr.isTTY) return;
  const width = 30;
  const filled = Math.round((done / of) * width);
  const bar = `${"█".repeat(filled)}${"░".repeat(width - filled)}`;
  process.stderr.write(done === of ? "\r\u001b[K" : `\r${bar} ${done} of ${of} transcripts`);
}

function table(rows: readonly Row[], results: readonly Result[]): string {
  const cuts = new Set(results.map(({ cut }) => cut)).size;
  const files = new Set(results.map(({ file }) => file)).size;
  const lines = [`${cuts} cuts of ${files} transcripts. Figures in percent; interval: 95 %, by transcript.`, ""];
  const cells = ["budget", "", "kept", "held", "bound", "interval", "unaided", "sentences"];
  lines.push(line(cells));
  for (const row of rows) {
    if (row.contestant === CONTESTANTS[0]) lines.push("");
    const [low, high] = row.interval.map(percent);
    lines.push(
      line([
        percent(row.budget),
        row.contestant,
        percent(row.kept),
        percent(row.held),
        percent(row.bound),
        `${low}–${high}`,
        percent(row.unaided),
        row.sentences === undefined ? "" : percent(row.sentences),
      ]),
    );
  }
  return `${lines.join("\n")}\n`;
}

function line([budget, name, ...figures]: readonly string[]): string {
  return `${budget!.padStart(6)}  ${name!.padEnd(23)}${figures.map((cell) => cell.padStart(11)).join("")}`.trimEnd();
}

function percent(share: number): string {
  return (share * 100).toFixed(1);
}

function exportTo(folder: string, results: readonly Result[]): void {
  mkdirSync(folder, { recursive: true });
  results.forEach(({ contestant, budget, file, share, cut, kept, score }, at) => {
    const { prefix, rest } = cut;
    const text = JSON.stringify({ contestant, budget, file, share, prefix, continuation: rest, kept, score });
    writeFileSync(join(folder, `${String(at).padStart(4, "0")}.json`), text);
  });
}
