/** What the provider keeps between requests beside its cache: answers that a later request can name, per key. */
import { boundedMap, type BoundedMap } from "../../src/gateway/conversations/threads.ts";
import type { StoredThread } from "./anthropic/threads.ts";
import type { Fields } from "../../src/protocols/fields.ts";

export interface Memory {
  /** Responses: everything up to and with an answer, by the answer's id. */
  readonly responses: BoundedMap<readonly Fields[]>;
  /** Responses: items that were stored, by id. */
  readonly items: BoundedMap<Fields>;
  /** Responses: the reasoning item that came before an item, by the item's id. */
  readonly reasoningOf: BoundedMap<string>;
  /** Messages: calls in an answer that began with thinking, by their ids. */
  readonly thoughtOver: BoundedMap<true>;
  /** Messages: conversations that it was asked to keep, by the id of the last answer. */
  readonly threads: BoundedMap<StoredThread>;
}

/** Items an answer has at most, more or less: only a bound for what is kept. */
const ITEMS_PER_RESPONSE = 20;

export function createMemory(responsesMax: number): Memory {
  return {
    responses: boundedMap(responsesMax),
    items: boundedMap(responsesMax * ITEMS_PER_RESPONSE),
    reasoningOf: boundedMap(responsesMax * ITEMS_PER_RESPONSE),
    thoughtOver: boundedMap(responsesMax * ITEMS_PER_RESPONSE),
    threads: boundedMap(responsesMax),
  };
}
