/** The sessions that agents keep on this machine, newest first, each with how it begins. Nothing is changed. */
import { closeSync, openSync, readdirSync, readSync, statSync, type Stats } from "node:fs";
import { join } from "node:path";
import { PrecisError } from "../core/errors.ts";
import { contentText } from "../core/transcript/message.ts";
import { asFields, asText, tryParseJson } from "./fields.ts";
import { LOG_FORMATS, type LogFormat } from "./log.ts";
import { unfolded } from "./frames.ts";
import type { AgentPlace } from "./format.ts";
import { placeOf, type PlaceEnvironment } from "./places.ts";
import { readAssembled } from "./read.ts";
import { listStoredSessions } from "./stored.ts";

export interface FoundSession {
  readonly format: LogFormat;
  readonly path: string;
  /** Its id; in a database it is needed to name it. */
  readonly id?: string;
  readonly inDatabase: boolean;
  readonly modifiedMs: number;
  readonly bytes?: number;
  readonly cwd?: string;
  readonly begins?: string;
}

export interface FindOptions {
  readonly environment: PlaceEnvironment;
  /** Where the person works. */
  readonly folder: string;
  readonly formats?: readonly LogFormat[];
  readonly cwd?: string;
  readonly limit: number;
}

export interface Found {
  readonly sessions: readonly FoundSession[];
  /** How many there are, as far as they were counted. */
  readonly total: number;
  /** Places that could not be read, and limits that were reached. */
  readonly problems: readonly string[];
}

/** Files and folders looked at for each agent. */
const ENTRIES_MAX = 50_000;
const FOLDER_DEPTH_MAX = 8;
/** Of a file this much is read to know how it begins. */
const BEGINNING_BYTES = 256 * 1024;
/** Of a compressed one, this much is made of that. */
const UNFOLDED_BYTES_MAX = 64 * 1024 * 1024;
const BEGINS_CHARS_MAX = 120;

export function findSessions({ environment, folder, formats = LOG_FORMATS, cwd, limit }: FindOptions): Found {
  const problems: string[] = [];
  const all = formats.flatMap((format) => findSessionsAt(placeOf(format, environment, folder), format, problems));
  const sessions: FoundSession[] = [];
  for (const one of all.toSorted((a, b) => b.modifiedMs - a.modifiedMs)) {
    if (sessions.length >= limit) break;
    const known = one.inDatabase ? one : { ...one, ...readBeginning(one) };
    if (cwd === undefined || known.cwd === cwd) sessions.push(known);
  }
  return { sessions, total: all.length, problems };
}

function findSessionsAt(place: AgentPlace, format: LogFormat, problems: string[]): readonly FoundSession[] {
  let entries = 0;
  const visit = (path: string, depth: number): readonly FoundSession[] => {
    if (++entries > ENTRIES_MAX || depth > FOLDER_DEPTH_MAX) return [];
    const there = statSync(path, { throwIfNoEntry: false });
    if (there?.isDirectory() === true) return readdirSync(path).flatMap((name) => visit(join(path, name), depth + 1));
    if (there?.isFile() !== true || !place.isSession(path)) return [];
    return path.endsWith(".db") ? inDatabase(path, format) : [fileAt(path, format, there)];
  };
  const found = place.roots.flatMap((root) => {
    try {
      return visit(root, 0);
    } catch (error) {
      problems.push(`${root}: ${(error as Error).message}`);
      return [];
    }
  });
  if (entries > ENTRIES_MAX)
    problems.push(`${place.roots.join(", ")}: only the first ${ENTRIES_MAX} files were looked at`);
  return found;
}

function fileAt(path: string, format: LogFormat, { mtimeMs, size }: Stats): FoundSession {
  return { format, path, inDatabase: false, modifiedMs: Math.round(mtimeMs), bytes: size };
}

const DATABASE_SESSIONS_MAX = 10_000;

function inDatabase(path: string, format: LogFormat): readonly FoundSession[] {
  return listStoredSessions(path, DATABASE_SESSIONS_MAX).map(({ id, title, cwd, modifiedMs }) => ({
    format,
    path,
    id,
    inDatabase: true,
    modifiedMs,
    ...(cwd !== undefined && { cwd }),
    ...(title !== undefined && { begins: title.slice(0, BEGINS_CHARS_MAX) }),
  }));
}

type Beginning = Partial<Pick<FoundSession, "id" | "cwd" | "begins">>;

/** From the first lines, which say where the agent worked and what it was asked. */
function readBeginning({ path, format }: FoundSession): Beginning {
  try {
    const text = firstText(path);
    const stored = format === "opencode" ? asFields(tryParseJson(text)) : undefined;
    if (stored !== undefined)
      return beginning(asText(stored["id"]), asText(stored["directory"]), asText(stored["title"]));
    const { reading, messages, injected } = readAssembled(text, format, "all");
    const first = messages.find(
      ({ role, origin }, at) => role === "user" && origin === undefined && !injected.includes(at),
    );
    return beginning(reading.id, reading.cwd, first === undefined ? undefined : contentText(first.parts));
  } catch (error) {
    if (error instanceof PrecisError) return {};
    throw error;
  }
}

function beginning(id: string | undefined, cwd: string | undefined, said: string | undefined): Beginning {
  const words = said?.replaceAll(/\s+/g, " ").trim().slice(0, BEGINS_CHARS_MAX);
  return {
    ...(id !== undefined && { id }),
    ...(cwd !== undefined && { cwd }),
    ...(words !== undefined && words !== "" && { begins: words }),
  };
}

/** A file that is smaller is read whole, which a JSON document needs; of a larger one the whole lines at its start. */
function firstText(path: string): string {
  const start = Buffer.alloc(BEGINNING_BYTES);
  const file = openSync(path, "r");
  try {
    const read = readSync(file, start, 0, BEGINNING_BYTES, 0);
    const text = new TextDecoder().decode(unfolded(start.subarray(0, read), UNFOLDED_BYTES_MAX));
    return read < BEGINNING_BYTES ? text : text.slice(0, text.lastIndexOf("\n") + 1);
  } finally {
    closeSync(file);
  }
}
