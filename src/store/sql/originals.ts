/**
 * Originals behind recall ids: rows that name the bodies they consist of. Earlier versions wrote some in several transactions, of kind
 * `staged` until the last; what one left so that ended in between is passed over, and goes with retention.
 */
import type { Original } from "../store.ts";
import { decoded, type EncodedText } from "../text-bytes.ts";
import { query } from "./query.ts";
import { all, first, run, type Steps, type Tables } from "./steps.ts";
import { knownTenant, writingTenant } from "./tenants.ts";

export interface NewOriginals {
  readonly originals: readonly Original[];
  readonly now: number;
}

/** Only what a message to a thread can carry; a text that is put together when it is read is read once. */
export function newOriginals(originals: readonly Original[], now: number): NewOriginals {
  const plain = originals.map(({ id, kind, label, text, masked }): Original => {
    return { id, kind, label, text, ...(masked === undefined ? {} : { masked }) };
  });
  return { originals: plain, now };
}

const findOriginal = query<{ tenant: number; id: string }, { id: number; kind: string; label: string; masked: number }>(
  `select id, kind, label, masked from originals where tenant = :tenant and recall_id = :id`,
);

const pieceHashes = query<{ original: number }, { form: string; hash: Uint8Array }>(`
  select bodies.form, bodies.hash from original_pieces pieces
  join bodies on bodies.id = pieces.body /*pg and bodies.period = pieces.period */
  where pieces.original = :original
  order by pieces.position`);

const readPieces = query<{ original: number }, { encoding: string; content: Uint8Array }>(`
  select bodies.encoding, bodies.content from original_pieces pieces
  join bodies on bodies.id = pieces.body /*pg and bodies.period = pieces.period */
  where pieces.original = :original
  order by pieces.position`);

const pieceBodies = query<{ original: number }, { body: number }>(
  `select body from original_pieces where original = :original`,
);

const addOriginal = query<
  { tenant: number; id: string; kind: string; label: string; now: number; masked: number },
  { id: number }
>(`
  insert into originals (tenant, recall_id, kind, label, created_at, masked)
  values (:tenant, :id, :kind, :label, :now, :masked)
  returning id`);

const deletePieces = query<{ original: number }>(`delete from original_pieces where original = :original`);
const deleteOriginal = query<{ original: number }>(`delete from originals where id = :original`);

/** What a body is found by. */
export interface BodyKey {
  readonly form: string;
  readonly hash: Uint8Array;
}

/** Where a piece belongs: to the row of an original, and at which place. */
export interface PiecePlace {
  readonly original: number;
  readonly position: number;
}

/** The texts of one original, which a database keeps in its own way. */
export interface NewPieces {
  readonly keys: readonly BodyKey[];
  readonly add: (tenant: number, places: readonly PiecePlace[]) => Steps<void>;
}

/** All of them or, on an error, none. */
export function* putOriginals(
  tables: Tables,
  tenantName: string,
  { originals, now }: NewOriginals,
  piecesAt: (at: number) => NewPieces,
): Steps<void> {
  yield* tables.lockToWrite(originals.map(({ id }) => `${tenantName}\noriginal ${id}`));
  const tenant = yield* writingTenant(tenantName);
  for (const [at, original] of originals.entries()) {
    const { id, kind, masked = false } = original;
    const { keys, add } = piecesAt(at);
    if (!(yield* makeRoomFor(tables, { tenant, id }, keys))) continue;
    const label = tables.vault.sealText("label", original.label);
    const row = yield* first(addOriginal, { tenant, id, kind, label, now, masked: Number(masked) });
    yield* add(
      tenant,
      keys.map((_, position) => ({ original: row!.id, position })),
    );
  }
}

/** False where the same text is under this id already; a text that takes another's id is the newest now. */
function* makeRoomFor(
  tables: Tables,
  named: { readonly tenant: number; readonly id: string },
  keys: readonly BodyKey[],
): Steps<boolean> {
  const known = yield* first(findOriginal, named);
  if (known === undefined) return true;
  const pieces = yield* all(pieceHashes, { original: known.id });
  const isSame = ({ form, hash }: BodyKey, at: number): boolean =>
    form === keys[at]!.form && Buffer.compare(hash, keys[at]!.hash) === 0;
  if (pieces.length === keys.length && pieces.every(isSame)) return false;
  yield* removeOriginal(tables, known.id);
  return true;
}

export function* getOriginal({ vault }: Tables, tenant: string, id: string): Steps<Original | undefined> {
  const row = yield* first(findOriginal, { tenant: yield* knownTenant(tenant), id });
  if (row === undefined) return undefined;
  const pieces: readonly EncodedText[] = yield* all(readPieces, { original: row.id });
  const text = pieces.map((piece) => decoded(vault, piece)).join("\n");
  const label = vault.openText("label", row.label);
  const original: Original = { id, kind: row.kind as Original["kind"], label, text };
  return row.masked === 0 ? original : { ...original, masked: true };
}

/** Answers with the size of the bodies that went with it. */
export function* removeOriginal({ dropUnused }: Tables, original: number): Steps<number> {
  const bodies = (yield* all(pieceBodies, { original })).map(({ body }) => body);
  yield* run(deletePieces, { original });
  yield* run(deleteOriginal, { original });
  return yield* dropUnused(bodies);
}
