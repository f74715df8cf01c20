/**
 * Keeps a long conversation a piece at a time. A file has one writer: kept at once, 28 MB would make everybody else's
 * requests wait for the disk for a second. What is kept of a conversation whose rest fails is a shorter conversation.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { ChainAppend, HistoryStore, Original } from "../../store/store.ts";

/** What is written at once, in characters and in messages. */
const PIECE_CHARS = 256 * 1024;
const PIECE_MESSAGES = 400;
/** Others get to write meanwhile: SQLite looks whether it can after 1, 2, 5, 10 and 15 ms more. */
const PAUSE_MS = 20;

export function keptInPieces(store: HistoryStore): HistoryStore {
  return {
    ...store,
    appendChain: (tenant, chain) => appendInPieces(store, tenant, chain),
    putOriginals: (tenant, originals) => putInPieces(store, tenant, originals),
  };
}

async function appendInPieces(store: HistoryStore, tenant: string, chain: ChainAppend) {
  const { links, messages } = chain;
  const ends = pieceEnds(messages, ({ wire }) => wire?.raw.length ?? 0);
  const first = await firstToKeep(ends.slice(0, -1), (end) => store.isStored(tenant, links[end - 1]!));
  let added = 0;
  for (const end of ends.slice(first, -1)) {
    const piece = { ...chain, links: links.slice(0, end), messages: messages.slice(0, end) };
    added += (await store.appendChain(tenant, piece)).added;
    await pause(PAUSE_MS);
  }
  const last = await store.appendChain(tenant, chain);
  return { ...last, added: last.added + added };
}

async function putInPieces(store: HistoryStore, tenant: string, originals: readonly Original[]): Promise<void> {
  let from = 0;
  for (const end of pieceEnds(originals, ({ text }) => text.length)) {
    if (from > 0) await pause(PAUSE_MS);
    await store.putOriginals(tenant, originals.slice(from, end));
    from = end;
  }
}

/** Where each piece ends; the last ends where the list does. */
function pieceEnds<Item>(items: readonly Item[], weigh: (item: Item) => number): readonly number[] {
  const ends: number[] = [];
  let chars = 0;
  let count = 0;
  items.forEach((item, at) => {
    chars += weigh(item);
    count++;
    if (at + 1 < items.length && chars < PIECE_CHARS && count < PIECE_MESSAGES) return;
    ends.push(at + 1);
    chars = 0;
    count = 0;
  });
  return ends;
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
