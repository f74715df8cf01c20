/**
 * The shape of Chat messages: roles, content by role, calls and their ids, each as the vendor says it
 * (https://platform.openai.com/docs/api-reference/chat/create).
 */
import { fieldsOf, isFields, listOf, parsed, textOf, type Fields } from "../fields.ts";
import {
  firstRefusal,
  type Refusal,
  brokenArguments,
  checkName,
  emptyArray,
  missing,
  notOneOf,
  tooLong,
  wrongType,
} from "./openai-refusals.ts";

const ROLES = ["system", "assistant", "user", "function", "tool", "developer"];
const CALL_ID_CHARS_MAX = 40;

const CONTENT_TYPES: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image_url", "input_audio", "file"],
  assistant: ["text", "refusal"],
  system: ["text"],
  developer: ["text"],
  tool: ["text"],
};

export function messagesOf(body: Fields): readonly Fields[] {
  return listOf(body["messages"]).map(fieldsOf);
}

export function contentsOf(body: Fields): readonly unknown[] {
  return messagesOf(body).map(({ content }) => content);
}

export function checkShape(body: Fields): Refusal | undefined {
  if (!Array.isArray(body["messages"])) return missing("messages");
  if (body["messages"].length === 0) return emptyArray("messages");
  return checkTools(body) ?? firstRefusal(body["messages"], checkMessage);
}

function checkTools(body: Fields): Refusal | undefined {
  if (Array.isArray(body["tools"]) && body["tools"].length === 0) return emptyArray("tools", "shape");
  return firstRefusal(listOf(body["tools"]).map(fieldsOf), (tool, at) =>
    tool["type"] === "function"
      ? checkName(fieldsOf(tool["function"])["name"], `tools[${at}].function.name`)
      : undefined,
  );
}

function checkMessage(value: unknown, at: number): Refusal | undefined {
  if (!isFields(value)) return wrongType(`messages[${at}]`, "an object", value);
  const role = textOf(value["role"]) ?? "";
  if (!ROLES.includes(role)) return notOneOf(`messages[${at}].role`, value["role"], ROLES, "roles");
  return (
    (role === "assistant" ? checkReply(value, at) : checkContent(value["content"], role, at)) ??
    (role === "tool" ? checkId(value["tool_call_id"], `messages[${at}].tool_call_id`) : undefined)
  );
}

function checkReply(message: Fields, at: number): Refusal | undefined {
  const { tool_calls: calls, content } = message;
  if (Array.isArray(calls) && calls.length === 0) return emptyArray(`messages[${at}].tool_calls`, "shape");
  const bare = content === undefined || content === null;
  const says = [calls, message["function_call"], message["refusal"], message["audio"]].some(
    (field) => field !== undefined && field !== null,
  );
  if (bare && !says) return wrongType(`messages[${at}].content`, "one of a string or array of objects", null);
  return (
    (bare ? undefined : checkContent(content, "assistant", at)) ??
    firstRefusal(listOf(calls).map(fieldsOf), (call, index) => checkCall(call, `messages[${at}].tool_calls[${index}]`))
  );
}

function checkContent(content: unknown, role: string, at: number): Refusal | undefined {
  const place = `messages[${at}].content`;
  if (typeof content === "string") return undefined;
  if (!Array.isArray(content)) return wrongType(place, "one of a string or array of objects", content ?? null);
  if (content.length === 0) return emptyArray(place);
  const known = CONTENT_TYPES[role] ?? ["text"];
  return firstRefusal(content.map(fieldsOf), (part, index) => {
    const type = textOf(part["type"]) ?? "";
    if (!known.includes(type)) return notOneOf(`${place}[${index}].type`, part["type"], known, "shape");
    return type === "text" && typeof part["text"] !== "string"
      ? wrongType(`${place}[${index}].text`, "a string", part["text"] ?? null)
      : undefined;
  });
}

function checkCall(call: Fields, place: string): Refusal | undefined {
  const wrongId = checkId(call["id"], `${place}.id`);
  if (wrongId !== undefined) return wrongId;
  if (call["type"] === "custom") return checkName(fieldsOf(call["custom"])["name"], `${place}.custom.name`);
  if (call["type"] !== "function") return notOneOf(`${place}.type`, call["type"], ["function", "custom"], "shape");
  const { name, arguments: given } = fieldsOf(call["function"]);
  if (typeof given !== "string") return wrongType(`${place}.function.arguments`, "a string", given ?? null);
  return (
    checkName(name, `${place}.function.name`) ??
    (given !== "" && parsed(given) === undefined ? brokenArguments(`${place}.function.arguments`) : undefined)
  );
}

function checkId(id: unknown, place: string): Refusal | undefined {
  if (typeof id !== "string" || id === "") return missing(place);
  return id.length > CALL_ID_CHARS_MAX ? tooLong(place, id, CALL_ID_CHARS_MAX) : undefined;
}
