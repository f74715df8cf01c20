/**
 * Keeps a long conversation a piece at a time, so that nobody else waits long for the file. What is kept of a conversation
 * whose rest fails is a shorter conversation.
 */
import { batchEnds, pauseBetweenBatches } from "../../store/batches.ts";
import type { ChainAppend, HistoryStore } from "../../store/store.ts";

export function keptInPieces(store: HistoryStore): HistoryStore {
  return { ...store, appendChain: (tenant, chain) => appendInPieces(store, tenant, chain) };
}

async function appendInPieces(store: HistoryStore, tenant: string, chain: ChainAppend) {
  const { links, messages, job: _, ...others } = chain;
  const ends = batchEnds(messages, ({ wire }) => wire?.raw.length ?? 0);
  const first = await firstToKeep(ends.slice(0, -1), (end) => store.isStored(tenant, links[end - 1]!));
  let added = 0;
  for (const end of ends.slice(first, -1)) {
    const piece = { ...others, links: links.slice(0, end), messages: messages.slice(0, end) };
    added += (await store.appendChain(tenant, piece)).added;
    await pauseBetweenBatches();
  }
  const last = await store.appendChain(tenant, chain);
  return { ...last, added: last.added + added };
}

/** How many of the first pieces are kept already; where one is, all before it are. */
async function firstToKeep(ends: readonly number[], isKept: (end: number) => Promise<boolean>): Promise<number> {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (await isKept(ends[middle - 1]!)) low = middle;
    else high = middle - 1;
  }
  return low;
}
