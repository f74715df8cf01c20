/**
 * Layers 1 and 2 (IA al Día 2026): old tool results are cleared, as late in the conversation as will do, so that what the
 * provider has cached stays as long as it can. The first half is never touched, nor the newest results.
 */
import type { CompactionRun, Cut } from "../../compaction/plan.ts";
import { passContext } from "../../compaction/tails.ts";
import type { Handoff } from "../../handoff/write.ts";
import { clearResults } from "../../passes/clear-results.ts";
import { exchangesOf } from "../../transcript/exchanges.ts";
import { contentText, type Message } from "../../transcript/message.ts";
import { pairingOf } from "../../transcript/pairing.ts";
import { isSkillTool } from "./restore.ts";

/** Half-open range of message indices in the originals. */
export interface Range {
  readonly from: number;
  readonly until: number;
}

export interface ClearedCut {
  readonly cut: Cut;
  readonly ranges: readonly Range[];
}

interface Clearing {
  /** Where results were cleared before, and up to which message the summary in effect goes. */
  readonly cleared: readonly Range[];
  readonly summarisedUntil: number;
  readonly limitTokens: number;
  /** The newest results that stay. */
  readonly keptResults: number;
}

/** Nothing where clearing does not bring the result within the limit. */
export function clearedWithin(
  run: CompactionRun,
  { cleared, summarisedUntil: from, limitTokens, keptResults }: Clearing,
): ClearedCut | undefined {
  const { messages } = run.original;
  const { measure } = run.request;
  const standing = currentSummary(run, from);
  if (standing === undefined) return undefined;
  const half = Math.max(from, from - standing.length + Math.ceil((standing.length + messages.length - from) / 2));
  const until = newestStart(messages, keptResults);
  const { answers } = pairingOf(messages);
  const before = cleared.map((range) => ({ ...range, until: Math.min(range.until, until) }));
  const stays = (at: number): boolean =>
    isSkillTool(answers[at]?.call.name ?? "") || !isIn(at, [...before, { from: half, until }]);
  const all = clearResults(messages, { ...passContext(run), protect: stays });
  const saved = (at: number): number => measure.message(messages[at]!) - measure.message(all.messages[at]!);
  let tokens = run.besideTokens + measure.messages([...standing, ...messages.slice(from)]);
  messages.forEach((_, at) => (tokens -= isIn(at, before) ? saved(at) : 0));
  let start = until;
  while (tokens > limitTokens && start > half) if (!isIn(--start, before)) tokens -= saved(start);
  if (tokens > limitTokens) return undefined;
  const ranges = start < until ? [...before, { from: start, until }] : before;
  const kept = messages.map((message, at) => (isIn(at, ranges) ? all.messages[at]! : message));
  const evicted = all.evicted.filter(({ message }) => isIn(message, ranges));
  const shape = { rung: 0, messages: kept, headEnd: 0, tailStart: from, evicted };
  return { ranges, cut: { ...rebuildCut(standing, run), shape, verbatim: [], budget: 0 } };
}

function isIn(at: number, ranges: readonly Range[]): boolean {
  return ranges.some(({ from, until }) => at >= from && at < until);
}

/** Where the newest results begin; the last exchange belongs to them, because the model may not have read it. */
function newestStart(messages: readonly Message[], keptResults: number): number {
  const results = messages.flatMap(({ role }, at) => (role === "tool" ? at : []));
  const newest = results.at(-keptResults) ?? 0;
  return Math.min(newest, exchangesOf(messages).at(-1)?.start ?? 0);
}

/** The summary in effect, with what was put back and the request behind it: none before the first. Undefined where it cannot be kept. */
function currentSummary(
  { request, original, live }: CompactionRun,
  summarisedUntil: number,
): readonly Message[] | undefined {
  if (summarisedUntil <= 0) return summarisedUntil === 0 ? [] : undefined;
  const messages = request.standing?.messages ?? [];
  const end = messages.findIndex(({ origin }) => origin !== "summary" && origin !== "note" && origin !== "anchor");
  const ahead = messages.slice(0, end < 0 ? messages.length : end);
  if (!ahead.some(({ origin }) => origin === "summary")) return undefined;
  const asked = original.messages[live];
  const stands = asked === undefined || live >= summarisedUntil || ahead.some((one) => says(one, asked));
  return stands ? ahead : undefined;
}

function says(message: Message, asked: Message): boolean {
  return message.origin === "anchor" && contentText(message.parts) === contentText(asked.parts);
}

/** The pieces that stand, to be put together as they were. */
function rebuildCut(
  standing: readonly Message[],
  { request: { measure } }: CompactionRun,
): Pick<Cut, "written" | "restored" | "anchor"> {
  const summary = standing.find(({ origin }) => origin === "summary");
  const restored = standing.filter(({ origin }) => origin === "note");
  const anchor = standing.find(({ origin }) => origin === "anchor");
  if (summary === undefined) return { restored, anchor };
  const text = contentText(summary.parts);
  const written: Handoff = { text, tokens: measure.text(text), sections: [], said: text, tellsAll: false, unsaid: 0 };
  return { written, restored, anchor };
}
