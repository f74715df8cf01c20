/** Content blocks of Anthropic Messages: text, image, document, tool_use, tool_result, thinking. */
import {
  type ContentPart,
  type MediaSource,
  type Part,
  type ToolResultPart,
  type OpaquePart,
  sameParts,
  type Message,
} from "../../core/transcript/message.ts";
import { type WriteContext, type Draft, type WireElement, type Entry, type Run } from "../dialect.ts";
import { objectArguments, fieldsOf, textOf, type Fields } from "../fields.ts";
import {
  readContent,
  freshContent,
  patchContent,
  patchContentBlock,
  formerParts,
  rewriteContent,
  readUserMessage,
  resultsFirst,
  systemNotice,
  type PartsChange,
} from "../content.ts";
import { objectText, patchObject, memberText } from "../json.ts";
import { mediaNote } from "../media-limits.ts";

/** The type of a part that is no block: what a system message sets beside its content. */
const SETTINGS = "output_config";

/** Blocks that may also are inside a tool result. */
function readContentBlock(block: Fields, at: number): ContentPart | undefined {
  switch (block["type"]) {
    case "text":
      return typeof block["text"] === "string" ? { kind: "text", text: block["text"], at } : undefined;
    case "image": {
      const source = readSource(fieldsOf(block["source"]));
      return source === undefined ? undefined : { kind: "image", source, at };
    }
    case "document": {
      const source = readSource(fieldsOf(block["source"]));
      const name = textOf(block["title"]);
      return source === undefined ? undefined : { kind: "file", source, ...(name === undefined ? {} : { name }), at };
    }
    default:
      return undefined;
  }
}

function readSource(source: Fields): MediaSource | undefined {
  const field = (key: string): string | undefined => textOf(source[key]);
  switch (source["type"]) {
    case "base64": {
      const data = field("data");
      return data === undefined ? undefined : { type: "data", mediaType: field("media_type") ?? "", data };
    }
    case "url": {
      const url = field("url");
      return url === undefined ? undefined : { type: "url", url };
    }
    case "file": {
      const id = field("file_id");
      return id === undefined ? undefined : { type: "id", id };
    }
    default:
      return undefined;
  }
}

function readReplyBlock(block: Fields, at: number, text: () => string): Part | undefined {
  switch (block["type"]) {
    case "thinking":
      return { kind: "reasoning", text: textOf(block["thinking"]) ?? "", at };
    case "redacted_thinking":
      return { kind: "reasoning", text: "", at };
    case "tool_use":
      return {
        kind: "tool-call",
        id: textOf(block["id"]) ?? "",
        name: textOf(block["name"]) ?? "",
        arguments: memberText(text(), "input") ?? "{}",
        at,
      };
    default:
      return readContentBlock(block, at);
  }
}

/** The same of a model whose thinking has to come back with what it led to. */
function readOpenReplyBlock(block: Fields, at: number, text: () => string): Part | undefined {
  const part = readReplyBlock(block, at, text);
  return part?.kind === "reasoning" ? { ...part, required: true } : part;
}

function readUserBlock(block: Fields, at: number, text: () => string): Part | undefined {
  if (block["type"] !== "tool_result") return readContentBlock(block, at);
  const content = readContent(block["content"], () => memberText(text(), "content")!, readContentBlock);
  const result: ToolResultPart = { kind: "tool-result", callId: textOf(block["tool_use_id"]) ?? "", content, at };
  return block["is_error"] === true ? { ...result, isError: true } : result;
}

interface BlockWriting extends WriteContext {
  /** Whether blocks of unknown kind mean something here. */
  readonly opaque: boolean;
  readonly media: boolean;
}

/** Edits a block in place; what the provider would refuse is left to be written again. */
function patchBlock(block: string, before: Part, after: Part, writing: BlockWriting): string | undefined {
  if (before.kind === "reasoning") return block;
  if (before.kind === "tool-call" && after.kind === "tool-call") {
    const input = after.arguments === before.arguments ? {} : { input: objectArguments(after.arguments, false) };
    return patchObject(block, {
      ...input,
      ...(after.name === before.name ? {} : { name: JSON.stringify(after.name) }),
    });
  }
  if (before.kind === "tool-result" && after.kind === "tool-result") {
    const fresh = (part: Part) => freshBlock(part, writing);
    const text = patchContent(block, "content", {
      before: before.content,
      after: after.content,
      patch: patchContentBlock,
      fresh,
    });
    return before.isError === after.isError
      ? text
      : patchObject(text, { is_error: after.isError === true ? "true" : undefined });
  }
  return isBlank(after) ? undefined : patchContentBlock(block, before, after);
}

/** A text block without a visible character is refused. */
function isBlank(part: Part): boolean {
  return part.kind === "text" && part.text.trim() === "";
}

function textBlock(text: string): string {
  return objectText({ type: '"text"', text: JSON.stringify(text) });
}

/** A new block; undefined for what a request may not hold: blank text, and thinking that nobody signed. */
function freshBlock(part: Part, writing: BlockWriting): string | undefined {
  switch (part.kind) {
    case "text":
      return isBlank(part) ? undefined : textBlock(part.text);
    case "image":
    case "file":
      return (writing.media ? mediaBlock(part) : undefined) ?? textBlock(mediaNote(part));
    case "opaque":
      return writing.opaque ? part.raw : textBlock(part.told ?? `[${part.type}]`);
    case "reasoning":
      return undefined;
    case "tool-call": {
      const input = objectArguments(part.arguments, part.custom === true);
      return objectText({
        type: '"tool_use"',
        id: JSON.stringify(writing.idOf(part)),
        name: JSON.stringify(part.name),
        input,
      });
    }
    case "tool-result":
      return freshResult(part, writing);
  }
}

function freshResult(part: ToolResultPart, writing: BlockWriting): string {
  const content = part.content.filter((one) => !isBlank(one));
  return objectText({
    type: '"tool_result"',
    tool_use_id: JSON.stringify(writing.idOf(part)),
    content: freshContent(content, (one) => freshBlock(one, writing)),
    is_error: part.isError === true ? "true" : undefined,
  });
}

const IMAGE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

function mediaBlock(part: Extract<Part, { kind: "image" | "file" }>): string | undefined {
  const title = part.kind === "file" && part.name !== undefined ? JSON.stringify(part.name) : undefined;
  const source = sourceText(part);
  return source === undefined
    ? undefined
    : objectText({ type: part.kind === "image" ? '"image"' : '"document"', source, title });
}

function sourceText({ kind, source }: Extract<Part, { kind: "image" | "file" }>): string | undefined {
  switch (source.type) {
    case "id":
      return JSON.stringify({ type: "file", file_id: source.id });
    case "url":
      return source.url.startsWith("data:") ? undefined : JSON.stringify({ type: "url", url: source.url });
    case "data": {
      const carried = kind === "image" ? IMAGE_TYPES.has(source.mediaType) : source.mediaType === "application/pdf";
      return carried ? JSON.stringify({ type: "base64", media_type: source.mediaType, data: source.data }) : undefined;
    }
  }
}

/** Other vendors that speak the protocol want back what their models thought (https://api-docs.deepseek.com/guides/thinking_mode). */
export function wantsThinking(model: string | undefined): boolean {
  return model !== undefined && !/claude/i.test(model);
}

export function readMessage([element]: readonly WireElement[], model?: string): readonly Draft[] {
  const { value, text } = element!;
  const content = value["content"];
  const rawContent = (): string => memberText(text, "content")!;
  switch (value["role"]) {
    case "assistant":
      return [
        {
          role: "assistant",
          parts: readContent(content, rawContent, wantsThinking(model) ? readOpenReplyBlock : readReplyBlock),
        },
      ];
    case "system":
      return [
        { role: "system", parts: [...readContent(content, rawContent, readContentBlock), ...readTurnSettings(value)] },
      ];
    default:
      return readUserMessage(readContent(content, rawContent, readUserBlock));
  }
}

/** Settings for the turns to come (https://platform.claude.com/docs/en/build-with-claude/effort-per-message). */
function readTurnSettings({ output_config: settings }: Fields): readonly OpaquePart[] {
  const declares = Object.keys(fieldsOf(settings));
  return declares.length === 0
    ? []
    : [{ kind: "opaque", type: SETTINGS, raw: JSON.stringify({ output_config: settings }), declares }];
}

export function readSystem(value: unknown, text: string): Draft | undefined {
  const parts = readContent(value, () => text, readContentBlock);
  return parts.length === 0 ? undefined : { role: "system", parts };
}

/** Replaces a message that would be empty, which the provider refuses. */
const EMPTY_TEXT = "(no text)";

export function attaches(run: Run, message: Message, own: boolean): boolean {
  const last = run.entries.at(-1)?.message.role;
  if (last !== "tool") return false;
  if (own) return run.slice === undefined && message.role === "tool";
  return message.role === "tool" || (message.role === "user" && run.slice === undefined);
}

export function writeRun({ slice, entries }: Run, context: WriteContext): readonly string[] {
  const { role } = entries[0]!.message;
  const ordered = resultsFirst(entries);
  const writing: BlockWriting = {
    ...context,
    opaque: entries.every(({ message }) => context.ownBlocks(message)),
    media: role !== "assistant",
  };
  if (slice === undefined) return [freshMessage(role, ordered, writing)];
  const before = slice.members.flatMap((member) => member.parts).filter(isContent);
  const after = ordered.filter(isContent);
  const isDirective = after.length < ordered.length && after.length === 0;
  const content = isDirective ? "[]" : wholeContent(memberText(slice.raw, "content"), { before, after }, writing);
  return [patchObject(slice.raw, { content })];
}

function isContent(part: Part): boolean {
  return part.kind !== "opaque" || part.type !== SETTINGS;
}

function freshMessage(role: Message["role"], parts: readonly Part[], writing: BlockWriting): string {
  if (role === "system") return objectText({ role: '"user"', content: JSON.stringify(systemNotice(parts)) });
  const content = wholeContent(undefined, { before: [], after: parts }, writing);
  return objectText({ role: role === "assistant" ? '"assistant"' : '"user"', content });
}

/** The new content: untouched blocks as they were, no block that is refused, and never nothing. */
function wholeContent(raw: string | undefined, { before, after }: PartsChange, writing: BlockWriting): string {
  if (raw !== undefined && sameParts(before, after)) return raw;
  const fresh = (part: Part) => freshBlock(part, writing);
  const former = formerParts(before, after);
  const kept = after.filter((part) =>
    part.kind === "reasoning" ? former.has(part) : former.get(part) === part || !isBlank(part),
  );
  if (kept.length === 0) return JSON.stringify(EMPTY_TEXT);
  const patch = (block: string, old: Part, part: Part) => patchBlock(block, old, part, writing);
  return rewriteContent(raw, { before, after: kept, patch, fresh }) ?? freshContent(kept, fresh);
}

/** The top-level system prompt: all system messages as blocks of one value. */
export function writeSystem(entries: readonly Entry[], context: WriteContext): string | undefined {
  const based = entries.find(({ member }) => member !== undefined);
  const raw = based?.message.wire?.raw;
  const after = entries.flatMap(({ message }) => message.parts).filter((part) => !isBlank(part));
  if (after.length === 0) return undefined;
  return wholeContent(raw, { before: based?.member?.parts ?? [], after }, { ...context, opaque: true, media: false });
}
