/** Originals behind recall ids: rows that name the bodies they consist of. */
import { piecesOf } from "../body.ts";
import type { Original } from "../store.ts";
import { dropUnused, keepBody, readyBody, textOf, type ReadyBody } from "./bodies.ts";
import { deleteOriginal, deletePieces, type NewOriginals } from "../sql/originals.ts";
import { query } from "../sql/query.ts";
import type { Runner } from "./query.ts";
import { knownTenant, writingTenant } from "./tenants.ts";

const findOriginal = query<{ tenant: number; id: string }, { id: number; kind: string; label: string; masked: number }>(
  `select id, kind, label, masked from originals where tenant = :tenant and recall_id = :id`,
);

const pieceHashes = query<{ original: number }, { form: string; hash: Uint8Array }>(`
  select bodies.form, bodies.hash from original_pieces
  join bodies on bodies.id = original_pieces.body
  where original_pieces.original = :original
  order by original_pieces.position`);

const readPieces = query<{ original: number }, { id: number; encoding: string; content: Uint8Array }>(`
  select bodies.id, bodies.encoding, bodies.content from original_pieces
  join bodies on bodies.id = original_pieces.body
  where original_pieces.original = :original
  order by original_pieces.position`);

const addOriginal = query<{ tenant: number; id: string; kind: string; label: string; now: number; masked: number }>(`
  insert into originals (tenant, recall_id, kind, label, created_at, masked)
  values (:tenant, :id, :kind, :label, :now, :masked)`);

const addPiece = query<{ original: number; position: number; body: number }>(
  `insert into original_pieces (original, position, body) values (:original, :position, :body)`,
);

/** The pieces of each, ready to be written. */
export function readyOriginals(
  runner: Runner,
  tenantName: string,
  { originals }: NewOriginals,
): readonly (readonly ReadyBody[])[] {
  const tenant = knownTenant(runner, tenantName);
  return originals.map((original) => piecesOf(original).map((piece) => readyBody(runner, tenant, piece)));
}

export function putOriginals(
  runner: Runner,
  tenantName: string,
  { originals, now }: NewOriginals,
  ready: readonly (readonly ReadyBody[])[],
): void {
  const tenant = writingTenant(runner, tenantName);
  originals.forEach((original, at) => {
    const pieces = ready[at]!;
    if (!makeRoomFor(runner, tenant, { id: original.id, pieces })) return;
    const { id, kind, masked = false } = original;
    const label = runner.vault.sealText("label", original.label);
    const row = runner.run(addOriginal, { tenant, id, kind, label, now, masked: Number(masked) }).id;
    pieces.forEach((piece, position) =>
      runner.run(addPiece, { original: row, position, body: keepBody(runner, tenant, piece) }),
    );
  });
}

/** False where the same text is under this id already; a text that takes another's id is the newest now. */
function makeRoomFor(
  runner: Runner,
  tenant: number,
  { id, pieces }: { readonly id: string; readonly pieces: readonly Pick<ReadyBody, "form" | "hash">[] },
): boolean {
  const standing = runner.first(findOriginal, { tenant, id });
  if (standing === undefined) return true;
  const hashes = runner.all(pieceHashes, { original: standing.id });
  const isSame = ({ form, hash }: (typeof hashes)[number], at: number): boolean =>
    form === pieces[at]!.form && Buffer.compare(hash, pieces[at]!.hash) === 0;
  if (hashes.length === pieces.length && hashes.every(isSame)) return false;
  removeOriginal(runner, standing.id);
  return true;
}

export function getOriginal(runner: Runner, tenant: string, id: string): Original | undefined {
  const row = runner.first(findOriginal, { tenant: knownTenant(runner, tenant), id });
  if (row === undefined) return undefined;
  const label = runner.vault.openText("label", row.label);
  const pieces = runner.all(readPieces, { original: row.id });
  const text = pieces.map((piece) => textOf(runner, piece)).join("\n");
  const original: Original = { id, kind: row.kind as Original["kind"], label, text };
  return row.masked === 0 ? original : { ...original, masked: true };
}

/** Answers with the size of the bodies that went with it. */
export function removeOriginal(runner: Runner, original: number): number {
  const bodies = runner.all(readPieces, { original }).map(({ id }) => id);
  runner.run(deletePieces, { original });
  runner.run(deleteOriginal, { original });
  return dropUnused(runner, bodies);
}
