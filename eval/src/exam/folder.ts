/**
 * The folder of an exam: every answer of a model in a file of its own, named for what was asked, written once and whole.
 * A run that was ended goes on by finding here what it would ask again.
 */
import { hash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { WriterUsage } from "../../../src/core/handoff/model/writer.ts";
import { countOf, fieldsOf } from "../../../src/protocols/fields.ts";

/** What was asked, of whom, for what. */
export interface AskedOf {
  readonly role: "writer" | "reader" | "grader" | "handoff";
  /** Folder and file, as a person reads them: `01-session/reader.tail@10%`. */
  readonly label: string;
  readonly model: string;
  readonly system: string;
  readonly user: string;
}

export interface KeptAnswer {
  /** The answer's own text. */
  readonly text: string;
  readonly usage: WriterUsage;
}

export interface ExamFolder {
  readonly find: (asked: AskedOf) => KeptAnswer | undefined;
  readonly keep: (asked: AskedOf, answer: KeptAnswer) => void;
  /** A file for people; replaced whole. */
  readonly write: (name: string, text: string) => void;
}

/** Sessions are private, and so is what is written of them. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const HASH_CHARS = 12;

export function openExamFolder(path: string): ExamFolder {
  const write = (name: string, text: string): void => {
    const file = join(path, name);
    mkdirSync(dirname(file), { recursive: true, mode: FOLDER_MODE });
    const draft = `${file}.${process.pid}.tmp`;
    try {
      writeFileSync(draft, text, { mode: FILE_MODE });
      renameSync(draft, file);
    } finally {
      rmSync(draft, { force: true });
    }
  };
  return {
    find: (asked) => keptIn(join(path, fileOf(asked)), asked),
    keep: (asked, answer) => write(fileOf(asked), `${JSON.stringify({ ...asked, ...answer }, undefined, 1)}\n`),
    write,
  };
}

function fileOf(asked: AskedOf): string {
  const { role, model, system, user } = asked;
  const key = hash("sha256", JSON.stringify([role, model, system, user])).slice(0, HASH_CHARS);
  return `${asked.label}.${key}.json`;
}

/** Undefined if there is none, or where the file holds another question's answer or none. */
function keptIn(file: string, asked: AskedOf): KeptAnswer | undefined {
  let fields: Readonly<Record<string, unknown>>;
  try {
    fields = fieldsOf(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
  const { role, model, system, user, text } = fields;
  const same = role === asked.role && model === asked.model && system === asked.system && user === asked.user;
  return same && typeof text === "string" ? { text, usage: usageIn(fields["usage"]) } : undefined;
}

function usageIn(value: unknown): WriterUsage {
  const { inputTokens, outputTokens, requests, costUsd } = fieldsOf(value);
  return {
    inputTokens: countOf(inputTokens) ?? 0,
    outputTokens: countOf(outputTokens) ?? 0,
    requests: countOf(requests) ?? 0,
    ...(typeof costUsd === "number" ? { costUsd } : {}),
  };
}
