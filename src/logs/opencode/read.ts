/**
 * OpenCode sessions: messages with parts, in which a call and its result are one part. A compaction is a message of the
 * user without words, and the reply to it is the summary. Version 2 has records of another form.
 */
import type { Usage } from "../../core/engines/contract.ts";
import { asCount, asFields, toJson, asObjects, asText, asTime, type Fields } from "../fields.ts";
import { findDocument } from "../document.ts";
import type { LogText } from "../lines.ts";
import {
  type FormatReading,
  type History,
  type LogNote,
  makeNote,
  makeSaid,
  type MessageDraft,
  makeUnrunResult,
  recordedCall,
  sortTold,
  type Told,
} from "../log.ts";
import { textMessage, type ContentPart, type Part } from "../../core/transcript/message.ts";
import { sourceOfUrl } from "../../protocols/media-limits.ts";

interface StoredMessage {
  readonly at: number;
  readonly info: Fields;
  readonly parts: readonly Fields[];
}

export function isOpencodeDocument(document: unknown): boolean {
  const fields = asFields(document);
  const info = asFields(fields?.["info"]);
  if (asText(info?.["id"]) === undefined || !Array.isArray(fields?.["messages"])) return false;
  const [first] = asObjects(fields["messages"]);
  return first === undefined ? "projectID" in info! : "parts" in first || isSecondVersion(first);
}

/** The document with its first messages, and a compaction's reply with the message that asked for it. */
export function cutAfterMessage(text: string, line: number): string {
  const document = asFields(findDocument(text)?.value) ?? {};
  return toJson({ ...document, messages: asObjects(document["messages"]).slice(0, line) });
}

export function readOpencode(text: LogText, history: History): FormatReading {
  const read = findDocument(text);
  const document = asFields(read?.value);
  const records = asObjects(document?.["messages"]);
  const info = asFields(document?.["info"]);
  const second = records[0] !== undefined && isSecondVersion(records[0]);
  const messages = second ? readSecond(records, history) : readFirst(records, history);
  return {
    ...messages,
    notes: [...(read?.notes ?? []), ...messages.notes],
    id: asText(info?.["id"]),
    title: asText(info?.["title"]),
    cwd: asText(info?.["directory"]) ?? asText(asFields(info?.["location"])?.["directory"]),
    recognised: isOpencodeDocument(document) ? 1 + records.length : 0,
    times: readTimes(records),
  };
}

type ReadMessages = Pick<FormatReading, "drafts" | "notes" | "model" | "usage">;

function readFirst(records: readonly Fields[], history: History): ReadMessages {
  const messages = records.map((record, at) => ({
    at: at + 1,
    info: asFields(record["info"]) ?? {},
    parts: asObjects(record["parts"]),
  }));
  const { shown, notes } = history === "live" ? liveMessages(messages) : { shown: messages, notes: [] };
  const told = sortTold(shown.flatMap((message) => readMessage(message, messages)));
  return {
    drafts: told.drafts,
    notes: [...notes, ...told.notes],
    model: messages.map(({ info }) => readModel(info)).findLast((model) => model !== undefined),
    usage: messages.map(({ info }) => readUsage(info)).findLast((usage) => usage !== undefined),
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
  const note = makeNote("history_replaced", asked + 1, `${replaced} messages were replaced by a recorded summary`);
  return { shown: [summary, ...tail, ...messages.slice(at + 1)], notes: replaced > 0 ? [note] : [] };
}

function readMessage(message: StoredMessage, messages: readonly StoredMessage[]): readonly Told[] {
  const { at, info, parts } = message;
  if (isCompaction(message)) return [];
  if (info["role"] !== "user" && info["role"] !== "assistant")
    return [makeNote("unknown_type", at, `a message of the unknown role ${asText(info["role"]) ?? "none"}`)];
  if (summaryFor(message, messages) === undefined) return readParts(parts, info["role"], at);
  const texts = parts.flatMap((part) => (part["type"] === "text" ? [asText(part["text"]) ?? ""] : []));
  return [makeSaid(at, textMessage("user", texts.join("\n"), "summary"))];
}

function readSecond(records: readonly Fields[], history: History): ReadMessages {
  const last = records.findLastIndex((record) => record["type"] === "compaction" && record["status"] === "completed");
  const from = history === "live" ? Math.max(0, last) : 0;
  const models = records.map((record) => asText(asFields(record["model"])?.["id"]));
  return {
    ...sortTold(records.slice(from).flatMap((record, at) => readRecord(record, from + at + 1))),
    model: models.findLast((model) => model !== undefined && model !== ""),
  };
}

function readModel(info: Fields): string | undefined {
  return asText(info["modelID"]) ?? asText(asFields(info["model"])?.["modelID"]);
}

function readUsage(info: Fields): Usage | undefined {
  const tokens = asFields(info["tokens"]);
  const cache = asFields(tokens?.["cache"]);
  const [cacheRead, cacheWrite] = [asCount(cache?.["read"]), asCount(cache?.["write"])];
  const input = asCount(tokens?.["input"]) + cacheRead + cacheWrite;
  const output = asCount(tokens?.["output"]) + asCount(tokens?.["reasoning"]);
  return input === 0 ? undefined : { input, output, cacheRead, cacheWrite };
}

function readTimes(records: readonly Fields[]): ReadonlyMap<number, number> {
  const times = new Map<number, number>();
  records.forEach((record, at) => {
    const time = asTime(asFields(asFields(record["info"])?.["time"] ?? record["time"])?.["created"]);
    if (time !== undefined) times.set(at + 1, time);
  });
  return times;
}

/** Parts that say how a step went, and nothing to the model. */
const BOOKKEEPING = new Set([
  "step-start",
  "step-finish",
  "snapshot",
  "patch",
  "retry",
  "agent",
  "subtask",
  "compaction",
]);

function readParts(parts: readonly Fields[], role: "user" | "assistant", line: number): readonly Told[] {
  const said: Part[] = [];
  const others: Told[] = [];
  const sent = parts.filter((part) => part["ignored"] !== true);
  if (sent.length < parts.length) others.push(makeNote("not_sent", line, "text that only the user saw"));
  for (const part of sent) {
    const type = asText(part["type"]) ?? "none";
    if (type === "text") said.push({ kind: "text", text: asText(part["text"]) ?? "" });
    else if (type === "reasoning") said.push({ kind: "reasoning", text: asText(part["text"]) ?? "" });
    else if (type === "file" && isMedia(part)) said.push(readMedia(part));
    else if (type === "file") others.push(makeNote("not_sent", line, "the name of a file that OpenCode read itself"));
    else if (type === "tool") {
      said.push(readCall(part));
      for (const each of readResult(part, line)) others.push(each);
    } else if (!BOOKKEEPING.has(type))
      others.push(makeNote("unknown_type", line, `a part of the unknown type ${type}`));
  }
  const texts = sent.filter((part) => part["type"] === "text");
  const injected = role === "user" && texts.length > 0 && texts.every((part) => part["synthetic"] === true);
  return [makeSaid(line, { role, parts: said }, injected), ...others];
}

function isMedia(part: Fields): boolean {
  return !(asText(part["url"]) ?? "").startsWith("file:");
}

function readMedia(part: Fields): ContentPart {
  const url = asText(part["url"]) ?? asText(part["uri"]) ?? "";
  const mediaType = asText(part["mime"]) ?? "application/octet-stream";
  const source = sourceOfUrl(url);
  if (mediaType.startsWith("image/")) return { kind: "image", source };
  const name = asText(part["filename"]) ?? asText(part["name"]);
  return name === undefined ? { kind: "file", source } : { kind: "file", source, name };
}

function readCall(part: Fields): Part {
  const state = asFields(part["state"]);
  return recordedCall(part["callID"], part["tool"], state?.["input"]);
}

/** What OpenCode sends for a call that was pending or running when its session ended. */
const INTERRUPTED = "[Tool execution was interrupted]";

/** Of a call that was stopped, what it had printed may be kept. */
function readResult(part: Fields, line: number): readonly MessageDraft[] {
  const state = asFields(part["state"]);
  const status = asText(state?.["status"]);
  const failed = status === "error";
  const printed = asText(asFields(state?.["metadata"])?.["output"]);
  if (status === "pending" || status === "running")
    return [makeUnrunResult(asText(part["callID"]), line, [INTERRUPTED, printed ?? ""].join("\n").trim())];
  const stopped = failed && asFields(state?.["metadata"])?.["interrupted"] === true ? printed : undefined;
  const text = stopped ?? asText(state?.[failed ? "error" : "output"]);
  if (text === undefined && status !== "completed") return [];
  const content: readonly ContentPart[] = [
    ...(text === undefined || text === "" ? [] : [{ kind: "text", text } as const]),
    ...asObjects(state?.["attachments"]).map(readMedia),
  ];
  return [{ kind: "result", line, callId: asText(part["callID"]), content, isError: failed }];
}

const SPOKEN = new Set(["user", "assistant", "synthetic", "system", "skill", "shell", "compaction"]);
const RECORD_BOOKKEEPING = new Set(["idle", "agent-switched", "model-switched", "location-switched"]);

function isSecondVersion(record: Fields): boolean {
  const type = asText(record["type"]) ?? "";
  return (SPOKEN.has(type) || RECORD_BOOKKEEPING.has(type)) && asText(record["id"]) !== undefined && "time" in record;
}

function readRecord(record: Fields, line: number): readonly Told[] {
  const say = (parts: readonly ContentPart[], injected: boolean) => [makeSaid(line, { role: "user", parts }, injected)];
  const type = asText(record["type"]) ?? "none";
  switch (type) {
    case "user":
      return say([textPart(record["text"]), ...asObjects(record["files"]).map(attachment)], false);
    case "synthetic":
    case "system":
    case "skill":
      return say([textPart(record["text"])], true);
    case "assistant":
      return reply(record, line);
    case "compaction": {
      if (record["status"] !== "completed") return [];
      const said = [asText(record["summary"]), asText(record["recent"])].filter((piece) => piece !== undefined);
      return [makeSaid(line, textMessage("user", said.join("\n\n"), "summary"))];
    }
    case "shell":
      // What it printed follows in a synthetic record.
      return [];
    default:
      return RECORD_BOOKKEEPING.has(type)
        ? []
        : [makeNote("unknown_type", line, `a record of the unknown type ${type}`)];
  }
}

function textPart(value: unknown): ContentPart {
  return { kind: "text", text: asText(value) ?? "" };
}

function attachment(file: Fields): ContentPart {
  const data = asText(file["data"]);
  const mediaType = asText(file["mime"]) ?? "application/octet-stream";
  return readMedia(data === undefined ? file : { ...file, url: `data:${mediaType};base64,${data}` });
}

function reply(record: Fields, line: number): readonly Told[] {
  const content = asObjects(record["content"]);
  const notes: LogNote[] = [];
  const parts = content.flatMap((part): readonly Part[] => {
    switch (part["type"]) {
      case "text":
        return [{ kind: "text", text: asText(part["text"]) ?? "" }];
      case "reasoning":
        return [{ kind: "reasoning", text: asText(part["text"]) ?? "" }];
      case "tool":
        return [callOfRecord(part)];
      default:
        notes.push(makeNote("unknown_type", line, `a part of the unknown type ${asText(part["type"]) ?? "none"}`));
        return [];
    }
  });
  const results = content.flatMap((part) => (part["type"] === "tool" ? resultOfRecord(part, line) : []));
  return [makeSaid(line, { role: "assistant", parts }), ...results, ...notes];
}

function callOfRecord(part: Fields): Part {
  return recordedCall(part["id"], part["name"], asFields(part["state"])?.["input"]);
}

function resultOfRecord(part: Fields, line: number): readonly MessageDraft[] {
  const state = asFields(part["state"]);
  const status = state?.["status"];
  const isError = status === "error";
  if (status === "pending" || status === "running") return [makeUnrunResult(asText(part["id"]), line, INTERRUPTED)];
  if (!isError && status !== "completed") return [];
  const said = asObjects(state?.["content"]).map((piece): ContentPart =>
    piece["type"] === "text" ? { kind: "text", text: asText(piece["text"]) ?? "" } : readMedia(piece),
  );
  const error = asText(asFields(state?.["error"])?.["message"]);
  const content = error === undefined ? said : [...said, { kind: "text", text: error } as const];
  return [{ kind: "result", line, callId: asText(part["id"]), content, isError }];
}
