/** A compaction that only rewrites messages in place: no message is summarised, none moves. */
import type { Chain } from "../transcript/links.ts";
import type { Measure } from "../transcript/measure.ts";
import { sharesWire, type Message, type Transcript } from "../transcript/message.ts";
import { COMPACTION_SCHEMA_VERSION, type Compaction, type CompactionReason, type Evicted } from "./compaction.ts";

export interface Edits {
  /** As many messages as the original has. */
  readonly messages: readonly Message[];
  readonly evicted: readonly Evicted[];
  readonly reason: CompactionReason;
  readonly engine: string;
  /** The engine's state, which edits do not change. */
  readonly state: unknown;
}

/** `undefined` when nothing was edited. */
export function editsCompaction(
  original: Transcript,
  edits: Edits,
  estimator: { measure: Measure; chain: Chain },
): Compaction | undefined {
  const { measure, chain } = estimator;
  let covered = edits.messages.findLastIndex((message, at) => message !== original.messages[at]) + 1;
  if (covered === 0) return undefined;
  while (covered < edits.messages.length && sharesWire(edits.messages[covered - 1], edits.messages[covered]!))
    covered++;
  const after = edits.messages.slice(0, covered);
  const edited = after.filter((message, at) => message !== original.messages[at]).length;
  const before = measure.transcript(original);
  const count = original.messages.length;
  return {
    schemaVersion: COMPACTION_SCHEMA_VERSION,
    after,
    covered,
    covers: chain.linksOf(original.messages.slice(0, covered)).at(-1)!,
    map: after.map((message, at) => ({ kind: message === original.messages[at] ? "kept" : "edited", at })),
    evicted: edits.evicted,
    state: edits.state,
    report: {
      engine: edits.engine,
      reason: edits.reason,
      tokens: { before, after: measure.transcript({ ...original, messages: edits.messages }) },
      messages: { before: count, after: count, kept: count - edited, edited, summarised: 0 },
      parts: {
        system: measure.messages(original.system),
        tools: original.tools === undefined ? 0 : measure.text(original.tools),
        head: 0,
        handoff: 0,
        anchor: 0,
        tail: measure.messages(edits.messages),
      },
      rung: 0,
      degraded: [],
      recall: [...new Set(edits.evicted.map(({ id }) => id))],
      modelCalls: 0,
      costUsd: 0,
    },
  };
}
