/**
 * The conversations that were read last, decoded: pages of one session are asked for one after another. A head names its
 * messages by their content, so what is remembered of it cannot be out of date.
 */
import { createMeasure, type Measure } from "../../core/transcript/measure.ts";
import type { HistoryStore } from "../../store/store.ts";
import { readConversation, type StoredConversation } from "./find.ts";

const REMEMBERED_MAX = 2;
const REMEMBERED_MS = 60_000;

export interface RecentConversation extends StoredConversation {
  readonly links: readonly string[];
}

export type ReadRecent = (tenant: string, head: string) => Promise<RecentConversation>;

export function createReadRecent(store: HistoryStore, now: () => number = Date.now): ReadRecent {
  const remembered = new Map<string, { readonly until: number; readonly conversation: Promise<RecentConversation> }>();
  return (tenant, head) => {
    for (const [key, { until }] of remembered) if (until < now()) remembered.delete(key);
    const key = `${tenant}\n${head}`;
    const known = remembered.get(key);
    const conversation = known?.conversation ?? readWithLinks(store, tenant, head);
    remembered.delete(key);
    remembered.set(key, { until: now() + REMEMBERED_MS, conversation });
    conversation.catch(() => remembered.delete(key));
    for (const oldest of remembered.keys()) {
      if (remembered.size <= REMEMBERED_MAX) break;
      remembered.delete(oldest);
    }
    return conversation;
  };
}

async function readWithLinks(store: HistoryStore, tenant: string, head: string): Promise<RecentConversation> {
  const [conversation, links] = await Promise.all([
    readConversation(store, tenant, head),
    store.readLinks(tenant, head),
  ]);
  return { ...conversation, links };
}

/** Measures that remember what each message weighs, as long as the message is remembered. */
export function createMeasures(): (model: Pick<Measure, "imageTokens">) => Measure {
  const measures = new Map<number | undefined, Measure>();
  return ({ imageTokens }) => {
    const known = measures.get(imageTokens) ?? createMeasure(imageTokens === undefined ? {} : { imageTokens });
    measures.set(imageTokens, known);
    return known;
  };
}
