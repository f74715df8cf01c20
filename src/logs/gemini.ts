/**
 * Sessions of Gemini CLI: chats in `~/.gemini/tmp`, a folder for each project. One JSON document, or JSON lines in which a
 * record replaces the earlier one of its id and a rewind takes records away. A call and its result are together inside the
 * record of the reply.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CONVERSATION_ALONE, fileStamp, keepFirstLines, type SessionFormat } from "./format.ts";
import {
  contentText,
  type ContentPart,
  type Part,
  type ToolResultPart,
  type MediaSource,
} from "../core/transcript/message.ts";
import { asFields, asText, tryParseJson, asCount, toJson, asList, asObjects, type Fields } from "./fields.ts";
import {
  findResults,
  type Results,
  type Session,
  type SessionMessage,
  type MessageDraft,
  type LogNote,
  type FormatReading,
  type Told,
  makeNote,
  makeSaid,
  NEVER_RUN,
  makeUnrunResult,
  sortTold,
} from "./log.ts";
import { isoOf, jsonLines, fillTimes, deriveUuid, type WriteContext, findDocument } from "./document.ts";
import { createHash } from "node:crypto";
import type { Usage } from "../core/engines/contract.ts";
import { readLines, readTimes, type Line, type LogText } from "./lines.ts";
import { opaqueBlock } from "../protocols/content.ts";

export const gemini: SessionFormat = {
  name: "gemini",
  title: "Gemini CLI",
  speaks: "openai-chat",
  marks: { line: isGeminiLine, document: isGeminiDocument, path: /[/\\]\.gemini[/\\]/ },
  read: readGemini,
  upTo: keepFirstLines,
  write: writeGemini,
  kept: ({ home }) => ({
    roots: [join(home, ".gemini", "tmp")],
    isSession: (path) => /[/\\]chats[/\\][^/\\]*\.jsonl?$/.test(path),
    destination: (root, session) => {
      const { id, cwd } = session;
      const name = `session-${fileStamp(session).slice(0, "2026-01-01T00-00".length)}-${id.slice(0, 8)}.jsonl`;
      return {
        kind: "file",
        path: join(root, projectFolder(root, cwd), "chats", name),
        resume: ["gemini", "--resume", id],
      };
    },
  }),
  holds: {
    ...CONVERSATION_ALONE,
    files: false,
    injectedMarks: false,
    compactions: "live",
    opensWithUser: true,
    parts: "sorted",
    oneText: "everywhere",
    resultOrder: false,
  },
  tools: {
    shell: { name: "run_shell_command", arguments: { command: "command", description: "description" } },
    read: { name: "read_file", arguments: { path: "file_path", offset: "offset", limit: "limit" } },
    write: { name: "write_file", arguments: { path: "file_path", content: "content" } },
    edit: { name: "replace", arguments: { path: "file_path", before: "old_string", after: "new_string" } },
  },
};

function writeGemini(session: Session, { id, nowMs }: WriteContext): string {
  const stamps = fillTimes(session, nowMs);
  const results = findResults(session.messages);
  const header = {
    sessionId: id,
    projectHash: hashProject(session.cwd ?? ""),
    startTime: isoOf(stamps[0] ?? nowMs),
    lastUpdated: isoOf(stamps.at(-1) ?? nowMs),
    kind: "main",
  };
  const records = session.messages.flatMap((one, at): readonly object[] => {
    if (one.message.role === "tool") return [];
    const link = { id: deriveUuid(id, String(at)), timestamp: isoOf(stamps[at]!) };
    if (one.message.role !== "assistant") return [{ ...link, type: "user", content: one.message.parts.map(writePart) }];
    return [{ ...link, ...writeReply(one, { model: session.model, timestamp: link.timestamp, results }) }];
  });
  return jsonLines([header, ...records]);
}

interface ReplyOptions {
  readonly model: string | undefined;
  readonly timestamp: string;
  readonly results: Results;
}

function writeReply({ message: { parts } }: SessionMessage, { model, timestamp, results }: ReplyOptions): object {
  const thoughts = parts.flatMap((part) => (part.kind === "reasoning" ? [{ description: part.text, timestamp }] : []));
  const toolCalls = parts.flatMap((part) => {
    if (part.kind !== "tool-call") return [];
    const result = results.get(part);
    const call = { id: part.id, name: part.name, args: tryParseJson(part.arguments), timestamp };
    if (result === undefined) return [{ ...call, status: "cancelled" }];
    return [
      { ...call, status: result.isError === true ? "error" : "success", result: [writeResponse(part.name, result)] },
    ];
  });
  const content = parts.flatMap((part) => (part.kind === "text" ? [{ text: part.text }] : []));
  return {
    type: "gemini",
    content,
    thoughts,
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(model !== undefined && { model }),
  };
}

function writeResponse(name: string, { callId, content, isError }: ToolResultPart): object {
  const text = contentText(content);
  const media = content.flatMap((part) => (part.kind === "text" ? [] : [writePart(part)]));
  return {
    functionResponse: {
      id: callId,
      name,
      response: isError === true ? { error: text } : { output: text },
      ...(media.length > 0 && { parts: media }),
    },
  };
}

function writePart(part: Part): object {
  const source = part.kind === "image" || part.kind === "file" ? part.source : undefined;
  if (source?.type === "data") return { inlineData: { mimeType: source.mediaType, data: source.data } };
  return { text: contentText([part as ContentPart]) };
}

/**
 * Gemini CLI names a project's folder in a registry beside them. A project that is not in there yet has a folder by the
 * hash of its path, which Gemini CLI moves when it starts there (0.61).
 */
function projectFolder(root: string, cwd: string): string {
  const registry = join(dirname(root), "projects.json");
  const known = existsSync(registry) ? asFields(tryParseJson(readFileSync(registry, "utf8"))) : undefined;
  return asText(asFields(known?.["projects"])?.[cwd]) ?? hashProject(cwd);
}

function hashProject(cwd: string): string {
  return createHash("sha256").update(cwd).digest("hex");
}

/** Gemini CLI records no compaction in a chat: what it holds is the whole history, live or not. */
function readGemini(text: LogText): FormatReading {
  const { records, notes, recognised, id } = readRecords(text);
  const told = sortTold(records.flatMap((record) => readRecord(record)));
  return {
    id,
    drafts: told.drafts,
    notes: [...notes, ...told.notes],
    recognised,
    model: records.map((one) => asText(one.record["model"])).findLast((model) => model !== undefined),
    usage: records.map((one) => readUsage(asFields(one.record["tokens"]))).findLast((usage) => usage !== undefined),
    times: readTimes(records),
  };
}

function isGeminiLine(record: Fields): boolean {
  if ("$set" in record || "$rewindTo" in record) return true;
  if ("sessionId" in record && "projectHash" in record) return true;
  return asText(record["id"]) !== undefined && (record["type"] === "gemini" || "thoughts" in record);
}

/** Whether a document is a chat: recognised by its header, or by messages that have parts instead of content. */
function isGeminiDocument(document: unknown): boolean {
  const fields = asFields(document);
  if (fields !== undefined && "projectHash" in fields && Array.isArray(fields["messages"])) return true;
  const [first] = asObjects(fields?.["history"] ?? fields?.["messages"] ?? document);
  const [part] = asObjects(first?.["parts"]);
  // Other message formats have parts as well; theirs are tagged with a type.
  return first !== undefined && isMessage(first) && part !== undefined && !("type" in part);
}

function readRecords(text: LogText) {
  const found = typeof text === "string" ? findDocument(text) : undefined;
  const document = found?.value;
  const fields = asFields(document);
  const list = fields?.["messages"] ?? fields?.["history"] ?? document;
  if (Array.isArray(list)) {
    const records = list.map((value, index) => ({ record: asFields(value) ?? {}, at: index + 1 }));
    const recognised = isGeminiDocument(document) ? 1 + records.length : 0;
    return {
      records: records.filter(({ record }) => isMessage(record)),
      notes: found?.notes ?? [],
      recognised,
      id: asText(fields?.["sessionId"]),
    };
  }
  const { lines, notes } = readLines(text);
  const rewound: LogNote[] = [];
  const recognised = lines.filter(({ record }) => isGeminiLine(record)).length;
  const id = lines.map(({ record }) => asText(record["sessionId"])).find((one) => one !== undefined);
  return { records: replay(lines, rewound), notes: [...notes, ...rewound], recognised, id };
}

const isMessage = (record: Fields): boolean => asText(record["type"] ?? record["role"]) !== undefined;

function replay(lines: readonly Line[], notes: LogNote[]): readonly Line[] {
  let records = new Map<string, Line>();
  for (const line of lines) {
    const { record, at } = line;
    const back = asText(record["$rewindTo"]);
    const replaced = asFields(record["$set"])?.["messages"];
    if (back !== undefined) {
      const ids = [...records.keys()];
      const from = Math.max(0, ids.indexOf(back));
      notes.push(makeNote("branch_skipped", at, `${ids.length - from} messages were rewound`));
      for (const id of ids.slice(from)) records.delete(id);
    } else if (Array.isArray(replaced)) {
      records = new Map(
        replaced.flatMap((value, index) => {
          const message = asFields(value);
          return message === undefined ? [] : [[asText(message["id"]) ?? `${index}`, { at, record: message }] as const];
        }),
      );
    } else if (isMessage(record)) {
      records.set(asText(record["id"]) ?? `line ${at}`, line);
    }
  }
  return [...records.values()];
}

/** A chat that Gemini CLI has compressed opens with this element. */
const SNAPSHOT = "<state_snapshot>";

function readRecord({ record, at: line }: Line): readonly Told[] {
  const role = asText(record["type"]) ?? asText(record["role"]) ?? "none";
  const content = listed(record["content"] ?? record["parts"]);
  switch (role) {
    case "user": {
      const results = content.flatMap((part) => readResult(asFields(part["functionResponse"]), line));
      const parts = content.filter((part) => !("functionResponse" in part)).map(contentPart);
      const summary = parts[0]?.kind === "text" && parts[0].text.trimStart().startsWith(SNAPSHOT);
      return [...results, makeSaid(line, { role, parts, ...(summary && { origin: "summary" }) })];
    }
    case "gemini":
    case "model":
      return replyDrafts(record, content, line);
    case "info":
    case "error":
    case "warning":
      return [makeNote("not_sent", line, `${role}, which only the user saw`)];
    default:
      return [makeNote("unknown_type", line, `a record of the unknown type ${role}`)];
  }
}

function replyDrafts(record: Fields, content: readonly Fields[], line: number): readonly MessageDraft[] {
  const calls = asObjects(record["toolCalls"]);
  const named = calls.map((call, at) => ({ call, id: asText(call["id"]) ?? `call_${line}_${at}` }));
  const parts: Part[] = [
    ...asList(record["thoughts"]).map(thought),
    ...content.map(replyPart),
    ...named.map(({ call, id }) => callPart(call, id)),
  ];
  const results = named.flatMap(({ call, id }) => recordedResult(call, id, line));
  return [makeSaid(line, { role: "assistant", parts }), ...results];
}

function thought(value: unknown): Part {
  const { subject, description } = asFields(value) ?? {};
  return { kind: "reasoning", text: [subject, description].filter((text) => typeof text === "string").join("\n") };
}

function callPart(call: Fields, id: string): Part {
  return { kind: "tool-call", id, name: asText(call["name"]) ?? "unknown", arguments: toJson(call["args"] ?? {}) };
}

function replyPart(part: Fields): Part {
  const call = asFields(part["functionCall"]);
  if (call !== undefined) return callPart(call, asText(call["id"]) ?? "");
  return part["thought"] === true ? { kind: "reasoning", text: asText(part["text"]) ?? "" } : contentPart(part);
}

/** States in which a call waits to be run. */
const NOT_BEGUN: ReadonlySet<string> = new Set(["validating", "scheduled", "awaiting_approval"]);
const CANCELLED = "[precis: this call was cancelled, as the session file says]";

/** The result inside a call's record; where only the text for the screen was kept, that. */
function recordedResult(call: Fields, callId: string, line: number): readonly MessageDraft[] {
  const result = listed(call["result"]);
  const content = result.flatMap((part) => responseParts(asFields(part["functionResponse"])) ?? [contentPart(part)]);
  const display = asText(call["resultDisplay"]);
  const status = asText(call["status"]) ?? "";
  if (result.length === 0 && display === undefined)
    return NOT_BEGUN.has(status)
      ? [makeUnrunResult(callId, line, NEVER_RUN)]
      : status === "cancelled"
        ? [makeUnrunResult(callId, line, CANCELLED)]
        : [];
  const isError = status === "error" || status === "cancelled";
  const shown = content.length === 0 && display !== undefined ? [{ kind: "text", text: display } as const] : content;
  return [{ kind: "result", line, callId, content: shown, isError }];
}

function readResult(response: Fields | undefined, line: number): readonly MessageDraft[] {
  const content = responseParts(response);
  return content === undefined ? [] : [{ kind: "result", line, callId: asText(response?.["id"]), content }];
}

/** What the model read of a response: its output or error, or the object as it is. */
function responseParts(functionResponse: Fields | undefined): readonly ContentPart[] | undefined {
  if (functionResponse === undefined) return undefined;
  const response = asFields(functionResponse["response"]);
  const text =
    asText(response?.["output"]) ?? asText(response?.["error"]) ?? toJson(functionResponse["response"] ?? {});
  return [
    ...(text === "" ? [] : [{ kind: "text", text } as const]),
    ...listed(functionResponse["parts"]).map(contentPart),
  ];
}

/** Content is a string, a part, or a list of either. */
function listed(content: unknown): readonly Fields[] {
  const values = Array.isArray(content) ? content : [content ?? []];
  return asObjects(values.map((value) => (typeof value === "string" ? { text: value } : value)));
}

function contentPart(part: Fields): ContentPart {
  const text = asText(part["text"]);
  if (text !== undefined) return { kind: "text", text };
  const source = mediaSource(part);
  const mediaType = asText(asFields(part["inlineData"] ?? part["fileData"])?.["mimeType"]) ?? "";
  if (source !== undefined)
    return mediaType.startsWith("image/") ? { kind: "image", source } : { kind: "file", source };
  return { ...opaqueBlock(part, toJson(part)), type: Object.keys(part)[0] ?? "unknown" };
}

function mediaSource(part: Fields): MediaSource | undefined {
  const inline = asFields(part["inlineData"]);
  const data = asText(inline?.["data"]);
  const url = asText(asFields(part["fileData"])?.["fileUri"]);
  if (data !== undefined)
    return { type: "data", mediaType: asText(inline?.["mimeType"]) ?? "application/octet-stream", data };
  return url === undefined ? undefined : { type: "url", url };
}

function readUsage(tokens: Fields | undefined): Usage | undefined {
  const input = asCount(tokens?.["input"]);
  const output = asCount(tokens?.["output"]) + asCount(tokens?.["thoughts"]);
  return input === 0 ? undefined : { input, output, cacheRead: asCount(tokens?.["cached"]), cacheWrite: 0 };
}
