/** Which record of a compaction counts for a link: the first stands until a tombstone buries it. */
import { COMPACTION_SCHEMA_VERSION } from "../../core/compaction/compaction.ts";
import { query } from "./query.ts";

/** A record in use is marked so at most this often, so that reading does not always write. */
const MARK_USE_EVERY_MS = 60 * 60 * 1_000;

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

interface Looked {
  id: number | undefined;
  undone: boolean;
  readonly unmarked: string[];
}

export function nothingFound(): Looked {
  return { id: undefined, undone: false, unmarked: [] };
}

/** Goes on looking with a batch of links that comes before those that were looked at already. */
export function lookThrough(looked: Looked, batch: readonly string[], found: LinkRecords, now: number): void {
  // What is below the one that is found is in use too: its originals are still named.
  for (const { link, used_at: usedAt } of found.records)
    if (usedAt < now - MARK_USE_EVERY_MS) looked.unmarked.push(link);
  const ours = found.standing.filter(({ schema_version: version }) => version === COMPACTION_SCHEMA_VERSION);
  const byLink = new Map(ours.map((row) => [row.link, row.id]));
  for (const link of batch.toReversed()) {
    if (looked.id !== undefined) break;
    looked.id = byLink.get(link);
    if (looked.id === undefined && found.undone.has(link)) looked.undone = true;
  }
}

export function foundRecord({ id, undone, unmarked }: Looked): FoundRecord {
  return { undone, unmarked, ...(id === undefined ? {} : { id }) };
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
