/**
 * Which format a text is in. Session files are recognised by the marks that only their agent writes, in any of the first
 * lines; request bodies by the blocks and items that only their protocol has.
 */
import { findDocument } from "./document.ts";
import { asFields, tryParseJson, type Fields, asList, asText } from "./fields.ts";
import { FORMATS } from "./formats.ts";
import { trimLine } from "./lines.ts";
import { makeNote, type InputFormat, type LogFormat, type WireFormat, type LogNote } from "./log.ts";
import { protocolOfMessage } from "../protocols/detect.ts";
import { allDefinitions, definitions } from "../protocols/registry.ts";
import { PrecisError } from "../core/errors.ts";

/** Of JSON lines this much is looked at; a single JSON document is parsed whole. */
const SAMPLE_CHARS = 64 * 1024;

const FORMATS_IN_ORDER = Object.keys(FORMATS) as readonly LogFormat[];

/** Undefined if the text is in none of the formats known. `fileName` may be a path; it decides only as a last resort. */
export function detectFormat(text: string, fileName = ""): InputFormat | undefined {
  return (
    formatOfDocument(text) ??
    formatOfLines(text) ??
    FORMATS_IN_ORDER.find((name) => FORMATS[name].marks.path?.test(fileName) === true)
  );
}

function formatOfDocument(text: string): InputFormat | undefined {
  const start = trimLine(text.slice(0, SAMPLE_CHARS));
  const lineEnd = start.indexOf("\n");
  // JSON lines begin with a whole object; parsing the rest would only find that more follows.
  if (start.startsWith("{") && lineEnd > 0 && tryParseJson(start.slice(0, lineEnd)) !== undefined) return undefined;
  const document = findDocument(text)?.value;
  if (document === undefined) return undefined;
  const wire = Array.isArray(document) ? detectWireFormat(document) : undefined;
  return (
    wire ??
    FORMATS_IN_ORDER.find((name) => FORMATS[name].marks.document?.(document) === true) ??
    detectWireFormat(document)
  );
}

function formatOfLines(text: string): InputFormat | undefined {
  const records = sample(text);
  for (const record of records) {
    const found = FORMATS_IN_ORDER.find((name) => FORMATS[name].marks.line?.(record) === true);
    if (found !== undefined) return found;
  }
  const bodies = records.map(detectWireFormat).find((format) => format !== undefined);
  if (bodies !== undefined) return bodies;
  if (!isWireRecord(records[0])) return undefined;
  // The first tool call may come late, and only blocks distinguish the two protocols of roles and contents.
  return hasAnthropicBlocks(text) ? "anthropic-messages" : wireFormatOfMessages(records);
}

/** The records of the first lines, whole ones only; at least one line, however long. */
function sample(text: string): readonly Fields[] {
  const records: Fields[] = [];
  let start = 0;
  while (start < text.length && (start === 0 || start < SAMPLE_CHARS)) {
    const end = text.indexOf("\n", start);
    const line = trimLine(text.slice(start, end < 0 ? undefined : end));
    const record = asFields(tryParseJson(line));
    if (record !== undefined) records.push(record);
    if (end < 0) break;
    start = end + 1;
  }
  return records;
}

const ITEM_TYPES = new Set(
  `compaction custom_tool_call custom_tool_call_output function_call function_call_output image_generation_call
   local_shell_call local_shell_call_output mcp_call reasoning tool_search_call tool_search_output
   web_search_call`.split(/\s+/),
);
/** One of these is in every item; parts of other stores share the names of types. */
const ITEM_KEYS = ["call_id", "summary", "encrypted_content", "action", "server_label", "revised_prompt"];
const ROLES = new Set(["system", "developer", "user", "assistant", "tool", "function"]);
const CHAT_KEYS = ["tool_calls", "tool_call_id", "function_call"];

/** The protocol of a request body or of a list of messages; undefined for anything else. */
function detectWireFormat(document: unknown): WireFormat | undefined {
  if (Array.isArray(document)) return wireFormatOfMessages(document);
  const body = asFields(document);
  if (body === undefined) return undefined;
  const { messages, input } = body;
  if (Array.isArray(messages)) {
    const format = wireFormatOfMessages(messages) ?? (isRequest(body, messages) ? "openai-chat" : undefined);
    return format === "openai-chat" && definitions["anthropic-messages"].marks.request(body)
      ? "anthropic-messages"
      : format;
  }
  if (Array.isArray(input))
    return wireFormatOfMessages(input) !== undefined || isRequest(body, input) ? "openai-responses" : undefined;
  if (typeof body["input"] === "string" && "model" in body) return "openai-responses";
  return allDefinitions.find(({ dialect, marks }) => asList(body[dialect.listKey]).length > 0 && marks.request(body))
    ?.name;
}

/** Beside a model, messages may lack content and items be of any type; by themselves they must be known. */
function isRequest(body: Fields, elements: readonly unknown[]): boolean {
  return "model" in body && elements.length > 0 && elements.every(hasRoleOrType);
}

function hasRoleOrType(element: unknown): boolean {
  const { role, type } = asFields(element) ?? {};
  return ROLES.has(asText(role) ?? "") || asText(type) !== undefined;
}

/** The protocol of messages or items; plain roles and texts are read as Chat Completions. */
function wireFormatOfMessages(messages: readonly unknown[]): WireFormat | undefined {
  const own = standalone(messages[0]);
  if (own !== undefined || !isWireRecord(messages[0])) return own;
  let plain: WireFormat = "openai-chat";
  for (const message of messages) {
    const format = protocolOfMessage(asFields(message) ?? {});
    if (format === "openai-chat" || format === "openai-responses") return format;
    plain = format ?? plain;
  }
  return plain;
}

function isWireRecord(value: unknown): boolean {
  const record = asFields(value);
  if (record === undefined || "payload" in record) return false;
  if (standalone(record) !== undefined) return true;
  const type = asText(record["type"]);
  if (type !== undefined && type !== "message") return ITEM_TYPES.has(type) && ITEM_KEYS.some((key) => key in record);
  return ROLES.has(asText(record["role"]) ?? "") && ("content" in record || CHAT_KEYS.some((key) => key in record));
}

function standalone(value: unknown): WireFormat | undefined {
  const record = asFields(value);
  if (record === undefined) return undefined;
  return allDefinitions.find(({ marks }) => marks.standalone?.(record) === true)?.name;
}

/** Whether calls or results in Anthropic's form are anywhere in JSON text. Inside a string the quotes are escaped. */
function hasAnthropicBlocks(text: string): boolean {
  return /"type":\s?"tool_(?:use|result)"/.test(text);
}

interface WireText {
  /** A JSON array of the messages, or one request body. */
  readonly json: string;
  readonly notes: readonly LogNote[];
}

/** A request body, or its messages in one piece or one a line. One broken line is left to the protocol, which says what is wrong. */
export function wireText(text: string): WireText {
  return findDocument(text) ?? (text.trim().includes("\n") ? joinWireLines(text) : { json: text, notes: [] });
}

/**
 * Lines that are messages or items become one array. Lines that are whole request bodies are the same conversation
 * again and again, each time longer: the longest is taken, the later of two equals.
 * Throws `unreadable_input` if no line is either.
 */
function joinWireLines(text: string): WireText {
  const notes: LogNote[] = [];
  const messages: string[] = [];
  let body: { readonly json: string; readonly line: number } | undefined;
  let bodies = 0;
  text.split("\n").forEach((raw, index) => {
    const json = trimLine(raw);
    if (json === "") return;
    const record = asFields(tryParseJson(json));
    if (record === undefined)
      notes.push(
        makeNote("corrupt_line", index + 1, `${json.length} characters that are not a JSON object were skipped`),
      );
    else if (isWireRecord(record)) messages.push(json);
    else if (detectWireFormat(record) === undefined)
      notes.push(makeNote("unknown_type", index + 1, "neither a message nor a request body"));
    else if (++bodies > 0 && json.length >= (body?.json.length ?? 0)) body = { json, line: index + 1 };
  });
  if (messages.length > 0) return { json: `[${messages.join(",\n")}]`, notes };
  if (body === undefined) throw noWireLines();
  if (bodies > 1)
    notes.push(makeNote("bodies_skipped", body.line, `the longest of ${bodies} request bodies was taken`));
  return { json: body.json, notes };
}

function noWireLines(): PrecisError {
  return new PrecisError("no line is a message or a request body", {
    code: "unreadable_input",
    hint: "Give one JSON message, item or request body a line, or name the format with --from.",
  });
}
