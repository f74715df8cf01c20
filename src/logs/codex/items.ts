/** Items of Codex rollouts, in today's form (the Responses API's) and in those of its first versions, as parts of core. */
import { type ContentPart, type Part, contentText } from "../../core/transcript/message.ts";
import { asFields, toJson, asList, asObjects, asText, type Fields } from "../fields.ts";
import { opaqueBlock } from "../../protocols/content.ts";
import { estimateText } from "../../core/transcript/estimate.ts";
import type { History } from "../log.ts";
import { sourceOfUrl } from "../../protocols/media-limits.ts";

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

export function readItem(item: Fields): Item {
  const type = asText(item["type"]) ?? "message";
  switch (type) {
    case "message":
      return messageItem(item);
    case "agent_message":
      return { kind: "message", role: "user", parts: [opaqueBlock(item, toJson(item))] };
    case "reasoning":
      return { kind: "reply", part: { kind: "reasoning", text: reasoningText(item) } };
    case "function_call":
    case "tool_call":
    case "tool_search_call":
    case "local_shell_call":
    case "custom_tool_call":
      return { kind: "reply", part: readCall(type, item) };
    case "function_call_output":
    case "custom_tool_call_output":
    case "local_shell_call_output":
    case "mcp_tool_call_output":
    case "tool_search_output":
    case "function_result":
    case "tool_result":
      return {
        kind: "result",
        callId: asText(item["call_id"]),
        content: outputParts(item["output"] ?? item["result"] ?? item["tools"]),
      };
    case "compaction":
    case "compaction_summary":
    case "context_compaction":
      return { kind: "compaction", part: opaqueBlock(item, toJson(item)) };
    case "web_search_call":
    case "image_generation_call":
      return { kind: "reply", part: opaqueBlock(item, toJson(item)) };
    case "ghost_snapshot":
    case "additional_tools":
    case "configuration_update":
      return { kind: "nothing" };
    default:
      return { kind: "unknown" };
  }
}

function messageItem(item: Fields): Item {
  const role = ROLES[asText(item["role"]) ?? ""];
  return role === undefined
    ? { kind: "unknown" }
    : { kind: "message", role, parts: contentParts(item["content"] ?? item["message"]) };
}

function readCall(type: string, item: Fields): Part {
  const id = asText(item["call_id"]) ?? asText(item["id"]) ?? "";
  const name = asText(item["name"]) ?? asText(asFields(item["function"])?.["name"]);
  if (type === "custom_tool_call")
    return { kind: "tool-call", id, name: name ?? "custom_tool", arguments: asText(item["input"]) ?? "", custom: true };
  const given = type === "local_shell_call" ? item["action"] : item["arguments"];
  return { kind: "tool-call", id, name: name ?? type.replace(/_call$/, ""), arguments: asText(given) ?? toJson(given) };
}

function reasoningText(item: Fields): string {
  const pieces = [...asList(item["summary"]), ...asList(item["content"])].map(
    (piece) => asText(asFields(piece)?.["text"]) ?? "",
  );
  return pieces.filter((piece) => piece !== "").join("\n");
}

/** What the model read of a result: text, a list of content items, or an object around one of them. */
export function outputParts(output: unknown): readonly ContentPart[] {
  if (typeof output === "string" || Array.isArray(output)) return contentParts(output);
  const object = asFields(output);
  if (object === undefined) return [];
  if (typeof object["type"] === "string") return contentParts([object]);
  const inner = object["content"];
  return typeof inner === "string" || Array.isArray(inner)
    ? contentParts(inner)
    : [{ kind: "text", text: toJson(object) }];
}

function contentParts(content: unknown): readonly ContentPart[] {
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }];
  return asObjects(content).flatMap((block) => contentPart(block) ?? []);
}

function contentPart(block: Fields): ContentPart | undefined {
  const type = asText(block["type"]) ?? "unknown";
  switch (type) {
    case "input_text":
    case "output_text":
    case "text":
      return { kind: "text", text: asText(block["text"]) ?? "" };
    case "refusal":
      return { kind: "text", text: asText(block["refusal"]) ?? "", refusal: true };
    case "input_image": {
      const url = asText(block["image_url"]);
      const id = asText(block["file_id"]);
      if (url !== undefined) return { kind: "image", source: sourceOfUrl(url) };
      return id === undefined ? undefined : { kind: "image", source: { type: "id", id } };
    }
    default:
      return opaqueBlock(block, toJson(block));
  }
}

/** Codex keeps this much of the newest user messages when a compaction records no history of its own (0.169, 2026-11). */
const KEPT_USER_TOKENS = 20_000;

export interface HistoryItem {
  readonly line: number;
  readonly item: Item;
  readonly summary?: boolean;
}

/** How Codex opens the handoff it writes for itself: by this a summary is known among the user messages it keeps. */
const HANDOFF = "Another language model started to solve this problem";

/**
 * The history behind a `compacted` record: the one it lists, or, in older files, the newest user messages and the
 * summary. Where all of the history is wanted, the summary is added to it.
 */
export function compacted(
  entries: readonly HistoryItem[],
  line: number,
  { payload, history }: Compaction,
): readonly HistoryItem[] {
  const message = asText(payload["message"]) ?? "";
  const listed = payload["replacement_history"];
  const replacement = asObjects(listed).map((fields): HistoryItem => {
    const item = readItem(fields);
    return { line, item, summary: isSummary(item, message) };
  });
  const parts = message === "" ? [] : [{ kind: "text", text: message } as const];
  const written: HistoryItem = { line, item: { kind: "message", role: "user", parts }, summary: true };
  if (history === "live") return Array.isArray(listed) ? replacement : [...newestRequests(entries), written];
  const summaries = replacement.filter((entry) => entry.summary === true);
  return [...entries, ...(summaries.length > 0 ? summaries : [written])];
}

interface Compaction {
  readonly payload: Fields;
  readonly history: History;
}

function isSummary(item: Item, message: string): boolean {
  if (!isSaidByUser(item)) return item.kind === "compaction";
  const text = contentText(item.parts);
  return text.startsWith(HANDOFF) || (message !== "" && text.endsWith(message));
}

function newestRequests(entries: readonly HistoryItem[]): readonly HistoryItem[] {
  const requests = entries.filter(({ item, summary }) => isSaidByUser(item) && summary !== true);
  let tokens = 0;
  const tooOld = requests.findLastIndex(({ item }) => {
    tokens += isSaidByUser(item) ? estimateText(contentText(item.parts)) : 0;
    return tokens > KEPT_USER_TOKENS;
  });
  return requests.slice(tooOld + 1);
}

/** Where a turn began, in the history as it was: a compaction since then is taken back with the turn that made it. */
export interface TurnStart {
  readonly entries: readonly HistoryItem[];
  readonly length: number;
}

/** What the history is when the newest `turns` are taken back; those before the first recorded one are in a compaction's list. */
export function withoutTurns(
  entries: readonly HistoryItem[],
  starts: readonly TurnStart[],
  turns: number,
): readonly HistoryItem[] {
  const recorded = starts.slice(Math.max(0, starts.length - turns));
  const [start] = recorded;
  const base = start === undefined ? entries : start.entries.slice(0, start.length);
  return base.slice(0, lengthWithout(base, turns - recorded.length));
}

function lengthWithout(entries: readonly HistoryItem[], turns: number): number {
  const starts = entries.flatMap(({ item }, at) => (isRequest(item) ? [at] : []));
  return turns === 0 ? entries.length : (starts.at(-turns) ?? starts[0] ?? entries.length);
}

/** Context that Codex puts before a person's words, as user messages of its own. */
const CONTEXT =
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted|subagent_notification|skill|user_shell_command|permissions)|# AGENTS\.md)/;

export function isContext(item: Item): boolean {
  return isSaidByUser(item) && CONTEXT.test(contentText(item.parts).slice(0, CONTEXT_MARK_CHARS));
}

const CONTEXT_MARK_CHARS = 200;

function isSaidByUser(item: Item): item is Extract<Item, { kind: "message" }> {
  return item.kind === "message" && item.role === "user";
}

export function isRequest(item: Item): boolean {
  return isSaidByUser(item) && !isContext(item);
}
