/**
 * Rewrites the content of a wire message block by block: a part that is still the object it was decoded as keeps its
 * bytes, an edited one has only the edited field replaced, so that markers and fields nobody here knows survive.
 */
import { sameParts, type Part, type OpaquePart, type TextPart } from "../core/transcript/message.ts";
import { type Draft, type Entry } from "./dialect.ts";
import { fieldsOf, lazy, textOf, isFields, listOf, type Fields } from "./fields.ts";
import {
  arraySource,
  newPiece,
  composeArray,
  joinPieces,
  patchObject,
  type ArraySource,
  type Piece,
  memberText,
  elementTexts,
} from "./json.ts";

export interface BlockWriter {
  /** The block's text with the edit in it; undefined where the block has to be written again. */
  readonly patch: (block: string, before: Part, after: Part) => string | undefined;
  /** A new block; undefined for a part that this place cannot carry. */
  readonly fresh: (part: Part) => string | undefined;
}

export interface Rewrite extends BlockWriter {
  readonly before: readonly Part[];
  readonly after: readonly Part[];
  readonly offset?: number;
}

/**
 * What each part was before: itself, or the part whose place (`at`) it kept. Every old part is claimed once, so a part
 * that came from elsewhere with the same number never takes the markers of a block that is still there.
 */
export function formerParts(before: readonly Part[], after: readonly Part[]): ReadonlyMap<Part, Part> {
  const old = new Set(before);
  const byPlace = new Map(before.map((part) => [keptPlace(part), part]));
  for (const part of after) if (old.has(part)) byPlace.delete(keptPlace(part));
  const former = new Map<Part, Part>();
  for (const part of after) {
    const place = keptPlace(part);
    const was = old.has(part) ? part : byPlace.get(place);
    if (was === undefined) continue;
    former.set(part, was);
    byPlace.delete(place);
  }
  return former;
}

function keptPlace({ kind, at }: Part): string {
  return `${kind} ${at}`;
}

/** The new text of an array of blocks. */
export function rewriteArray(array: ArraySource, { before, after, offset = 0, patch, fresh }: Rewrite): string {
  const former = formerParts(before, after);
  const pieces = after.flatMap((part): Piece[] => {
    const was = former.get(part);
    const first = (was?.at ?? -1) - offset;
    const span = array.elements[first];
    if (was !== undefined && span !== undefined) {
      if (was === part) return [{ first, count: 1 }];
      const text = patch(array.text.slice(span.start, span.end), was, part);
      if (text !== undefined) return [{ first, count: 1, text }];
    }
    const text = fresh(part);
    return text === undefined ? [] : [newPiece(text)];
  });
  const joined = joinPieces(pieces, array.elements.length);
  return joined.whole ? array.text : composeArray(array, joined.pieces);
}

/** The new text of a content value that is a string, an array of blocks, null, or not there (`raw` undefined). */
export function rewriteContent(raw: string | undefined, rewrite: Rewrite): string | undefined {
  if (sameParts(rewrite.before, rewrite.after)) return raw;
  if (raw?.startsWith("[") && rewrite.after.length > 0) return rewriteArray(arraySource(raw), rewrite);
  return freshContent(rewrite.after, rewrite.fresh);
}

/** Content written again: a string where one text is all there is, else blocks. */
export function freshContent(parts: readonly Part[], fresh: BlockWriter["fresh"]): string {
  const [only] = parts;
  if (only === undefined) return '""';
  if (parts.length === 1 && only.kind === "text" && only.refusal !== true) return JSON.stringify(only.text);
  return `[${parts.flatMap((part) => fresh(part) ?? []).join(",")}]`;
}

/** Edits a text block or an unknown one in place, in the form that OpenAI's and Anthropic's protocols share. */
export function patchContentBlock(block: string, before: Part, after: Part): string | undefined {
  if (before.kind === "text" && after.kind === "text" && before.refusal === after.refusal && block.startsWith("{"))
    return patchObject(block, { [before.refusal === true ? "refusal" : "text"]: JSON.stringify(after.text) });
  return undefined;
}

/** An object's content member with other parts in it. */
export function patchContent(object: string, key: string, rewrite: Rewrite): string {
  const raw = memberText(object, key);
  const text = rewriteContent(raw, rewrite);
  return text === raw || text === undefined ? object : patchObject(object, { [key]: text });
}

/** Reads one block; undefined for a kind it does not know. `text` gives the block's JSON text when it is needed. */
type BlockReader<P extends Part> = (block: Fields, at: number, text: () => string) => P | undefined;

/** One part a block, each with its index in `at`. An empty string is no part; `text` gives the JSON text of the value. */
export function readContent<P extends Part>(
  content: unknown,
  text: () => string,
  read: BlockReader<P>,
): (P | TextPart | OpaquePart)[] {
  if (content === undefined || content === null || content === "") return [];
  if (typeof content === "string") return [{ kind: "text", text: content, at: 0 }];
  if (!Array.isArray(content)) return [opaqueBlock(content, text(), 0)];
  const texts = lazy(() => elementTexts(text()));
  return content.map((block: unknown, at) => {
    const blockText = (): string => texts()[at]!;
    return read(fieldsOf(block), at, blockText) ?? opaqueBlock(block, blockText(), at);
  });
}

export function opaqueBlock(block: unknown, raw: string, at?: number): OpaquePart {
  const told = toldBy(fieldsOf(block));
  const type = textOf(fieldsOf(block)["type"]) ?? typeof block;
  return { kind: "opaque", type, raw, ...(at === undefined ? {} : { at }), ...(told === undefined ? {} : { told }) };
}

/** What follows is not read; the block itself keeps it. */
const TOLD_CHARS_MAX = 20_000;
/** Members that hold words, and no data for the provider alone. */
const WORDS = [
  "title",
  "url",
  "text",
  "stdout",
  "stderr",
  "output",
  "logs",
  "error_code",
  "query",
  "queries",
  "results",
];
const INNER = ["content", "source", "action", "outputs", "codeExecutionResult"];

function toldBy(block: Fields): string | undefined {
  if (block["type"] === "agent_message") return agentWords(block);
  const tool = toolName(block);
  if (tool === undefined) return undefined;
  const words = INNER.concat(WORDS).flatMap((key) => collectWords(block[key]));
  if (words.length === 0) return undefined;
  const lines = words.join("\n").slice(0, TOLD_CHARS_MAX).split("\n");
  return [`[${tool.replaceAll("_", " ")}, run by the provider]`, ...lines.map((line) => `> ${line}`)].join("\n");
}

/** As harnesses mark what another agent reports; what is sealed can be read by the provider alone (Codex, multi-agent v2). */
function agentWords(item: Fields): string {
  const words = collectWords(item["content"]).join("\n").slice(0, TOLD_CHARS_MAX);
  return `<agent-message from="${textOf(item["author"]) ?? "unknown"}">\n${words}\n</agent-message>`;
}

function collectWords(value: unknown): readonly string[] {
  if (typeof value === "string") return value.trim() === "" ? [] : [value.trim()];
  if (Array.isArray(value)) return value.flatMap(collectWords);
  return isFields(value) ? [...WORDS, ...INNER].flatMap((key) => collectWords(fieldsOf(value)[key])) : [];
}

/** Anthropic's results and OpenAI's items name their tool in their type; Google's parts are told by their member. */
function toolName(block: Fields): string | undefined {
  if ("codeExecutionResult" in block) return "code_execution";
  return /^(.+?)_(?:tool_result|call)$/.exec(textOf(block["type"]) ?? "")?.[1];
}

/** A tool message for each result, then a user message with everything else; all of them share the bytes. */
export function readUserMessage(parts: readonly Part[]): readonly Draft[] {
  const results = parts.filter((part) => part.kind === "tool-result");
  const rest = parts.filter((part) => part.kind !== "tool-result");
  const drafts: Draft[] = results.map((result) => ({ role: "tool", parts: [result] }));
  return rest.length > 0 || results.length === 0 ? [...drafts, { role: "user", parts: rest }] : drafts;
}

/** The parts of messages that are written as one. */
export function resultsFirst(entries: readonly Entry[]): readonly Part[] {
  const parts = entries.flatMap(({ message }) => message.parts);
  return [
    ...parts.filter((part) => part.kind === "tool-result"),
    ...parts.filter((part) => part.kind !== "tool-result"),
  ];
}

/** What a system message says, for a text of the user. */
export function systemNotice(parts: readonly Part[]): string {
  const text = parts.map((part) => (part.kind === "text" ? part.text : "")).join("\n");
  return `<system-message>\n${text}\n</system-message>`;
}

export interface PartsChange {
  readonly before: readonly Part[];
  readonly after: readonly Part[];
}

const HELD_ITEMS: Readonly<Record<string, string>> = Object.freeze({
  item_reference: "the history refers to items that the provider holds",
  compaction: "the provider has compacted the history",
  compaction_summary: "the provider has compacted the history",
  context_compaction: "the provider has compacted the history",
  compaction_trigger: "the provider is asked to compact the history",
});

export function isHeld(part: Part): part is OpaquePart {
  return part.kind === "opaque" && Object.hasOwn(HELD_ITEMS, part.type);
}

export function heldBecause({ type }: OpaquePart): string {
  return `${HELD_ITEMS[type]} (${type})`;
}

/** Whether a request's `context_management` lets the provider compact: Responses has a list, Anthropic a list of edits. */
export function compactsItself(contextManagement: string | undefined): boolean {
  if (contextManagement === undefined || contextManagement === "null") return false;
  const value = JSON.parse(contextManagement) as unknown;
  const entries = Array.isArray(value) ? value : listOf(fieldsOf(value)["edits"]);
  return entries.some((entry) => textOf(fieldsOf(entry)["type"])?.startsWith("compact") === true);
}

export const COMPACTS_ITSELF = "the provider is told to compact the history (context_management)";
