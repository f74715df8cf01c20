/** Compaction records: the first of a link stands until a tombstone buries it. */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { COMPACTION_SCHEMA_VERSION } from "../../core/compaction/compaction.ts";
import { fromTheEnd } from "./chains.ts";
import { query, type Runner } from "./query.ts";
import { knownTenant, writingTenant } from "./tenants.ts";

/** A record in use is marked so at most this often, so that reading does not always write. */
const MARK_USE_EVERY_MS = 60 * 60 * 1_000;

export interface NewRecord {
  readonly link: string;
  readonly schemaVersion: number;
  /** The text of `encodeCompaction`. */
  readonly text: string;
  /** Recall ids of the originals that the record names. */
  readonly recallIds: readonly string[];
  readonly now: number;
}

export interface FoundRecord {
  /** The row of the record that stands. */
  readonly id?: number;
  readonly undone: boolean;
  /** Links whose records are to be marked as used. */
  readonly unmarked: readonly string[];
}

const recordsOf = query<
  { tenant: number; links: string },
  { id: number; link: string; schema_version: number; generation: number; used_at: number; created_at: number }
>(`
  select records.id, records.link, schema_version, generation, used_at, created_at
  from json_each(:links) wanted
  cross join records
  where records.tenant = :tenant and records.link = wanted.value`);

const tombstonesOf = query<{ tenant: number; links: string }, { link: string }>(`
  select tombstones.link from json_each(:links) wanted
  cross join tombstones
  where tombstones.tenant = :tenant and tombstones.link = wanted.value`);

const addRecord = query<{
  tenant: number;
  link: string;
  schemaVersion: number;
  generation: number;
  record: Uint8Array;
  now: number;
}>(`
  insert into records (tenant, link, schema_version, generation, record, created_at, used_at)
  values (:tenant, :link, :schemaVersion, :generation, :record, :now, :now)`);

const nameOriginal = query<{ record: number; recallId: string }>(`
  insert into record_originals (record, recall_id)
  values (:record, :recallId)
  on conflict do nothing`);

const addTombstone = query<{ tenant: number; link: string; generation: number; now: number }>(`
  insert into tombstones (tenant, link, generation, created_at)
  values (:tenant, :link, :generation, :now)`);

const markUsed = query<{ tenant: number; links: string; now: number }>(`
  update records set used_at = :now
  where tenant = :tenant and link in (select value from json_each(:links))`);

const readRecordById = query<{ id: number }, { record: Uint8Array }>(`select record from records where id = :id`);

/** The rows that count for some links, and how often each was undone. */
function latestRecordOf(runner: Runner, tenant: number, links: readonly string[]) {
  const args = { tenant, links: JSON.stringify(links) };
  const records = runner.all(recordsOf, args);
  const undone = new Map<string, number>();
  // There is no tombstone without a record.
  if (records.length > 0)
    for (const { link } of runner.all(tombstonesOf, args)) undone.set(link, (undone.get(link) ?? 0) + 1);
  return {
    records,
    standing: records.filter(({ link, generation }) => generation === (undone.get(link) ?? 0)),
    undone,
  };
}

/** The row that stands for the link, and whether it is this one. */
export function put(
  runner: Runner,
  tenantName: string,
  fresh: NewRecord,
): { readonly id: number; readonly won: boolean } {
  const { link, schemaVersion, text, recallIds, now } = fresh;
  const tenant = writingTenant(runner, tenantName);
  const { standing, undone } = latestRecordOf(runner, tenant, [link]);
  const first = standing.find(({ schema_version: version }) => version === schemaVersion);
  if (first !== undefined) return { id: first.id, won: false };
  const record = runner.vault.seal("compaction", deflateRawSync(text));
  const generation = undone.get(link) ?? 0;
  const { id } = runner.run(addRecord, { tenant, link, schemaVersion, generation, record, now });
  for (const recallId of recallIds) runner.run(nameOriginal, { record: id, recallId });
  return { id, won: true };
}

export function find(
  runner: Runner,
  tenantName: string,
  { links, now }: { links: readonly string[]; now: number },
): FoundRecord {
  const tenant = knownTenant(runner, tenantName);
  const unmarked: string[] = [];
  let id: number | undefined;
  let undone = false;
  for (const { batch } of fromTheEnd(links)) {
    const found = latestRecordOf(runner, tenant, batch);
    if (found.records.length === 0) continue;
    // What is below the one that is found is in use too: its originals are still named.
    for (const { link, used_at: usedAt } of found.records) if (usedAt < now - MARK_USE_EVERY_MS) unmarked.push(link);
    const ours = found.standing.filter(({ schema_version: version }) => version === COMPACTION_SCHEMA_VERSION);
    const byLink = new Map(ours.map((row) => [row.link, row.id]));
    for (const link of batch.toReversed()) {
      if (id !== undefined) break;
      id = byLink.get(link);
      if (id === undefined && found.undone.has(link)) undone = true;
    }
  }
  return { undone, unmarked, ...(id === undefined ? {} : { id }) };
}

export interface ListedRecord {
  readonly id: number;
  readonly undone: boolean;
  readonly createdAt: number;
}

/** Every record of our schema that these links have, in their order; those of one link in order of time. */
export function listRecords(runner: Runner, tenantName: string, links: readonly string[]): readonly ListedRecord[] {
  const { records, undone } = latestRecordOf(runner, knownTenant(runner, tenantName), links);
  const place = new Map(links.map((link, at) => [link, at]));
  return records
    .filter(({ schema_version: version }) => version === COMPACTION_SCHEMA_VERSION)
    .toSorted((a, b) => place.get(a.link)! - place.get(b.link)! || a.id - b.id)
    .map(({ id, link, generation, created_at: createdAt }) => {
      return { id, undone: generation < (undone.get(link) ?? 0), createdAt };
    });
}

export function touch(runner: Runner, tenant: string, { links, now }: { links: readonly string[]; now: number }): void {
  runner.run(markUsed, { tenant: knownTenant(runner, tenant), links: JSON.stringify(links), now });
}

/** The text of a record; records do not change. `undefined` for one that retention has deleted. */
export function readRecord(runner: Runner, id: number): string | undefined {
  const row = runner.first(readRecordById, { id });
  return row === undefined ? undefined : inflateRawSync(runner.vault.open("compaction", row.record)).toString("utf8");
}

/** Buries what stands for a link, whatever its schema. */
export function undo(runner: Runner, tenantName: string, { link, now }: { link: string; now: number }): void {
  const tenant = knownTenant(runner, tenantName);
  const { standing, undone } = latestRecordOf(runner, tenant, [link]);
  if (standing.length > 0) runner.run(addTombstone, { tenant, link, generation: undone.get(link) ?? 0, now });
}
