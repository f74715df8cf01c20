/** Which record of a compaction counts for a link: the first stands until a tombstone buries it. */
import { COMPACTION_SCHEMA_VERSION } from "../../core/compaction/compaction.ts";
import { query } from "./query.ts";

/** A record in use is marked so at most this often, so that reading does not always write. */
const MARK_USE_EVERY_MS = 60 * 60 * 1_000;

/** A first message that more compactions begin with says nothing of the conversation; they are looked for by every link. */
export const RECORDS_OF_A_ROOT_MAX = 1_024;

export interface NewRecord {
  readonly link: string;
  /** The first link of the conversation, where it is known. */
  readonly root?: string | undefined;
  readonly schemaVersion: number;
  /** The text of `encodeCompaction`. */
  readonly text: string;
  /** Recall ids of the originals that the record names. */
  readonly recallIds: readonly string[];
  readonly now: number;
}

export interface FoundRecord {
  /** The row of the record in effect. */
  readonly id?: number;
  readonly undone: boolean;
  /** Links whose records are to be marked as used. */
  readonly unmarked: readonly string[];
}

export interface ListedRecord {
  readonly id: number;
  readonly undone: boolean;
  readonly createdAt: number;
}

export interface RecordRow {
  readonly id: number;
  readonly link: string;
  readonly schema_version: number;
  readonly generation: number;
  readonly used_at: number;
  readonly created_at: number;
}

/** The rows that count for some links, and how often each was undone. */
export interface LinkRecords {
  readonly records: readonly RecordRow[];
  readonly standing: readonly RecordRow[];
  readonly undone: ReadonlyMap<string, number>;
}

export const addTombstone = query<{ tenant: number; link: string; generation: number; now: number }>(`
  insert into tombstones (tenant, link, generation, created_at)
  values (:tenant, :link, :generation, :now)`);

export const readRecordById = query<{ id: number }, { record: Uint8Array }>(
  `select record from records where id = :id`,
);

export function linkRecords(records: readonly RecordRow[], tombstones: readonly { link: string }[]): LinkRecords {
  const undone = new Map<string, number>();
  for (const { link } of tombstones) undone.set(link, (undone.get(link) ?? 0) + 1);
  const standing = records.filter(({ link, generation }) => generation === (undone.get(link) ?? 0));
  return { records, standing, undone };
}

/**
 * The compaction in effect for a conversation, of records that may be other conversations' that begin with the same message: those
 * are neither in effect nor in use here.
 */
export function findAmong(found: LinkRecords, links: readonly string[], now: number): FoundRecord {
  const named = new Set(found.records.map(({ link }) => link));
  const own = new Set(named.size === 0 ? [] : links.filter((link) => named.has(link)));
  // What is below the one that is found is in use too: its originals are still named.
  const unmarked = found.records
    .filter(({ link, used_at: usedAt }) => own.has(link) && usedAt < now - MARK_USE_EVERY_MS)
    .map(({ link }) => link);
  const ours = found.standing.filter(({ schema_version: version }) => version === COMPACTION_SCHEMA_VERSION);
  const byLink = new Map(ours.map((row) => [row.link, row.id]));
  let undone = false;
  for (const link of [...own].toReversed()) {
    const id = byLink.get(link);
    if (id !== undefined) return { id, undone, unmarked };
    if (found.undone.has(link)) undone = true;
  }
  return { undone, unmarked };
}

/** Every record of our schema that these links have, in their order; those of one link in order of time. */
export function listedRecords(links: readonly string[], { records, undone }: LinkRecords): readonly ListedRecord[] {
  const place = new Map(links.map((link, at) => [link, at]));
  return records
    .filter(({ schema_version: version }) => version === COMPACTION_SCHEMA_VERSION)
    .toSorted((a, b) => place.get(a.link)! - place.get(b.link)! || a.id - b.id)
    .map(({ id, link, generation, created_at: createdAt }) => {
      return { id, undone: generation < (undone.get(link) ?? 0), createdAt };
    });
}
