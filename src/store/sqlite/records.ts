/** Compaction records: the first of a link is in effect until a tombstone buries it. */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { fromTheEnd } from "../sql/chains.ts";
import { query } from "../sql/query.ts";
import {
  addTombstone,
  foundRecord,
  linkRecords,
  listedRecords,
  lookThrough,
  nothingFound,
  readRecordById,
  type FoundRecord,
  type LinkRecords,
  type ListedRecord,
  type NewRecord,
  type RecordRow,
} from "../sql/records.ts";
import type { Runner } from "./query.ts";
import { knownTenant, writingTenant } from "./tenants.ts";

const recordsOf = query<{ tenant: number; links: string }, RecordRow>(`
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

const markUsed = query<{ tenant: number; links: string; now: number }>(`
  update records set used_at = :now
  where tenant = :tenant and link in (select value from json_each(:links))`);

function recordsFor(runner: Runner, tenant: number, links: readonly string[]): LinkRecords {
  const args = { tenant, links: JSON.stringify(links) };
  const records = runner.all(recordsOf, args);
  // There is no tombstone without a record.
  return linkRecords(records, records.length === 0 ? [] : runner.all(tombstonesOf, args));
}

/** The row in effect for the link, and whether it is this one. */
export function put(
  runner: Runner,
  tenantName: string,
  fresh: NewRecord,
): { readonly id: number; readonly won: boolean } {
  const { link, schemaVersion, text, recallIds, now } = fresh;
  const tenant = writingTenant(runner, tenantName);
  const { standing, undone } = recordsFor(runner, tenant, [link]);
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
  const looked = nothingFound();
  for (const { batch } of fromTheEnd(links)) lookThrough(looked, batch, recordsFor(runner, tenant, batch), now);
  return foundRecord(looked);
}

export function listRecords(runner: Runner, tenantName: string, links: readonly string[]): readonly ListedRecord[] {
  return listedRecords(links, recordsFor(runner, knownTenant(runner, tenantName), links));
}

export function touch(runner: Runner, tenant: string, { links, now }: { links: readonly string[]; now: number }): void {
  runner.run(markUsed, { tenant: knownTenant(runner, tenant), links: JSON.stringify(links), now });
}

/** The text of a record; records do not change. `undefined` for one that retention has deleted. */
export function readRecord(runner: Runner, id: number): string | undefined {
  const row = runner.first(readRecordById, { id });
  return row === undefined ? undefined : inflateRawSync(runner.vault.open("compaction", row.record)).toString("utf8");
}

/** Buries the record in effect for a link, whatever its schema. */
export function undo(runner: Runner, tenantName: string, { link, now }: { link: string; now: number }): void {
  const tenant = knownTenant(runner, tenantName);
  const { standing, undone } = recordsFor(runner, tenant, [link]);
  if (standing.length > 0) runner.run(addTombstone, { tenant, link, generation: undone.get(link) ?? 0, now });
}
