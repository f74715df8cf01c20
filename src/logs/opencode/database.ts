/** OpenCode's database, `opencode.db`: a row for each session, message and part (version 1), or record (version 2). */
import { asFields, toJson, asObjects, asText, tryParseJson, type Fields } from "../fields.ts";
import type { AgentDatabase, Insert, StoredSession } from "../sqlite.ts";

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
