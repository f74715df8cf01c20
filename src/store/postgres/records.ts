/** Compaction records: the first of a link is in effect until a tombstone buries it. */
import { promisify } from "node:util";
import { deflateRaw, inflateRaw } from "node:zlib";
import { fromTheEnd } from "../sql/chains.ts";
import { query } from "../sql/query.ts";
import * as shared from "../sql/records.ts";
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

const tombstonesOf = query<OfLinks, { link: string }>(`
  select link from tombstones where tenant = :tenant and link = any(:links::text[])`);

interface RecordValues {
  readonly tenant: number;
  readonly link: string;
  readonly schemaVersion: number;
  readonly generation: number;
  readonly record: Uint8Array;
  readonly recallIds: readonly string[];
  readonly now: number;
}

const addRecord = query<RecordValues, { id: number }>(`
  with added as (
    insert into records (tenant, link, schema_version, generation, record, created_at, used_at)
    values (:tenant, :link, :schemaVersion, :generation, :record, :now, :now)
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
  const records = await runner.all(recordsOf, { tenant, links });
  // There is no tombstone without a record.
  return shared.linkRecords(records, records.length === 0 ? [] : await runner.all(tombstonesOf, { tenant, links }));
}

/** The row in effect for the link, and whether it is this one. */
export async function put(
  runner: Runner,
  tenantName: string,
  { link, schemaVersion, text, recallIds, now }: NewRecord,
): Promise<{ readonly id: number; readonly won: boolean }> {
  await lockToWrite(runner, [`${tenantName}\nrecord ${link}`]);
  const tenant = await writingTenant(runner, tenantName);
  const { standing, undone } = await recordsFor(runner, tenant, [link]);
  const first = standing.find(({ schema_version: version }) => version === schemaVersion);
  if (first !== undefined) return { id: first.id, won: false };
  const record = runner.vault.seal("compaction", await deflate(text));
  const generation = undone.get(link) ?? 0;
  const added = await runner.first(addRecord, { tenant, link, schemaVersion, generation, record, recallIds, now });
  return { id: added!.id, won: true };
}

export async function find(
  runner: Runner,
  tenantName: string,
  { links, now }: { readonly links: readonly string[]; readonly now: number },
): Promise<FoundRecord> {
  const tenant = await knownTenant(runner, tenantName);
  const looked = shared.nothingFound();
  for (const { batch } of fromTheEnd(links))
    shared.lookThrough(looked, batch, await recordsFor(runner, tenant, batch), now);
  return shared.foundRecord(looked);
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
