/** Compaction records: the first of a link is in effect until a tombstone buries it. */
import { COMPACTION_SCHEMA_VERSION } from "../../core/compaction/compaction.ts";
import { fromTheEnd } from "./chains.ts";
import { query } from "./query.ts";
import { all, first, run, type Steps, type Tables } from "./steps.ts";
import { knownTenant, writingTenant } from "./tenants.ts";

/** A record in use is marked so at most this often, so that reading does not always write. */
const MARK_USE_EVERY_MS = 60 * 60 * 1_000;

export interface NewRecord {
  readonly link: string;
  /** The first link of the conversation, where it is known. */
  readonly root?: string | undefined;
  readonly schemaVersion: number;
  /** The text of `encodeCompaction`, deflated. */
  readonly record: Uint8Array;
  /** Recall ids of the originals that the record names. */
  readonly recallIds: readonly string[];
  readonly now: number;
}

/** A row, and when it was written: once a record is deleted, its number may be another one's. */
export interface RecordPlace {
  readonly id: number;
  readonly createdAt: number;
}

export interface FoundRecord {
  /** The record in effect. */
  readonly place?: RecordPlace;
  readonly undone: boolean;
  /** Links whose records are to be marked as used. */
  readonly unmarked: readonly string[];
}

export interface ListedRecord extends RecordPlace {
  readonly undone: boolean;
}

interface RecordRow {
  readonly id: number;
  readonly link: string;
  readonly schema_version: number;
  readonly generation: number;
  readonly used_at: number;
  readonly created_at: number;
  /** Tombstones of its link. */
  readonly undone: number;
}

/** The rows that count for some links, and how often each was undone. */
interface LinkRecords {
  readonly records: readonly RecordRow[];
  readonly standing: readonly RecordRow[];
  readonly undone: ReadonlyMap<string, number>;
}

const addTombstone = query<{ tenant: number; link: string; generation: number; now: number }>(`
  insert into tombstones (tenant, link, generation, created_at)
  values (:tenant, :link, :generation, :now)`);

const readRecordById = query<{ id: number }, { record: Uint8Array }>(`select record from records where id = :id`);

function linkRecords(records: readonly RecordRow[]): LinkRecords {
  const undone = new Map(records.map((row) => [row.link, row.undone]));
  const standing = records.filter((row) => row.generation === row.undone);
  return { records, standing, undone };
}

/**
 * The compaction in effect for a conversation, of records that may be other conversations' that begin with the same message: those
 * are neither in effect nor in use here.
 */
function findAmong(found: LinkRecords, links: readonly string[], now: number): FoundRecord {
  const named = new Set(found.records.map(({ link }) => link));
  const own = new Set(named.size === 0 ? [] : links.filter((link) => named.has(link)));
  // What is below the one that is found is in use too: its originals are still named.
  const unmarked = found.records
    .filter(({ link, used_at: usedAt }) => own.has(link) && usedAt < now - MARK_USE_EVERY_MS)
    .map(({ link }) => link);
  const ours = found.standing.filter(({ schema_version: version }) => version === COMPACTION_SCHEMA_VERSION);
  const byLink = new Map(ours.map((row) => [row.link, row]));
  let undone = false;
  for (const link of [...own].toReversed()) {
    const row = byLink.get(link);
    if (row !== undefined) return { place: { id: row.id, createdAt: row.created_at }, undone, unmarked };
    if ((found.undone.get(link) ?? 0) > 0) undone = true;
  }
  return { undone, unmarked };
}

/** Every record of our schema that these links have, in their order; those of one link in order of time. */
function listedRecords(links: readonly string[], { records, undone }: LinkRecords): readonly ListedRecord[] {
  const place = new Map(links.map((link, at) => [link, at]));
  return records
    .filter(({ schema_version: version }) => version === COMPACTION_SCHEMA_VERSION)
    .toSorted((a, b) => place.get(a.link)! - place.get(b.link)! || a.id - b.id)
    .map(({ id, link, generation, created_at: createdAt }) => {
      return { id, undone: generation < (undone.get(link) ?? 0), createdAt };
    });
}

type OfLinks = { readonly tenant: number; readonly links: readonly string[] };

const recordsOf = query<OfLinks, RecordRow>(`
  select id, link, schema_version, generation, used_at, created_at,
    (select count(*) from tombstones t where t.tenant = records.tenant and t.link = records.link) as undone
  from records
  where tenant = :tenant and link in (:links)`);

/** Those that are kept with a first link, and those that can only be found by their own. */
const recordsOfRoot = query<{ tenant: number; root: string; limit: number }, RecordRow>(`
  select id, link, schema_version, generation, used_at, created_at,
    (select count(*) from tombstones t where t.tenant = records.tenant and t.link = records.link) as undone
  from records
  where tenant = :tenant and root = :root
  union all
  select id, link, schema_version, generation, used_at, created_at,
    (select count(*) from tombstones t where t.tenant = records.tenant and t.link = records.link) as undone
  from records
  where tenant = :tenant and root is null
  limit :limit`);

const addRecord = query<
  {
    tenant: number;
    link: string;
    root: string | null;
    schemaVersion: number;
    generation: number;
    record: Uint8Array;
    now: number;
  },
  { id: number }
>(`
  insert into records (tenant, link, root, schema_version, generation, record, created_at, used_at)
  values (:tenant, :link, :root, :schemaVersion, :generation, :record, :now, :now)
  returning id`);

const nameOriginals = query<{ record: number; recallIds: readonly string[] }>(
  `
  insert into record_originals (record, recall_id)
  select :record, value from json_each(:recallIds) where true
  on conflict do nothing`,
  `
  insert into record_originals (record, recall_id)
  select :record::bigint, recall_id from unnest(:recallIds::text[]) as recall_id
  on conflict do nothing`,
);

const markUsed = query<OfLinks & { readonly now: number }>(
  `update records set used_at = :now where tenant = :tenant and link in (:links)`,
);

function* recordsFor(tenant: number, links: readonly string[]): Steps<LinkRecords> {
  return linkRecords(yield* all(recordsOf, { tenant, links }));
}

/**
 * Those of a whole conversation, by its first link, with some that may be others'. To read a row costs about what it costs to look
 * for a link, so where there are as many rows as links the links tell more.
 */
function* recordsOfConversation(tenant: number, links: readonly string[]): Steps<LinkRecords> {
  const limit = links.length;
  const found = yield* all(recordsOfRoot, { tenant, root: links[0] ?? "", limit });
  if (found.length < limit) return linkRecords(found);
  const records: RecordRow[] = [];
  for (const { batch } of fromTheEnd(links))
    for (const each of yield* all(recordsOf, { tenant, links: batch })) records.push(each);
  return linkRecords(records);
}

/** The row in effect for the link, and whether it is this one. */
export function* putRecord(
  { vault, lockToWrite }: Tables,
  tenantName: string,
  { link, root, schemaVersion, record: plain, recallIds, now }: NewRecord,
): Steps<RecordPlace & { readonly won: boolean }> {
  yield* lockToWrite([`${tenantName}\nrecord ${link}`]);
  const tenant = yield* writingTenant(tenantName);
  const { standing, undone } = yield* recordsFor(tenant, [link]);
  const known = standing.find(({ schema_version: version }) => version === schemaVersion);
  if (known !== undefined) return { id: known.id, createdAt: known.created_at, won: false };
  const record = vault.seal("compaction", plain);
  const generation = undone.get(link) ?? 0;
  const { id } = (yield* first(addRecord, {
    tenant,
    link,
    root: root ?? null,
    schemaVersion,
    generation,
    record,
    now,
  }))!;
  if (recallIds.length > 0) yield* run(nameOriginals, { record: id, recallIds });
  return { id, createdAt: now, won: true };
}

export interface LinksAndTime {
  readonly links: readonly string[];
  readonly now: number;
}

export function* findRecord(tenant: string, { links, now }: LinksAndTime): Steps<FoundRecord> {
  return findAmong(yield* recordsOfConversation(yield* knownTenant(tenant), links), links, now);
}

export function* listRecords(tenant: string, links: readonly string[]): Steps<readonly ListedRecord[]> {
  return listedRecords(links, yield* recordsFor(yield* knownTenant(tenant), links));
}

/** What was put; records do not change. `undefined` for one that retention has deleted. */
export function* readRecord({ vault }: Tables, id: number): Steps<Uint8Array | undefined> {
  const row = yield* first(readRecordById, { id });
  return row === undefined ? undefined : vault.open("compaction", row.record);
}

export function* touchRecords(tenant: string, { links, now }: LinksAndTime): Steps<void> {
  yield* run(markUsed, { tenant: yield* knownTenant(tenant), links, now });
}

/** Buries the record in effect for a link, whatever its schema. */
export function* undoRecord(
  { lockToWrite }: Tables,
  tenantName: string,
  { link, now }: { readonly link: string; readonly now: number },
): Steps<void> {
  yield* lockToWrite([`${tenantName}\nrecord ${link}`]);
  const tenant = yield* knownTenant(tenantName);
  const { standing, undone } = yield* recordsFor(tenant, [link]);
  if (standing.length > 0) yield* run(addTombstone, { tenant, link, generation: undone.get(link) ?? 0, now });
}
