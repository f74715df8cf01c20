/** Hermes's database, `state.db`: a row for each session and message. */
import { fieldsOf, jsonOf, objectsOf, textOf, tryParseJson, type Fields } from "../fields.ts";
import type { AgentDatabase, Insert, StoredSession } from "../sqlite.ts";
import { JSON_CONTENT } from "./read.ts";

export function isHermesDatabase({ tables }: AgentDatabase): boolean {
  return tables.has("sessions") && tables.has("messages");
}

export function hermesSessions({ rows }: AgentDatabase, limit: number): readonly StoredSession[] {
  return rows("SELECT * FROM sessions ORDER BY started_at DESC LIMIT ?", limit).map((row) => ({
    id: String(row["id"]),
    title: textOf(row["title"]),
    cwd: textOf(row["cwd"]),
    modifiedMs: Number(row["ended_at"] ?? row["started_at"]) * 1_000,
  }));
}

/** The document of one session; undefined where there is none of this id. */
export function hermesDocument({ rows }: AgentDatabase, id: string): string | undefined {
  const [session] = rows("SELECT * FROM sessions WHERE id = ?", id);
  if (session === undefined) return undefined;
  const messages = rows("SELECT * FROM messages WHERE session_id = ? ORDER BY id", id).map(withoutNulls);
  return jsonOf({ ...withoutNulls(session), messages });
}

function withoutNulls(row: Fields): Fields {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

/** Lists of parts go into a column of text with a mark, calls as JSON. */
export function insertHermes(insert: Insert, text: string): void {
  const document = fieldsOf(tryParseJson(text)) ?? {};
  const messages = objectsOf(document["messages"]);
  const id = String(document["id"]);
  const calls = messages.reduce((sum, message) => sum + objectsOf(message["tool_calls"]).length, 0);
  insert("sessions", {
    id,
    source: textOf(document["source"]) ?? "cli",
    model: textOf(document["model"]) ?? null,
    system_prompt: textOf(document["system_prompt"]) ?? null,
    title: textOf(document["title"]) ?? null,
    cwd: textOf(document["cwd"]) ?? null,
    started_at: Number(document["started_at"]),
    message_count: messages.filter(({ active }) => active !== 0).length,
    tool_call_count: calls,
  });
  for (const message of messages)
    insert("messages", {
      session_id: id,
      role: String(message["role"]),
      content: columnOf(message["content"]),
      tool_call_id: textOf(message["tool_call_id"]) ?? null,
      tool_calls: message["tool_calls"] === undefined ? null : jsonOf(message["tool_calls"]),
      tool_name: textOf(message["tool_name"]) ?? null,
      timestamp: Number(message["timestamp"]),
      reasoning: textOf(message["reasoning"]) ?? null,
      active: Number(message["active"] ?? 1),
      compacted: Number(message["compacted"] ?? 0),
    });
}

function columnOf(content: unknown): string | null {
  if (content === null || content === undefined) return null;
  return textOf(content) ?? `${JSON_CONTENT}${jsonOf(content)}`;
}
