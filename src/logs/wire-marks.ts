/** What distinguishes the bodies of the protocols, without decoding them: roles, item types and block types. */
import { fieldsOf, listOf, textOf, type Fields } from "./fields.ts";
import { allDefinitions } from "../protocols/registry.ts";
import type { WireFormat } from "./log.ts";

const ITEM_TYPES = new Set(
  `compaction custom_tool_call custom_tool_call_output function_call function_call_output image_generation_call
   local_shell_call local_shell_call_output mcp_call reasoning tool_search_call tool_search_output
   web_search_call`.split(/\s+/),
);
/** One of these is in every item; parts of other stores share the names of types. */
const ITEM_KEYS = ["call_id", "summary", "encrypted_content", "action", "server_label", "revised_prompt"];
const ROLES = new Set(["system", "developer", "user", "assistant", "tool", "function"]);
/** System and developer messages say nothing: more than one protocol has them. */
const CHAT_ROLES = new Set(["tool", "function"]);
const CHAT_KEYS = ["tool_calls", "tool_call_id", "function_call"];

const BLOCK_TYPES: ReadonlyMap<string, WireFormat> = new Map(
  allDefinitions.flatMap(({ name, marks }) => marks.blocks.map((type) => [type, name] as const)),
);

/** The protocol of a request body or of a list of messages; undefined for anything else. */
export function wireFormatOf(document: unknown): WireFormat | undefined {
  if (Array.isArray(document)) return wireFormatOfMessages(document);
  const body = fieldsOf(document);
  if (body === undefined) return undefined;
  const { messages, input } = body;
  if (Array.isArray(messages)) {
    const format = wireFormatOfMessages(messages) ?? (isRequest(body, messages) ? "openai-chat" : undefined);
    return format === "openai-chat" && hasAnthropicFrame(body) ? "anthropic-messages" : format;
  }
  if (Array.isArray(input))
    return wireFormatOfMessages(input) !== undefined || isRequest(body, input) ? "openai-responses" : undefined;
  if (typeof body["input"] === "string" && "model" in body) return "openai-responses";
  return allDefinitions.find(({ dialect, marks }) => listOf(body[dialect.listKey]).length > 0 && marks.request(body))
    ?.name;
}

/** Beside a model, messages may lack content and items be of any type; by themselves they must be known. */
function isRequest(body: Fields, elements: readonly unknown[]): boolean {
  return "model" in body && elements.length > 0 && elements.every(hasRoleOrType);
}

function hasRoleOrType(element: unknown): boolean {
  const { role, type } = fieldsOf(element) ?? {};
  return ROLES.has(textOf(role) ?? "") || textOf(type) !== undefined;
}

/** The protocol of messages or items; plain roles and texts are read as Chat Completions. */
export function wireFormatOfMessages(messages: readonly unknown[]): WireFormat | undefined {
  const own = standalone(messages[0]);
  if (own !== undefined || !isWireRecord(messages[0])) return own;
  let plain: WireFormat = "openai-chat";
  for (const message of messages) {
    const format = markOf(fieldsOf(message) ?? {});
    if (format === "openai-chat" || format === "openai-responses") return format;
    plain = format ?? plain;
  }
  return plain;
}

/** Whether something is a message of some protocol, or an item of the Responses API. */
export function isWireRecord(value: unknown): boolean {
  const record = fieldsOf(value);
  if (record === undefined || "payload" in record) return false;
  if (standalone(record) !== undefined) return true;
  const type = textOf(record["type"]);
  if (type !== undefined && type !== "message") return ITEM_TYPES.has(type) && ITEM_KEYS.some((key) => key in record);
  return ROLES.has(textOf(record["role"]) ?? "") && ("content" in record || CHAT_KEYS.some((key) => key in record));
}

/** The protocol of a message that is told wherever it is. */
function standalone(value: unknown): WireFormat | undefined {
  const record = fieldsOf(value);
  if (record === undefined) return undefined;
  return allDefinitions.find(({ marks }) => marks.standalone?.(record) === true)?.name;
}

/** The protocol that alone writes a message like this; undefined where several do. */
function markOf(message: Fields): WireFormat | undefined {
  const type = textOf(message["type"]);
  if (type !== undefined) return "openai-responses";
  if (CHAT_ROLES.has(textOf(message["role"]) ?? "") || CHAT_KEYS.some((key) => key in message)) return "openai-chat";
  for (const block of listOf(message["content"])) {
    const format = BLOCK_TYPES.get(textOf(fieldsOf(block)?.["type"]) ?? "");
    if (format !== undefined) return format;
  }
  return undefined;
}

/** A system prompt beside the messages, or tools with an input schema. */
function hasAnthropicFrame(body: Fields): boolean {
  const tool = fieldsOf(listOf(body["tools"])[0]);
  return (
    "system" in body ||
    "anthropic_version" in body ||
    (tool !== undefined && "input_schema" in tool && !("function" in tool))
  );
}

/** Whether calls or results in Anthropic's form are anywhere in JSON text. Inside a string the quotes are escaped. */
export function hasAnthropicBlocks(text: string): boolean {
  return /"type":\s?"tool_(?:use|result)"/.test(text);
}
