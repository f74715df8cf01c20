/** One client, one task: provider, gateway, tap and client set up around each other, run, and taken down. */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createProvider, type RequestRecord } from "../provider/src/index.ts";
import type { Client, Place } from "./client.ts";
import { startGateway, type LogLine } from "./gateway.ts";
import { scriptOf } from "./script.ts";
import { openTap, type Exchange } from "./tap.ts";
import { STAGES, TASK_MARK, type Stage } from "./task.ts";
import { makeWorkspace, touchedByOthers } from "./workspace.ts";

export interface StageRun {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

export interface Trial {
  readonly client: Client;
  readonly own: boolean;
  readonly stages: readonly StageRun[];
  readonly exchanges: readonly Exchange[];
  readonly requests: readonly RequestRecord[];
  readonly log: readonly LogLine[];
}

const STAGE_MS_MAX = 10 * 60_000;
/** The provider keeps whole bodies, all of them: they are what is looked at. */
const RECORDED_BYTES = 1024 * 1024 * 1024;

export interface TrialOptions {
  readonly installed: string;
  readonly onEvent: (message: string) => void;
  /** Keeps the folder for looking into. */
  readonly keep: boolean;
  /** The client's own compaction comes before the gateway's. */
  readonly own: boolean;
}

export async function runTrial(client: Client, { installed, onEvent, keep, own }: TrialOptions): Promise<Trial> {
  const root = await mkdtemp(join(tmpdir(), `precis-e2e-${client.name}-`));
  const [home, workspace] = [join(root, "home"), join(root, "work")];
  await mkdir(home);
  await makeWorkspace(workspace);
  const task = stagesFor(client, own);
  let stage = 0;
  const provider = createProvider({
    every: { windowTokens: client.windowTokens },
    models: { [client.model]: {} },
    limits: { recordedBytes: RECORDED_BYTES },
    script: scriptOf({
      callFor: client.callFor,
      stages: task,
      stage: () => stage,
      isTask: ({ body }) => isTask(JSON.stringify(body)),
      aside: client.aside,
    }),
  });
  const listening = await provider.listen();
  const gateway = await startGateway({
    upstream: listening.url,
    contextTokens: client.windowTokens,
    store: join(root, "history.db"),
    home,
  });
  const tap = await openTap(gateway.url);
  const place: Place = { base: tap.url, home, workspace, installed };
  const stages: StageRun[] = [];
  try {
    await writeSettings(((own ? client.compactsFirst.files : undefined) ?? client.files)(place), home);
    for (; stage < task.length; stage++) {
      const run = await startClient(client, place, { prompt: task[stage]!.prompt, goesOn: stage > 0 });
      stages.push(run);
      onEvent(
        `${client.name}: stage ${stage + 1} of ${task.length} ended with ${run.code}, ${provider.requests.length} requests`,
      );
      if (run.code !== 0) break;
      await touchedByOthers(workspace, stage);
    }
  } finally {
    await tap.close();
    await gateway.stop();
    await listening.close();
    if (keep) onEvent(`${client.name}: kept in ${root}`);
    else await rm(root, { recursive: true, force: true });
  }
  return { client, own, stages, exchanges: tap.exchanges, requests: provider.requests, log: gateway.log };
}

export async function writeSettings(files: Readonly<Record<string, string>>, home: string): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, name)), { recursive: true });
    await writeFile(join(home, name), text);
  }
}

/** The task with the client's own steps behind the first one, and where it is to compact by itself, its prompt for that. */
function stagesFor({ own: steps = [], compactsFirst: { prompt } }: Client, own: boolean): readonly Stage[] {
  const [first, ...others] = STAGES;
  const [opening, ...rest] = first!.steps;
  const compacts = own && prompt !== undefined ? [{ prompt, steps: [], closing: "" }] : [];
  return [{ ...first!, steps: [opening!, ...steps, ...rest] }, ...compacts, ...others];
}

/** A request of the task declares tools; what a client asks for itself, a title or a summary, mostly does not. */
export function isTask(body: string): boolean {
  return body.includes(TASK_MARK) && /"tools":\[\{/.test(body);
}

/** One run of the client to its end, with nothing of this machine's environment. */
export function startClient(
  client: Pick<Client, "program" | "words" | "environment">,
  place: Place,
  { prompt, goesOn }: { readonly prompt: string; readonly goesOn: boolean },
): Promise<StageRun> {
  return runClient(client, place, client.words(prompt, goesOn));
}

export async function runClient(
  client: Pick<Client, "program" | "environment">,
  place: Place,
  words: readonly string[],
): Promise<StageRun> {
  const [program, ...given] = [...client.program(place), ...words];
  const { home, workspace } = place;
  const base = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    TMPDIR: home,
    LANG: "C.UTF-8",
    TERM: "dumb",
    USER: "root",
    SHELL: "/bin/bash",
  };
  const child = spawn(program!, given, {
    cwd: workspace,
    env: { ...base, ...client.environment(place) },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: STAGE_MS_MAX,
    killSignal: "SIGKILL",
  });
  let output = "";
  let errors = "";
  child.stdout.on("data", (piece: Buffer) => (output += piece.toString("utf8")));
  child.stderr.on("data", (piece: Buffer) => (errors += piece.toString("utf8")));
  const code = await new Promise<number | null>((done, failed) => {
    child.once("error", failed);
    child.once("close", done);
  });
  return { code, output, errors };
}
