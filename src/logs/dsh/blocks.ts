/** What a message of the DeepSeek Harness is made of, as its compaction gives it and its session files have it. */
import type { ContentPart, Part } from "../../core/transcript/message.ts";
import { asFields, asObjects, asText, toJson, type Fields } from "../fields.ts";

/** Every block but results, which are messages of their own. */
export function dshParts(content: unknown): readonly Part[] {
  return asObjects(content)
    .filter((block) => !isResult(block))
    .map(readBlock);
}

export interface DshResult {
  readonly callId: string | undefined;
  readonly content: readonly ContentPart[];
  readonly isError: boolean;
}

export function dshResults(content: unknown): readonly DshResult[] {
  return asObjects(content)
    .filter(isResult)
    .map((block) => ({
      callId: asText(block["toolCallId"]),
      content: asObjects(block["content"]).map(readContent),
      isError: block["isError"] === true,
    }));
}

/** Whether a plugin of the harness speaks in the user's name. */
export function isInjected(source: unknown): boolean {
  return asFields(source)?.["kind"] === "plugin";
}

const CHECKPOINT = { opens: "<compacted-summary>", ends: "</compacted-summary>" };

/** What the harness's engine puts between its own words; the text itself if it has none. */
export function checkpointText(text: string): string {
  const start = text.indexOf(CHECKPOINT.opens);
  const end = text.lastIndexOf(CHECKPOINT.ends);
  return start < 0 || end < start ? text : text.slice(start + CHECKPOINT.opens.length, end).trim();
}

export function checkpointBlocks(summary: string): readonly Fields[] {
  return [CHECKPOINT.opens, summary, CHECKPOINT.ends].map((text) => ({ type: "text", text }));
}

function isResult(block: Fields): boolean {
  return block["type"] === "tool-result";
}

function readBlock(block: Fields): Part {
  const { type, id, name, text } = block;
  if (type === "reasoning") return { kind: "reasoning", text: asText(text) ?? "" };
  if (type !== "tool-call") return readContent(block);
  return {
    kind: "tool-call",
    id: asText(id) ?? "",
    name: asText(name) ?? "unknown",
    arguments: asText(block["arguments"]) ?? "",
  };
}

/** A picture is kept in a file next to the session, which only names it. */
function readContent(block: Fields): ContentPart {
  const type = asText(block["type"]) ?? "unknown";
  return type === "text"
    ? { kind: "text", text: asText(block["text"]) ?? "" }
    : { kind: "opaque", type, raw: toJson(block) };
}
