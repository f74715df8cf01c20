/** Reads Chat Completions messages. Blocks are numbered through: content first, then the refusal field, then the calls. */
import type { Part, ToolCallPart, ContentPart } from "../../core/transcript/message.ts";
import { readContent } from "../content.ts";
import { type Draft, type WireElement } from "../dialect.ts";
import { type Fields, fieldsOf, isFields, lazy, listOf, textOf } from "../fields.ts";
import { objectText, elementTexts, memberText } from "../json.ts";
import { dataUrl, mediaNote, sourceOfUrl } from "../media-limits.ts";
import { readFile, readRefusal, readText } from "../openai-vendor.ts";

/**
 * Fields in which servers return the model's thinking, as text where there is some; they go together when it is removed.
 * A client that sends one back has a server that wants it with the message: DeepSeek, Kimi and MiMo refuse a call
 * without it (https://api-docs.deepseek.com/guides/thinking_mode), and OpenRouter wants its details as they came.
 */
export const REASONING_KEYS = [
  "reasoning_content",
  "reasoning_text",
  "reasoning",
  "reasoning_details",
  "reasoning_opaque",
] as const;

export function readMessage([element]: readonly WireElement[]): readonly Draft[] {
  const { value, text } = element!;
  const name = textOf(value["name"]);
  const named = name === undefined ? {} : { name };
  switch (value["role"]) {
    case "system":
    case "developer":
      return [{ role: "system", parts: readContentParts(value, text), ...named }];
    case "assistant":
      return [{ role: "assistant", parts: readReply(value, text), ...named }];
    case "tool":
      return [readResult(value, text, textOf(value["tool_call_id"]) ?? "", named)];
    case "function":
      return [readResult(value, text, functionCallId(name ?? ""), named)];
    default:
      return [{ role: "user", parts: readContentParts(value, text), ...named }];
  }
}

/** The field of calls before there were ids: a function answers by its name. */
function functionCallId(name: string): string {
  return `function_${name}`;
}

function readContentParts(value: Fields, text: string) {
  return readContent(value["content"], () => memberText(text, "content")!, readBlock);
}

function readResult(value: Fields, text: string, callId: string, named: { readonly name?: string }): Draft {
  return {
    role: "tool",
    parts: [{ kind: "tool-result", callId, content: readContentParts(value, text), at: 0 }],
    ...named,
  };
}

function readReply(value: Fields, text: string): Part[] {
  const parts: Part[] = [];
  const thought = REASONING_KEYS.map((key) => value[key]).find(
    (field) => field !== undefined && field !== null && field !== "",
  );
  if (thought !== undefined) parts.push({ kind: "reasoning", text: textOf(thought) ?? "", required: true });
  const content = readContentParts(value, text);
  for (const each of content) parts.push(each);
  let at = content.length;
  const refusal = textOf(value["refusal"]);
  if (refusal !== undefined && refusal !== "") parts.push({ kind: "text", text: refusal, refusal: true, at: at++ });
  const calls = listOf(value["tool_calls"]);
  const texts = lazy(() => elementTexts(memberText(text, "tool_calls")!));
  calls.forEach((call, index) => parts.push(readCall(call, () => texts()[index]!, at + index)));
  at += calls.length;
  const legacy = value["function_call"];
  if (isFields(legacy)) {
    const name = textOf(legacy["name"]) ?? "";
    const args = readArguments(legacy["arguments"], () => memberText(memberText(text, "function_call")!, "arguments"));
    parts.push({ kind: "tool-call", id: functionCallId(name), name, arguments: args, at });
  }
  return parts;
}

function readCall(call: unknown, text: () => string, at: number): Part {
  const fields = fieldsOf(call);
  const id = textOf(fields["id"]) ?? "";
  if (isFields(fields["function"])) {
    const target = fields["function"];
    const args = readArguments(target["arguments"], () => memberText(memberText(text(), "function")!, "arguments"));
    return { kind: "tool-call", id, name: textOf(target["name"]) ?? "", arguments: args, at };
  }
  if (isFields(fields["custom"])) {
    const target = fields["custom"];
    const part: ToolCallPart = {
      kind: "tool-call",
      id,
      name: textOf(target["name"]) ?? "",
      arguments: textOf(target["input"]) ?? "",
      at,
    };
    return { ...part, custom: true };
  }
  return { kind: "opaque", type: textOf(fields["type"]) ?? typeof call, raw: text(), at };
}

/** Arguments are text; a client that sends the object itself has its text read. */
function readArguments(value: unknown, text: () => string | undefined): string {
  return textOf(value) ?? text() ?? "";
}

function readBlock(block: Fields, at: number): ContentPart | undefined {
  switch (block["type"]) {
    case "text":
      return readText(block, at);
    case "refusal":
      return readRefusal(block, at);
    case "image_url": {
      const url = fieldsOf(block["image_url"])["url"];
      return typeof url === "string" ? { kind: "image", source: sourceOfUrl(url), at } : undefined;
    }
    case "file":
      return readFile(fieldsOf(block["file"]), at);
    default:
      return undefined;
  }
}

const text = (value: string): string => objectText({ type: '"text"', text: JSON.stringify(value) });

/** A new block for a user message; other roles take text only, so media become a note there. */
export function freshBlock(
  part: Part,
  allows: { readonly media: boolean; readonly opaque: boolean },
): string | undefined {
  switch (part.kind) {
    case "text":
      return part.refusal === true
        ? objectText({ type: '"refusal"', refusal: JSON.stringify(part.text) })
        : text(part.text);
    case "image":
      if (!allows.media || part.source.type === "id") return text(mediaNote(part));
      return objectText({
        type: '"image_url"',
        image_url: JSON.stringify({ url: part.source.type === "url" ? part.source.url : dataUrl(part.source) }),
      });
    case "file": {
      if (!allows.media || part.source.type === "url") return text(mediaNote(part));
      const file =
        part.source.type === "id"
          ? { file_id: part.source.id }
          : { filename: part.name ?? "file", file_data: dataUrl(part.source) };
      return objectText({ type: '"file"', file: JSON.stringify(file) });
    }
    case "opaque":
      return allows.opaque ? part.raw : text(part.told ?? `[${part.type}]`);
    default:
      return undefined;
  }
}
