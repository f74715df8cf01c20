/** Originals behind recall ids: rows that name the bodies they consist of. */
import { piecesOf, type Body } from "../body.ts";
import { query } from "../sql/query.ts";
import type { Original } from "../store.ts";
import { deleteOriginal, deletePieces, type NewOriginals } from "../sql/originals.ts";
import { decoded } from "../text-bytes.ts";
import { dropUnused, keepBodies } from "./bodies.ts";
import type { Runner } from "./database.ts";
import { lockToWrite } from "./locks.ts";
import { knownTenant, writingTenant } from "./tenants.ts";

interface OriginalRow {
  readonly id: number;
  readonly kind: string;
  readonly label: string;
  readonly masked: number;
}

const findOriginal = query<{ tenant: number; id: string }, OriginalRow>(
  `select id, kind, label, masked from originals where tenant = :tenant and recall_id = :id`,
);

const readPieces = query<{ original: number }, { body: number; encoding: string; content: Uint8Array }>(`
  select bodies.id as body, bodies.encoding, bodies.content from original_pieces pieces
  join bodies on bodies.period = pieces.period and bodies.id = pieces.body
  where pieces.original = :original
  order by pieces.position`);

const pieceIds = query<{ original: number }, { body: number }>(`
  select body from original_pieces where original = :original order by position`);

interface NewOriginal {
  readonly tenant: number;
  readonly id: string;
  readonly kind: string;
  readonly label: string;
  readonly masked: number;
  readonly now: number;
}

const addOriginal = query<NewOriginal, { id: number }>(`
  insert into originals (tenant, recall_id, kind, label, created_at, masked)
  values (:tenant, :id, :kind, :label, :now, :masked)
  returning id`);

const insertPieces = query<{ original: number; period: number; bodies: readonly number[] }>(`
  insert into original_pieces (original, position, period, body)
  select :original::bigint, place - 1, :period::integer, body
  from unnest(:bodies::bigint[]) with ordinality as pieces (body, place)`);

/** All of them or, on an error, none. */
export async function putOriginals(
  runner: Runner,
  tenantName: string,
  { originals, now }: NewOriginals,
  period: number,
): Promise<void> {
  await lockToWrite(
    runner,
    originals.map(({ id }) => `${tenantName}\noriginal ${id}`),
  );
  const tenant = await writingTenant(runner, tenantName);
  for (const original of originals) {
    const { id, kind, masked = false } = original;
    const pieces: readonly Body[] = piecesOf(original);
    const bodies = await keepBodies(runner, { tenant, period }, pieces);
    if (!(await makeRoomFor(runner, { tenant, id, bodies }))) continue;
    const label = runner.vault.sealText("label", original.label);
    const row = await runner.first(addOriginal, { tenant, id, kind, label, masked: Number(masked), now });
    await runner.run(insertPieces, { original: row!.id, period, bodies });
  }
}

interface Arriving {
  readonly tenant: number;
  readonly id: string;
  readonly bodies: readonly number[];
}

/** False where the same text is under this id already; a text that takes another's id is the newest now. */
async function makeRoomFor(runner: Runner, { tenant, id, bodies }: Arriving): Promise<boolean> {
  const known = await runner.first(findOriginal, { tenant, id });
  if (known === undefined) return true;
  const pieces = (await runner.all(pieceIds, { original: known.id })).map(({ body }) => body);
  if (await haveSameText(runner, pieces, bodies)) return false;
  await removeOriginal(runner, known.id);
  return true;
}

const bodyHashes = query<{ ids: readonly number[] }, { id: number; form: string; hash: Uint8Array }>(
  `select id, form, hash from bodies where id = any(:ids::bigint[])`,
);

/** In another month the same text is another body, with the same hash. */
async function haveSameText(runner: Runner, some: readonly number[], others: readonly number[]): Promise<boolean> {
  if (some.length !== others.length) return false;
  const hashes = await runner.all(bodyHashes, { ids: [...new Set([...some, ...others])] });
  const byId = new Map(hashes.map(({ id, hash, form }) => [id, `${form} ${Buffer.from(hash).toString("hex")}`]));
  return some.every((body, at) => byId.get(body) === byId.get(others[at]!));
}

export async function getOriginal(runner: Runner, tenant: string, id: string): Promise<Original | undefined> {
  const row = await runner.first(findOriginal, { tenant: await knownTenant(runner, tenant), id });
  if (row === undefined) return undefined;
  const pieces = await runner.all(readPieces, { original: row.id });
  const text = pieces.map((piece) => decoded(runner.vault, piece)).join("\n");
  const label = runner.vault.openText("label", row.label);
  const original: Original = { id, kind: row.kind as Original["kind"], label, text };
  return row.masked === 0 ? original : { ...original, masked: true };
}

/** Answers with the size of the bodies that went with it. */
export async function removeOriginal(runner: Runner, original: number): Promise<number> {
  const bodies = (await runner.all(pieceIds, { original })).map(({ body }) => body);
  await runner.run(deletePieces, { original });
  await runner.run(deleteOriginal, { original });
  return dropUnused(runner, bodies);
}
