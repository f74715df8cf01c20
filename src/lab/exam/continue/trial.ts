/**
 * One run of one agent: a fresh copy of the repository, a context, the agent's command, and then the checks. What came out
 * is written once, so that an ended exam goes on behind its last whole run.
 */
import { hash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { ExamFolder } from "../folder.ts";
import type { Check, ContinueCase } from "./case-folders.ts";
import { quoted, runShell, type ShellResult } from "./shell.ts";

/** An agent that takes longer is ended, and its work checked as it is then. */
const AGENT_TIMEOUT_MS = 3_600_000;
const CHECK_TIMEOUT_MS = 600_000;

export interface TrialRequest {
  readonly one: ContinueCase;
  readonly contestant: string;
  /** 1 and up. */
  readonly run: number;
  readonly context: string;
  /** The agent's command, with {context} and {repository} in it. */
  readonly agent: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: ExamFolder;
}

const marks = z.array(z.object({ name: z.string(), passed: z.boolean() }));
const KEPT = z.object({
  key: z.string(),
  agent: z.object({ code: z.number().nullable(), timedOut: z.boolean() }),
  checks: marks,
  rules: marks,
});

export interface TrialResult extends z.infer<typeof KEPT> {
  readonly case: string;
  readonly contestant: string;
  readonly run: number;
}

export async function runTrial(request: TrialRequest): Promise<TrialResult> {
  const { one, contestant, run, context, agent, folder } = request;
  const place = join(one.name, contestant, `run-${run}`);
  const key = hash("sha256", JSON.stringify([one.key, contestant, context, agent]));
  const about = { case: one.name, contestant, run };
  const known = keptIn(join(folder.path, place, RESULT_FILE), key);
  if (known !== undefined) return { ...about, ...known };
  const work = workIn(join(folder.path, place), one);
  folder.write(join(place, CONTEXT_FILE), promptOf(one, context));
  const ended = await runAgent(request, work);
  folder.write(join(place, ANSWER_FILE), ended.out);
  folder.write(join(place, "agent-errors.txt"), ended.err);
  folder.write(join(place, DIFF_FILE), await diffOf(request, work));
  const result = {
    key,
    agent: { code: ended.code ?? null, timedOut: ended.timedOut },
    checks: await marksOf(request, one.checks, work),
    rules: await marksOf(request, one.rules, work),
  };
  folder.write(join(place, RESULT_FILE), `${JSON.stringify(result, undefined, 1)}\n`);
  return { ...about, ...result };
}

const RESULT_FILE = "result.json";
const CONTEXT_FILE = "context.md";
const ANSWER_FILE = "answer.txt";
const DIFF_FILE = "changes.diff";

interface Work {
  readonly folder: string;
  readonly repository: string;
}

function keptIn(path: string, key: string): z.infer<typeof KEPT> | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const read = KEPT.safeParse(JSON.parse(readFileSync(path, "utf8")));
    return read.success && read.data.key === key ? read.data : undefined;
  } catch {
    return undefined;
  }
}

/** Whatever an ended run left is taken away first. */
function workIn(folder: string, { repository }: ContinueCase): Work {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const copy = join(folder, "repository");
  cpSync(repository, copy, { recursive: true, verbatimSymlinks: true });
  return { folder, repository: copy };
}

function promptOf({ request }: ContinueCase, context: string): string {
  return [
    "This is what is left of a session that you continue. The repository is as the session left it; do what the last request asks.",
    `<session>\n${context}\n</session>`,
    `<request>\n${request.trim()}\n</request>\n`,
  ].join("\n\n");
}

/** A command that names no {context} gets it on standard input. */
async function runAgent({ agent, environment }: TrialRequest, { folder, repository }: Work): Promise<ShellResult> {
  const context = join(folder, CONTEXT_FILE);
  const command = agent.replaceAll("{context}", quoted(context)).replaceAll("{repository}", quoted(repository));
  const input = agent.includes("{context}") ? {} : { input: readFileSync(context, "utf8") };
  return runShell(command, { folder: repository, environment, timeoutMs: AGENT_TIMEOUT_MS, ...input });
}

/** What the agent changed, with paths as the repository has them; empty where there is no git. */
async function diffOf({ one, environment }: TrialRequest, { repository }: Work): Promise<string> {
  const original = one.repository;
  const command = `git diff --no-index --no-color -- ${quoted(original)} ${quoted(repository)}`;
  const { out } = await runShell(command, { folder: repository, environment, timeoutMs: CHECK_TIMEOUT_MS });
  return out.replaceAll(original, "").replaceAll(repository, "");
}

/** Run in the working copy; the environment says where the rest is. */
async function marksOf(
  { one, environment }: TrialRequest,
  checks: readonly Check[],
  { folder, repository }: Work,
): Promise<z.infer<typeof marks>> {
  const places = {
    PRECIS_CASE: one.folder,
    PRECIS_ORIGINAL: one.repository,
    PRECIS_REPOSITORY: repository,
    PRECIS_DIFF: join(folder, DIFF_FILE),
    PRECIS_ANSWER: join(folder, ANSWER_FILE),
  };
  const found: { name: string; passed: boolean }[] = [];
  for (const { name, run } of checks) {
    const { code } = await runShell(run, {
      folder: repository,
      environment: { ...environment, ...places },
      timeoutMs: CHECK_TIMEOUT_MS,
    });
    found.push({ name, passed: code === 0 });
  }
  return found;
}
