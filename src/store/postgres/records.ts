/** Compaction records: the first of a link is in effect until a tombstone buries it. */
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import { fromTheEnd } from "../sql/chains.ts";
import { query } from "../sql/query.ts";
import * as shared from "../sql/records.ts";
import { RECORDS_OF_A_ROOT_MAX } from "../sql/records.ts";
import type { FoundRecord, LinkRecords, ListedRecord, NewRecord, RecordRow } from "../sql/records.ts";
import type { Runner } from "./database.ts";
import { lockToWrite } from "./locks.ts";
import { knownTenant, writingTenant } from "./tenants.ts";

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

type OfLinks = { readonly tenant: number; readonly links: readonly string[] };

const recordsOf = query<OfLinks, RecordRow>(`
  select id, link, schema_version, generation, used_at, created_at from records
  where tenant = :tenant and link = any(:links::text[])`);

interface OfRoot {
  readonly tenant: number;
  readonly root: string;
}

/** At least one row, which says whether the tenant has records that can only be found by their link. */
const recordsOfRoot = query<OfRoot, Partial<RecordRow> & { readonly rootless: boolean }>(`
  select found.*, exists (select from records where tenant = :tenant::integer and root is null) as rootless
  from (select) as one
  left join lateral (
    select id, link, schema_version, generation, used_at, created_at from records
    where tenant = :tenant::integer and root = :root::text limit ${RECORDS_OF_A_ROOT_MAX + 1}) as found on true`);

const rootlessRecordsOf = query<OfLinks, RecordRow>(`
  select id, link, schema_version, generation, used_at, created_at from records
  where tenant = :tenant and root is null and link = any(:links::text[])`);

const tombstonesOf = query<OfLinks, { link: string }>(`
  select link from tombstones where tenant = :tenant and link = any(:links::text[])`);

interface RecordValues {
  readonly tenant: number;
  readonly link: string;
  readonly root: string | undefined;
  readonly schemaVersion: number;
  readonly generation: number;
  readonly record: Uint8Array;
  readonly recallIds: readonly string[];
  readonly now: number;
}

const addRecord = query<RecordValues, { id: number }>(`
  with added as (
    insert into records (tenant, link, root, schema_version, generation, record, created_at, used_at)
    values (:tenant, :link, :root, :schemaVersion, :generation, :record, :now, :now)
    returning id
  ), named as (
    insert into record_originals (record, recall_id)
    select added.id, recall_id from added, unnest(:recallIds::text[]) as recall_id
    on conflict do nothing
  )
  select id from added`);

const markUsed = query<OfLinks & { readonly now: number }>(
  `update records set used_at = :now where tenant = :tenant and link = any(:links::text[])`,
);

async function recordsFor(runner: Runner, tenant: number, links: readonly string[]): Promise<LinkRecords> {
  return withTombstones(runner, tenant, await runner.all(recordsOf, { tenant, links }));
}

async function withTombstones(runner: Runner, tenant: number, records: readonly RecordRow[]): Promise<LinkRecords> {
  // There is no tombstone without a record.
  if (records.length === 0) return shared.linkRecords(records, []);
  const links = records.map(({ link }) => link);
  return shared.linkRecords(records, await runner.all(tombstonesOf, { tenant, links }));
}

/** Those of a whole conversation, whose first link they are found by. */
async function recordsOfConversation(runner: Runner, tenant: number, links: readonly string[]): Promise<LinkRecords> {
  const rows = await runner.all(recordsOfRoot, { tenant, root: links[0] ?? "" });
  const found = rows.filter((row): row is typeof row & RecordRow => row.id != null);
  const isEveryLinkAsked = found.length > RECORDS_OF_A_ROOT_MAX;
  if (!isEveryLinkAsked && rows[0]?.rootless !== true) return withTombstones(runner, tenant, found);
  const records: RecordRow[] = isEveryLinkAsked ? [] : [...found];
  for (const { batch } of fromTheEnd(links))
    for (const each of await runner.all(isEveryLinkAsked ? recordsOf : rootlessRecordsOf, { tenant, links: batch }))
      records.push(each);
  return withTombstones(runner, tenant, records);
}

/** The row in effect for the link, and whether it is this one. */
export async function put(
  runner: Runner,
  tenantName: string,
  { link, root, schemaVersion, text, recallIds, now }: NewRecord,
): Promise<{ readonly id: number; readonly won: boolean }> {
  await lockToWrite(runner, [`${tenantName}\nrecord ${link}`]);
  const tenant = await writingTenant(runner, tenantName);
  const { standing, undone } = await recordsFor(runner, tenant, [link]);
  const first = standing.find(({ schema_version: version }) => version === schemaVersion);
  if (first !== undefined) return { id: first.id, won: false };
  const record = runner.vault.seal("compaction", await deflate(text));
  const generation = undone.get(link) ?? 0;
  const added = await runner.first(addRecord, {
    tenant,
    link,
    root,
    schemaVersion,
    generation,
    record,
    recallIds,
    now,
  });
  return { id: added!.id, won: true };
}

export async function find(
  runner: Runner,
  tenantName: string,
  { links, now }: { readonly links: readonly string[]; readonly now: number },
): Promise<FoundRecord> {
  const tenant = await knownTenant(runner, tenantName);
  return shared.findAmong(await recordsOfConversation(runner, tenant, links), links, now);
}

export async function list(runner: Runner, tenant: string, links: readonly string[]): Promise<readonly ListedRecord[]> {
  return shared.listedRecords(links, await recordsFor(runner, await knownTenant(runner, tenant), links));
}

/** The text of a record; records do not change. `undefined` for one that retention has deleted. */
export async function read(runner: Runner, id: number): Promise<string | undefined> {
  const row = await runner.first(shared.readRecordById, { id });
  return row === undefined ? undefined : (await inflate(runner.vault.open("compaction", row.record))).toString("utf8");
}

export async function touch(
  runner: Runner,
  tenant: string,
  { links, now }: { readonly links: readonly string[]; readonly now: number },
): Promise<void> {
  await runner.run(markUsed, { tenant: await knownTenant(runner, tenant), links, now });
}

/** Buries the record in effect for a link, whatever its schema. */
export async function undo(
  runner: Runner,
  tenantName: string,
  { link, now }: { readonly link: string; readonly now: number },
): Promise<void> {
  await lockToWrite(runner, [`${tenantName}\nrecord ${link}`]);
  const tenant = await knownTenant(runner, tenantName);
  const { standing, undone } = await recordsFor(runner, tenant, [link]);
  if (standing.length === 0) return;
  await runner.run(shared.addTombstone, { tenant, link, generation: undone.get(link) ?? 0, now });
}
