/** Items of the OpenAI Agents SDK: messages, thinking, calls and their results, one after another. */
import type { AgentInputItem } from "@openai/agents";
import type { Content, ContentPart, MediaSource, Message, Part } from "../../core/transcript/message.ts";
import { contentText } from "../../core/transcript/message.ts";
import type { LeftPart, MessageFormat } from "../framework/conversation.ts";

type Fields = Readonly<Record<string, unknown>>;

export const agentItems: MessageFormat<AgentInputItem> = {
  name: "openai-agents",
  read: (item) => [readItem(item as Fields)],
  edit: (item, left) => editItem(item as Fields, left) as AgentInputItem,
  write: (message, toolOf) => writeItem(message, toolOf) as AgentInputItem,
};

function readItem(item: Fields): Content {
  switch (item["type"]) {
    case "function_call": {
      const { callId, name, arguments: given } = item;
      const call: Part = { kind: "tool-call", id: `${callId}`, name: `${name}`, arguments: `${given}`, at: 0 };
      return { role: "assistant", parts: [call] };
    }
    case "function_call_result": {
      const result: Part = {
        kind: "tool-result",
        callId: `${item["callId"]}`,
        content: readOutput(item["output"]),
        at: 0,
      };
      return { role: "tool", parts: [result] };
    }
    case "reasoning":
      return {
        role: "assistant",
        parts: [{ kind: "reasoning", text: contentText(readBlocks(item["content"])), at: 0 }],
      };
    case "message":
    case undefined: {
      const role = item["role"] as "system" | "user" | "assistant";
      return { role, parts: readBlocks(item["content"]).map((part, at) => ({ ...part, at })) };
    }
    default:
      return {
        role: "assistant",
        parts: [{ kind: "opaque", type: `${item["type"]}`, raw: JSON.stringify(item), at: 0 }],
      };
  }
}

/** A result is a text, or one block, or a list of them. */
function readOutput(output: unknown): readonly ContentPart[] {
  return readBlocks(typeof output === "object" && output !== null && !Array.isArray(output) ? [output] : output);
}

function readBlocks(content: unknown): readonly ContentPart[] {
  if (!Array.isArray(content)) return [{ kind: "text", text: typeof content === "string" ? content : "" }];
  return content.map((block: Fields) => readBlock(block));
}

function readBlock(block: Fields): ContentPart {
  if (typeof block["text"] === "string") return { kind: "text", text: block["text"] };
  if (typeof block["refusal"] === "string") return { kind: "text", text: block["refusal"], refusal: true };
  const data = block["image"] ?? block["file"] ?? block["data"];
  const kind = /image/.test(`${block["type"]}`) ? "image" : "file";
  const source = typeof data === "string" ? readSource(data) : undefined;
  return source === undefined
    ? { kind: "opaque", type: `${block["type"]}`, raw: JSON.stringify(block) }
    : { kind, source };
}

function readSource(text: string): MediaSource {
  const [, mediaType = "", data] = /^data:([^;,]*);base64,(.*)$/s.exec(text) ?? [];
  return data === undefined ? { type: "url", url: text } : { type: "data", mediaType, data };
}

function editItem(item: Fields, left: readonly LeftPart[]): Fields {
  const parts = left.map(({ part }) => part);
  const [first] = parts;
  switch (item["type"]) {
    case "function_call":
      return first?.kind === "tool-call" ? { ...item, arguments: first.arguments } : item;
    case "function_call_result":
      return first?.kind === "tool-result"
        ? { ...item, output: { type: "text", text: contentText(first.content) } }
        : item;
    case "message":
    case undefined:
      return { ...item, content: editBlocks(item, left) };
    default:
      return item;
  }
}

function editBlocks({ role, content }: Fields, left: readonly LeftPart[]): unknown {
  if (!Array.isArray(content)) return contentText(left.map(({ part }) => part));
  return left.flatMap(({ part, same }): unknown[] => {
    const original: unknown = part.at === undefined ? undefined : content[part.at];
    if (original !== undefined && same) return [original];
    return part.kind === "text" ? [textBlock(`${role}`, part.text)] : [];
  });
}

function textBlock(role: string, text: string): Fields {
  return { type: role === "assistant" ? "output_text" : "input_text", text };
}

function writeItem({ role, parts }: Message, toolOf: (callId: string) => string): Fields {
  const call = parts.find((part) => part.kind === "tool-call");
  if (call !== undefined)
    return { type: "function_call", callId: call.id, name: call.name, arguments: call.arguments, status: "completed" };
  const result = parts.find((part) => part.kind === "tool-result");
  const text = contentText(parts);
  if (result !== undefined)
    return {
      type: "function_call_result",
      callId: result.callId,
      name: toolOf(result.callId),
      status: "completed",
      output: { type: "text", text },
    };
  if (role === "assistant") return { type: "message", role, status: "completed", content: [textBlock(role, text)] };
  return { type: "message", role: role === "system" ? "system" : "user", content: text };
}
