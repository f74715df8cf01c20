/**
 * Sessions of OpenCode. In its database and its older folders a session is many records; read and written here is the one
 * document that `opencode export` prints and `opencode import` takes, which `database.ts` and `../stored.ts` make from them.
 */
import { join } from "node:path";
import { CONVERSATION_ALONE, type SessionFormat } from "../format.ts";
import { isOpencodeDocument, readOpencode, cutAfterMessage } from "./read.ts";
import { contentText, type ContentPart, type Part, type ToolResultPart } from "../../core/transcript/message.ts";
import { tryParseJson, asFields, toJson, asObjects, asText, type Fields } from "../fields.ts";
import { findResults, type Results, type RecordedCompaction, type Session } from "../log.ts";
import { dataUrl, toHash, fillTimes, type WriteContext } from "../document.ts";
import type { AgentDatabase, Insert, StoredSession } from "../sqlite.ts";

export const opencode: SessionFormat = {
  name: "opencode",
  title: "OpenCode",
  speaks: "openai-chat",
  marks: { document: isOpencodeDocument },
  read: readOpencode,
  upTo: cutAfterMessage,
  write: writeOpencode,
  kept: ({ environment, home }) => {
    const folder = join(environment["XDG_DATA_HOME"] ?? join(home, ".local", "share"), "opencode");
    return {
      roots: [join(folder, "opencode.db"), join(folder, "storage", "session")],
      isSession: (path) => /\.(?:db|json)$/.test(path),
      destination: (path, { ownId }) => ({ kind: "database", path, resume: ["opencode", "-s", ownId] }),
    };
  },
  holds: {
    ...CONVERSATION_ALONE,
    images: "not_in_errors",
    compactions: "newest",
    summaryFirst: true,
    oneText: "results",
    resultOrder: false,
  },
  tools: {
    shell: { name: "bash", arguments: { command: "command", description: "description" } },
    read: { name: "read", arguments: { path: "filePath", offset: "offset", limit: "limit" } },
    write: { name: "write", arguments: { path: "filePath", content: "content" } },
    edit: {
      name: "edit",
      arguments: { path: "filePath", before: "oldString", after: "newString", all: "replaceAll" },
    },
  },
};

function writeOpencode(session: Session, { id, nowMs }: WriteContext): string {
  const stamps = fillTimes(session, nowMs);
  const sessionID = `ses_${createId(id, "session", { ms: stamps[0] ?? nowMs, at: 0, newestFirst: true })}`;
  const writing: Writing = {
    id,
    sessionID,
    session,
    stamps,
    // A compaction takes two messages.
    ids: session.messages.map((_, at) => `msg_${createId(id, `message ${at}`, { ms: stamps[at]!, at: at * 2 + 1 })}`),
    results: findResults(session.messages),
    compactions: new Map(session.compactions.map((one) => [one.summary, one])),
  };
  let asked = "";
  const messages = session.messages.flatMap((one, at): readonly object[] => {
    if (one.message.role === "tool") return [];
    const compaction = writing.compactions.get(at);
    if (compaction !== undefined) return writeCompaction(writing, compaction);
    if (one.message.role === "user") asked = writing.ids[at]!;
    return [writeMessage(writing, at, asked)];
  });
  const times = { created: stamps[0] ?? nowMs, updated: stamps.at(-1) ?? nowMs };
  const directory = session.cwd ?? "/";
  const title = session.title ?? chooseTitle(session);
  const info = {
    id: sessionID,
    slug: `precis-${id.slice(0, 8)}`,
    projectID: "global",
    directory,
    title,
    version: "1.18.33",
    time: times,
  };
  return `${JSON.stringify({ info, messages }, null, 1)}\n`;
}

interface Writing {
  readonly id: string;
  readonly sessionID: string;
  readonly session: Session;
  readonly stamps: readonly number[];
  readonly ids: readonly string[];
  readonly results: Results;
  readonly compactions: ReadonlyMap<number, RecordedCompaction>;
}

const TITLE_CHARS_MAX = 80;

/** OpenCode shows a session by its title; if there is none, the first words say what it is. */
function chooseTitle({ messages }: Session): string {
  const first = messages.find(({ message, injected }) => message.role === "user" && injected !== true);
  const line = first === undefined ? "" : contentText(first.message.parts).trim().split("\n")[0]!;
  return line === "" ? "Converted session" : line.slice(0, TITLE_CHARS_MAX);
}

interface IdPlace {
  readonly ms: number;
  readonly at: number;
  readonly newestFirst?: boolean;
}

/** OpenCode orders by id: the time and a counter in twelve hexadecimal digits, and fourteen more characters. */
function createId(id: string, what: string, { ms, at, newestFirst = false }: IdPlace): string {
  const ordered = BigInt(ms) * 0x1000n + BigInt(at);
  const digits = BigInt.asUintN(48, newestFirst ? ~ordered : ordered);
  return `${digits.toString(16).padStart(12, "0")}${toHash(id, what).slice(0, 14)}`;
}

function writeParts({ id, sessionID, ids, stamps }: Writing, at: number, parts: readonly object[]): readonly object[] {
  return parts.map((part, index) => ({
    id: `prt_${createId(id, `part ${at} ${index}`, { ms: stamps[at]!, at: index })}`,
    sessionID,
    messageID: ids[at]!,
    ...part,
  }));
}

const AGENT = "build";
const PROVIDER = "precis";

function writeMessage(writing: Writing, at: number, parentID: string): object {
  const { session, sessionID, stamps, ids, results } = writing;
  const { message, injected } = session.messages[at]!;
  const created = stamps[at]!;
  const modelID = session.model ?? "unknown";
  const parts = writeParts(
    writing,
    at,
    message.parts.map((part) => writePart(part, { created, results, injected: injected === true })),
  );
  if (message.role !== "assistant")
    return {
      info: {
        id: ids[at],
        sessionID,
        role: "user",
        time: { created },
        agent: AGENT,
        model: { providerID: PROVIDER, modelID },
      },
      parts,
    };
  const finish = message.parts.some(({ kind }) => kind === "tool-call") ? "tool-calls" : "stop";
  return { info: { ...replyInfo(writing, at, parentID), finish }, parts };
}

function replyInfo({ session, sessionID, stamps, ids }: Writing, at: number, parentID: string): object {
  const created = stamps[at]!;
  const cwd = session.cwd ?? "/";
  return {
    id: ids[at],
    sessionID,
    role: "assistant",
    time: { created, completed: created },
    parentID,
    modelID: session.model ?? "unknown",
    providerID: PROVIDER,
    mode: AGENT,
    agent: AGENT,
    path: { cwd, root: cwd },
    cost: 0,
    tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
  };
}

/** The message that asks for a summary, and the reply that is one. */
function writeCompaction(writing: Writing, { summary, context }: RecordedCompaction): readonly object[] {
  const { session, sessionID, stamps, ids, id } = writing;
  const created = stamps[summary]!;
  const askedId = `msg_${createId(id, `compaction ${summary}`, { ms: created, at: summary * 2 })}`;
  const first = context.find((at) => at < summary);
  const part = {
    id: `prt_${createId(id, `compaction part ${summary}`, { ms: created, at: 0 })}`,
    sessionID,
    messageID: askedId,
    type: "compaction",
    auto: true,
    ...(first !== undefined && { tail_start_id: ids[first] }),
  };
  const model = { providerID: PROVIDER, modelID: session.model ?? "unknown" };
  const text = contentText(session.messages[summary]!.message.parts);
  return [
    { info: { id: askedId, sessionID, role: "user", time: { created }, agent: AGENT, model }, parts: [part] },
    {
      info: { ...replyInfo(writing, summary, askedId), summary: true, finish: "stop" },
      parts: writeParts(writing, summary, [{ type: "text", text }]),
    },
  ];
}

interface PartOptions {
  readonly created: number;
  readonly results: Results;
  readonly injected: boolean;
}

function writePart(part: Part, { created, results, injected }: PartOptions): object {
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.text, ...(injected && { synthetic: true }) };
    case "reasoning":
      return { type: "reasoning", text: part.text, time: { start: created, end: created } };
    case "tool-call": {
      const input = tryParseJson(part.arguments);
      return {
        type: "tool",
        callID: part.id,
        tool: part.name,
        state: writeState(results.get(part), { input, created, title: part.name }),
      };
    }
    default:
      return writeFile(part as ContentPart);
  }
}

interface StateOptions {
  readonly input: unknown;
  readonly created: number;
  readonly title: string;
}

function writeState(result: ToolResultPart | undefined, { input, created, title }: StateOptions): object {
  const time = { start: created, end: created };
  if (result === undefined) return { status: "error", input, error: "", time };
  const text = contentText(result.content);
  const media = result.content.filter((part) => part.kind !== "text");
  if (result.isError === true) return { status: "error", input, error: text, time };
  const attachments = media.map((part, at) => ({ id: `prt_${at}`, sessionID: "", messageID: "", ...writeFile(part) }));
  return {
    status: "completed",
    input,
    output: text,
    title,
    metadata: {},
    time,
    ...(media.length > 0 && { attachments }),
  };
}

function writeFile(part: ContentPart): object {
  if (part.kind !== "image" && part.kind !== "file") return { type: "text", text: contentText([part]) };
  const mime = part.source.type === "data" ? part.source.mediaType : "application/octet-stream";
  const name = part.kind === "file" ? part.name : undefined;
  return { type: "file", mime, url: dataUrl(part.source), ...(name !== undefined && { filename: name }) };
}

export function isOpencodeDatabase({ tables }: AgentDatabase): boolean {
  return tables.has("session_v2") || (tables.has("session") && tables.has("part"));
}

const isSecond = ({ tables }: AgentDatabase): boolean => tables.has("session_v2");

/** The newest first; sessions of subagents belong to another. */
export function opencodeSessions(database: AgentDatabase, limit: number): readonly StoredSession[] {
  return readTables(database)
    .flatMap((table) =>
      database.rows(
        `SELECT id, title, directory, time_updated FROM ${table} WHERE parent_id IS NULL ORDER BY time_updated DESC LIMIT ?`,
        limit,
      ),
    )
    .map((row) => ({
      id: String(row["id"]),
      title: asText(row["title"]),
      cwd: asText(row["directory"]),
      modifiedMs: Number(row["time_updated"]),
    }));
}

function readTables({ tables }: AgentDatabase): readonly string[] {
  return ["session_v2", "session"].filter((table) => tables.has(table));
}

export function opencodeDocument(database: AgentDatabase, id: string): string | undefined {
  for (const table of readTables(database)) {
    const [row] = database.rows(`SELECT * FROM ${table} WHERE id = ?`, id);
    if (row === undefined) continue;
    const messages = table === "session" ? collectMessages(database, id) : readRecords(database, id);
    return toJson({ info: readInfo(row), messages });
  }
  return undefined;
}

function readInfo(row: Fields): object {
  return {
    id: row["id"],
    slug: row["slug"],
    projectID: row["project_id"],
    directory: row["directory"],
    title: row["title"],
    version: row["version"],
    ...(row["parent_id"] !== null && { parentID: row["parent_id"] }),
    time: { created: row["time_created"], updated: row["time_updated"] },
  };
}

function collectMessages(database: AgentDatabase, id: string): readonly object[] {
  const parts = database.rows("SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id", id);
  const byMessage = Map.groupBy(parts, (part) => String(part["message_id"]));
  return database
    .rows("SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id", id)
    .map((row) => ({
      info: { ...readData(row), id: row["id"], sessionID: id },
      parts: (byMessage.get(String(row["id"])) ?? []).map((part) => ({
        ...readData(part),
        id: part["id"],
        sessionID: id,
        messageID: row["id"],
      })),
    }));
}

function readRecords(database: AgentDatabase, id: string): readonly object[] {
  return database
    .rows("SELECT id, type, time_created, data FROM session_message WHERE session_id = ? ORDER BY seq", id)
    .map((row) => ({ time: { created: row["time_created"] }, ...readData(row), id: row["id"], type: row["type"] }));
}

function readData(row: Fields): Fields {
  return asFields(tryParseJson(asText(row["data"]) ?? "")) ?? {};
}

/** Puts a document of version 1 into a database of version 1. Version 2 takes sessions through its service alone. */
export function insertOpencode(insert: Insert, database: AgentDatabase, text: string): boolean {
  if (isSecond(database)) return false;
  const document = asFields(tryParseJson(text)) ?? {};
  const info = asFields(document["info"]) ?? {};
  const times = asFields(info["time"]);
  const [created, updated] = [Number(times?.["created"]), Number(times?.["updated"])];
  const project = projectFor(insert, database, { directory: String(info["directory"]), now: updated });
  insert("session", {
    id: String(info["id"]),
    project_id: project,
    slug: String(info["slug"]),
    directory: String(info["directory"]),
    title: String(info["title"]),
    version: String(info["version"]),
    time_created: created,
    time_updated: updated,
  });
  for (const message of asObjects(document["messages"])) insertMessage(insert, message);
  return true;
}

interface ProjectOptions {
  readonly directory: string;
  readonly now: number;
}

/** The project of the folder, or the one for folders that are in none. */
function projectFor(insert: Insert, database: AgentDatabase, { directory, now }: ProjectOptions): string {
  const [own] = database.rows("SELECT id FROM project WHERE worktree = ?", directory);
  if (own !== undefined) return String(own["id"]);
  const [general] = database.rows("SELECT id FROM project WHERE id = 'global'");
  if (general === undefined)
    insert("project", { id: "global", worktree: "/", sandboxes: "[]", time_created: now, time_updated: now });
  return "global";
}

function insertMessage(insert: Insert, message: Fields): void {
  const { id, sessionID, ...info } = asFields(message["info"]) ?? {};
  const created = Number(asFields(info["time"])?.["created"]);
  const times = { time_created: created, time_updated: created };
  insert("message", { id: String(id), session_id: String(sessionID), ...times, data: toJson(info) });
  for (const part of asObjects(message["parts"])) {
    const { id: partId, sessionID: ofSession, messageID, ...data } = part;
    insert("part", {
      id: String(partId),
      message_id: String(messageID),
      session_id: String(ofSession),
      ...times,
      data: toJson(data),
    });
  }
}
