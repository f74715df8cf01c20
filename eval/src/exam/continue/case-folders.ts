/**
 * A case for agents that go on: a folder with a session, the repository as it was at its end, a last request, and checks
 * that the agent does not see. `case.yaml` names them.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { hash } from "node:crypto";
import { parse } from "yaml";
import { z } from "zod";
import { PrecisError } from "../../../../src/core/errors.ts";
import { readSession } from "../../measure/session.ts";
import { transcriptOf } from "../cases.ts";
import { CASES_MAX, type Case } from "../plan.ts";
import type { RenderContext } from "../render.ts";

const CASE_FILE = "case.yaml";
/** A case is meant to be read by a person; so is what its repository holds. */
const CHECKS_MAX = 100;
const FILES_MAX = 20_000;

const check = z.strictObject({ name: z.string().min(1), run: z.string().min(1) });
const question = check.extend({ ask: z.string().min(1), key: z.string().min(1) });
const CASE = z
  .strictObject({
    session: z.string().default("session.json"),
    repository: z.string().default("repository"),
    request: z.string().min(1),
    checks: z.array(check).max(CHECKS_MAX).default([]),
    rules: z.array(check).max(CHECKS_MAX).default([]),
    questions: z.array(question).max(CHECKS_MAX).default([]),
  })
  .refine(({ checks, rules, questions }) => checks.length + rules.length + questions.length > 0, {
    message: "give at least one check, rule or question",
  })
  .refine(({ checks, rules, questions }) => {
    const names = [...checks, ...rules, ...questions].map(({ name }) => name);
    return new Set(names).size === names.length;
  }, "every check, rule and question needs a unique name");

/** A shell command whose exit code says whether it holds: 0 is yes. */
export interface Check {
  readonly name: string;
  readonly run: string;
}

/** About what only the session tells. The agent sees what is asked; the check reads what it answered. */
export interface Question extends Check {
  readonly ask: string;
  /** What earns the point, for a person who looks at the marks. */
  readonly key: string;
}

export interface ContinueCase extends Case {
  /** Absolute. */
  readonly folder: string;
  readonly repository: string;
  readonly request: string;
  /** Whether the work was done. */
  readonly checks: readonly Check[];
  /** Whether what the session demands was heeded. */
  readonly rules: readonly Check[];
  readonly questions: readonly Question[];
}

/** @throws PrecisError `unreadable_input` where there is no case, or one of them cannot be used. */
export function continueCasesIn(path: string, context: RenderContext): readonly ContinueCase[] {
  const folders = existsSync(join(path, CASE_FILE)) ? [path] : foldersIn(path);
  if (folders.length === 0)
    throw unreadable(path, `there is no ${CASE_FILE} in it or in a folder in it`, "eval/README.md shows a case.");
  if (folders.length > CASES_MAX)
    throw unreadable(path, `it has more than ${CASES_MAX} cases`, "Name a smaller folder.");
  return folders.map((folder) => caseIn(folder, context));
}

function foldersIn(path: string): readonly string[] {
  if (!existsSync(path) || !statSync(path).isDirectory()) return [];
  const folders = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders
    .map(({ name }) => join(path, name))
    .filter((folder) => existsSync(join(folder, CASE_FILE)))
    .toSorted();
}

function caseIn(folder: string, { measure }: RenderContext): ContinueCase {
  const file = join(folder, CASE_FILE);
  const read = CASE.safeParse(yamlIn(file));
  if (!read.success) throw unreadable(file, z.prettifyError(read.error), "eval/README.md shows a case.");
  const { session: sessionFile, repository: repositoryFolder, request, checks, rules, questions } = read.data;
  const repository = resolve(folder, repositoryFolder);
  if (!existsSync(repository) || !statSync(repository).isDirectory())
    throw unreadable(file, `there is no folder ${repositoryFolder}`, "Name the repository's folder.");
  const prefix = transcriptOf(messagesIn(resolve(folder, sessionFile), file));
  const name = basename(folder);
  return {
    name,
    file: name,
    key: hash("sha256", JSON.stringify([prefix, read.data, fingerprintOf(repository)])),
    prefix,
    prefixTokens: measure.transcript(prefix),
    rest: [],
    folder,
    repository,
    request,
    checks,
    rules,
    questions,
  };
}

function yamlIn(file: string): unknown {
  try {
    return parse(readFileSync(file, "utf8")) as unknown;
  } catch (error) {
    throw unreadable(file, (error as Error).message, "Correct it.");
  }
}

function messagesIn(path: string, file: string): Parameters<typeof transcriptOf>[0] {
  if (!existsSync(path)) throw unreadable(file, `there is no session ${path}`, "Name the session's file.");
  const session = readSession(readFileSync(path, "utf8"), path);
  if (session === undefined) throw unreadable(path, "it is in no known format", "Give a session file.");
  return session.messages;
}

/** What a run depends on of a repository: its files, by name, size and time of change. */
function fingerprintOf(repository: string): string {
  const entries = readdirSync(repository, { recursive: true, withFileTypes: true });
  if (entries.length > FILES_MAX)
    throw unreadable(repository, `it has more than ${FILES_MAX} files`, "Remove everything that can be installed.");
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const lines = files.toSorted().map((file) => {
    const { size, mtimeMs } = statSync(file);
    return `${relative(repository, file)} ${size} ${mtimeMs}`;
  });
  return hash("sha256", lines.join("\n"));
}

function unreadable(place: string, message: string, hint: string): PrecisError {
  return new PrecisError(`cannot use ${place}: ${message}`, { code: "unreadable_input", place, hint });
}
