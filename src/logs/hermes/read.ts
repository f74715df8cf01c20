/**
 * Hermes sessions: the messages of Chat Completions with fields of their own. A compaction archives all rows and adds the
 * ones that stay once more, with a summary among them.
 */
import { textMessage, type ContentPart, type Part } from "../../core/transcript/message.ts";
import { fieldsOf, jsonOf, objectsOf, textOf, timeOf, tryParseJson, type Fields } from "../fields.ts";
import { documentIn } from "../document.ts";
import type { LogText } from "../lines.ts";
import type { FormatReading, History, LogNote, MessageDraft } from "../log.ts";
import { opaqueBlock } from "../../protocols/content.ts";

export function isHermesDocument(document: unknown): boolean {
  const fields = fieldsOf(document);
  if (fields === undefined || !Array.isArray(fields["messages"])) return false;
  const named = textOf(fields["session_id"]) ?? textOf(fields["id"]);
  return named !== undefined && ("platform" in fields || "session_start" in fields || "started_at" in fields);
}

/** The document as it was when a row had been written. */
export function upToRow(text: string, line: number): string {
  const document = fieldsOf(documentIn(text)?.value) ?? {};
  return jsonOf({ ...document, messages: rowsUpTo(objectsOf(document["messages"]), line) });
}

export function readHermes(text: LogText, history: History): FormatReading {
  const found = documentIn(text);
  const document = fieldsOf(found?.value) ?? {};
  const rows = objectsOf(document["messages"]).map((record, at) => ({ record, at: at + 1 }));
  const { shown, notes } = historyOf(rows, history);
  const read = shown.map(draftsOf);
  const prompt = textOf(document["system_prompt"]);
  return {
    id: textOf(document["session_id"]) ?? textOf(document["id"]),
    title: textOf(document["title"]),
    drafts: read.flatMap((one) => one.drafts),
    notes: [...(found?.notes ?? []), ...notes, ...read.flatMap((one) => one.notes)],
    recognised: isHermesDocument(document) ? 1 + rows.length : 0,
    system: prompt === undefined || prompt === "" ? [] : [textMessage("system", prompt)],
    model: textOf(document["model"]),
    cwd: textOf(document["cwd"]) ?? textOf(configOf(document["model_config"])?.["cwd"]),
    times: timesOf(rows),
  };
}

function configOf(value: unknown): Fields | undefined {
  return fieldsOf(typeof value === "string" ? tryParseJson(value) : value);
}

function timesOf(rows: readonly Row[]): ReadonlyMap<number, number> {
  return new Map(
    rows.flatMap(({ record, at }): readonly (readonly [number, number])[] => {
      const time = timeOf(record["timestamp"]);
      return time === undefined ? [] : [[at, Math.round(time)]];
    }),
  );
}

function draftsOf(row: Row): { readonly drafts: readonly MessageDraft[]; readonly notes: readonly LogNote[] } {
  const { record, at: line } = row;
  const role = textOf(record["role"]) ?? "none";
  switch (role) {
    case "user":
    case "system": {
      const parts = contentParts(isSummary(record) ? summaryText(record) : record["content"]);
      const message = isSummary(record)
        ? ({ role: "user", parts, origin: "summary" } as const)
        : ({ role, parts } as const);
      return { drafts: [{ kind: "said", line, message }], notes: [] };
    }
    case "assistant":
      if (isSummary(record)) {
        const message = { role: "user", parts: contentParts(summaryText(record)), origin: "summary" } as const;
        return { drafts: [{ kind: "said", line, message }], notes: [] };
      }
      return { drafts: [{ kind: "said", line, message: { role, parts: replyParts(record) } }], notes: [] };
    case "tool":
      return {
        drafts: [
          { kind: "result", line, callId: textOf(record["tool_call_id"]), content: contentParts(record["content"]) },
        ],
        notes: [],
      };
    case "session_meta":
      return { drafts: [], notes: [] };
    default:
      return { drafts: [], notes: [{ code: "unknown_type", line, text: `a message of the unknown role ${role}` }] };
  }
}

function replyParts(record: Fields): readonly Part[] {
  const thinking = textOf(record["reasoning"]) ?? textOf(record["reasoning_content"]) ?? "";
  const calls = typeof record["tool_calls"] === "string" ? tryParseJson(record["tool_calls"]) : record["tool_calls"];
  return [
    ...(thinking === "" ? [] : [{ kind: "reasoning", text: thinking } as const]),
    ...contentParts(record["content"]),
    ...objectsOf(calls).map(callOf),
  ];
}

function callOf(call: Fields): Part {
  const given = fieldsOf(call["function"]) ?? call;
  const text = given["arguments"];
  return {
    kind: "tool-call",
    id: textOf(call["id"]) ?? textOf(call["call_id"]) ?? "",
    name: textOf(given["name"]) ?? "unknown",
    arguments: textOf(text) ?? jsonOf(text ?? {}),
  };
}

/** How a list of parts is kept in a column of text. */
export const JSON_CONTENT = "\u0000json:";

function contentParts(value: unknown): readonly ContentPart[] {
  const content =
    typeof value === "string" && value.startsWith(JSON_CONTENT)
      ? tryParseJson(value.slice(JSON_CONTENT.length))
      : value;
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }];
  return objectsOf(content).map(contentPart);
}

function contentPart(part: Fields): ContentPart {
  const url = textOf(fieldsOf(part["image_url"])?.["url"]) ?? textOf(part["image_url"]);
  if (part["type"] === "text") return { kind: "text", text: textOf(part["text"]) ?? "" };
  if (url === undefined) return opaqueBlock(part, jsonOf(part));
  const comma = url.indexOf(";base64,");
  if (!url.startsWith("data:") || comma < 0) return { kind: "image", source: { type: "url", url } };
  const mediaType = url.slice("data:".length, comma);
  return { kind: "image", source: { type: "data", mediaType, data: url.slice(comma + ";base64,".length) } };
}

/** Which rows of a Hermes session are sent, which a compaction archived, and which were taken back. */
interface Row {
  readonly record: Fields;
  /** Its place, from 1. */
  readonly at: number;
}

/** How Hermes opens a summary, today and before. */
const SUMMARY = /^\s*\[CONTEXT (?:COMPACTION|SUMMARY)/;

function isSummary(record: Fields): boolean {
  return SUMMARY.test(textOf(record["content"]) ?? "");
}

/** The first form has a mark and the summary; today's opening is part of what the model reads. */
function summaryText(record: Fields): string {
  return (textOf(record["content"]) ?? "").replace(/^\s*\[CONTEXT SUMMARY\]:\s*/, "");
}

const isArchived = (record: Fields): boolean => record["active"] === 0 && record["compacted"] === 1;
const isSent = (record: Fields): boolean => record["active"] !== 0;

function historyOf(
  rows: readonly Row[],
  history: History,
): { readonly shown: readonly Row[]; readonly notes: readonly LogNote[] } {
  const archived = rows.filter(({ record }) => isArchived(record));
  const undone = rows.filter(({ record }) => !isSent(record) && !isArchived(record));
  const notes: LogNote[] = [];
  if (undone.length > 0)
    notes.push({ code: "branch_skipped", line: undone[0]!.at, text: `${undone.length} messages were taken back` });
  if (history === "all")
    return { shown: withoutCopies(rows.filter(({ record }) => isSent(record) || isArchived(record))), notes };
  if (archived.length > 0)
    notes.push({
      code: "history_replaced",
      line: archived[0]!.at,
      text: `${archived.length} messages were replaced by a compaction`,
    });
  return { shown: rows.filter(({ record }) => isSent(record)), notes };
}

/** A message that a compaction kept is in the session twice, with the time of the first. */
function keyOf(record: Fields): string {
  return jsonOf(["role", "content", "tool_calls", "tool_call_id", "timestamp"].map((name) => record[name] ?? null));
}

function withoutCopies(rows: readonly Row[]): readonly Row[] {
  const seen = new Set<string>();
  return rows.filter(({ record }) => {
    // Without a time nothing tells a copy from words that were said twice.
    if (record["timestamp"] === undefined) return true;
    const key = keyOf(record);
    return !seen.has(key) && seen.add(key);
  });
}

/** The rows up to a summary, and behind it what the same compaction kept; all before it archived, as they were then. */
function rowsUpTo(records: readonly Fields[], line: number): readonly Fields[] {
  if (!records.some(isArchived)) return records.slice(0, line);
  const seen = new Set<string>();
  const isCopy = records.map((record) => {
    const key = keyOf(record);
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
