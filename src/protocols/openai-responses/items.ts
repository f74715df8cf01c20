/** The kinds of Responses items, and which of them are parts of one reply. */
import type { OpaquePart, Part } from "../../core/transcript/message.ts";
import type { Fields } from "../dialect.ts";
import { isFields, textOf } from "../fields.ts";

export type ItemKind =
  | "message"
  | "reasoning"
  | "call"
  | "custom-call"
  | "hosted-call"
  | "output"
  | "reply-opaque"
  | "opaque";

/**
 * Tools of the provider that the client runs: their calls and outputs pair by `call_id` like functions. The key names
 * where a call of this type keeps its arguments.
 */
const HOSTED_ARGUMENTS: Readonly<Record<string, string>> = Object.freeze({
  local_shell_call: "action",
  shell_call: "action",
  apply_patch_call: "operation",
  computer_call: "action",
});

export function hostedArgumentsKey(type: string): string {
  return HOSTED_ARGUMENTS[type] ?? "action";
}

/** Items that end a reply or stand outside of one. */
const STANDALONE: ReadonlySet<string | undefined> = new Set([
  "agent_message",
  "compaction",
  "compaction_summary",
  "context_compaction",
  "compaction_trigger",
]);

export function kindOf(item: Fields): ItemKind {
  const type = textOf(item["type"]);
  const paired = typeof item["call_id"] === "string";
  switch (type) {
    case undefined:
      return typeof item["role"] === "string" ? "message" : "opaque";
    case "message":
      return "message";
    case "reasoning":
      return "reasoning";
    case "function_call":
      return "call";
    case "custom_tool_call":
      return "custom-call";
    case "function_call_output":
    case "custom_tool_call_output":
      return "output";
    default:
      if (paired && type in HOSTED_ARGUMENTS) return "hosted-call";
      if (paired && type.endsWith("_output") && type.slice(0, -"_output".length) in HOSTED_ARGUMENTS) return "output";
      return STANDALONE.has(type) || isDirective(item) || /_(?:output|response)$/.test(type)
        ? "opaque"
        : "reply-opaque";
  }
}

/** Whether what is no content stands as an item of its own, whoever's message it is in. */
export function standsAlone(part: Part): part is OpaquePart {
  return part.kind === "opaque" && STANDALONE.has(part.type);
}

/**
 * What holds from an item on: tools that an agent adds on the way, with or without a role (Codex CLI), and settings, of which
 * the vendor's own compaction keeps the latest (https://developers.openai.com/api/docs/guides/compaction).
 */
export function declaredBy(item: Fields): readonly string[] {
  if (item["type"] === "additional_tools") return namesIn(item["tools"]);
  if (item["type"] !== "configuration_update") return [];
  return Object.keys(item).filter((key) => key !== "type" && key !== "id");
}

/** Every name in a declaration: of tools, of what they are in, and of their parameters. */
function namesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isFields(value)) return [];
  const name = textOf(value["name"]);
  return [...(name === undefined ? [] : [name]), ...Object.values(value).flatMap(namesIn)];
}

/** What an agent's developer says beside messages, say which tools there are. */
function isDirective(item: Fields): boolean {
  return item["role"] === "developer" || item["role"] === "system" || declaredBy(item).length > 0;
}

/** Whether the item is something the model said, so that it is in one assistant message with its neighbours. */
export function isReply(item: Fields): boolean {
  const kind = kindOf(item);
  if (kind === "message") return item["role"] === "assistant";
  return kind !== "output" && kind !== "opaque";
}

export function joins(before: Fields, next: Fields): boolean {
  return isReply(before) && isReply(next);
}

/** The role of an item that is no message and no part of a reply. */
export function roleOfOpaque(item: Fields): "system" | "user" | "assistant" {
  if (isDirective(item)) return "system";
  const type = textOf(item["type"]) ?? "";
  return type.startsWith("compaction") && type !== "compaction_trigger" ? "assistant" : "user";
}
