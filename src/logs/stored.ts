/** Sessions where agents keep them: a file each, many in a database, or a folder of files. */
import { readFileSync, statSync, existsSync, readdirSync, mkdirSync, writeFileSync } from "node:fs";
import { PrecisError } from "../core/errors.ts";
import { detectFormat } from "./detect.ts";
import { FORMATS } from "./formats.ts";
import { folded, unfolded } from "./frames.ts";
import { hermesDocument, hermesSessions, insertHermes, isHermesDatabase } from "./hermes.ts";
import type { LogFormat } from "./log.ts";
import { insertOpencode, isOpencodeDatabase, opencodeDocument, opencodeSessions } from "./opencode/index.ts";
import { insertInto, isDatabase, withDatabase, type AgentDatabase, type StoredSession } from "./sqlite.ts";
import { basename, dirname, join } from "node:path";
import { asFields, toJson, asText, tryParseJson, type Fields } from "./fields.ts";

export interface SessionText {
  readonly text: string;
  /** Undefined if it is no session of an agent. */
  readonly format: LogFormat | undefined;
}

/** Larger texts do not fit a JavaScript string. */
const SESSION_BYTES_MAX = 500_000_000;
const SESSION_MODE = 0o600;

/**
 * The text of a session: of a file, of the session file of an older OpenCode store with its messages, or of one session
 * in a database, the newest if no id is given. Throws `unreadable_input`.
 */
export function sessionText(
  path: string,
  { session, from }: { readonly session?: string; readonly from?: LogFormat } = {},
): SessionText {
  const { size } = statSync(path);
  if (isDatabase(path)) return withDatabase(path, (database) => readSessionDocument(database, { path, session }));
  if (size > SESSION_BYTES_MAX)
    throw unreadable(`${path} is larger than ${SESSION_BYTES_MAX} bytes`, "Name a smaller file.");
  if (isStoredSession(path)) return { text: storedDocument(path), format: "opencode" };
  const text = new TextDecoder().decode(unfolded(readFileSync(path), SESSION_BYTES_MAX));
  return { text, format: from ?? sessionFormat(text, path) };
}

export function sessionFormat(text: string, path: string): LogFormat | undefined {
  const format = detectFormat(text, path);
  return format !== undefined && format in FORMATS ? (format as LogFormat) : undefined;
}

interface Wanted {
  readonly path: string;
  readonly session: string | undefined;
}

function readSessionDocument(database: AgentDatabase, { path, session }: Wanted): SessionText {
  const agent = findAgent(database);
  if (agent === undefined) throw unreadable(`${path} is not a database of OpenCode or Hermes`, "Name another file.");
  const { sessions, document } = DATABASES[agent];
  const id = session ?? sessions(database, 1)[0]?.id;
  const text = id === undefined ? undefined : document(database, id);
  if (text !== undefined) return { text, format: agent };
  const hint = "`precis sessions import --list` lists the sessions of each agent.";
  throw unreadable(id === undefined ? `${path} has no sessions` : `${path} has no session ${id}`, hint);
}

type DatabaseAgent = "opencode" | "hermes";

interface DatabaseReader {
  readonly is: (database: AgentDatabase) => boolean;
  readonly sessions: (database: AgentDatabase, limit: number) => readonly StoredSession[];
  readonly document: (database: AgentDatabase, id: string) => string | undefined;
}

const DATABASES: Readonly<Record<DatabaseAgent, DatabaseReader>> = {
  opencode: { is: isOpencodeDatabase, sessions: opencodeSessions, document: opencodeDocument },
  hermes: { is: isHermesDatabase, sessions: hermesSessions, document: hermesDocument },
};

function findAgent(database: AgentDatabase): DatabaseAgent | undefined {
  return (Object.keys(DATABASES) as DatabaseAgent[]).find((name) => DATABASES[name].is(database));
}

/** The newest sessions of a database; none if it is not one of the agent's. */
export function listStoredSessions(
  path: string,
  limit: number,
): readonly (StoredSession & { readonly format: LogFormat })[] {
  return withDatabase(path, (database) => {
    const agent = findAgent(database);
    if (agent === undefined) return [];
    return DATABASES[agent].sessions(database, limit).map((session) => ({ ...session, format: agent }));
  });
}

/** Writes a session as a file of compressed frames. */
export function storeFrames(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, folded(text), { flag: "wx", mode: SESSION_MODE });
}

/** Adds a written session to the agent's own database. Throws `unreadable_input` if that is none, or of another version. */
export function storeSession(path: string, text: string, to: LogFormat): void {
  insertInto(path, (insert, database) => {
    const agent = findAgent(database);
    if (agent !== to) throw unreadable(`${path} is not a database of ${FORMATS[to].title}`, "Write to a file instead.");
    if (agent === "hermes") return insertHermes(insert, text);
    if (!insertOpencode(insert, database, text))
      throw unreadable(
        `${path} is of OpenCode 2, which takes sessions through its service alone`,
        "Write to a file, and run `opencode session import FILE`.",
      );
  });
}

function unreadable(message: string, hint: string): PrecisError {
  return new PrecisError(message, { code: "unreadable_input", hint });
}

/** Whether a file is a session of such a store: `storage/session/PROJECT/SESSION.json`. */
function isStoredSession(path: string): boolean {
  return /[/\\]session[/\\][^/\\]+[/\\][^/\\]+\.json$/.test(path) && existsSync(join(rootOf(path), "message"));
}

const rootOf = (path: string): string => dirname(dirname(dirname(path)));

function storedDocument(path: string): string {
  const root = rootOf(path);
  const info = readRecord(path);
  const id = asText(info["id"]) ?? basename(path, ".json");
  const messages = listFiles(join(root, "message", id)).map((file) => {
    const message = readRecord(file);
    const messageId = asText(message["id"]) ?? basename(file, ".json");
    return { info: message, parts: readParts(join(root, "part"), messageId) };
  });
  const created = ({ info: message }: (typeof messages)[number]): number =>
    Number(asFields(message["time"])?.["created"] ?? 0);
  return toJson({ info, messages: messages.toSorted((a, b) => created(a) - created(b)) });
}

/** In a folder of the message; the first stores had all parts in one. */
function readParts(folder: string, messageId: string): readonly Fields[] {
  const own = listFiles(join(folder, messageId)).map(readRecord);
  if (own.length > 0) return own;
  return listFiles(folder)
    .map(readRecord)
    .filter((part) => part["messageID"] === messageId);
}

function listFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
    .map(({ name }) => join(folder, name))
    .toSorted();
}

function readRecord(path: string): Fields {
  return asFields(tryParseJson(readFileSync(path, "utf8"))) ?? {};
}
