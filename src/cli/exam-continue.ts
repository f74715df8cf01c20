/** `precis exam --continue`: agents of a person's own go on from each context, and their work is checked. */
import { resolve } from "node:path";
import { loadConfiguration } from "../config/load.ts";
import { contestantsOf } from "../lab/exam/contestants.ts";
import {
  prepareTrials,
  type ContinueRequest,
  type HeldTrials,
  type PreparedTrials,
} from "../lab/exam/continue/exam.ts";
import { RUNS_DEFAULT, RUNS_MAX, trialDifferences, trialRows, trialSections } from "../lab/exam/continue/trials.ts";
import { differenceLines, fewSessions } from "../lab/exam/report.ts";
import { wrapped } from "../config/wrap.ts";
import { counted, sharesOf, wholeOf } from "./amounts.ts";
import type { Arguments } from "./command.ts";
import { sectionLines } from "./eval-page.ts";
import { priceLines, spentLine } from "./exam-page.ts";
import { BUDGETS_DEFAULT, checkLimit, FOLDER_DEFAULT, limitOf, surroundingsOf } from "./exam-request.ts";
import { EXIT, usageError, type ExitCode } from "./exit.ts";
import { withProgress } from "./progress.ts";
import { configurationRequest } from "./settings-flags.ts";
import type { Stream, Terminal } from "./terminal.ts";
import { version } from "./version.ts";

/** None of them asks a model. */
const CONTESTANTS_DEFAULT = "tail,compressor,whole";

export async function continueCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const limitUsd = limitOf(args);
  const request = await requestOf(args, terminal);
  const prepared = await prepareTrials(request);
  const plan = planPage(prepared, request, terminal.err);
  if (!args.is("yes")) {
    await terminal.out.write(args.is("json") ? jsonOf(planJson(prepared, request)) : plan);
    return EXIT.done;
  }
  checkLimit(prepared.estimate, limitUsd);
  await terminal.err.write(plan);
  const outcome = await withProgress(terminal.err, async (progress) => {
    progress.expect(Infinity);
    return prepared.run(limitUsd, ({ doing, done, of }) => progress.stage(doing, done / Math.max(of, 1)));
  });
  const { trials, failures, spent } = outcome;
  const figures = { rows: trialRows(trials), differences: trialDifferences(trials) };
  await terminal.out.write(
    args.is("json")
      ? jsonOf({ ...planJson(prepared, request), ...figures, trials, failures, spent })
      : `${resultLines(outcome, prepared, terminal.out).join("\n")}\n`,
  );
  return trials.length === 0 ? EXIT.failed : EXIT.done;
}

async function requestOf(args: Arguments, terminal: Terminal): Promise<ContinueRequest> {
  const { folder } = terminal;
  const agent = args.text("agent");
  if (agent === undefined)
    throw usageError("--continue needs an agent to run", "Write for example `--agent 'claude -p < {context}'`.");
  if (args.all("paths").length > 0)
    throw usageError("--continue takes the sessions from its cases", "Leave the paths out.");
  const budgets = sharesOf(args.text("budgets") ?? BUDGETS_DEFAULT, BUDGETS_DEFAULT);
  return {
    casesFolder: resolve(folder, args.text("continue")!),
    examFolder: resolve(folder, args.text("folder") ?? FOLDER_DEFAULT),
    contestants: contestantsOf(args.text("contestants") ?? CONTESTANTS_DEFAULT, budgets),
    runs: wholeOf(args.text("runs") ?? String(RUNS_DEFAULT), "--runs", RUNS_MAX),
    agent,
    configuration: await loadConfiguration(configurationRequest(args, terminal)),
    surroundings: surroundingsOf(terminal),
  };
}

function planPage({ cases, estimate }: PreparedTrials, request: ContinueRequest, stream: Stream): string {
  const { contestants, runs, agent } = request;
  const total = cases.length * contestants.length * runs;
  const names = contestants.map(({ name }) => name).join(", ");
  const lines = [
    `${counted(cases.length, "case")}, ${counted(contestants.length, "contestant")}, ${counted(runs, "run")} each: ${counted(total, "run")}`,
    ...cases.map(
      ({ name, checks, rules }) => `  ${name}  ${counted(checks.length, "check")}, ${counted(rules.length, "rule")}`,
    ),
    ...wrapped(`contestants  ${names}`, stream.columns),
    `agent  ${agent}`,
    ...(estimate.calls + estimate.kept === 0 ? [] : priceLines(estimate, stream)),
    "What the agent itself costs is not known here.",
  ];
  return `${lines.join("\n")}\n`;
}

function resultLines(outcome: HeldTrials, { cases }: PreparedTrials, stream: Stream): readonly string[] {
  const { trials, failures, spent } = outcome;
  const verdicts = [...differenceLines(trialDifferences(trials), "checks and rules"), ...fewSessions(cases.length)];
  return [
    ...trialSections(trials).flatMap((section) => sectionLines(section, stream)),
    ...verdicts.flatMap((line) => wrapped(line, stream.columns)),
    "",
    ...failures.map((one) => stream.paint("warn", `! ${one.case}, ${one.of}: ${one.because}`)),
    ...(spent.requests === 0 ? [] : [spentLine(spent)]),
  ];
}

function planJson({ cases, estimate }: PreparedTrials, { contestants, runs, agent }: ContinueRequest): object {
  const names = cases.map(({ name, checks, rules }) => ({ name, checks: checks.length, rules: rules.length }));
  return { version: version(), cases: names, contestants, runs, agent, estimate };
}

function jsonOf(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
