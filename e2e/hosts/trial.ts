/**
 * One agent lives through the task with the strict provider behind it, with precis inside or with its own compaction alone. At the
 * end it is asked for lines that it read at the beginning.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createProvider, type Answer, type RequestRecord, type ScriptedRequest } from "../../provider/src/index.ts";
import type { Place } from "../client.ts";
import { asksSummary, scriptOf } from "../script.ts";
import { partLine, STAGES, TASK_MARK, type Stage } from "../task.ts";
import { isTask, startClient, writeSettings, type StageRun } from "../trial.ts";
import { makeWorkspace } from "../workspace.ts";
import { DIST, type Begun, type Host } from "./host.ts";

export interface HostVerdict {
  readonly host: string;
  readonly inside: boolean;
  /** Requests of the task. */
  readonly turns: number;
  readonly refused: number;
  /** What the first refusal said. */
  readonly refusal?: string;
  /** Different handoffs that requests began with. */
  readonly handoffs: number;
  /** Requests for a summary by a model. */
  readonly summaries: number;
  readonly asked: number;
  /** Of the lines that were asked for, those that the model got to see. */
  readonly found: number;
  /** Of the turns, those whose request has the rule of the first prompt, word for word. */
  readonly withRule: number;
  /** How often the agent's own compaction was held off; undefined where nothing holds it off. */
  readonly heldOff: number | undefined;
  readonly largestTokens: number;
  readonly windowTokens: number;
  readonly exits: readonly (number | null)[];
  readonly complaints: readonly string[];
}

export interface HostTrialOptions {
  readonly installed: string;
  readonly inside: boolean;
  readonly keep: boolean;
  readonly onEvent: (message: string) => void;
}

/** Lines that are read in the first stage: a number in each says which it is. */
const ASKED = [1, 2, 3].map((part) => ({ part, line: partLine(part, 40) }));
/** Stated in the first prompt, and in none after it. */
const RULE = "Keep every limit as it is.";
const wordsFor = (line: string): string => /limit: (\d+)/.exec(line)![1]!;
const QUESTION: Stage = {
  prompt: `One more thing about the ${TASK_MARK}: on which days were the limits ${ASKED.map(({ line }) => wordsFor(line)).join(", ")} checked?`,
  steps: [],
  closing: "That is all I know.",
};
const RECORDED_BYTES = 1024 * 1024 * 1024;

export async function runHostTrial(host: Host, options: HostTrialOptions): Promise<HostVerdict> {
  const root = await mkdtemp(join(tmpdir(), `precis-host-${host.name}-`));
  const [home, workspace] = [join(root, "home"), join(root, "work")];
  await mkdir(home);
  await makeWorkspace(workspace);
  const stages = host.startsOnce ? [asOne([...STAGES, QUESTION])] : [...STAGES, QUESTION];
  let stage = 0;
  const task = scriptOf({
    callFor: host.client.callFor,
    stages,
    stage: () => stage,
    isTask: ({ body }) => isTask(JSON.stringify(body)),
    aside: host.client.aside,
  });
  const script = (asked: ScriptedRequest): Answer => {
    const answer = task(asked);
    const isLast = stage === stages.length - 1 && !("calls" in answer) && options.inside;
    return thoughtful(isLast ? askedBack(host, asked, answer) : answer);
  };
  const provider = createProvider({
    every: { windowTokens: host.windowTokens },
    models: { [host.client.model]: {} },
    limits: { recordedBytes: RECORDED_BYTES },
    script,
  });
  const listening = await provider.listen();
  const own: Place = { base: listening.url, home, workspace, installed: options.installed };
  const runs: StageRun[] = [];
  let begun: Begun | undefined;
  let heldOff: number | undefined;
  try {
    await writeSettings(host.files(own, options.inside), home);
    if (options.inside) await setUp(host, home);
    begun = await host.begin?.(own, options.inside);
    const place = { ...own, base: begun?.base ?? own.base };
    const words = (prompt: string, goesOn: boolean) => [
      ...(host.words?.(options.inside) ?? []),
      ...host.client.words(prompt, goesOn),
    ];
    for (; stage < stages.length; stage++) {
      const environment = (at: Place) => ({ ...host.client.environment(at), ...begun?.environment });
      const run = await startClient({ ...host.client, words, environment }, place, {
        prompt: stages[stage]!.prompt,
        goesOn: stage > 0,
      });
      runs.push(run);
      options.onEvent(
        `${host.name}: stage ${stage + 1} of ${stages.length} ended with ${run.code}, ${provider.requests.length} requests`,
      );
      if (run.code !== 0) break;
    }
    heldOff = await begun?.heldOff?.();
    if (options.inside) await setUp(host, home, "--undo");
  } finally {
    await begun?.stop();
    await listening.close();
    if (options.keep) options.onEvent(`${host.name}: kept in ${root}`);
    else await rm(root, { recursive: true, force: true });
  }
  return { ...judged(host, options, runs, provider.requests), heldOff };
}

function asOne(stages: readonly Stage[]): Stage {
  return {
    prompt: stages.map(({ prompt }) => prompt).join("\n\nThen: "),
    steps: stages.flatMap(({ steps }) => steps),
    closing: QUESTION.closing,
  };
}

/** As a person does it; the settings are shown before they are written. */
async function setUp({ setup }: Host, home: string, ...flags: readonly string[]): Promise<void> {
  if (setup === undefined) return;
  const words = [join(DIST, "cli/bin.js"), "setup", ...setup, "--yes", ...flags];
  const environment = { HOME: home, PATH: process.env["PATH"] ?? "" };
  await promisify(execFile)(process.execPath, words, { cwd: home, env: environment });
}

/**
 * Whichever of its calls comes first in a request, after a compaction too, Anthropic's models think before it. It names the step,
 * by which the script goes on where a compaction keeps what was said and no ids.
 */
function thoughtful(answer: Answer): Answer {
  if (!("calls" in answer) || answer.calls === undefined) return answer;
  const { text = "", calls } = answer;
  return { thinking: "This comes next.", ...answer, text: `${text} (${calls[0]?.id})`.trim() };
}

/** The model asks for each line by its number, one after another, and then says that it is done. */
function askedBack(host: Host, asked: ScriptedRequest, answer: Answer): Answer {
  const text = JSON.stringify(asked.body);
  if (asksSummary(text) || !isTask(text)) return answer;
  const next = ASKED.findIndex((_, at) => !text.includes(callId(at)));
  const call = next < 0 ? undefined : host.recall(wordsFor(ASKED[next]!.line), asked);
  return call === undefined ? { text: QUESTION.closing } : { calls: [{ ...call, id: callId(next) }] };
}

const callId = (at: number): string => `recall_${at}`;

function judged(
  host: Host,
  { inside }: HostTrialOptions,
  runs: readonly StageRun[],
  requests: readonly RequestRecord[],
): Omit<HostVerdict, "heldOff"> {
  const turns = requests.filter(({ body }) => isTask(body) && !asksSummary(body));
  // Some agents write the answer of a tool as JSON into a text of JSON.
  const last = (turns.at(-1)?.body ?? "").replaceAll("\\", "");
  const refusals = requests.filter(({ outcome }) => outcome === "refused");
  const refusal = refusals[0]?.message;
  const handoffs = turns.flatMap(({ body }) => HANDOFF.exec(body)?.[0] ?? []);
  return {
    host: host.title,
    inside,
    turns: turns.length,
    refused: refusals.length,
    ...(refusal !== undefined && { refusal }),
    handoffs: new Set(handoffs).size,
    summaries: requests.filter(({ body }) => asksSummary(body)).length,
    asked: ASKED.length,
    found: ASKED.filter(({ line }) => last.includes(line)).length,
    withRule: turns.filter(({ body }) => body.includes(RULE)).length,
    largestTokens: Math.max(0, ...requests.map(({ use }) => use?.inputTokens ?? 0)),
    windowTokens: host.windowTokens,
    exits: runs.map(({ code }) => code),
    complaints: runs.flatMap(({ output, errors, code }) => [
      ...host.client.complaints(output),
      ...(code === 0 ? [] : [errors.slice(-COMPLAINT_CHARS_MAX)]),
    ]),
  };
}

/** From its first line to its last, in a body of JSON. */
const HANDOFF = /\[precis handoff \d+\].*?\[end of precis handoff/;
const COMPLAINT_CHARS_MAX = 2_000;
const TURNS_MIN = 50;

/** What did not hold with precis inside; empty where all held. */
export function faultsOf(verdict: HostVerdict): readonly string[] {
  const { inside, turns, refused, handoffs, summaries, found, asked, withRule, heldOff, exits, complaints } = verdict;
  if (!inside) return [];
  return [
    ...(turns < TURNS_MIN ? [`only ${turns} turns`] : []),
    ...(refused > 0 ? [`${refused} requests were refused: ${verdict.refusal ?? ""}`] : []),
    ...(handoffs < 2 ? [`only ${handoffs} handoffs`] : []),
    ...(summaries > 0 ? [`a model was asked for ${summaries} summaries`] : []),
    ...(found < asked ? [`${found} of ${asked} lines were found`] : []),
    ...(withRule < turns ? [`${turns - withRule} turns lack the rule of the first prompt`] : []),
    ...(heldOff === 0 ? ["its own compaction was never due, so that holding it off is not shown"] : []),
    ...(exits.some((code) => code !== 0) ? [`it ended with ${exits.join(", ")}`] : []),
    ...complaints,
  ];
}
