/** Compactions of a store in a database: kept as text, and what was read lately is not read again. */
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import type { Compaction } from "../../core/compaction/compaction.ts";
import type { Lifetime } from "../lifetime.ts";
import { createRecentMap } from "../recent-map.ts";
import { decodeCompaction, encodeCompaction } from "../record.ts";
import type { CompactionEntry, HistoryStore } from "../store.ts";
import type { FoundRecord, ListedRecord, NewRecord } from "./compaction-records.ts";

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Records that were read lately are not read again: they never change. */
const RECORDS_REMEMBERED_MAX = 64;
const RECORD_CHARACTERS_REMEMBERED_MAX = 8_000_000;

/** The questions that the database answers. */
export interface RecordTable {
  readonly put: (tenant: string, fresh: NewRecord) => Promise<{ readonly id: number; readonly won: boolean }>;
  readonly find: (tenant: string, asked: LinksAndTime) => Promise<FoundRecord>;
  readonly list: (tenant: string, links: readonly string[]) => Promise<readonly ListedRecord[]>;
  readonly read: (tenant: string, id: number) => Promise<Uint8Array | undefined>;
  /** Marks the records of these links as used. */
  readonly touch: (tenant: string, used: LinksAndTime) => Promise<void>;
}

interface LinksAndTime {
  readonly links: readonly string[];
  readonly now: number;
}

interface Keeping {
  readonly now: () => number;
  readonly readOnly: boolean;
  readonly during: Lifetime["during"];
  /** Has the marks of use that are on their way, for a database that does not do one thing after another. */
  readonly marking?: Set<Promise<void>>;
}

type CompactionCalls = Pick<HistoryStore, "putCompaction" | "findCompaction" | "listCompactions">;

export function createCompactionCalls(
  table: RecordTable,
  { now, readOnly, during, marking }: Keeping,
): CompactionCalls {
  const remembered = createRecentMap<Compaction>({
    entries: RECORDS_REMEMBERED_MAX,
    weight: RECORD_CHARACTERS_REMEMBERED_MAX,
  });
  const read = async (tenant: string, id: number): Promise<Compaction | undefined> => {
    const known = remembered.get(String(id));
    if (known !== undefined) return known;
    const record = await table.read(tenant, id);
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
    const { id, won } = await table.put(tenant, { link: covers, root, schemaVersion, record, recallIds, now: now() });
    if (won) remembered.set(String(id), compaction, text.length);
    return won ? compaction : ((await read(tenant, id)) ?? compaction);
  };
  // Nobody who reads waits for this, and what is not marked today is marked tomorrow.
  const mark = (tenant: string, links: readonly string[]): void => {
    const marked = during(() => table.touch(tenant, { links, now: now() }))
      .catch(() => undefined)
      .finally(() => marking?.delete(marked));
    marking?.add(marked);
  };
  const find: CompactionCalls["findCompaction"] = async (tenant, links) => {
    const { id, undone, unmarked } = await table.find(tenant, { links, now: now() });
    if (unmarked.length > 0 && !readOnly) mark(tenant, unmarked);
    const compaction = id === undefined ? undefined : await read(tenant, id);
    return compaction === undefined ? { undone } : { compaction, undone };
  };
  const list: CompactionCalls["listCompactions"] = async (tenant, links) => {
    const entries: CompactionEntry[] = [];
    for (const { id, undone, createdAt } of await table.list(tenant, links)) {
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
