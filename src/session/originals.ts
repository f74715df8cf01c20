/** From what a compaction removed to what a recall id answers: originals for the store, and the way into a span. */
import type { Compaction, Evicted } from "../core/compaction/compaction.ts";
import type { Message, Transcript } from "../core/transcript/message.ts";
import type { Original, Store } from "../store/store.ts";

/** Every removed piece with its original bytes; a span's are put together when somebody reads them. */
export function originalsOf(compaction: Compaction, transcript: Transcript): readonly Original[] {
  return compaction.evicted.map((one) => ({
    id: one.id,
    kind: one.kind,
    label: one.label,
    get text() {
      return textOf(one, transcript.messages);
    },
  }));
}

function textOf(evicted: Evicted, messages: readonly Message[]): string {
  if (evicted.kind !== "span") return evicted.original ?? "";
  return spanLines(messages.slice(evicted.message, evicted.end)).join("\n");
}

/** A wire message each, in its own bytes where it came from a body. */
function spanLines(messages: readonly Message[]): string[] {
  const lines: string[] = [];
  let last: string | undefined;
  for (const message of messages) {
    const raw = message.wire?.raw;
    if (raw === undefined) lines.push(JSON.stringify({ role: message.role, parts: message.parts }));
    else if (raw !== last) lines.push(raw);
    last = raw;
  }
  return lines;
}

export interface RecallHit {
  readonly id: string;
  readonly label: string;
  readonly text: string;
}

const SEARCH_HITS_MAX = 20;
const RECALL_ID = /^r[0-9a-f]{9}$/;

/** Resolves an id to its original bytes, or searches the originals for words. */
export async function recall(store: Store, tenant: string, idOrQuery: string): Promise<readonly RecallHit[]> {
  if (RECALL_ID.test(idOrQuery)) {
    const original = await store.getOriginal(tenant, idOrQuery);
    return original === undefined ? [] : [{ id: original.id, label: original.label, text: original.text }];
  }
  const hits = await store.search(tenant, idOrQuery, SEARCH_HITS_MAX);
  return hits.map(({ id, label, line }) => ({ id, label, text: line }));
}
