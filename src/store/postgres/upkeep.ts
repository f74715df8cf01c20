/** What is asked of the database as a whole: whether it can be written to, whether it is sound, whether the key is its own. */
import { brokenLinks } from "../sql/chains.ts";
import { query } from "../sql/query.ts";
import { keyOf } from "../text-bytes.ts";
import { opens, proofOf } from "../vault.ts";
import { encryptedError, notEncryptedError, wrongKeyError } from "../refusals.ts";
import type { Database } from "./database.ts";
import { noRoomError, readOnlyError } from "./failures.ts";

/** Texts, compactions and states; what indexes take on top is the database's own business. */
export const storedBytes = query<object, { bytes: number }>(`
  select (select coalesce(sum(bytes), 0) from bodies)
    + (select coalesce(sum(octet_length(record)), 0) from records)
    + (select coalesce(sum(octet_length(state)), 0) from states) as bytes`);

export async function size(database: Database): Promise<number> {
  return (await database.first(storedBytes, {}))!.bytes;
}

/** A server that only follows another one reads only too. */
const isReadOnly = query<object, { refuses: boolean }>(`
  select current_setting('transaction_read_only') = 'on' as refuses`);

/** @throws what a write would. */
export async function checkWritable(
  database: Database,
  { bytes, sizeBytesMax }: { readonly bytes: number; readonly sizeBytesMax: number | undefined },
): Promise<void> {
  if ((await database.first(isReadOnly, {}))!.refuses) throw readOnlyError(database.place);
  if (sizeBytesMax !== undefined && (await size(database)) + bytes > sizeBytesMax) throw noRoomError(database.place);
}

const readProof = query<object, { proof: Uint8Array }>(`select proof from encryption`);
const addProof = query<{ proof: Uint8Array }>(`insert into encryption values (1, :proof) on conflict do nothing`);
const hasTenants = query<object, { found: boolean }>(`select exists (select 1 from tenants) as found`);

/** Whether the database and the key belong together; a database without contents takes the key it is first opened with. */
export async function checkKey(
  database: Database,
  { readOnly, hasKey }: { readonly readOnly: boolean; readonly hasKey: boolean },
): Promise<void> {
  const proof = await database.first(readProof, {});
  if (!hasKey) {
    if (proof !== undefined) throw encryptedError(database.place);
    return;
  }
  if (proof === undefined) {
    if (readOnly || (await database.first(hasTenants, {}))!.found) throw notEncryptedError(database.place);
    await database.run(addProof, { proof: proofOf(database.vault) });
  }
  if (!opens(database.vault, (await database.first(readProof, {}))!.proof)) throw wrongKeyError(database.place);
}

/** Tables that grow and shrink; partitions with them. */
const TABLES = "links, bodies, sessions, records, originals, original_pieces, record_originals, usages, states";

export async function vacuum(database: Database): Promise<void> {
  await database.maintain(`vacuum (analyze) ${TABLES}`);
}

const bodiesAfter = query<
  { after: number; limit: number },
  { id: number; hash: Uint8Array; encoding: string; content: Uint8Array }
>(`
  select id, hash, encoding, content from bodies where id > :after order by id limit :limit`);
const missingBodies = query<object, { link: string }>(`
  select links.link from links
  left join bodies on bodies.period = links.period and bodies.id = links.body
  where bodies.id is null`);
const BODIES_AT_ONCE = 500;

/** One line a fault; none for a sound database. Reads the whole of it. */
export async function check(database: Database): Promise<readonly string[]> {
  const faults: string[] = [];
  for (let after = 0; ;) {
    const rows = await database.all(bodiesAfter, { after, limit: BODIES_AT_ONCE });
    for (const { id, hash, encoding, content } of rows)
      if (!isWhat(database, { encoding, content, hash })) faults.push(`body ${id} does not match its hash`);
    if (rows.length < BODIES_AT_ONCE) break;
    after = rows.at(-1)!.id;
  }
  const [without, broken] = await database.transaction(
    async (runner) => [await runner.all(missingBodies, {}), await runner.all(brokenLinks, {})] as const,
    { long: true },
  );
  for (const { link } of without) faults.push(`link ${link} has no body`);
  for (const { link } of broken) faults.push(`link ${link} does not follow the one before it`);
  return faults;
}

interface Checked {
  readonly encoding: string;
  readonly content: Uint8Array;
  readonly hash: Uint8Array;
}

function isWhat({ vault }: Database, { encoding, content, hash }: Checked): boolean {
  try {
    return Buffer.compare(vault.keyed(keyOf(encoding, vault.open("body", content))), hash) === 0;
  } catch {
    // Damage to an encrypted body shows when it is opened.
    return false;
  }
}
