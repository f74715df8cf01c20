/** Compaction records: the first of a link is in effect until a tombstone buries it. */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { query } from "../sql/query.ts";
import {
  addTombstone,
  findAmong,
  linkRecords,
  listedRecords,
  readRecordById,
  RECORDS_OF_A_ROOT_MAX,
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

const recordsOfRoot = query<{ tenant: number; root: string; limit: number }, RecordRow>(`
  select id, link, schema_version, generation, used_at, created_at
  from records where tenant = :tenant and root = :root limit :limit`);

/** Whether the tenant has records that can only be found by their link. */
const anyRootless = query<{ tenant: number }, { link: string }>(
  `select link from records where tenant = :tenant and root is null limit 1`,
);

const rootlessRecordsOf = query<{ tenant: number; links: string }, RecordRow>(`
  select records.id, records.link, schema_version, generation, used_at, created_at
  from json_each(:links) wanted
  cross join records
  where records.tenant = :tenant and records.root is null and records.link = wanted.value`);

const tombstonesOf = query<{ tenant: number; links: string }, { link: string }>(`
  select tombstones.link from json_each(:links) wanted
  cross join tombstones
  where tombstones.tenant = :tenant and tombstones.link = wanted.value`);

const addRecord = query<{
  tenant: number;
  link: string;
  root: string | null;
  schemaVersion: number;
  generation: number;
  record: Uint8Array;
  now: number;
}>(`
  insert into records (tenant, link, root, schema_version, generation, record, created_at, used_at)
  values (:tenant, :link, :root, :schemaVersion, :generation, :record, :now, :now)`);

const nameOriginal = query<{ record: number; recallId: string }>(`
  insert into record_originals (record, recall_id)
  values (:record, :recallId)
  on conflict do nothing`);

const markUsed = query<{ tenant: number; links: string; now: number }>(`
  update records set used_at = :now
  where tenant = :tenant and link in (select value from json_each(:links))`);

function recordsFor(runner: Runner, tenant: number, links: readonly string[]): LinkRecords {
  return withTombstones(runner, tenant, runner.all(recordsOf, { tenant, links: JSON.stringify(links) }));
}

function withTombstones(runner: Runner, tenant: number, records: readonly RecordRow[]): LinkRecords {
  // There is no tombstone without a record.
  if (records.length === 0) return linkRecords(records, []);
  const links = JSON.stringify([...new Set(records.map(({ link }) => link))]);
  return linkRecords(records, runner.all(tombstonesOf, { tenant, links }));
}

/** Those of a whole conversation, whose first link they are found by. */
function recordsOfConversation(runner: Runner, tenant: number, links: readonly string[]): LinkRecords {
  const found = runner.all(recordsOfRoot, { tenant, root: links[0] ?? "", limit: RECORDS_OF_A_ROOT_MAX + 1 });
  if (found.length > RECORDS_OF_A_ROOT_MAX) return recordsFor(runner, tenant, links);
  if (runner.first(anyRootless, { tenant }) === undefined) return withTombstones(runner, tenant, found);
  const rootless = runner.all(rootlessRecordsOf, { tenant, links: JSON.stringify(links) });
  return withTombstones(runner, tenant, [...found, ...rootless]);
}

/** The row in effect for the link, and whether it is this one. */
export function put(
  runner: Runner,
  tenantName: string,
  fresh: NewRecord,
): { readonly id: number; readonly won: boolean } {
  const { link, root = null, schemaVersion, text, recallIds, now } = fresh;
  const tenant = writingTenant(runner, tenantName);
  const { standing, undone } = recordsFor(runner, tenant, [link]);
  const first = standing.find(({ schema_version: version }) => version === schemaVersion);
  if (first !== undefined) return { id: first.id, won: false };
  const record = runner.vault.seal("compaction", deflateRawSync(text));
  const generation = undone.get(link) ?? 0;
  const { id } = runner.run(addRecord, { tenant, link, root, schemaVersion, generation, record, now });
  for (const recallId of recallIds) runner.run(nameOriginal, { record: id, recallId });
  return { id, won: true };
}

export function find(
  runner: Runner,
  tenantName: string,
  { links, now }: { links: readonly string[]; now: number },
): FoundRecord {
  return findAmong(recordsOfConversation(runner, knownTenant(runner, tenantName), links), links, now);
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
