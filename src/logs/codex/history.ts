/**
 * What Codex's history is after its own edits: a compaction puts another history in the place of what came before,
 * and a rollback takes the newest turns away.
 */
import { estimateText } from "../../core/transcript/estimate.ts";
import { contentText } from "../../core/transcript/message.ts";
import { itemOf, type Item } from "./items.ts";
import { objectsOf, textOf, type Fields } from "../fields.ts";
import type { History } from "../log.ts";

/** Codex keeps this much of the newest user messages when a compaction records no history of its own (0.169, 2026-11). */
const KEPT_USER_TOKENS = 20_000;

/** An item of the history, and the line it came from. */
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
  const message = textOf(payload["message"]) ?? "";
  const listed = payload["replacement_history"];
  const replacement = objectsOf(listed).map((fields): HistoryItem => {
    const item = itemOf(fields);
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

/** How much of a list survives when its newest `turns` of a person are taken back. */
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
