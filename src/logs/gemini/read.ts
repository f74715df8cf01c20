/**
 * Gemini CLI chats: one JSON document, or JSON lines in which a record replaces the earlier one of its id and a rewind
 * takes records away. A call and its result are together inside the record of the reply.
 */
import type { Usage } from "../../core/engines/contract.ts";
import type { ContentPart, MediaSource, Part } from "../../core/transcript/message.ts";
import { asCount, asFields, toJson, asList, asObjects, asText, type Fields } from "../fields.ts";
import { findDocument } from "../document.ts";
import { readLines, readTimes, type Line, type LogText } from "../lines.ts";
import {
  type MessageDraft,
  type LogNote,
  type FormatReading,
  type Told,
  makeNote,
  makeSaid,
  NEVER_RUN,
  makeUnrunResult,
  sortTold,
} from "../log.ts";
import { opaqueBlock } from "../../protocols/content.ts";

/** Gemini CLI records no compaction in a chat: what it holds is the whole history, live or not. */
export function readGemini(text: LogText): FormatReading {
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

export function isGeminiLine(record: Fields): boolean {
  if ("$set" in record || "$rewindTo" in record) return true;
  if ("sessionId" in record && "projectHash" in record) return true;
  return asText(record["id"]) !== undefined && (record["type"] === "gemini" || "thoughts" in record);
}

/** Whether a document is a chat: recognised by its header, or by messages that have parts instead of content. */
export function isGeminiDocument(document: unknown): boolean {
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
