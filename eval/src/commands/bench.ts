/** `precis-eval bench`: public suites for compaction over precis and other compactors, on this machine, without a key. */
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join, resolve } from "node:path";
import type { Arguments, Command } from "../../../src/cli/program/command.ts";
import { EXIT, type ExitCode } from "../../../src/cli/program/exit.ts";
import { writeOutput } from "../../../src/cli/files/write.ts";
import type { Terminal } from "../../../src/cli/screen/terminal.ts";
import { loadField } from "../bench/compactors.ts";
import { measureLocomo } from "../bench/locomo.ts";
import { measureAll } from "../bench/measures.ts";
import { benchPage, type BenchResult } from "../bench/page.ts";
import { installSuites } from "../bench/suites.ts";

const FIELD = join(import.meta.dirname, "..", "..", "..", "bench", "peers", "field.ts");
const DAY_CHARS = 10;

export const benchCommand: Command = {
  program: "precis-eval",
  name: "bench",
  summary: "Measure precis beside other compactors with public suites, without a key.",
  about: [
    "The suites (compaction-conformance-kit, conpact, compact-audit) are installed from PyPI by name, the other compactors from npm and PyPI, once. No model is asked. The page says first where precis is behind.",
    "LoCoMo may be measured but not shipped: get data/locomo10.json from github.com/snap-research/LoCoMo, and give it with --locomo.",
  ],
  examples: {
    "precis-eval bench --out bench.md": "write the page",
    "precis-eval bench --only precis --json": "one compactor, for a script",
    "precis-eval bench --compactors mine.ts": "your own compactors, from a module such as bench/peers/field.ts",
  },
  args: {
    compactors: {
      type: "string",
      valueHint: "FILE",
      description: "A module whose `makeField` makes the compactors; bench/peers/field.ts by default.",
    },
    only: { type: "string", valueHint: "NAME,…", description: "Only these compactors." },
    locomo: { type: "string", valueHint: "FILE", description: "LoCoMo's locomo10.json, to measure recall as well." },
    out: {
      type: "string",
      alias: "o",
      valueHint: "FILE",
      description: "Write the page here instead of standard output.",
    },
    json: { type: "boolean", description: "Print every figure as JSON." },
  },
  run: runBench,
};

async function runBench(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const started = performance.now();
  const { out, err, folder } = terminal;
  const interpreter = installSuites();
  const loaded = await loadField(resolve(folder, args.text("compactors") ?? FIELD));
  const only = args.text("only")?.split(",");
  const compactors = loaded.compactors.filter(({ name }) => only === undefined || only.includes(name));
  const onStep = (title: string): void => void err.say(`${title}\n`);
  const measures = await measureAll({ field: { ...loaded, compactors }, interpreter, onStep });
  const locomo = args.text("locomo");
  const result: BenchResult = {
    on: new Date().toISOString().slice(0, DAY_CHARS),
    machine: `${cpus()[0]?.model ?? "unknown processor"}, ${cpus().length} cores, Node ${process.versions.node}`,
    seconds: (performance.now() - started) / 1000,
    compactors: compactors.map(({ name, from, how }) => ({ name, from, how })),
    absent: only === undefined ? loaded.absent : [],
    measures,
    ...(locomo === undefined ? {} : { locomo: await measureLocomo(readFileSync(resolve(folder, locomo), "utf8")) }),
  };
  const text = args.is("json") ? `${JSON.stringify(result, undefined, 2)}\n` : benchPage(result);
  const file = args.text("out");
  if (file === undefined) await out.write(text);
  else await writeOutput(terminal, file, text, {});
  return EXIT.done;
}
