/**
 * Originals behind recall ids: rows that name the bodies they consist of. One that is written in several transactions is staged: under
 * a name that nobody asks for, where a search passes over it, until a short transaction names it. What a process leaves staged that
 * ends in between no record names, so it goes with retention.
 */
import type { Body } from "../body.ts";
import type { Original } from "../store.ts";
import { decoded, type EncodedText } from "../text-bytes.ts";
import { query } from "./query.ts";
import { all, first, run, type Steps, type Tables } from "./steps.ts";
import { knownTenant, writingTenant } from "./tenants.ts";

export interface NewOriginals {
  readonly originals: readonly Original[];
  readonly now: number;
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

const findStaged = query<{ tenant: number; names: readonly string[] }, { id: number; recall_id: string }>(`
  select id, recall_id from originals where tenant = :tenant and kind = 'staged' and recall_id in (:names)`);

const nameStaged = query<{ row: number; id: string; kind: string; label: string; now: number; masked: number }>(`
  update originals set recall_id = :id, kind = :kind, label = :label, created_at = :now, masked = :masked
  where id = :row`);

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

/** A piece of an original that is not whole yet. */
export interface StagedPiece extends Body {
  /** What the original is under meanwhile. */
  readonly name: string;
  readonly position: number;
}

export interface StagedPieces {
  readonly pieces: readonly StagedPiece[];
  readonly now: number;
}

export interface StagedOriginals {
  readonly originals: readonly (Omit<Original, "text"> & { readonly name: string })[];
  readonly now: number;
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
    if (!(yield* makeRoomFor(tables, { tenant, id }, { keys }))) continue;
    const label = tables.vault.sealText("label", original.label);
    const row = yield* first(addOriginal, { tenant, id, kind, label, now, masked: Number(masked) });
    yield* add(
      tenant,
      keys.map((_, position) => ({ original: row!.id, position })),
    );
  }
}

/** Pieces in their order. False where what was staged before of an original is gone. */
export function* stagePieces(
  tables: Tables,
  tenantName: string,
  { pieces, now }: StagedPieces,
  add: NewPieces["add"],
): Steps<boolean> {
  yield* tables.lockToWrite([]);
  const tenant = yield* writingTenant(tenantName);
  const rows = yield* stagedRows(tenant, pieces);
  for (const { name, position } of pieces) {
    if (rows.has(name)) continue;
    if (position > 0) return false;
    const row = yield* first(addOriginal, { tenant, id: name, kind: "staged", label: "", now, masked: 0 });
    rows.set(name, row!.id);
  }
  yield* add(
    tenant,
    pieces.map(({ name, position }) => ({ original: rows.get(name)!, position })),
  );
  return true;
}

/** Gives staged originals their own names: all of them, or none and false where one of them is gone. */
export function* publishStaged(
  tables: Tables,
  tenantName: string,
  { originals, now }: StagedOriginals,
): Steps<boolean> {
  yield* tables.lockToWrite(originals.map(({ id }) => `${tenantName}\noriginal ${id}`));
  const tenant = yield* knownTenant(tenantName);
  const rows = yield* stagedRows(tenant, originals);
  if (rows.size < originals.length) return false;
  for (const { name, id, kind, label, masked = false } of originals) {
    const row = rows.get(name)!;
    const isNew = yield* makeRoomFor(tables, { tenant, id }, { row });
    const sealed = tables.vault.sealText("label", label);
    if (isNew) yield* run(nameStaged, { row, id, kind, label: sealed, now, masked: Number(masked) });
    else yield* removeOriginal(tables, row);
  }
  return true;
}

/** Removes what was staged under these names. */
export function* dropStaged(tables: Tables, tenantName: string, names: readonly string[]): Steps<void> {
  const rows = yield* stagedRows(
    yield* knownTenant(tenantName),
    names.map((name) => ({ name })),
  );
  for (const row of rows.values()) yield* removeOriginal(tables, row);
}

function* stagedRows(tenant: number, named: readonly { readonly name: string }[]): Steps<Map<string, number>> {
  const names = [...new Set(named.map(({ name }) => name))];
  return new Map((yield* all(findStaged, { tenant, names })).map(({ id, recall_id: name }) => [name, id]));
}

/** False where the same text is under this id already; a text that takes another's id is the newest now. */
function* makeRoomFor(
  tables: Tables,
  named: { readonly tenant: number; readonly id: string },
  fresh: { readonly keys: readonly BodyKey[] } | { readonly row: number },
): Steps<boolean> {
  const known = yield* first(findOriginal, named);
  if (known === undefined) return true;
  const keys = "keys" in fresh ? fresh.keys : yield* all(pieceHashes, { original: fresh.row });
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
