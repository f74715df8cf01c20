/** LangChain's messages: blocks first, then the calls of an answer, which are separate from its blocks. */
import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type BaseMessage } from "langchain";
import type { Content, ContentPart, Message, Part } from "../../core/transcript/message.ts";
import { contentText } from "../../core/transcript/message.ts";
import type { LeftPart, MessageFormat } from "../framework/conversation.ts";

type Block = Readonly<Record<string, unknown>>;

export const langchainMessages: MessageFormat<BaseMessage> = {
  name: "langchain",
  read: (message) => [readMessage(message)],
  edit: editMessage,
  write: ({ role, parts }, toolOf) => {
    const content = contentText(parts);
    if (role === "system") return new SystemMessage(content);
    if (role === "user") return new HumanMessage(content);
    const result = parts.find((part) => part.kind === "tool-result");
    if (result !== undefined)
      return new ToolMessage({ content, tool_call_id: result.callId, name: toolOf(result.callId) });
    return new AIMessage({ content, tool_calls: parts.flatMap(writeCall) });
  },
};

function readMessage(message: BaseMessage): Content {
  const blocks = readBlocks(message);
  if (ToolMessage.isInstance(message)) {
    const content = blocks.map((block) => readBlock(block));
    const result: Part = { kind: "tool-result", callId: message.tool_call_id, content, at: 0 };
    return { role: "tool", parts: [message.status === "error" ? { ...result, isError: true } : result] };
  }
  if (AIMessage.isInstance(message)) return { role: "assistant", parts: readAnswer(message, blocks) };
  const role = SystemMessage.isInstance(message) ? "system" : "user";
  return { role, parts: blocks.map((block, at) => ({ ...readBlock(block), at })) };
}

/** Blocks that repeat the calls are left out; the calls are numbered behind the blocks. */
function readAnswer({ tool_calls: calls = [] }: AIMessage, blocks: readonly Block[]): readonly Part[] {
  const ids = new Set(calls.map(({ id }) => id));
  const said = blocks.flatMap((block, at): Part[] => {
    if (ids.has(findCallId(block))) return [];
    return [isThinking(block) ? { kind: "reasoning", text: readThought(block), at } : { ...readBlock(block), at }];
  });
  const called = calls.map(({ id = "", name, args }, index): Part => ({
    kind: "tool-call",
    id,
    name,
    arguments: JSON.stringify(args),
    at: blocks.length + index,
  }));
  return [...said, ...called];
}

function readBlocks({ content }: BaseMessage): readonly Block[] {
  if (typeof content !== "string") return content as readonly Block[];
  return content === "" ? [] : [{ type: "text", text: content }];
}

/** The name of its id differs by provider. */
function findCallId(block: Block): string | undefined {
  const id = block["id"] ?? block["call_id"];
  return typeof id === "string" && /tool|function/.test(String(block["type"])) ? id : undefined;
}

function isThinking({ type }: Block): boolean {
  return type === "thinking" || type === "reasoning" || type === "redacted_thinking";
}

function readThought(block: Block): string {
  const text = block["thinking"] ?? block["reasoning"];
  return typeof text === "string" ? text : "";
}

function readBlock(block: Block): ContentPart {
  if (typeof block["text"] === "string") return { kind: "text", text: block["text"] };
  const source = readSource(block);
  if (source !== undefined) return { kind: /image/.test(String(block["type"])) ? "image" : "file", source };
  return { kind: "opaque", type: String(block["type"]), raw: JSON.stringify(block) };
}

/** Pictures and files, in LangChain's own form and in OpenAI's. */
function readSource(block: Block): Extract<ContentPart, { kind: "image" }>["source"] | undefined {
  const nested = block["image_url"];
  const url = typeof nested === "string" ? nested : ((nested as Block | undefined)?.["url"] ?? block["url"]);
  if (typeof url === "string") {
    const [, mediaType = "", data] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? [];
    return data === undefined ? { type: "url", url } : { type: "data", mediaType, data };
  }
  const { data, mimeType } = block;
  if (typeof data === "string") return { type: "data", mediaType: typeof mimeType === "string" ? mimeType : "", data };
  return undefined;
}

function editMessage(message: BaseMessage, left: readonly LeftPart[]): BaseMessage {
  const parts = left.map(({ part }) => part);
  if (ToolMessage.isInstance(message)) {
    const { tool_call_id, name, status, id } = message;
    return new ToolMessage({ content: contentText(parts), tool_call_id, ...defined({ name, status, id }) });
  }
  const content = editBlocks(readBlocks(message), left);
  const { id, name } = message;
  if (AIMessage.isInstance(message)) {
    const { response_metadata, usage_metadata } = message;
    const kept = defined({ id, name, usage_metadata });
    return new AIMessage({
      content: content as string,
      tool_calls: parts.flatMap(writeCall),
      response_metadata,
      ...kept,
    });
  }
  const fields = { content: content as string, ...defined({ id, name }) };
  return SystemMessage.isInstance(message) ? new SystemMessage(fields) : new HumanMessage(fields);
}

/** Text alone is a string, as most providers send it back. */
function editBlocks(blocks: readonly Block[], left: readonly LeftPart[]): string | readonly Block[] {
  const calls = new Map(left.flatMap(({ part }) => (part.kind === "tool-call" ? [[part.id, part] as const] : [])));
  const byPlace = new Map(left.map((one) => [one.part.at, one]));
  const edited = blocks.flatMap((block, at): Block[] => {
    const call = calls.get(findCallId(block) ?? "");
    if (call !== undefined) return "input" in block ? [{ ...block, input: parsed(call.arguments) }] : [block];
    const one = byPlace.get(at);
    if (one === undefined) return [];
    return one.same || one.part.kind !== "text" ? [block] : [{ ...block, text: one.part.text }];
  });
  const added = left.flatMap(({ part }): Block[] =>
    part.at === undefined && part.kind === "text" ? [{ type: "text", text: part.text }] : [],
  );
  const all = [...edited, ...added];
  return all.every(({ type }) => type === "text") ? all.map(({ text }) => String(text)).join("\n") : all;
}

function writeCall(part: Message["parts"][number]): { id: string; name: string; args: Record<string, unknown> }[] {
  return part.kind === "tool-call" ? [{ id: part.id, name: part.name, args: parsed(part.arguments) }] : [];
}

/** Arguments that a compaction shortened may be no object any more. */
function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {}
  return { text };
}

function defined<Fields extends object>(fields: Fields): { [Key in keyof Fields]: NonNullable<Fields[Key]> } {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(kept) as { [Key in keyof Fields]: NonNullable<Fields[Key]> };
}
