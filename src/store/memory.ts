/** The store in memory: for a library session, the command line and tests. It forgets with the process. */
import type { Compaction } from "../core/compaction/compaction.ts";
import type { Original, SearchHit, Standing, Store } from "./store.ts";

interface Shelf {
  readonly records: Map<string, { compaction: Compaction; undone: boolean }>;
  readonly originals: Map<string, Original>;
}

export function createMemoryStore(): Store {
  const shelves = new Map<string, Shelf>();
  const shelfOf = (tenant: string): Shelf => {
    let shelf = shelves.get(tenant);
    if (shelf === undefined) shelves.set(tenant, (shelf = { records: new Map(), originals: new Map() }));
    return shelf;
  };
  return {
    putCompaction: async (tenant, compaction) => {
      const { records } = shelfOf(tenant);
      const standing = records.get(compaction.covers);
      if (standing !== undefined && !standing.undone) return standing.compaction;
      records.set(compaction.covers, { compaction, undone: false });
      return compaction;
    },
    findCompaction: async (tenant, links) => longest(shelfOf(tenant), links),
    undoCompaction: async (tenant, link) => {
      const record = shelfOf(tenant).records.get(link);
      if (record !== undefined) record.undone = true;
    },
    putOriginals: async (tenant, originals) => {
      const shelf = shelfOf(tenant);
      for (const original of originals) shelf.originals.set(original.id, original);
    },
    getOriginal: async (tenant, id) => shelfOf(tenant).originals.get(id),
    search: async (tenant, query, limit) => searchOriginals([...shelfOf(tenant).originals.values()], query, limit),
  };
}

function longest({ records }: Shelf, links: readonly string[]): Standing {
  let undone = false;
  for (let at = links.length - 1; at >= 0 && records.size > 0; at--) {
    const record = records.get(links[at]!);
    if (record === undefined) continue;
    if (!record.undone) return { compaction: record.compaction, undone };
    undone = true;
  }
  return { undone };
}

function searchOriginals(originals: readonly Original[], query: string, limit: number): readonly SearchHit[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const hits: SearchHit[] = [];
  if (words.length === 0) return hits;
  for (const original of originals.toReversed()) {
    if (hits.length >= limit) break;
    const text = original.text.toLowerCase();
    if (!words.every((word) => text.includes(word))) continue;
    const at = text.indexOf(words[0]!);
    const start = original.text.lastIndexOf("\n", at) + 1;
    const end = original.text.indexOf("\n", at);
    hits.push({ id: original.id, label: original.label, line: original.text.slice(start, end < 0 ? undefined : end) });
  }
  return hits;
}
