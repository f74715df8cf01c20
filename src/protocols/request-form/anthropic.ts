/**
 * The shape of Anthropic messages: required fields, roles, and which blocks may be where, each as the vendor says it
 * (https://platform.claude.com/docs/en/api/messages).
 */
import { fieldsOf, isFields, listOf, textOf, blocksOf, type Fields } from "../fields.ts";
import { firstRefusal, invalid, type Refusal } from "./openai-refusals.ts";
import { imageSide } from "../media-limits.ts";
import { anthropicMediaLimits } from "../anthropic-messages/protocol.ts";

/** Anthropic's limit for a body (https://platform.claude.com/docs/en/api/overview, 2026-11). */
export const BODY_BYTES_MAX = 32 * 1024 * 1024;
export const TOO_LARGE: Refusal = { status: 413, reason: "size", message: "Request exceeds the maximum size" };

export interface PlacedBlock {
  readonly block: Fields;
  readonly path: string;
}

export function messagesOf(body: Fields): readonly Fields[] {
  return listOf(body["messages"]).filter(isFields);
}

/** Tools that are at the front of the prompt; deferred ones come in where a result or a system message refers to them. */
export function promptTools(body: Fields): readonly Fields[] {
  return listOf(body["tools"])
    .map(fieldsOf)
    .filter((tool) => !isDeferred(tool));
}

export function isDeferred(tool: Fields): boolean {
  return tool["defer_loading"] === true;
}

/** The blocks of a message with their places as error messages write them. */
export function placed(message: Fields, at: number): readonly PlacedBlock[] {
  return blocksOf(message["content"]).map((block, index) => ({ block, path: `messages.${at}.content.${index}` }));
}

const USER_BLOCKS = ["text", "image", "document", "search_result", "tool_result", "container_upload"];
const SYSTEM_BLOCKS = ["text", "tool_addition", "tool_removal"];
const ASSISTANT_BLOCKS = ["text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "compaction"];

const CALL_ID = /^[a-zA-Z0-9_-]+$/;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const THINKING_BUDGET_TOKENS_MIN = 1_024;

/** Python's own words, in which the vendor refuses half of a character (https://github.com/anthropics/claude-code/issues/69927). */
export function checkCharacters(body: Fields): Refusal | undefined {
  const open: unknown[] = [body];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string" && !value.isWellFormed())
      return invalid("json", "The request body is not valid JSON: no low surrogate in string");
    if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) open.push(inner);
  }
  return undefined;
}

interface ShapeOptions {
  /** Leaves out what only an answer needs. */
  readonly counting: boolean;
  /** Whether this model takes system messages behind the first message. */
  readonly systemTurns: boolean;
}

export function checkShape(body: Fields, { counting, systemTurns }: ShapeOptions): Refusal | undefined {
  return (
    checkRequired(body, counting) ?? checkTools(body) ?? checkThinkingSetting(body) ?? checkMessages(body, systemTurns)
  );
}

function missing(field: string): Refusal {
  return invalid("shape", `${field}: Field required`);
}

function checkRequired(body: Fields, counting: boolean): Refusal | undefined {
  if (!Array.isArray(body["messages"])) return missing("messages");
  if (body["messages"].length === 0) return invalid("shape", "messages: at least one message is required");
  const limit = body["max_tokens"];
  if (counting) return undefined;
  if (limit === undefined) return missing("max_tokens");
  if (!Number.isInteger(limit)) return invalid("shape", "max_tokens: Input should be a valid integer");
  return (limit as number) < 1 ? invalid("shape", "max_tokens: must be greater than or equal to 1") : undefined;
}

function checkTools(body: Fields): Refusal | undefined {
  const tools = listOf(body["tools"]).filter(isFields);
  const custom = tools.filter((tool) => tool["type"] === undefined || tool["type"] === "custom");
  const wrong = firstRefusal(custom, (tool, at) => {
    if (!TOOL_NAME.test(textOf(tool["name"]) ?? ""))
      return invalid("shape", `tools.${at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    return isFields(tool["input_schema"])
      ? undefined
      : invalid("shape", `tools.${at}.custom.input_schema: Field required`);
  });
  const names = tools.map((tool) => tool["name"]);
  return (
    wrong ?? (new Set(names).size < names.length ? invalid("shape", "tools: Tool names must be unique.") : undefined)
  );
}

function checkThinkingSetting(body: Fields): Refusal | undefined {
  const thinking = body["thinking"];
  if (!isFields(thinking) || thinking["type"] !== "enabled") return undefined;
  const budget = thinking["budget_tokens"];
  if (typeof budget !== "number") return invalid("shape", "thinking.enabled.budget_tokens: Field required");
  if (budget < THINKING_BUDGET_TOKENS_MIN)
    return invalid("shape", "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024");
  if (typeof body["max_tokens"] === "number" && body["max_tokens"] <= budget)
    return invalid("shape", "`max_tokens` must be greater than `thinking.budget_tokens`.");
  return undefined;
}

function checkMessages(body: Fields, systemTurns: boolean): Refusal | undefined {
  const raw = listOf(body["messages"]);
  const odd = firstRefusal(raw, (message, at) =>
    isFields(message) ? undefined : invalid("shape", `messages.${at}: Input should be a valid dictionary`),
  );
  const messages = messagesOf(body);
  return (
    odd ??
    firstRefusal(messages, (message, at) => checkRole(message, at, systemTurns)) ??
    firstRefusal(messages, (_, at) => checkSystemPlace(messages, at)) ??
    (opens(messages.find((message) => !isDirective(message)))
      ? undefined
      : invalid("roles", 'messages: first message must use the "user" role')) ??
    firstRefusal(messages, (message, at) => checkContent(message, at, at === messages.length - 1))
  );
}

function checkRole({ role }: Fields, at: number, systemTurns: boolean): Refusal | undefined {
  if (role === "user" || role === "assistant" || (role === "system" && systemTurns)) return undefined;
  if (role === "system")
    return invalid(
      "roles",
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    );
  return invalid("roles", `messages.${at}.role: Input should be 'user' or 'assistant'`);
}

/** A user begins, or the summary of what a user began. */
function opens(message: Fields | undefined): boolean {
  return message?.["role"] === "user" || blocksOf(message?.["content"])[0]?.["type"] === "compaction";
}

const DIRECTIVE_ONLY = "the directive-only form (content: [] with output_config) is accepted at any position";

/** A system message with content and no more than settings is anywhere; one with words has its place. */
function isDirective({ role, content, output_config: settings }: Fields): boolean {
  return role === "system" && Array.isArray(content) && content.length === 0 && isFields(settings);
}

/**
 * Behind what a user said or a server's tool answered, and before what the assistant says; several in a row count as one
 * (the vendor's refusals, 2026-10).
 */
function checkSystemPlace(messages: readonly Fields[], at: number): Refusal | undefined {
  if (!instructs(messages[at]!)) return undefined;
  const beside = messages.filter((message, index) => index === at || !instructs(message));
  const own = beside.indexOf(messages[at]!);
  const [before, next] = [beside[own - 1], beside[own + 1]];
  const refused = (words: string): Refusal => invalid("roles", `messages.${at}: ${words}; ${DIRECTIVE_ONLY}`);
  if (before === undefined) return refused("use the top-level 'system' parameter for the initial system prompt");
  const served = before["role"] === "assistant" && endsInServerResult(before);
  if (before["role"] !== "user" && !served)
    return refused(
      "role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result",
    );
  return next === undefined || next["role"] === "assistant"
    ? undefined
    : refused("role 'system' must precede an 'assistant' message or end the array");
}

function instructs(message: Fields): boolean {
  return message["role"] === "system" && !isDirective(message);
}

function endsInServerResult(message: Fields): boolean {
  return (textOf(blocksOf(message["content"]).at(-1)?.["type"]) ?? "").endsWith("_tool_result");
}

function checkContent(message: Fields, at: number, last: boolean): Refusal | undefined {
  const { role, content } = message;
  if (isDirective(message)) return undefined;
  if (typeof content !== "string" && !Array.isArray(content))
    return invalid("shape", `messages.${at}.content: Input should be a valid list`);
  if (content.length === 0) {
    if (last && role === "assistant") return undefined;
    return invalid(
      "empty",
      `messages.${at}: all messages must have non-empty content except for the optional final assistant message`,
    );
  }
  return firstRefusal(placed(message, at), ({ block, path }) => checkBlock(block, path, role));
}

function checkBlock(block: Fields, path: string, role: unknown): Refusal | undefined {
  const type = textOf(block["type"]) ?? "";
  const expected = role === "user" ? USER_BLOCKS : role === "system" ? SYSTEM_BLOCKS : ASSISTANT_BLOCKS;
  const hosted = role === "assistant" && /_tool_(?:use|result)$/.test(type);
  if (!expected.includes(type) && !hosted) return misplaced(type, path, expected);
  switch (type) {
    case "text":
      return checkText(block, `${path}.text`);
    case "tool_use":
      return checkCall(block, path);
    case "tool_result":
      return checkResult(block, path);
    case "compaction":
      // The SDK's types allow null; the server does not (https://github.com/vercel/ai/pull/13382).
      return textOf(block["content"]) === undefined || block["content"] === ""
        ? invalid("compaction", `${path}.compaction.content: content can't be empty`)
        : undefined;
    case "thinking":
      return typeof block["thinking"] === "string" && typeof block["signature"] === "string"
        ? undefined
        : invalid("thinking", `${path}.thinking.signature: Field required`);
    case "redacted_thinking":
      return typeof block["data"] === "string"
        ? undefined
        : invalid("thinking", `${path}.redacted_thinking.data: Field required`);
    default:
      return undefined;
  }
}

function misplaced(type: string, path: string, expected: readonly string[]): Refusal {
  if (expected === SYSTEM_BLOCKS)
    return invalid("roles", `${path}: role 'system' supports text, tool_addition, and tool_removal blocks only`);
  if (type === "tool_use")
    return invalid("roles", `${path}: \`tool_use\` blocks can only be in \`assistant\` messages`);
  if (type === "tool_result")
    return invalid("roles", `${path}: \`tool_result\` blocks can only be in \`user\` messages`);
  const tags = expected.map((tag) => `'${tag}'`).join(", ");
  return invalid(
    "shape",
    `${path}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${tags}`,
  );
}

/** Empty where nothing is, blank where only white space is; a string in place of blocks is held to the same. */
function checkText(block: Fields, path: string): Refusal | undefined {
  const text = block["text"];
  if (typeof text !== "string") return invalid("shape", `${path}: Input should be a valid string`);
  if (text === "") return invalid("empty", "messages: text content blocks must be non-empty");
  return text.trim() === ""
    ? invalid("empty", "messages: text content blocks must contain non-whitespace text")
    : undefined;
}

function checkCall(block: Fields, path: string): Refusal | undefined {
  if (!CALL_ID.test(textOf(block["id"]) ?? ""))
    return invalid("ids", `${path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  if (typeof block["name"] !== "string" || block["name"] === "")
    return invalid("shape", `${path}.tool_use.name: String should have at least 1 character`);
  return isFields(block["input"])
    ? undefined
    : invalid("arguments", `${path}.tool_use.input: Input should be a valid dictionary`);
}

function checkResult(block: Fields, path: string): Refusal | undefined {
  if (!CALL_ID.test(textOf(block["tool_use_id"]) ?? ""))
    return invalid("ids", `${path}.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  const { content } = block;
  if (content === undefined || typeof content === "string") return undefined;
  if (!Array.isArray(content)) return invalid("shape", `${path}.tool_result.content: Input should be a valid list`);
  return firstRefusal(blocksOf(content), (one, at) =>
    one["type"] === "text" ? checkText(one, `${path}.tool_result.content.${at}.text`) : undefined,
  );
}

export function checkPictures(body: Fields, windowTokens: number): Refusal | undefined {
  const limits = anthropicMediaLimits(textOf(body["model"]), windowTokens);
  if (limits === undefined) return undefined;
  const pictures = messagesOf(body).flatMap(placed).flatMap(listPictures);
  if (pictures.length > limits.images)
    return invalid("size", `messages: too many images and documents: ${pictures.length} + 0 > ${limits.images}`);
  const many = pictures.length > limits.manyImages;
  const most = many ? limits.manyImageSide : limits.imageSide;
  return firstRefusal(pictures, ({ block, path }) => {
    const { type, data } = fieldsOf(block["source"]);
    const source = { type: "data", mediaType: "", data: textOf(data) ?? "" } as const;
    return type === "base64" && imageSide({ kind: "image", source }) > most
      ? invalid(
          "size",
          `${path}.image.source.base64.data: At least one of the image dimensions exceed max allowed size${many ? " for many-image requests" : ""}: ${most} pixels`,
        )
      : undefined;
  });
}

function listPictures(one: PlacedBlock): readonly PlacedBlock[] {
  const { block, path } = one;
  if (block["type"] === "image") return [one];
  if (block["type"] !== "tool_result") return [];
  return blocksOf(block["content"]).flatMap((inner, at) =>
    listPictures({ block: inner, path: `${path}.tool_result.content.${at}` }),
  );
}
