/** `precis-eval exam --continue`: agents of a person's own go on from each context, and their work is checked. */
import { resolve } from "node:path";
import { loadConfiguration } from "../../../src/config/load.ts";
import { contestantsOf } from "../exam/contestants.ts";
import { prepareTrials, type ContinueRequest, type HeldTrials, type PreparedTrials } from "../exam/continue/exam.ts";
import {
  RUNS_DEFAULT,
  RUNS_MAX,
  trialDifferences,
  trialRows,
  trialSections,
  type Work,
} from "../exam/continue/trials.ts";
import { differenceLines, fewSessions } from "../exam/report.ts";
import { wrapped } from "../../../src/cli/screen/text.ts";
import { counted, parseShares, parseWhole } from "../../../src/cli/screen/amounts.ts";
import type { Arguments } from "../../../src/cli/program/command.ts";
import { sectionLines } from "./measure-page.ts";
import { priceLines, spentLine } from "./exam-page.ts";
import { BUDGETS_DEFAULT, checkLimit, FOLDER_DEFAULT, limitOf, surroundingsOf } from "./exam-request.ts";
import { EXIT, usageError, type ExitCode } from "../../../src/cli/program/exit.ts";
import { withProgress } from "../../../src/cli/screen/progress.ts";
import { configurationRequest } from "../../../src/cli/settings/flags.ts";
import type { Stream, Terminal } from "../../../src/cli/screen/terminal.ts";
import { version } from "../../../src/cli/program/program.ts";

/** None of them asks a model. */
const CONTESTANTS_DEFAULT = "tail,compressor,whole";

export async function continueCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const limitUsd = limitOf(args);
  const request = await requestOf(args, terminal);
  const prepared = await prepareTrials(request);
  const plan = terminal.err.shown(planPage(prepared, request, terminal.err));
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
  const { trials, failures, spent, prepared: folders, open } = outcome;
  const figures = { rows: trialRows(trials), differences: trialDifferences(trials) };
  await terminal.out.write(
    args.is("json")
      ? jsonOf({ ...planJson(prepared, request), ...figures, trials, failures, prepared: folders, open, spent })
      : terminal.out.shown(`${resultLines(outcome, prepared, { request, stream: terminal.out }).join("\n")}\n`),
  );
  return trials.length + folders === 0 ? EXIT.failed : EXIT.done;
}

async function requestOf(args: Arguments, terminal: Terminal): Promise<ContinueRequest> {
  const { folder } = terminal;
  const work = workOf(args);
  if (args.all("paths").length > 0)
    throw usageError("--continue takes the sessions from its cases", "Leave the paths out.");
  const budgets = parseShares(args.text("budgets") ?? BUDGETS_DEFAULT, BUDGETS_DEFAULT);
  return {
    casesFolder: resolve(folder, args.text("continue")!),
    examFolder: resolve(folder, args.text("folder") ?? FOLDER_DEFAULT),
    contestants: contestantsOf(args.text("contestants") ?? CONTESTANTS_DEFAULT, budgets),
    runs: parseWhole(args.text("runs") ?? String(RUNS_DEFAULT), "--runs", RUNS_MAX),
    work,
    configuration: await loadConfiguration(configurationRequest(args, terminal)),
    surroundings: surroundingsOf(terminal),
  };
}

function workOf(args: Arguments): Work {
  const agent = args.text("agent");
  const named = [
    ...(agent === undefined ? [] : ["--agent"]),
    ...HANDS.filter((now) => args.is(now)).map((now) => `--${now}`),
  ];
  if (named.length > 1) throw usageError(`${named.join(" and ")} exclude one another`, "Give one of them.");
  if (agent !== undefined) return { by: "command", agent };
  const now = HANDS.find((one) => args.is(one));
  if (now === undefined)
    throw usageError(
      "--continue needs an agent to run",
      "Write for example `--agent 'claude -p < {context}'`, or `--prepare` and later `--mark` for agents that you run yourself.",
    );
  return { by: "hand", now };
}

const HANDS = ["prepare", "mark"] as const;

function planPage({ cases, estimate }: PreparedTrials, request: ContinueRequest, stream: Stream): string {
  const { contestants, runs, work, examFolder } = request;
  const total = cases.length * contestants.length * runs;
  const names = contestants.map(({ name }) => name).join(", ");
  const lines = [
    `${counted(cases.length, "case")}, ${counted(contestants.length, "contestant")}, ${counted(runs, "run")} each: ${counted(total, "run")}`,
    ...cases.map(
      ({ name, checks, rules, questions }) =>
        `  ${name}  ${counted(checks.length, "check")}, ${counted(rules.length, "rule")}, ${counted(questions.length, "question")}`,
    ),
    ...wrapped(`contestants  ${names}`, stream.columns),
    work.by === "command" ? `agent  ${work.agent}` : `agent  by hand: ${work.now} the runs in ${examFolder}`,
    ...(estimate.calls + estimate.kept === 0 ? [] : priceLines(estimate, stream)),
    "What the agent itself costs is not known here.",
  ];
  return `${lines.join("\n")}\n`;
}

interface Shown {
  readonly request: ContinueRequest;
  readonly stream: Stream;
}

function resultLines(outcome: HeldTrials, { cases }: PreparedTrials, { request, stream }: Shown): readonly string[] {
  const { trials, failures, spent, prepared, open } = outcome;
  const failed = failures.map((one) => stream.paint("warn", `! ${one.case}, ${one.of}: ${one.because}`));
  const costs = spent.requests === 0 ? [] : [spentLine(spent)];
  const { work } = request;
  if (work.by === "hand" && work.now === "prepare")
    return [...wrapped(preparedText(prepared, request), stream.columns), ...failed, ...costs];
  const verdicts = [
    ...differenceLines(trialDifferences(trials), "checks, rules and questions"),
    ...fewSessions(cases.length),
  ];
  return [
    ...trialSections(trials).flatMap((section) => sectionLines(section, stream)),
    ...verdicts.flatMap((line) => wrapped(line, stream.columns)),
    ...(open === 0 ? [] : [`${counted(open, "run")} without an answer.txt`]),
    "",
    ...failed,
    ...costs,
  ];
}

function preparedText(prepared: number, { examFolder }: ContinueRequest): string {
  return `${counted(prepared, "run")} prepared in ${examFolder}. In each, give context.md to an agent, let it work in repository/, and write what it says to answer.txt. Then run the same command with --mark instead of --prepare.`;
}

function planJson({ cases, estimate }: PreparedTrials, { contestants, runs, work }: ContinueRequest): object {
  const names = cases.map(({ name, checks, rules, questions }) => {
    return { name, checks: checks.length, rules: rules.length, questions: questions.length };
  });
  const agent = work.by === "command" ? work.agent : null;
  return { version: version(), cases: names, contestants, runs, agent, estimate };
}

function jsonOf(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
