/** Messages of the AI SDK, as programs write them and as its middleware sees them: both name their parts alike. */
import type { ContentPart, Content, MediaSource, Message, Part } from "../../core/transcript/message.ts";
import { contentText } from "../../core/transcript/message.ts";
import { parsedArguments, type LeftPart, type MessageFormat } from "../framework/conversation.ts";

/** `ModelMessage` of `ai`, or a message of a `LanguageModelV4Prompt` of `@ai-sdk/provider`. */
export interface AiMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly AiPart[];
}

/** One part of it; what else it has stays as it is. */
type AiPart = { readonly type: string } & Readonly<Record<string, unknown>>;

export const aiMessages: MessageFormat<AiMessage> = {
  name: "ai-sdk",
  read: ({ role, content }) => {
    const parts: readonly AiPart[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
    if (role === "tool") return parts.map(readAnswer);
    return [{ role, parts: parts.map((part, at) => readPart(part, at, role)) }];
  },
  edit: (message, left) => {
    const { content } = message;
    if (typeof content === "string") return { ...message, content: contentText(left.map(({ part }) => part)) };
    return { ...message, content: left.map((one) => editPart(content, one)) };
  },
  write: ({ role, parts }, toolOf) =>
    role === "system"
      ? { role, content: contentText(parts) }
      : { role, content: parts.flatMap((part) => writePart(part, toolOf) ?? []) },
};

/** Each result is a message of its own; an answer to a request for approval is carried along. */
function readAnswer(part: AiPart, at: number): Content {
  if (part.type !== "tool-result") return { role: "user", parts: [opaque(part, at)] };
  const { content, isError } = readOutput(part["output"]);
  const callId = String(part["toolCallId"]);
  const result: Part = { kind: "tool-result", callId, content, at };
  return { role: "tool", parts: [isError ? { ...result, isError: true } : result] };
}

function readPart(part: AiPart, at: number, role: AiMessage["role"]): Part {
  switch (part.type) {
    case "text":
      return { kind: "text", text: String(part["text"]), at };
    case "reasoning":
      return { kind: "reasoning", text: String(part["text"] ?? ""), at };
    case "tool-call":
      // The provider made it and answered it itself: call and result stay together.
      if (part["providerExecuted"] === true) return opaque(part, at);
      return {
        kind: "tool-call",
        id: String(part["toolCallId"]),
        name: String(part["toolName"]),
        arguments: JSON.stringify(part["input"] ?? {}),
        at,
      };
    case "file":
    case "image":
      return role === "user" ? { ...readMedia(part), at } : opaque(part, at);
    default:
      return opaque(part, at);
  }
}

function opaque(part: AiPart, at: number): Part {
  return { kind: "opaque", type: part.type, raw: JSON.stringify(part), at };
}

/** A file's data may be text, bytes, an address, or any of them in an object that says which. */
function readMedia(part: AiPart): ContentPart {
  const mediaType = typeof part["mediaType"] === "string" ? part["mediaType"] : "";
  const source = readSource(part["data"] ?? part["image"] ?? part["url"], mediaType);
  return part.type === "image" || mediaType.startsWith("image")
    ? { kind: "image", source }
    : { kind: "file", source, ...(typeof part["filename"] === "string" ? { name: part["filename"] } : {}) };
}

function readSource(data: unknown, mediaType: string): MediaSource {
  if (data instanceof URL) return { type: "url", url: data.href };
  if (data instanceof Uint8Array) return { type: "data", mediaType, data: Buffer.from(data).toString("base64") };
  if (typeof data === "string")
    return /^https?:/.test(data) ? { type: "url", url: data } : { type: "data", mediaType, data };
  const inner = (data ?? {}) as Readonly<Record<string, unknown>>;
  if (inner["data"] !== undefined || inner["url"] !== undefined)
    return readSource(inner["data"] ?? inner["url"], mediaType);
  return { type: "id", id: JSON.stringify(data ?? null) };
}

function readOutput(output: unknown) {
  const { type, value, reason } = (output ?? {}) as Readonly<Record<string, unknown>>;
  switch (type) {
    case "execution-denied":
      return { content: [asText(reason ?? "The user denied this call.")], isError: true };
    case "content":
      return { content: (value as readonly AiPart[]).map(readContent), isError: false };
    default:
      return { content: [asText(value)], isError: type === "error-text" || type === "error-json" };
  }
}

function asText(said: unknown): ContentPart {
  return { kind: "text", text: typeof said === "string" ? said : (JSON.stringify(said) ?? "") };
}

function readContent(part: AiPart): ContentPart {
  if (part.type === "text") return { kind: "text", text: String(part["text"]) };
  if (/^(?:file|image|media)/.test(part.type)) return readMedia(part);
  return { kind: "opaque", type: part.type, raw: JSON.stringify(part) };
}

function editPart(content: readonly AiPart[], { part, same }: LeftPart): AiPart {
  const original = part.at === undefined ? undefined : content[part.at];
  if (original === undefined) return writePart(part, () => "tool") ?? { type: "text", text: "" };
  if (same) return original;
  switch (part.kind) {
    case "text":
      return { ...original, text: part.text };
    case "tool-call":
      return { ...original, input: parsedArguments(part.arguments) };
    case "tool-result":
      return { ...original, output: writeOutput(part.content, part.isError === true) };
    default:
      return original;
  }
}

/** Undefined for what only the model itself can write. */
function writePart(part: Message["parts"][number], toolOf: (callId: string) => string): AiPart | undefined {
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.text };
    case "tool-call":
      return { type: "tool-call", toolCallId: part.id, toolName: part.name, input: parsedArguments(part.arguments) };
    case "tool-result": {
      const output = writeOutput(part.content, part.isError === true);
      return { type: "tool-result", toolCallId: part.callId, toolName: toolOf(part.callId), output };
    }
    case "image":
    case "file":
      return { type: "file", mediaType: findMediaType(part), data: readData(part.source) };
    case "opaque":
      return JSON.parse(part.raw) as AiPart;
    case "reasoning":
      return undefined;
  }
}

function writeOutput(content: readonly ContentPart[], isError: boolean): AiPart {
  return { type: isError ? "error-text" : "text", value: contentText(content) };
}

function findMediaType({ kind, source }: Extract<ContentPart, { kind: "image" | "file" }>): string {
  if (source.type === "data" && source.mediaType !== "") return source.mediaType;
  return kind === "image" ? "image/*" : "application/octet-stream";
}

function readData(source: MediaSource): unknown {
  if (source.type === "data") return source.data;
  return source.type === "url" ? new URL(source.url) : JSON.parse(source.id);
}
