/**
 * Parts of the Gemini protocol: text, thoughts, function calls and responses, inline and stored media. Each part is an
 * object with one member that says its kind (https://ai.google.dev/api/caching#Part).
 */
import {
  type ContentPart,
  type MediaSource,
  type Part,
  type ToolResultPart,
  sameParts,
  type Message,
} from "../../core/transcript/message.ts";
import { type WriteContext, type Draft, type WireElement, type Entry, type Run } from "../dialect.ts";
import { objectArguments, fieldsOf, isFields, listOf, textOf, lazy, type Fields } from "../fields.ts";
import { arraySource, objectText, patchObject, memberText, elementTexts } from "../json.ts";
import { mediaNote } from "../media-limits.ts";
import {
  opaqueBlock,
  formerParts,
  rewriteArray,
  readUserMessage,
  resultsFirst,
  systemNotice,
  type PartsChange,
} from "../content.ts";
import type { HiddenTools } from "../answers/screen.ts";
import { declarationsIn, described, type Declaration, type ToolForm } from "../definition.ts";

/** Ids that the model did not give are made of the name and the place among calls of that name. They never go out. */
const MADE_ID = "gemini-call ";

/** Numbers the calls, or the responses, of one content that come without an id. */
type Numbering = (name: string) => string;

export function numbering(): Numbering {
  const counts = new Map<string, number>();
  return (name) => {
    const at = counts.get(name) ?? 0;
    counts.set(name, at + 1);
    return `${MADE_ID}${name} ${at}`;
  };
}

function isMadeId(id: string): boolean {
  return id.startsWith(MADE_ID);
}

function nameInId(id: string): string | undefined {
  return isMadeId(id) ? id.slice(MADE_ID.length, id.lastIndexOf(" ")) : undefined;
}

function readContentPart(part: Fields, at: number): ContentPart | undefined {
  if (typeof part["text"] === "string") return { kind: "text", text: part["text"], at };
  const source = readSource(part);
  if (source === undefined) return undefined;
  const { type, name } = source;
  if (type.startsWith("image/")) return { kind: "image", source: source.source, at };
  return { kind: "file", source: source.source, ...(name === undefined ? {} : { name }), at };
}

function readSource(part: Fields): { source: MediaSource; type: string; name: string | undefined } | undefined {
  const inline = fieldsOf(part["inlineData"] ?? part["inline_data"]);
  const stored = fieldsOf(part["fileData"] ?? part["file_data"]);
  const media = isFields(part["inlineData"] ?? part["inline_data"]) ? inline : stored;
  const type = textOf(media["mimeType"] ?? media["mime_type"]) ?? "";
  const name = textOf(media["displayName"] ?? media["display_name"]);
  const [data, uri] = [textOf(inline["data"]), textOf(stored["fileUri"] ?? stored["file_uri"])];
  if (data !== undefined) return { source: { type: "data", mediaType: type, data }, type, name };
  return uri === undefined ? undefined : { source: { type: "url", url: uri }, type, name };
}

function readReplyPart(part: Fields, at: number, text: () => string, idFor: Numbering): Part | undefined {
  const call = part["functionCall"];
  if (isFields(call)) {
    const name = textOf(call["name"]) ?? "";
    const args = memberText(memberText(text(), "functionCall")!, "args");
    return { kind: "tool-call", id: textOf(call["id"]) ?? idFor(name), name, arguments: args ?? "{}", at };
  }
  if (part["thought"] === true) return { kind: "reasoning", text: textOf(part["text"]) ?? "", at };
  // A signature may come in a part of its own, with an empty text.
  if (part["text"] === "" && "thoughtSignature" in part) return { kind: "reasoning", text: "", at };
  return readContentPart(part, at);
}

function readUserPart(part: Fields, at: number, text: () => string, idFor: Numbering): Part | undefined {
  const response = part["functionResponse"];
  if (!isFields(response)) return readContentPart(part, at);
  const callId = textOf(response["id"]) ?? idFor(textOf(response["name"]) ?? "");
  const { content, isError } = readAnswer(response, () =>
    memberText(memberText(text(), "functionResponse")!, "response"),
  );
  return { kind: "tool-result", callId, content, at, ...(isError ? { isError } : {}) };
}

/** `output` and `error` are the keys that the API names; another answer is told as its JSON. */
function readAnswer(response: Fields, raw: () => string | undefined): Pick<ToolResultPart, "content" | "isError"> {
  const answer = fieldsOf(response["response"]);
  const media = listOf(response["parts"]).flatMap((one, at) => readContentPart(fieldsOf(one), at) ?? []);
  const [key, ...others] = Object.keys(answer);
  if (key === undefined) return { content: media };
  const only = others.length === 0 && (key === "output" || key === "error") ? textOf(answer[key]) : undefined;
  const text = { kind: "text", text: only ?? raw() ?? "" } as const;
  return { content: [text, ...media], ...(key === "error" && only !== undefined ? { isError: true } : {}) };
}

interface PartWriting extends WriteContext {
  /** Whether parts of unknown kind mean something here. */
  readonly opaque: boolean;
}

/** A placeholder that the API documents for calls that it did not sign (https://ai.google.dev/gemini-api/docs/thought-signatures). */
const UNSIGNED = '"skip_thought_signature_validator"';

function textPart(text: string): string {
  return objectText({ text: JSON.stringify(text) });
}

/** A new part; undefined for thoughts, which only the model can sign. */
function freshPart(part: Part, writing: PartWriting, signs = false): string | undefined {
  switch (part.kind) {
    case "text":
      return textPart(part.text);
    case "image":
    case "file":
      return mediaPart(part) ?? textPart(mediaNote(part));
    case "opaque":
      return writing.opaque ? part.raw : textPart(part.told ?? `[${part.type}]`);
    case "reasoning":
      return undefined;
    case "tool-call":
      return objectText({
        functionCall: objectText({
          id: idText(writing.idOf(part)),
          name: JSON.stringify(part.name),
          args: objectArguments(part.arguments, part.custom === true),
        }),
        thoughtSignature: signs ? UNSIGNED : undefined,
      });
    case "tool-result":
      return objectText({ functionResponse: responseText(part, writing) });
  }
}

function idText(id: string): string | undefined {
  return isMadeId(id) ? undefined : JSON.stringify(id);
}

function responseText(part: ToolResultPart, writing: PartWriting): string {
  return objectText({
    id: idText(writing.idOf(part)),
    name: JSON.stringify(writing.nameOf(part) ?? nameInId(part.callId) ?? "unknown"),
    ...answerTexts(part),
  });
}

function answerTexts({ content, isError }: Pick<ToolResultPart, "content" | "isError">) {
  const texts = content.flatMap((one) => (one.kind === "text" ? [one.text] : []));
  const media = content.flatMap((one) => (one.kind === "image" || one.kind === "file" ? [one] : []));
  const carried = media.flatMap((one) => mediaPart(one) ?? []);
  const notes = media.filter((one) => mediaPart(one) === undefined).map(mediaNote);
  const said = [...texts, ...notes].filter((text) => text.trim() !== "");
  const key = isError === true ? "error" : "output";
  return {
    response: said.length === 0 && isError !== true ? "{}" : objectText({ [key]: JSON.stringify(said.join("\n")) }),
    parts: carried.length === 0 ? undefined : `[${carried.join(",")}]`,
  };
}

type MediaPart = Extract<Part, { kind: "image" | "file" }>;

function mediaPart(part: MediaPart): string | undefined {
  const { source } = part;
  const name = part.kind === "file" && part.name !== undefined ? JSON.stringify(part.name) : undefined;
  switch (source.type) {
    case "data": {
      const data = JSON.stringify(source.data);
      return objectText({
        inlineData: objectText({ mimeType: JSON.stringify(source.mediaType), data, displayName: name }),
      });
    }
    case "url": {
      if (source.url.startsWith("data:")) return undefined;
      const mimeType = part.kind === "image" ? '"image/*"' : undefined;
      return objectText({
        fileData: objectText({ mimeType, fileUri: JSON.stringify(source.url), displayName: name }),
      });
    }
    case "id":
      return undefined;
  }
}

/** Edits a part in place, so that its signature and members that nobody here knows stay. */
function patchPart(raw: string, before: Part, after: Part): string | undefined {
  if (before.kind === "reasoning") return raw;
  if (before.kind === "text" && after.kind === "text") return patchObject(raw, { text: JSON.stringify(after.text) });
  if (before.kind === "tool-call" && after.kind === "tool-call") {
    const call = patchObject(memberText(raw, "functionCall")!, {
      ...(after.arguments === before.arguments ? {} : { args: objectArguments(after.arguments, false) }),
      ...(after.name === before.name ? {} : { name: JSON.stringify(after.name) }),
    });
    return patchObject(raw, { functionCall: call });
  }
  if (before.kind === "tool-result" && after.kind === "tool-result")
    return patchObject(raw, {
      functionResponse: patchObject(memberText(raw, "functionResponse")!, answerTexts(after)),
    });
  return undefined;
}

type PartReader = (part: Fields, at: number, text: () => string, idFor: Numbering) => Part | undefined;

export function readContent([element]: readonly WireElement[]): readonly Draft[] {
  const { value, text } = element!;
  switch (value["role"]) {
    case "model":
      return [{ role: "assistant", parts: readParts(value, text, readReplyPart) }];
    case "system":
      return [{ role: "system", parts: readParts(value, text, readContentPart) }];
    default:
      return readUserMessage(readParts(value, text, readUserPart));
  }
}

function readParts(content: Fields, text: string, read: PartReader): readonly Part[] {
  const parts = content["parts"];
  if (!Array.isArray(parts)) return [];
  const texts = lazy(() => elementTexts(memberText(text, "parts")!));
  const idFor = numbering();
  return parts.map((part: unknown, at) => {
    const partText = (): string => texts()[at]!;
    return read(fieldsOf(part), at, partText, idFor) ?? opaqueBlock(part, partText(), at);
  });
}

/** A content, one part, or a text. */
export function readSystem(value: unknown, text: string): Draft | undefined {
  if (typeof value === "string")
    return value === "" ? undefined : { role: "system", parts: [{ kind: "text", text: value, at: 0 }] };
  const parts = readParts(fieldsOf(value), text, readContentPart);
  const only = textOf(fieldsOf(value)["text"]);
  if (parts.length === 0 && only !== undefined) return { role: "system", parts: [{ kind: "text", text: only }] };
  return parts.length === 0 ? undefined : { role: "system", parts };
}

/** Replaces a content that would be empty, which the API refuses. */
const EMPTY_TEXT = "(no text)";

export function attaches(run: Run, message: Message, own: boolean): boolean {
  const last = run.entries.at(-1)?.message.role;
  if (last !== "tool" || message.role !== "tool") return false;
  return !own || run.slice === undefined;
}

export function writeRun({ slice, entries }: Run, context: WriteContext): readonly string[] {
  const { role } = entries[0]!.message;
  const ordered = resultsFirst(entries);
  const writing: PartWriting = { ...context, opaque: entries.every(({ message }) => context.ownBlocks(message)) };
  if (slice === undefined) return [freshContent(role, ordered, writing)];
  const before = slice.members.flatMap((member) => member.parts);
  return [
    patchObject(slice.raw, { parts: partsText(memberText(slice.raw, "parts"), { before, after: ordered }, writing) }),
  ];
}

function freshContent(role: Message["role"], parts: readonly Part[], writing: PartWriting): string {
  if (role === "system") return objectText({ role: '"user"', parts: `[${textPart(systemNotice(parts))}]` });
  const text = partsText(undefined, { before: [], after: parts }, writing);
  return objectText({ role: role === "assistant" ? '"model"' : '"user"', parts: text });
}

function partsText(raw: string | undefined, { before, after }: PartsChange, writing: PartWriting): string {
  if (raw !== undefined && sameParts(before, after)) return raw;
  const former = formerParts(before, after);
  const kept = after.filter((part) => part.kind !== "reasoning" || former.has(part));
  // Of calls made at once only the first bears a signature.
  const signed = kept.find((part) => part.kind === "tool-call");
  const fresh = (part: Part): string | undefined => freshPart(part, writing, part === signed);
  if (kept.length === 0) return `[${textPart(EMPTY_TEXT)}]`;
  if (raw === undefined) return `[${kept.flatMap((part) => fresh(part) ?? []).join(",")}]`;
  return rewriteArray(arraySource(raw), { before, after: kept, patch: patchPart, fresh });
}

/** The system instruction: all system messages as parts of one content. */
export function writeSystem(entries: readonly Entry[], context: WriteContext): string | undefined {
  const based = entries.find(({ member }) => member !== undefined);
  const raw = based?.message.wire?.raw;
  const after = entries.flatMap(({ message }) => message.parts);
  if (after.length === 0) return undefined;
  const writing: PartWriting = { ...context, opaque: true };
  const change = { before: based?.member?.parts ?? [], after };
  const isContent = raw !== undefined && raw.startsWith("{") && memberText(raw, "parts") !== undefined;
  if (!isContent) return objectText({ parts: partsText(undefined, { before: [], after }, writing) });
  return patchObject(raw, { parts: partsText(memberText(raw, "parts"), change, writing) });
}

const LIST = "functionDeclarations";
const LISTS = [LIST, "function_declarations"] as const;

export const geminiTools: ToolForm = {
  isOwn: (tool) => LISTS.some((key) => Array.isArray(tool[key])) || isServerTool(Object.keys(tool)),
  read: (tool) =>
    LISTS.flatMap((key) => listOf(tool[key])).flatMap((one) => declarationsIn(withSchema(fieldsOf(one)), SCHEMA_KEYS)),
  write: (declarations) => [{ [LIST]: declarations.map(declared) }],
  append: (tools, declaration) => {
    const elements = elementTexts(tools);
    const text = JSON.stringify(declared(declaration));
    const at = elements.findIndex((one) => memberText(one, LIST)?.startsWith("[") === true);
    if (at < 0) return `[${[...elements, `{"${LIST}":[${text}]}`].join(",")}]`;
    const list = memberText(elements[at]!, LIST)!;
    const end = list.lastIndexOf("]");
    const longer = `${list.slice(0, end)}${elementTexts(list).length === 0 ? "" : ","}${text}${list.slice(end)}`;
    return `[${elements.with(at, patchObject(elements[at]!, { [LIST]: longer })).join(",")}]`;
  },
};

const SCHEMA_KEYS = ["parametersJsonSchema", "parameters"];

/** A function without parameters is declared without a schema. */
function withSchema(declaration: ReturnType<typeof fieldsOf>) {
  return SCHEMA_KEYS.some((key) => key in declaration)
    ? declaration
    : { ...declaration, parameters: { type: "object", properties: {} } };
}

function declared(declaration: Declaration) {
  return { ...described(declaration), parametersJsonSchema: declaration.schema };
}

const SERVER_TOOLS = new Set([
  "googleSearch",
  "googleSearchRetrieval",
  "codeExecution",
  "urlContext",
  "computerUse",
  "fileSearch",
  "googleMaps",
]);

function isServerTool(keys: readonly string[]): boolean {
  return keys.length > 0 && keys.every((key) => SERVER_TOOLS.has(key));
}

/** Whether a part holds a call of one of these tools. */
export function callsTool(part: unknown, tools: HiddenTools): boolean {
  const call = fieldsOf(part)["functionCall"];
  return isFields(call) && tools.has(call["name"]);
}
