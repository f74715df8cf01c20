/**
 * What a person has agreed to, by its content: files of projects, which whoever wrote the project wrote too. Agreement
 * is to a place, to what is there and to its hash, so that a change, the same file elsewhere, or a link that leads
 * there or elsewhere, is agreed to again.
 */
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { PrecisError } from "../core/errors.ts";
import { reasonOf } from "../platform/system-errors.ts";
import type { Environment } from "./environment.ts";
import { stateFile } from "./locate.ts";

export interface UserEnvironment {
  readonly environment: Environment;
  readonly platform: NodeJS.Platform;
}

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** More than anybody agrees to; the oldest are forgotten. */
const TRUSTED_FILES_MAX = 1_000;

export function isTrusted(path: string, hash: string, person: UserEnvironment): boolean {
  return agreed(person)[resolve(path)] === makeNote(path, hash);
}

export function trust(path: string, hash: string, person: UserEnvironment): string {
  return change(person, (all) => ({ ...without(all, path), [resolve(path)]: makeNote(path, hash) }));
}

export function distrust(path: string, person: UserEnvironment): string {
  return change(person, (all) => without(all, path));
}

/** Links are not followed to the place that is noted: they are noted with where they lead. */
function makeNote(path: string, hash: string): string {
  const real = realpathSync(path);
  return real === resolve(path) ? hash : `${hash} ${real}`;
}

type TrustedFiles = Readonly<Record<string, string>>;

function without(all: TrustedFiles, path: string): TrustedFiles {
  const { [resolve(path)]: _, ...others } = all;
  return others;
}

/** A file that cannot be read agrees to nothing. */
function agreed({ environment, platform }: UserEnvironment): TrustedFiles {
  try {
    const value: unknown = JSON.parse(readFileSync(stateFile("trusted.json", environment, platform), "utf8"));
    return typeof value === "object" && value !== null
      ? (Object.assign(Object.create(null), value) as TrustedFiles)
      : {};
  } catch {
    return {};
  }
}

function change(person: UserEnvironment, make: (all: TrustedFiles) => TrustedFiles): string {
  const path = stateFile("trusted.json", person.environment, person.platform);
  const entries = Object.entries(make(agreed(person))).slice(-TRUSTED_FILES_MAX);
  const draft = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE });
    writeFileSync(draft, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`, { mode: FILE_MODE, flag: "wx" });
    renameSync(draft, path);
  } catch (cause) {
    throw new PrecisError(`cannot write ${path}: ${reasonOf(cause)}`, {
      code: "unwritable_output",
      place: path,
      hint: "Check the folder and its permissions.",
      cause,
    });
  } finally {
    rmSync(draft, { force: true });
  }
  return path;
}
