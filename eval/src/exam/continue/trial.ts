/**
 * One run of one agent: a fresh copy of the repository, a context, the agent's command, and then the checks. What came out
 * is written once, so that an ended exam goes on behind its last whole run. An agent that no command starts gets the same
 * folder prepared, and its work is marked when it has left an answer there.
 */
import { hash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { ExamFolder } from "../folder.ts";
import { numbered, replyTo } from "./answers.ts";
import type { Check, ContinueCase } from "./case-folders.ts";
import { quoted, runShell, type ShellResult } from "./shell.ts";

/** An agent that takes longer is ended, and its work checked as it is then. */
const AGENT_TIMEOUT_MS = 3_600_000;
const CHECK_TIMEOUT_MS = 600_000;

/** Which run it is, and where it is kept. */
export interface TrialPlace {
  readonly one: ContinueCase;
  readonly contestant: string;
  /** 1 and up. */
  readonly run: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly folder: ExamFolder;
}

export interface TrialRequest extends TrialPlace {
  readonly context: string;
  /** The agent's command, with {context} and {repository} in it. */
  readonly agent: string;
}

const marks = z.array(z.object({ name: z.string(), passed: z.boolean() }));
const KEPT = z.object({
  key: z.string(),
  agent: z.object({ code: z.number().nullable(), timedOut: z.boolean() }),
  checks: marks,
  rules: marks,
  questions: marks,
});

export interface TrialResult extends z.infer<typeof KEPT> {
  readonly case: string;
  readonly contestant: string;
  readonly run: number;
}

export async function runTrial(request: TrialRequest): Promise<TrialResult> {
  const { one, contestant, run, context, agent, folder } = request;
  const place = placeOf(request);
  const key = hash("sha256", JSON.stringify([one.key, contestant, context, agent]));
  const known = keptIn(join(folder.path, place, RESULT_FILE), key);
  if (known !== undefined) return { case: one.name, contestant, run, ...known };
  const work = startOf(request, context);
  const ended = await runAgent(request, work);
  folder.write(join(place, ANSWER_FILE), ended.out);
  folder.write(join(place, "agent-errors.txt"), ended.err);
  return markWork(request, work, { key, agent: { code: ended.code ?? null, timedOut: ended.timedOut } });
}

/** Everything that an agent needs. What one has answered already is left alone. */
export function prepareTrial(place: TrialPlace, context: string): void {
  if (!hasAnswer(place)) startOf(place, context);
}

/** Undefined where nobody has answered yet. */
export async function markTrial(place: TrialPlace): Promise<TrialResult | undefined> {
  if (!hasAnswer(place)) return undefined;
  const folder = join(place.folder.path, placeOf(place));
  const work = { folder, repository: join(folder, REPOSITORY) };
  return markWork(place, work, { key: BY_HAND, agent: { code: 0, timedOut: false } });
}

/** Such a result is not taken for one of an agent's command. */
const BY_HAND = "by hand";

function hasAnswer(place: TrialPlace): boolean {
  return existsSync(join(place.folder.path, placeOf(place), ANSWER_FILE));
}

function placeOf({ one, contestant, run }: TrialPlace): string {
  return join(one.name, contestant, `run-${run}`);
}

function startOf(place: TrialPlace, context: string): Work {
  const { one, folder } = place;
  const path = placeOf(place);
  const work = workIn(join(folder.path, path), one);
  folder.write(join(path, CONTEXT_FILE), promptOf(one, context));
  if (one.questions.length > 0) folder.write(join(path, QUESTIONS_FILE), numbered(one.questions));
  return work;
}

async function markWork(
  place: TrialPlace,
  work: Work,
  about: Pick<TrialResult, "key" | "agent">,
): Promise<TrialResult> {
  const { one, contestant, run, folder } = place;
  folder.write(join(placeOf(place), DIFF_FILE), await diffOf(place, work));
  const result = {
    ...about,
    checks: await marksOf(place, one.checks, work),
    rules: await marksOf(place, one.rules, work),
    questions: await marksOf(place, one.questions, work),
  };
  folder.write(join(placeOf(place), RESULT_FILE), `${JSON.stringify(result, undefined, 1)}\n`);
  return { case: one.name, contestant, run, ...result };
}

const RESULT_FILE = "result.json";
const CONTEXT_FILE = "context.md";
const ANSWER_FILE = "answer.txt";
const DIFF_FILE = "changes.diff";
const QUESTIONS_FILE = "questions.txt";
const REPOSITORY = "repository";

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
  const copy = join(folder, REPOSITORY);
  cpSync(repository, copy, { recursive: true, verbatimSymlinks: true });
  return { folder, repository: copy };
}

function promptOf({ request, questions }: ContinueCase, context: string): string {
  return [
    "This is what is left of a session that you continue. The repository is as the session left it; do what the last request asks.",
    `<session>\n${context}\n</session>`,
    `<request>\n${request.trim()}\n</request>`,
    ...(questions.length === 0 ? [] : [`${ASKED}\n\n<questions>\n${numbered(questions)}</questions>`]),
    "",
  ].join("\n\n");
}

const ASKED =
  "Answer these questions on the session too, at the end of what you say to the person: one paragraph each, with its number first. Say so where you do not know.";

/** A command that names no {context} gets it on standard input. */
async function runAgent({ agent, environment }: TrialRequest, { folder, repository }: Work): Promise<ShellResult> {
  const context = join(folder, CONTEXT_FILE);
  const command = agent.replaceAll("{context}", quoted(context)).replaceAll("{repository}", quoted(repository));
  const input = agent.includes("{context}") ? {} : { input: readFileSync(context, "utf8") };
  return runShell(command, { folder: repository, environment, timeoutMs: AGENT_TIMEOUT_MS, ...input });
}

/** What the agent changed, with paths as the repository has them; empty where there is no git. */
async function diffOf({ one, environment }: TrialPlace, { repository }: Work): Promise<string> {
  const original = one.repository;
  const command = `git diff --no-index --no-color -- ${quoted(original)} ${quoted(repository)}`;
  const { out } = await runShell(command, { folder: repository, environment, timeoutMs: CHECK_TIMEOUT_MS });
  return out.replaceAll(original, "").replaceAll(repository, "");
}

/** Run in the working copy; the environment says where the rest is. */
async function marksOf(
  place: TrialPlace,
  checks: readonly Check[],
  { folder, repository }: Work,
): Promise<z.infer<typeof marks>> {
  const { one, environment } = place;
  const [answer, reply] = [join(folder, ANSWER_FILE), join(folder, REPLY_FILE)];
  const said = readFileSync(answer, "utf8");
  const places = {
    PRECIS_CASE: one.folder,
    PRECIS_ORIGINAL: one.repository,
    PRECIS_REPOSITORY: repository,
    PRECIS_DIFF: join(folder, DIFF_FILE),
    PRECIS_ANSWER: answer,
    PRECIS_REPLY: reply,
  };
  const found: { name: string; passed: boolean }[] = [];
  for (const [at, { name, run }] of checks.entries()) {
    place.folder.write(join(placeOf(place), REPLY_FILE), checks === one.questions ? replyTo(said, at + 1) : said);
    const { code } = await runShell(run, {
      folder: repository,
      environment: { ...environment, ...places },
      timeoutMs: CHECK_TIMEOUT_MS,
    });
    found.push({ name, passed: code === 0 });
  }
  rmSync(reply, { force: true });
  return found;
}

/** What was said to the question that is being marked. */
const REPLY_FILE = "reply.txt";
