/**
 * Sessions of Hermes: the messages of Chat Completions with fields of their own. A compaction archives all rows and adds the
 * ones that stay once more, with a summary among them. In its database a session is a row and its messages are others; read and
 * written is the one document that `hermes sessions export` prints, made from them.
 */
import { join } from "node:path";
import { EVERYTHING, SPACELESS_ID, type SessionFormat } from "./format.ts";
import { contentText, type Message, type Part, textMessage, type ContentPart } from "../core/transcript/message.ts";
import {
  findRecordedOnly,
  type Session,
  type FormatReading,
  type History,
  type LogNote,
  makeNote,
  makeSaid,
  sortTold,
  type Told,
} from "./log.ts";
import { dataUrl, fillTimes, type WriteContext, findDocument } from "./document.ts";
import { asFields, toJson, asObjects, asText, tryParseJson, type Fields } from "./fields.ts";
import { readTimes, type Line, type LogText } from "./lines.ts";
import { sourceOfUrl } from "../protocols/media-limits.ts";
import { opaqueBlock } from "../protocols/content.ts";
import type { AgentDatabase, Insert, StoredSession } from "./sqlite.ts";

export const hermes: SessionFormat = {
  name: "hermes",
  title: "Hermes",
  speaks: "openai-chat",
  marks: { document: isHermesDocument },
  read: readHermes,
  upTo: cutAfterRow,
  write: writeHermes,
  kept: ({ environment, home }) => {
    const folder = environment["HERMES_HOME"] ?? join(home, ".hermes");
    return {
      roots: [join(folder, "state.db"), join(folder, "sessions")],
      isSession: (path) => /(?:\.db|session[^/\\]{0,255}\.json)$/.test(path),
      destination: (path, { ownId }) => ({ kind: "database", path, resume: ["hermes", "--resume", ownId] }),
    };
  },
  holds: {
    ...EVERYTHING,
    images: "user",
    files: false,
    freeTextCalls: false,
    callIds: SPACELESS_ID,
    errorMarks: false,
    injectedMarks: false,
    systemMessages: false,
    parts: "sorted",
    oneText: "everywhere",
    outerSpace: false,
  },
  tools: {
    shell: { name: "terminal", arguments: { command: "command" } },
    read: { name: "read_file", arguments: { path: "path", offset: "offset", limit: "limit" } },
    write: { name: "write_file", arguments: { path: "path", content: "content" } },
  },
};

function writeHermes(session: Session, { id, nowMs }: WriteContext): string {
  const stamps = fillTimes(session, nowMs);
  const seconds = toSeconds(stamps);
  const compactions = new Map(session.compactions.map((one) => [one.summary, one]));
  const listed = findRecordedOnly(session.compactions);
  const names = new Map<string, string>();
  const own = session.messages.map(({ message }, at) => {
    for (const part of message.parts) if (part.kind === "tool-call") names.set(part.id, part.name);
    return { ...writeRow(message, names), timestamp: seconds[at]! };
  });
  let rows: object[] = [];
  own.forEach((row, at) => {
    const compaction = compactions.get(at);
    if (compaction === undefined) return void (listed.has(at) || rows.push(row));
    const archived = rows.map((one) => ({ ...one, active: 0, compacted: 1 }));
    rows = [...archived, ...compaction.context.map((index) => own[index]!)];
  });
  const messages = rows.map((row) => ("active" in row ? row : { ...row, active: 1, compacted: 0 }));
  const [prompt] = session.system;
  return `${JSON.stringify(
    {
      id,
      session_id: id,
      source: "cli",
      model: session.model ?? null,
      system_prompt: prompt === undefined ? null : contentText(prompt.parts),
      title: session.title ?? null,
      cwd: session.cwd ?? null,
      started_at: (stamps[0] ?? nowMs) / 1_000,
      message_count: messages.length,
      messages,
    },
    null,
    1,
  )}\n`;
}

/** Seconds, as Python counts them. A microsecond distinguishes messages of one time: copies are known by their times. */
function toSeconds(stamps: readonly number[]): readonly number[] {
  let run = 0;
  return stamps.map((stamp, at) => {
    run = stamp === stamps[at - 1] ? run + 1 : 0;
    return (stamp * 1_000 + run) / 1_000_000;
  });
}

function writeRow({ role, parts, origin }: Message, names: ReadonlyMap<string, string>): object {
  const [first] = parts;
  if (first?.kind === "tool-result") {
    const name = names.get(first.callId);
    return {
      role,
      content: contentText(first.content),
      tool_call_id: first.callId,
      ...(name !== undefined && { tool_name: name }),
    };
  }
  const thinking = parts.find((part) => part.kind === "reasoning");
  const calls = parts.flatMap((part) => (part.kind === "tool-call" ? [writeCall(part)] : []));
  const content = writeContent(parts.filter(({ kind }) => kind !== "reasoning" && kind !== "tool-call"));
  return {
    role,
    content: origin === "summary" ? asSummary(String(content)) : content,
    ...(thinking !== undefined && { reasoning: thinking.text }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** By this Hermes knows a summary again. */
const SUMMARY_MARK = "[CONTEXT SUMMARY]:";

function asSummary(text: string): string {
  return text.startsWith("[CONTEXT ") ? text : `${SUMMARY_MARK}\n${text}`;
}

function writeCall({ id, name, arguments: text }: Extract<Part, { kind: "tool-call" }>): object {
  return { id, type: "function", function: { name, arguments: text } };
}

function writeContent(parts: readonly Part[]): string | readonly object[] {
  if (!parts.some(({ kind }) => kind === "image")) return contentText(parts);
  return parts.map((part) =>
    part.kind === "image"
      ? { type: "image_url", image_url: { url: dataUrl(part.source) } }
      : { type: "text", text: contentText([part]) },
  );
}

function isHermesDocument(document: unknown): boolean {
  const fields = asFields(document);
  if (fields === undefined || !Array.isArray(fields["messages"])) return false;
  const named = asText(fields["session_id"]) ?? asText(fields["id"]);
  return named !== undefined && ("platform" in fields || "session_start" in fields || "started_at" in fields);
}

function cutAfterRow(text: string, line: number): string {
  const document = asFields(findDocument(text)?.value) ?? {};
  return toJson({ ...document, messages: rowsUpTo(asObjects(document["messages"]), line) });
}

function readHermes(text: LogText, history: History): FormatReading {
  const found = findDocument(text);
  const document = asFields(found?.value) ?? {};
  const rows = asObjects(document["messages"]).map((record, at) => ({ record, at: at + 1 }));
  const { shown, notes } = readHistory(rows, history);
  const told = sortTold(shown.flatMap(readRow));
  const prompt = asText(document["system_prompt"]);
  return {
    id: asText(document["session_id"]) ?? asText(document["id"]),
    title: asText(document["title"]),
    drafts: told.drafts,
    notes: [...(found?.notes ?? []), ...notes, ...told.notes],
    recognised: isHermesDocument(document) ? 1 + rows.length : 0,
    system: prompt === undefined || prompt === "" ? [] : [textMessage("system", prompt)],
    model: asText(document["model"]),
    cwd: asText(document["cwd"]) ?? asText(readConfig(document["model_config"])?.["cwd"]),
    times: readTimes(rows),
  };
}

function readConfig(value: unknown): Fields | undefined {
  return asFields(typeof value === "string" ? tryParseJson(value) : value);
}

function readRow({ record, at: line }: Line): readonly Told[] {
  const role = asText(record["role"]) ?? "none";
  switch (role) {
    case "user":
    case "system":
    case "assistant":
      if (isSummary(record))
        return [makeSaid(line, { role: "user", parts: contentParts(summaryText(record)), origin: "summary" })];
      return [
        makeSaid(line, { role, parts: role === "assistant" ? replyParts(record) : contentParts(record["content"]) }),
      ];
    case "tool":
      return [
        { kind: "result", line, callId: asText(record["tool_call_id"]), content: contentParts(record["content"]) },
      ];
    case "session_meta":
      return [];
    default:
      return [makeNote("unknown_type", line, `a message of the unknown role ${role}`)];
  }
}

function replyParts(record: Fields): readonly Part[] {
  const thinking = asText(record["reasoning"]) ?? asText(record["reasoning_content"]) ?? "";
  const calls = typeof record["tool_calls"] === "string" ? tryParseJson(record["tool_calls"]) : record["tool_calls"];
  return [
    ...(thinking === "" ? [] : [{ kind: "reasoning", text: thinking } as const]),
    ...contentParts(record["content"]),
    ...asObjects(calls).map(readCall),
  ];
}

function readCall(call: Fields): Part {
  const given = asFields(call["function"]) ?? call;
  const text = given["arguments"];
  return {
    kind: "tool-call",
    id: asText(call["id"]) ?? asText(call["call_id"]) ?? "",
    name: asText(given["name"]) ?? "unknown",
    arguments: asText(text) ?? toJson(text ?? {}),
  };
}

/** How a list of parts is kept in a column of text. */
const JSON_CONTENT = "\u0000json:";

function contentParts(value: unknown): readonly ContentPart[] {
  const content =
    typeof value === "string" && value.startsWith(JSON_CONTENT)
      ? tryParseJson(value.slice(JSON_CONTENT.length))
      : value;
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }];
  return asObjects(content).map(contentPart);
}

function contentPart(part: Fields): ContentPart {
  const url = asText(asFields(part["image_url"])?.["url"]) ?? asText(part["image_url"]);
  if (part["type"] === "text") return { kind: "text", text: asText(part["text"]) ?? "" };
  return url === undefined ? opaqueBlock(part, toJson(part)) : { kind: "image", source: sourceOfUrl(url) };
}

/** How Hermes opens a summary, today and before. */
const SUMMARY = /^\s*\[CONTEXT (?:COMPACTION|SUMMARY)/;

function isSummary(record: Fields): boolean {
  return SUMMARY.test(asText(record["content"]) ?? "");
}

/** The first form has a mark and the summary; today's opening is part of what the model reads. */
function summaryText(record: Fields): string {
  return (asText(record["content"]) ?? "").replace(/^\s*\[CONTEXT SUMMARY\]:\s*/, "");
}

const isArchived = (record: Fields): boolean => record["active"] === 0 && record["compacted"] === 1;
const isSent = (record: Fields): boolean => record["active"] !== 0;

function readHistory(
  rows: readonly Line[],
  history: History,
): { readonly shown: readonly Line[]; readonly notes: readonly LogNote[] } {
  const archived = rows.filter(({ record }) => isArchived(record));
  const undone = rows.filter(({ record }) => !isSent(record) && !isArchived(record));
  const notes: LogNote[] = [];
  if (undone.length > 0)
    notes.push(makeNote("branch_skipped", undone[0]!.at, `${undone.length} messages were taken back`));
  if (history === "all")
    return { shown: withoutCopies(rows.filter(({ record }) => isSent(record) || isArchived(record))), notes };
  if (archived.length > 0)
    notes.push(
      makeNote("history_replaced", archived[0]!.at, `${archived.length} messages were replaced by a compaction`),
    );
  return { shown: rows.filter(({ record }) => isSent(record)), notes };
}

/** A message that a compaction kept is in the session twice, with the time of the first. */
function makeKey(record: Fields): string {
  return toJson(["role", "content", "tool_calls", "tool_call_id", "timestamp"].map((name) => record[name] ?? null));
}

function withoutCopies(rows: readonly Line[]): readonly Line[] {
  const seen = new Set<string>();
  return rows.filter(({ record }) => {
    // Without a time, a copy cannot be distinguished from words that were said twice.
    if (record["timestamp"] === undefined) return true;
    const key = makeKey(record);
    return !seen.has(key) && seen.add(key);
  });
}

/** The rows up to a summary, and behind it what the same compaction kept; all before it archived, as they were then. */
function rowsUpTo(records: readonly Fields[], line: number): readonly Fields[] {
  if (!records.some(isArchived)) return records.slice(0, line);
  const seen = new Set<string>();
  const isCopy = records.map((record) => {
    const key = makeKey(record);
    return seen.has(key) || !seen.add(key);
  });
  let [from, end] = [line - 1, line];
  while (isCopy[from - 1] === true) from--;
  while (isCopy[end] === true) end++;
  return records
    .slice(0, end)
    .filter((record) => isSent(record) || isArchived(record))
    .map((record, at) => ({ ...record, ...(at < from ? { active: 0, compacted: 1 } : { active: 1, compacted: 0 }) }));
}

export function isHermesDatabase({ tables }: AgentDatabase): boolean {
  return tables.has("sessions") && tables.has("messages");
}

export function hermesSessions({ rows }: AgentDatabase, limit: number): readonly StoredSession[] {
  return rows("SELECT * FROM sessions ORDER BY started_at DESC LIMIT ?", limit).map((row) => ({
    id: String(row["id"]),
    title: asText(row["title"]),
    cwd: asText(row["cwd"]),
    modifiedMs: Number(row["ended_at"] ?? row["started_at"]) * 1_000,
  }));
}

export function hermesDocument({ rows }: AgentDatabase, id: string): string | undefined {
  const [session] = rows("SELECT * FROM sessions WHERE id = ?", id);
  if (session === undefined) return undefined;
  const messages = rows("SELECT * FROM messages WHERE session_id = ? ORDER BY id", id).map(withoutNulls);
  return toJson({ ...withoutNulls(session), messages });
}

function withoutNulls(row: Fields): Fields {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

export function insertHermes(insert: Insert, text: string): void {
  const document = asFields(tryParseJson(text)) ?? {};
  const messages = asObjects(document["messages"]);
  const id = String(document["id"]);
  const calls = messages.reduce((sum, message) => sum + asObjects(message["tool_calls"]).length, 0);
  insert("sessions", {
    id,
    source: asText(document["source"]) ?? "cli",
    model: asText(document["model"]) ?? null,
    system_prompt: asText(document["system_prompt"]) ?? null,
    title: asText(document["title"]) ?? null,
    cwd: asText(document["cwd"]) ?? null,
    started_at: Number(document["started_at"]),
    message_count: messages.filter(({ active }) => active !== 0).length,
    tool_call_count: calls,
  });
  for (const message of messages)
    insert("messages", {
      session_id: id,
      role: String(message["role"]),
      content: readColumn(message["content"]),
      tool_call_id: asText(message["tool_call_id"]) ?? null,
      tool_calls: message["tool_calls"] === undefined ? null : toJson(message["tool_calls"]),
      tool_name: asText(message["tool_name"]) ?? null,
      timestamp: Number(message["timestamp"]),
      reasoning: asText(message["reasoning"]) ?? null,
      active: Number(message["active"] ?? 1),
      compacted: Number(message["compacted"] ?? 0),
    });
}

function readColumn(content: unknown): string | null {
  if (content === null || content === undefined) return null;
  return asText(content) ?? `${JSON_CONTENT}${toJson(content)}`;
}
