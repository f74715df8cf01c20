/** `precis-eval exam`: whether a reader of a shortened session still knows what it needs to go on, asked of real models. */
import { resolve } from "node:path";
import { loadConfiguration } from "../../../src/config/load.ts";
import { CONTESTANTS_DEFAULT, contestantsOf } from "../exam/contestants.ts";
import { prepareExam, type ExamRequest, type PreparedExam } from "../exam/exam.ts";
import { CASES_MAX, READERS_MAX, SEATS_MAX, QUOTA } from "../exam/plan.ts";
import { figuresOf } from "../exam/tally.ts";
import { parseWhole } from "../../../src/cli/screen/amounts.ts";
import type { Arguments, Command } from "../../../src/cli/program/command.ts";
import { parseShares, PATHS_ARG } from "./measure.ts";
import { examPage, planPage } from "./exam-page.ts";
import { outwardFetch } from "../../../src/cli/gateway/options.ts";
import { overflowOf } from "../../../src/session/provider-error.ts";
import type { Estimate } from "../exam/ask.ts";
import { EXIT, usageError, type ExitCode } from "../../../src/cli/program/exit.ts";
import { withProgress } from "../../../src/cli/screen/progress.ts";
import { CONFIG_FLAGS, configurationRequest } from "../../../src/cli/settings/flags.ts";
import type { Terminal } from "../../../src/cli/screen/terminal.ts";
import { version } from "../../../src/cli/program/program.ts";

const BUDGETS_DEFAULT = "10";
const FOLDER_DEFAULT = "precis-exam";
const CASES_DEFAULT = 6;
const SEED_MAX = 999_999_999;

export const examCommand: Command = {
  program: "precis-eval",
  name: "exam",
  summary: "Test what readers can answer about a session from each shortened form of it, graded blind.",
  about: [
    "Each session is cut where enough of it remains as a real continuation. A model that sees everything before the cut, and what really happened next, writes the questions; a fresh reader of each contestant answers them from that contestant's context alone; a grader who sees letters instead of names gives 0, 0.5 or 1. Models come from the configuration (auxiliary.compression, see docs/models.md).",
    "Without --yes it only shows the plan and its price. Every answer is kept in --folder as it arrives, so the same command continues where it stopped and pays for nothing twice. Secrets are masked in everything that is sent. eval/README.md says how to read the figures.",
  ],
  examples: {
    "precis-eval exam ~/.claude/projects": "show the plan and its price; no model is called",
    "precis-eval exam ~/.claude/projects --yes --max-cost 5": "run it, for at most 5 dollars",
    "precis-eval exam sessions/ --contestants tail,compressor,sacred-zone,whole --budgets 5,10 --grader claude-opus-5-5 --yes":
      "engines at two sizes, with a separate grader",
  },
  args: {
    paths: PATHS_ARG,
    contestants: {
      type: "string",
      valueHint: "NAME,…",
      description: `Who is compared: an engine, an engine with \`+model\`, \`plain\` (the model asked plainly), \`tail\` (the newest messages), \`whole\`; ${CONTESTANTS_DEFAULT} by default.`,
    },
    budgets: {
      type: "string",
      valueHint: "P,P…",
      description: `Sizes of the contexts in percent of what comes before the cut; ${BUDGETS_DEFAULT} by default.`,
    },
    cases: { type: "string", valueHint: "N", description: `Cuts to examine at most; ${CASES_DEFAULT} by default.` },
    readers: { type: "string", valueHint: "N", description: "Fresh readers of each context; 1 by default." },
    writer: { type: "string", valueHint: "MODEL", description: "The model that writes the questions." },
    reader: { type: "string", valueHint: "MODEL", description: "The model that reads and answers." },
    grader: { type: "string", valueHint: "MODEL", description: "The model that grades." },
    folder: {
      type: "string",
      valueHint: "FOLDER",
      description: `Where contexts, answers and grades are kept; ${FOLDER_DEFAULT} by default.`,
    },
    "max-cost": { type: "string", valueHint: "USD", description: "Spend at most this much in this run." },
    seed: {
      type: "string",
      valueHint: "N",
      description: "Selects other sessions and assigns other letters; 1 by default.",
    },
    yes: { type: "boolean", description: "Call the models instead of only showing the plan." },
    json: { type: "boolean", description: "Print the plan or every figure as JSON." },
    ...CONFIG_FLAGS,
  },
  many: "paths",
  run: runCommand,
};

async function runCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const limit = args.text("max-cost");
  const limitUsd = limit === undefined ? Infinity : parseDollars(limit, "--max-cost");
  const request = await requestOf(args, terminal);
  const prepared = await withProgress(terminal.err, async (progress) => {
    progress.expect(Infinity);
    await progress.stage("choosing cases", 0);
    return prepareExam(request);
  });
  if (prepared.cases.length === 0) {
    await terminal.err.write(terminal.err.shown(planPage(prepared, terminal.err)));
    return EXIT.failed;
  }
  if (!args.is("yes")) {
    await terminal.out.write(
      args.is("json") ? jsonOf(planJson(prepared)) : terminal.out.shown(planPage(prepared, terminal.out)),
    );
    return EXIT.done;
  }
  checkLimit(prepared.estimate, limitUsd);
  await terminal.err.write(terminal.err.shown(planPage(prepared, terminal.err)));
  return runPreparedExam(prepared, { limitUsd, args, terminal });
}

async function runPreparedExam(
  prepared: PreparedExam,
  { limitUsd, args, terminal }: { readonly limitUsd: number; readonly args: Arguments; readonly terminal: Terminal },
): Promise<ExitCode> {
  const outcome = await withProgress(terminal.err, async (progress) => {
    progress.expect(Infinity);
    return prepared.run(limitUsd, ({ doing, done, of }) => progress.stage(doing, done / Math.max(of, 1)));
  });
  const { results, ended, spent } = outcome;
  const figures = figuresOf(results, prepared.plan.contestants);
  if (ended !== undefined && figures.cases === 0) throw ended;
  const page = { figures, results, spent, ...(ended === undefined ? {} : { ended }) };
  await terminal.out.write(
    args.is("json")
      ? jsonOf({ ...planJson(prepared), ...figures, results, spent, ended: ended?.message ?? null })
      : terminal.out.shown(examPage(page, terminal.out)),
  );
  return ended === undefined && figures.cases > 0 ? EXIT.done : EXIT.failed;
}

async function requestOf(args: Arguments, terminal: Terminal): Promise<ExamRequest> {
  const { folder } = terminal;
  const budgets = parseShares(args.text("budgets") ?? BUDGETS_DEFAULT, BUDGETS_DEFAULT);
  const contestants = contestantsOf(args.text("contestants") ?? CONTESTANTS_DEFAULT, budgets);
  const readers = parseWhole(args.text("readers") ?? "1", "--readers", READERS_MAX);
  if (readers * contestants.length > SEATS_MAX)
    throw usageError(
      `${contestants.length} contestants with ${readers} readers each are more than the ${SEATS_MAX} that one grading sheet holds`,
      "Give fewer contestants, budgets or readers.",
    );
  return {
    paths: args.all("paths").map((path) => resolve(folder, path)),
    folder,
    examFolder: resolve(folder, args.text("folder") ?? FOLDER_DEFAULT),
    contestants,
    readers,
    cases: parseWhole(args.text("cases") ?? String(CASES_DEFAULT), "--cases", CASES_MAX),
    seed: parseWhole(args.text("seed") ?? "1", "--seed", SEED_MAX),
    configuration: await loadConfiguration(configurationRequest(args, terminal)),
    models: { writer: args.text("writer"), reader: args.text("reader"), grader: args.text("grader") },
    surroundings: {
      environment: terminal.environment,
      overflow: (status, body) => overflowOf({ status, body }),
      fetch: outwardFetch(terminal.environment),
    },
  };
}

/** Throws a usage error where the limit cannot be kept, or would not be. */
function checkLimit({ unpriced: [unknown], usualUsd }: Estimate, limitUsd: number): void {
  if (limitUsd === Infinity) return;
  if (unknown !== undefined)
    throw usageError(
      `--max-cost cannot be enforced: the price of ${unknown} is not known`,
      `Set models.${unknown}.input_usd_per_mtok and output_usd_per_mtok, 0 for a server of your own.`,
    );
  if (usualUsd > limitUsd)
    throw usageError(
      `the exam costs about $${usualUsd.toFixed(2)}, more than the $${limitUsd.toFixed(2)} of --max-cost`,
      "Use a higher limit, fewer cases, contestants or questions, or a cheaper model.",
    );
}

function planJson({ plan, models, estimate, refused }: PreparedExam): object {
  const { contestants, readers, seed } = plan;
  const cases = plan.cases.map(({ name, file, prefixTokens }) => ({ name, file, prefixTokens }));
  const names = Object.entries(models).map(([role, { writer }]) => [role, writer.model]);
  return {
    version: version(),
    models: Object.fromEntries(names),
    quota: QUOTA,
    contestants,
    readers,
    seed,
    cases,
    refused,
    estimate,
  };
}

function jsonOf(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function parseDollars(text: string, flag: string): number {
  const [, number] = /^\$?([0-9]{1,6}(?:\.[0-9]{1,6})?)$/.exec(text.trim()) ?? [];
  if (number !== undefined) return Number(number);
  throw usageError(`${flag} is "${text}"; expected US dollars`, `Write for example \`${flag} 5\`.`);
}
