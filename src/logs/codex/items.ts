/** Items of Codex rollouts, in today's form (the Responses API's) and in those of its first versions, as parts of core. */
import type { ContentPart, Part } from "../../core/transcript/message.ts";
import { fieldsOf, jsonOf, listOf, objectsOf, textOf, type Fields } from "../fields.ts";
import { opaqueBlock } from "../../protocols/content.ts";

/** What an item says: words of somebody, a part of the model's reply, the result of a call, or nothing to send. */
export type Item =
  | { readonly kind: "message"; readonly role: "system" | "user" | "assistant"; readonly parts: readonly ContentPart[] }
  | { readonly kind: "reply"; readonly part: Part }
  | {
      readonly kind: "result";
      readonly callId: string | undefined;
      readonly content: readonly ContentPart[];
      readonly isError?: true;
    }
  | { readonly kind: "compaction"; readonly part: ContentPart }
  | { readonly kind: "nothing" }
  | { readonly kind: "unknown" };

const ROLES: Readonly<Record<string, "system" | "user" | "assistant">> = {
  developer: "system",
  system: "system",
  user: "user",
  assistant: "assistant",
};

export function itemOf(item: Fields): Item {
  const type = textOf(item["type"]) ?? "message";
  switch (type) {
    case "message":
      return messageItem(item);
    case "agent_message":
      return { kind: "message", role: "user", parts: [opaqueBlock(item, jsonOf(item))] };
    case "reasoning":
      return { kind: "reply", part: { kind: "reasoning", text: reasoningText(item) } };
    case "function_call":
    case "tool_call":
    case "tool_search_call":
    case "local_shell_call":
    case "custom_tool_call":
      return { kind: "reply", part: callOf(type, item) };
    case "function_call_output":
    case "custom_tool_call_output":
    case "local_shell_call_output":
    case "mcp_tool_call_output":
    case "tool_search_output":
    case "function_result":
    case "tool_result":
      return {
        kind: "result",
        callId: textOf(item["call_id"]),
        content: outputParts(item["output"] ?? item["result"] ?? item["tools"]),
      };
    case "compaction":
    case "compaction_summary":
    case "context_compaction":
      return { kind: "compaction", part: opaqueBlock(item, jsonOf(item)) };
    case "web_search_call":
    case "image_generation_call":
      return { kind: "reply", part: opaqueBlock(item, jsonOf(item)) };
    case "ghost_snapshot":
    case "additional_tools":
    case "configuration_update":
      return { kind: "nothing" };
    default:
      return { kind: "unknown" };
  }
}

function messageItem(item: Fields): Item {
  const role = ROLES[textOf(item["role"]) ?? ""];
  return role === undefined
    ? { kind: "unknown" }
    : { kind: "message", role, parts: contentParts(item["content"] ?? item["message"]) };
}

function callOf(type: string, item: Fields): Part {
  const id = textOf(item["call_id"]) ?? textOf(item["id"]) ?? "";
  const name = textOf(item["name"]) ?? textOf(fieldsOf(item["function"])?.["name"]);
  if (type === "custom_tool_call")
    return { kind: "tool-call", id, name: name ?? "custom_tool", arguments: textOf(item["input"]) ?? "", custom: true };
  const given = type === "local_shell_call" ? item["action"] : item["arguments"];
  return { kind: "tool-call", id, name: name ?? type.replace(/_call$/, ""), arguments: textOf(given) ?? jsonOf(given) };
}

function reasoningText(item: Fields): string {
  const pieces = [...listOf(item["summary"]), ...listOf(item["content"])].map(
    (piece) => textOf(fieldsOf(piece)?.["text"]) ?? "",
  );
  return pieces.filter((piece) => piece !== "").join("\n");
}

/** What the model read of a result: text, a list of content items, or an object around one of them. */
export function outputParts(output: unknown): readonly ContentPart[] {
  if (typeof output === "string" || Array.isArray(output)) return contentParts(output);
  const object = fieldsOf(output);
  if (object === undefined) return [];
  if (typeof object["type"] === "string") return contentParts([object]);
  const inner = object["content"];
  return typeof inner === "string" || Array.isArray(inner)
    ? contentParts(inner)
    : [{ kind: "text", text: jsonOf(object) }];
}

function contentParts(content: unknown): readonly ContentPart[] {
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }];
  return objectsOf(content).flatMap((block) => contentPart(block) ?? []);
}

function contentPart(block: Fields): ContentPart | undefined {
  const type = textOf(block["type"]) ?? "unknown";
  switch (type) {
    case "input_text":
    case "output_text":
    case "text":
      return { kind: "text", text: textOf(block["text"]) ?? "" };
    case "refusal":
      return { kind: "text", text: textOf(block["refusal"]) ?? "", refusal: true };
    case "input_image": {
      const url = textOf(block["image_url"]);
      const id = textOf(block["file_id"]);
      if (url !== undefined) return { kind: "image", source: dataOf(url) ?? { type: "url", url } };
      return id === undefined ? undefined : { kind: "image", source: { type: "id", id } };
    }
    default:
      return opaqueBlock(block, jsonOf(block));
  }
}

function dataOf(url: string): Extract<ContentPart, { kind: "image" }>["source"] | undefined {
  const comma = url.indexOf(";base64,");
  if (!url.startsWith("data:") || comma < 0) return undefined;
  return { type: "data", mediaType: url.slice("data:".length, comma), data: url.slice(comma + ";base64,".length) };
}
