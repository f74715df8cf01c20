/** `precis-eval measure`: how much of what the work needed next survives a compaction, on sessions of one's own. */
import { resolve } from "node:path";
import { ENGINE_DEFAULTS } from "../../../src/core/engines/settings.ts";
import { ENGINE_NAMES } from "../../../src/core/engines/names.ts";
import { createEngine } from "../../../src/core/engines/engines.ts";
import { evaluate, type Evaluation } from "../measure/evaluate.ts";
import { figuresOf, type Row } from "../measure/figures.ts";
import type { Arguments, Command } from "../../../src/cli/program/command.ts";
import { evalPage } from "./measure-page.ts";
import { EXIT, usageError, type ExitCode } from "../../../src/cli/program/exit.ts";
import { withProgress } from "../../../src/cli/screen/progress.ts";
import type { Terminal } from "../../../src/cli/screen/terminal.ts";
import { version } from "../../../src/cli/program/program.ts";

const BUDGETS_DEFAULT = "5,10,20";
const ENGINE_DEFAULT = "compressor";

export const PATHS_ARG = {
  type: "positional",
  valueHint: "PATH…",
  description: "Session files, request bodies or messages, or folders of them (*.json, *.jsonl); formats are detected.",
} as const;

export const measureCommand: Command = {
  program: "precis-eval",
  name: "measure",
  summary: "Measure on recorded sessions how much of what the agent needed next survives a compaction.",
  about: [
    "Each session is cut, the part before the cut is compacted, and the part after it shows what the agent needed. No model is used, and nothing leaves the machine. Every engine is compared with baselines of the same size, such as the newest messages.",
    "Sessions are not cut at recorded compactions. eval/README.md says how to read it.",
  ],
  examples: {
    "precis-eval measure ~/.claude/projects": "a folder of your own sessions",
    "precis-eval measure sessions/ --engines compressor,sacred-zone": "compare two engines",
  },
  args: {
    paths: PATHS_ARG,
    budgets: {
      type: "string",
      valueHint: "P,P…",
      description: `Sizes of the result in percent of what is compacted; ${BUDGETS_DEFAULT} by default.`,
    },
    engines: {
      type: "string",
      valueHint: "NAME,…",
      description: `Engines to examine, or all; ${ENGINE_DEFAULT} by default.`,
    },
    json: { type: "boolean", description: "Print every figure as JSON." },
  },
  many: "paths",
  run: runMeasure,
};

async function runMeasure(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { folder } = terminal;
  const options = {
    paths: args.all("paths").map((path) => resolve(folder, path)),
    folder,
    budgets: parseShares(args.text("budgets") ?? BUDGETS_DEFAULT, BUDGETS_DEFAULT),
    engines: enginesOf(args.text("engines") ?? ENGINE_DEFAULT),
  };
  const evaluation = await withProgress(terminal.err, async (progress) => {
    progress.expect(Infinity);
    return evaluate(options, ({ doing, done, of }) =>
      progress.stage(`${doing}, ${done} of ${of}`, done / Math.max(of, 1)),
    );
  });
  const figures = figuresOf(evaluation);
  if (args.is("json")) await terminal.out.write(jsonOf(evaluation, figures));
  else await terminal.out.say(`${evalPage(evaluation, figures, terminal.out)}\n`);
  return evaluation.findings.length === 0 ? EXIT.failed : EXIT.done;
}

function jsonOf({ budgets, engines, sessions, findings }: Evaluation, rows: readonly Row[]): string {
  const cuts = findings.map(({ file, share, tokens }) => ({ file, share, tokens }));
  return `${JSON.stringify({ version: version(), budgets, engines, rows, sessions, cuts }, undefined, 2)}\n`;
}

/** Throws `unknown_engine` before an hour's work and not after it. */
function enginesOf(text: string): readonly string[] {
  if (text.trim() === "all") return ENGINE_NAMES;
  const names = [...new Set(text.split(",").map((name) => name.trim()))];
  for (const name of names) createEngine(name, ENGINE_DEFAULTS);
  return names;
}

const SHARES_MAX = 12;

/** The shares that `--budgets` names in percent, ascending; `example` is what a mistaken person is shown. */
export function parseShares(text: string, example: string): readonly number[] {
  const shares = [...new Set(text.split(",").map((one) => Number(one.trim().replace(/(?<!\s)\s*%$/, "")) / 100))];
  if (shares.length > SHARES_MAX || shares.some((share) => !(share > 0 && share < 1)))
    throw usageError(
      `--budgets is "${text}"; expected at most ${SHARES_MAX} percentages above 0 and below 100`,
      `Write for example \`--budgets ${example}\`.`,
    );
  return shares.toSorted((a, b) => a - b);
}
