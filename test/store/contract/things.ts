/** What the contract of stores is told with. */
import { hash } from "node:crypto";
import { COMPACTION_SCHEMA_VERSION, type Compaction } from "../../../src/core/compaction/compaction.ts";
import { createChain } from "../../../src/core/transcript/links.ts";
import { textMessage, type Message } from "../../../src/core/transcript/message.ts";
import type { HistoryStore } from "../../../src/store/store.ts";

/** Opens a new, empty store, with a clock of the test's own. */
export type OpenStore = (clock?: { readonly now: () => number }) => Promise<HistoryStore>;

export const chain = createChain((text) => hash("sha256", text));

/** Messages that say these words, by turns. */
export function talk(...words: readonly string[]): {
  readonly links: readonly string[];
  readonly messages: readonly Message[];
} {
  const messages = words.map((word, at) => textMessage(at % 2 === 0 ? "user" : "assistant", word));
  return { links: chain.linksOf(messages), messages };
}

export function compaction(covers: string, covered: number, recallIds: readonly string[] = []): Compaction {
  return {
    schemaVersion: COMPACTION_SCHEMA_VERSION,
    after: [],
    covered,
    covers,
    map: [],
    evicted: recallIds.map((id) => ({ id, kind: "result", message: 0, label: id })),
    state: { made: covers },
    report: {
      engine: "test",
      reason: "explicit",
      tokens: { before: 10, after: 5 },
      messages: { before: 2, after: 1, kept: 0, edited: 0, summarised: 2 },
      parts: { system: 0, tools: 0, head: 0, handoff: 5, anchor: 0, tail: 0 },
      rung: 0,
      degraded: [],
      recall: [],
      modelCalls: 0,
      costUsd: 0,
    },
  };
}
