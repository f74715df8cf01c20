/**
 * Large originals, written in several transactions so that nobody waits long for the file. Until the last of them they
 * are under a name that nobody asks for, and one short transaction then gives them their own. What a process leaves that
 * ends in between is removed with the next one that is staged, or by retention.
 */
import type { Body } from "../body.ts";
import type { Original } from "../store.ts";
import { readyBody, type ReadyBody } from "./bodies.ts";
import { addPieces, addRow, findOriginal, makeRoomFor, pieceHashes, removeOriginal } from "./originals.ts";
import { query } from "../sql/query.ts";
import type { Runner } from "./query.ts";
import { knownTenant, writingTenant } from "./tenants.ts";

/** Of an original that is not whole yet; a search passes over it. */
export const STAGED_KIND = "staged";
/** As `put-originals.ts` names them. */
const STAGED_PREFIX = "staged ";
/** The next text in order that cannot begin so. */
const STAGED_END = "staged!";
/** Nobody takes so long to write one. */
const STAGED_MS_MAX = 60 * 60_000;

const publish = query<{ row: number; id: string; kind: string; label: string; masked: number; now: number }>(`
  update originals
  set recall_id = :id, kind = :kind, label = :label, masked = :masked, created_at = :now
  where id = :row`);

const leftOver = query<{ tenant: number; from: string; to: string; before: number }, { id: number }>(`
  select id from originals where tenant = :tenant and recall_id >= :from and recall_id < :to
  and created_at < :before`);

/** Some pieces of an original. */
export interface StagedPart {
  /** What it is under meanwhile. */
  readonly name: string;
  /** The place of the first of them. */
  readonly from: number;
  readonly pieces: readonly Body[];
  readonly now: number;
}

export interface StagedOriginals {
  readonly originals: readonly (Omit<Original, "text"> & { readonly name: string })[];
  readonly now: number;
}

export function readyStaged(runner: Runner, tenantName: string, { pieces }: StagedPart): readonly ReadyBody[] {
  const tenant = knownTenant(runner, tenantName);
  return pieces.map((piece) => readyBody(runner, tenant, piece));
}

/** False where the parts before this one are gone. */
export function stage(
  runner: Runner,
  tenantName: string,
  { name, from, now }: StagedPart,
  pieces: readonly ReadyBody[],
): boolean {
  const tenant = writingTenant(runner, tenantName);
  if (from === 0) {
    const stale = { tenant, from: STAGED_PREFIX, to: STAGED_END, before: now - STAGED_MS_MAX };
    for (const { id } of runner.all(leftOver, stale)) removeOriginal(runner, id);
    addRow(runner, tenant, { original: { id: name, kind: STAGED_KIND, label: "" }, now });
  }
  const row = runner.first(findOriginal, { tenant, id: name });
  if (row !== undefined) addPieces(runner, tenant, { original: row.id, from, pieces });
  return row !== undefined;
}

/** Gives all of them their names; false, with nothing done, where one of them is gone. */
export function publishStaged(runner: Runner, tenantName: string, { originals, now }: StagedOriginals): boolean {
  const tenant = writingTenant(runner, tenantName);
  const rows = originals.map(({ name }) => runner.first(findOriginal, { tenant, id: name })?.id);
  if (rows.includes(undefined)) return false;
  originals.forEach(({ id, kind, label, masked = false }, at) => {
    const row = rows[at]!;
    const pieces = runner.all(pieceHashes, { original: row });
    const named = { row, id, kind, label: runner.vault.sealText("label", label), masked: Number(masked), now };
    if (makeRoomFor(runner, tenant, { id, pieces })) runner.run(publish, named);
    else removeOriginal(runner, row);
  });
  return true;
}

export function dropStaged(runner: Runner, tenantName: string, names: readonly string[]): void {
  const tenant = knownTenant(runner, tenantName);
  for (const name of names) {
    const row = runner.first(findOriginal, { tenant, id: name });
    if (row !== undefined) removeOriginal(runner, row.id);
  }
}
