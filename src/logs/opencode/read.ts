/**
 * OpenCode sessions: messages with parts, in which a call and its result are one part. A compaction is a message of the
 * user without words, and the reply to it is the summary. Version 2 has records of another form.
 */
import type { Usage } from "../../core/engines/contract.ts";
import { countOf, fieldsOf, jsonOf, objectsOf, textOf, timeOf, type Fields } from "../fields.ts";
import { documentIn } from "../document.ts";
import type { LogText } from "../lines.ts";
import type { FormatReading, History, LogNote, MessageDraft } from "../log.ts";
import { draftsOfParts } from "./parts.ts";
import { draftsOfRecord, isSecondVersion } from "./second-version.ts";

interface StoredMessage {
  /** Its place in the document, from 1. */
  readonly at: number;
  readonly info: Fields;
  readonly parts: readonly Fields[];
}

export function isOpencodeDocument(document: unknown): boolean {
  const fields = fieldsOf(document);
  const info = fieldsOf(fields?.["info"]);
  if (textOf(info?.["id"]) === undefined || !Array.isArray(fields?.["messages"])) return false;
  const [first] = objectsOf(fields["messages"]);
  return first === undefined ? "projectID" in info! : "parts" in first || isSecondVersion(first);
}

/** The document with its first messages, and a compaction's reply with the message that asked for it. */
export function upToMessage(text: string, line: number): string {
  const document = fieldsOf(documentIn(text)?.value) ?? {};
  return jsonOf({ ...document, messages: objectsOf(document["messages"]).slice(0, line) });
}

export function readOpencode(text: LogText, history: History): FormatReading {
  const read = documentIn(text);
  const document = fieldsOf(read?.value);
  const records = objectsOf(document?.["messages"]);
  const info = fieldsOf(document?.["info"]);
  const second = records[0] !== undefined && isSecondVersion(records[0]);
  const messages = second ? readSecond(records, history) : readFirst(records, history);
  return {
    ...messages,
    notes: [...(read?.notes ?? []), ...messages.notes],
    id: textOf(info?.["id"]),
    title: textOf(info?.["title"]),
    cwd: textOf(info?.["directory"]) ?? textOf(fieldsOf(info?.["location"])?.["directory"]),
    recognised: isOpencodeDocument(document) ? 1 + records.length : 0,
    times: timesOf(records),
  };
}

type ReadMessages = Pick<FormatReading, "drafts" | "notes" | "model" | "usage">;

function readFirst(records: readonly Fields[], history: History): ReadMessages {
  const messages = records.map((record, at) => ({
    at: at + 1,
    info: fieldsOf(record["info"]) ?? {},
    parts: objectsOf(record["parts"]),
  }));
  const { shown, notes } = history === "live" ? liveMessages(messages) : { shown: messages, notes: [] };
  const read = shown.map((message) => draftsOfMessage(message, messages));
  return {
    drafts: read.flatMap((one) => one.drafts),
    notes: [...notes, ...read.flatMap((one) => one.notes)],
    model: messages.map(({ info }) => modelOf(info)).findLast((model) => model !== undefined),
    usage: messages.map(({ info }) => usageOf(info)).findLast((usage) => usage !== undefined),
  };
}

const isCompaction = ({ info, parts }: StoredMessage): boolean =>
  info["role"] === "user" && parts.some((part) => part["type"] === "compaction");

/** A reply that is the summary for a compaction, and complete. */
function summaryFor(message: StoredMessage, messages: readonly StoredMessage[]): StoredMessage | undefined {
  const { info } = message;
  if (info["role"] !== "assistant" || info["summary"] !== true || info["error"] !== undefined) return undefined;
  return messages.find((one) => one.info["id"] === info["parentID"] && isCompaction(one));
}

/** From the newest complete compaction on: its summary, the messages that stay, and what came after (OpenCode 1.18). */
function liveMessages(messages: readonly StoredMessage[]): {
  readonly shown: readonly StoredMessage[];
  readonly notes: readonly LogNote[];
} {
  const at = messages.findLastIndex((message) => summaryFor(message, messages) !== undefined);
  const summary = messages[at];
  if (summary === undefined) return { shown: messages, notes: [] };
  const asked = messages.indexOf(summaryFor(summary, messages)!);
  const tailId = messages[asked]!.parts.find((part) => part["type"] === "compaction")?.["tail_start_id"];
  const from = messages.findIndex(({ info }) => tailId !== undefined && info["id"] === tailId);
  const tail = from < 0 ? [] : messages.slice(from, asked);
  const replaced = asked - tail.length;
  const note = {
    code: "history_replaced",
    line: asked + 1,
    text: `${replaced} messages were replaced by a recorded summary`,
  } as const;
  return { shown: [summary, ...tail, ...messages.slice(at + 1)], notes: replaced > 0 ? [note] : [] };
}

interface Told {
  readonly drafts: readonly MessageDraft[];
  readonly notes: readonly LogNote[];
}

function draftsOfMessage(message: StoredMessage, messages: readonly StoredMessage[]): Told {
  const { at, info, parts } = message;
  if (isCompaction(message)) return { drafts: [], notes: [] };
  if (info["role"] !== "user" && info["role"] !== "assistant") {
    const text = `a message of the unknown role ${textOf(info["role"]) ?? "none"}`;
    return { drafts: [], notes: [{ code: "unknown_type", line: at, text }] };
  }
  if (summaryFor(message, messages) === undefined) return draftsOfParts(parts, { role: info["role"], line: at });
  const texts = parts.flatMap((part) => (part["type"] === "text" ? [textOf(part["text"]) ?? ""] : []));
  const text = { kind: "text", text: texts.join("\n") } as const;
  return {
    drafts: [{ kind: "said", line: at, message: { role: "user", parts: [text], origin: "summary" } }],
    notes: [],
  };
}

function readSecond(records: readonly Fields[], history: History): ReadMessages {
  const last = records.findLastIndex((record) => record["type"] === "compaction" && record["status"] === "completed");
  const from = history === "live" ? Math.max(0, last) : 0;
  const read = records.slice(from).map((record, at) => draftsOfRecord(record, from + at + 1));
  const models = records.map((record) => textOf(fieldsOf(record["model"])?.["id"]));
  return {
    drafts: read.flatMap((one) => one.drafts),
    notes: read.flatMap((one) => one.notes),
    model: models.findLast((model) => model !== undefined && model !== ""),
  };
}

function modelOf(info: Fields): string | undefined {
  return textOf(info["modelID"]) ?? textOf(fieldsOf(info["model"])?.["modelID"]);
}

function usageOf(info: Fields): Usage | undefined {
  const tokens = fieldsOf(info["tokens"]);
  const cache = fieldsOf(tokens?.["cache"]);
  const [cacheRead, cacheWrite] = [countOf(cache?.["read"]), countOf(cache?.["write"])];
  const input = countOf(tokens?.["input"]) + cacheRead + cacheWrite;
  const output = countOf(tokens?.["output"]) + countOf(tokens?.["reasoning"]);
  return input === 0 ? undefined : { input, output, cacheRead, cacheWrite };
}

function timesOf(records: readonly Fields[]): ReadonlyMap<number, number> {
  const times = new Map<number, number>();
  records.forEach((record, at) => {
    const time = timeOf(fieldsOf(fieldsOf(record["info"])?.["time"] ?? record["time"])?.["created"]);
    if (time !== undefined) times.set(at + 1, time);
  });
  return times;
}
