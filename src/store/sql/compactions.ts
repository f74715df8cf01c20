/** Compactions of a store in a database: kept as text, and what was read lately is not read again. */
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import type { Compaction } from "../../core/compaction/compaction.ts";
import type { Lifetime } from "../lifetime.ts";
import { createRecentMap } from "../recent-map.ts";
import { decodeCompaction, encodeCompaction } from "../record.ts";
import type { CompactionEntry, HistoryStore } from "../store.ts";
import type { Ask } from "./operations.ts";

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Records that were read lately are not read again: they never change. */
const RECORDS_REMEMBERED_MAX = 64;
const RECORD_CHARACTERS_REMEMBERED_MAX = 8_000_000;

/** What a store goes by, whatever its database. */
export interface Keeping {
  readonly now: () => number;
  readonly readOnly: boolean;
  readonly during: Lifetime["during"];
  /** Has the marks of use that are on their way, for a database that does not do one thing after another. */
  readonly marking?: Set<Promise<void>>;
}

type CompactionCalls = Pick<HistoryStore, "putCompaction" | "findCompaction" | "listCompactions">;

export function createCompactionCalls(ask: Ask, { now, readOnly, during, marking }: Keeping): CompactionCalls {
  const remembered = createRecentMap<Compaction>({
    entries: RECORDS_REMEMBERED_MAX,
    weight: RECORD_CHARACTERS_REMEMBERED_MAX,
  });
  const read = async (tenant: string, id: number): Promise<Compaction | undefined> => {
    const known = remembered.get(String(id));
    if (known !== undefined) return known;
    const record = await ask("readRecord", tenant, id);
    if (record === undefined) return undefined;
    const text = (await inflate(record)).toString("utf8");
    const compaction = decodeCompaction(text);
    if (compaction !== undefined) remembered.set(String(id), compaction, text.length);
    return compaction;
  };
  const put: CompactionCalls["putCompaction"] = async (tenant, compaction, root) => {
    const { covers, schemaVersion, evicted } = compaction;
    const text = encodeCompaction(compaction);
    const recallIds = evicted.map(({ id }) => id);
    const record = await deflate(text);
    const fresh = { link: covers, root, schemaVersion, record, recallIds, now: now() };
    const { id, won } = await ask("putRecord", tenant, fresh, record.length);
    if (won) remembered.set(String(id), compaction, text.length);
    return won ? compaction : ((await read(tenant, id)) ?? compaction);
  };
  // Nobody who reads waits for this, and what is not marked today is marked tomorrow.
  const mark = (tenant: string, links: readonly string[]): void => {
    const marked = during(() => ask("touchRecords", tenant, { links, now: now() }))
      .catch(() => undefined)
      .finally(() => marking?.delete(marked));
    marking?.add(marked);
  };
  const find: CompactionCalls["findCompaction"] = async (tenant, links) => {
    const { id, undone, unmarked } = await ask("findRecord", tenant, { links, now: now() });
    if (unmarked.length > 0 && !readOnly) mark(tenant, unmarked);
    const compaction = id === undefined ? undefined : await read(tenant, id);
    return compaction === undefined ? { undone } : { compaction, undone };
  };
  const list: CompactionCalls["listCompactions"] = async (tenant, links) => {
    const entries: CompactionEntry[] = [];
    for (const { id, undone, createdAt } of await ask("listRecords", tenant, links)) {
      const compaction = await read(tenant, id);
      if (compaction !== undefined) entries.push({ compaction, undone, createdAt });
    }
    return entries;
  };
  return {
    putCompaction: (tenant, compaction, root) => during(() => put(tenant, compaction, root)),
    findCompaction: (tenant, links) => during(() => find(tenant, links)),
    listCompactions: (tenant, links) => during(() => list(tenant, links)),
  };
}
