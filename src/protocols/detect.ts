/** Tells the protocol of a body by its shape: names of fields and kinds of blocks that only one of the three uses. */
import type { Fields } from "./dialect.ts";
import { fieldsOf, isFields, listOf, textOf } from "./fields.ts";
import type { ProtocolName } from "./protocol.ts";

const ANTHROPIC_BLOCKS = new Set([
  "tool_use",
  "tool_result",
  "thinking",
  "redacted_thinking",
  "document",
  "server_tool_use",
]);
const RESPONSES_BLOCKS = new Set(["input_text", "output_text", "input_image", "input_file"]);
const CHAT_BLOCKS = new Set(["image_url", "input_audio", "file"]);

/** The protocol of a request body or of an array of messages; undefined for text that is neither. */
export function detectProtocol(body: string): ProtocolName | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (Array.isArray(value)) return detectMessages(value);
  if (!isFields(value)) return undefined;
  if (Array.isArray(value["messages"])) return requestProtocol(value) ?? detectMessages(value["messages"]);
  return Array.isArray(value["input"]) || typeof value["input"] === "string" ? "openai-responses" : undefined;
}

function requestProtocol(request: Fields): ProtocolName | undefined {
  if ("system" in request || "anthropic_version" in request) return "anthropic-messages";
  for (const tool of listOf(request["tools"])) {
    if ("input_schema" in fieldsOf(tool)) return "anthropic-messages";
    if ("function" in fieldsOf(tool)) return "openai-chat";
  }
  return undefined;
}

/** The first message that only one protocol could hold decides; plain text is Chat, which every client reads. */
function detectMessages(messages: readonly unknown[]): ProtocolName | undefined {
  if (!messages.every(isFields)) return undefined;
  for (const message of messages) {
    const found = protocolOfMessage(message);
    if (found !== undefined) return found;
  }
  return messages.every((message) => typeof message["role"] === "string") ? "openai-chat" : undefined;
}

function protocolOfMessage(message: Fields): ProtocolName | undefined {
  const { role } = message;
  if (
    role === "tool" ||
    role === "function" ||
    "tool_calls" in message ||
    "function_call" in message ||
    "reasoning_content" in message
  )
    return "openai-chat";
  if (role === undefined && typeof message["type"] === "string") return "openai-responses";
  if (message["type"] === "message" && typeof role === "string" && !("stop_reason" in message))
    return "openai-responses";
  for (const block of listOf(message["content"])) {
    const type = textOf(fieldsOf(block)["type"]) ?? "";
    if (ANTHROPIC_BLOCKS.has(type) || isFields(fieldsOf(block)["source"]) || "cache_control" in fieldsOf(block))
      return "anthropic-messages";
    if (RESPONSES_BLOCKS.has(type)) return "openai-responses";
    if (CHAT_BLOCKS.has(type)) return "openai-chat";
  }
  return undefined;
}
