/** What the provider keeps between requests beside its cache: answers that a later request can name, per key. */
import { createRecentMap, type RecentMap } from "../../src/store/recent-map.ts";
import type { StoredThread } from "./anthropic/threads.ts";
import type { Fields } from "../../src/protocols/fields.ts";

export interface Memory {
  /** Responses: everything up to and with an answer, by the answer's id. */
  readonly responses: RecentMap<readonly Fields[]>;
  /** Responses: items that were stored, by id. */
  readonly items: RecentMap<Fields>;
  /** Responses: the reasoning item that came before an item, by the item's id. */
  readonly reasoningOf: RecentMap<string>;
  /** Messages: calls in an answer that began with thinking, by their ids. */
  readonly thoughtOver: RecentMap<true>;
  /** Messages: conversations that it was asked to keep, by the id of the last answer. */
  readonly threads: RecentMap<StoredThread>;
}

/** Items an answer has at most, more or less: only a bound for what is kept. */
const ITEMS_PER_RESPONSE = 20;

export function createMemory(responsesMax: number): Memory {
  return {
    responses: createRecentMap({ entries: responsesMax }),
    items: createRecentMap({ entries: responsesMax * ITEMS_PER_RESPONSE }),
    reasoningOf: createRecentMap({ entries: responsesMax * ITEMS_PER_RESPONSE }),
    thoughtOver: createRecentMap({ entries: responsesMax * ITEMS_PER_RESPONSE }),
    threads: createRecentMap({ entries: responsesMax }),
  };
}
