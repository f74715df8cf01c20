/**
 * The conversations that were read last, decoded: pages of one session are asked for one after another. A head names its
 * messages by their content, so what is remembered of it cannot be out of date.
 */
import type { HistoryStore } from "../../store/store.ts";
import { readConversation, type StoredConversation } from "./conversation.ts";

const REMEMBERED_MAX = 2;
const REMEMBERED_MS = 60_000;

export type ReadRecent = (tenant: string, head: string) => Promise<StoredConversation>;

export function createReadRecent(store: HistoryStore, now: () => number = Date.now): ReadRecent {
  const remembered = new Map<string, { readonly until: number; readonly conversation: Promise<StoredConversation> }>();
  return (tenant, head) => {
    for (const [key, { until }] of remembered) if (until < now()) remembered.delete(key);
    const key = `${tenant}\n${head}`;
    const known = remembered.get(key);
    const conversation = known?.conversation ?? readConversation(store, tenant, head);
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
