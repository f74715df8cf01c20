/** Originals behind recall ids: rows that name the bodies they consist of. */
import { piecesOf } from "../body.ts";
import type { Original } from "../store.ts";
import { dropUnused, keepBody, textOf as textOfBody } from "./bodies.ts";
import { query, type Runner } from "./query.ts";
import { knownTenant, writingTenant } from "./tenants.ts";

const findOriginal = query<{ tenant: number; id: string }>("findOriginal")((db, arg) =>
  db
    .selectFrom("originals")
    .select(["id", "kind", "label", "masked"])
    .where("tenant", "=", arg("tenant"))
    .where("recall_id", "=", arg("id")),
);

const readPieces = query<{ original: number }>("readPieces")((db, arg) =>
  db
    .selectFrom("original_pieces")
    .innerJoin("bodies", "bodies.id", "original_pieces.body")
    .select(["bodies.id", "bodies.encoding", "bodies.content"])
    .where("original_pieces.original", "=", arg("original"))
    .orderBy("original_pieces.position"),
);

const addOriginal = query<{
  tenant: number;
  id: string;
  kind: string;
  label: string;
  now: number;
  masked: number;
}>("addOriginal")((db, arg) =>
  db.insertInto("originals").values({
    tenant: arg("tenant"),
    recall_id: arg("id"),
    kind: arg("kind"),
    label: arg("label"),
    created_at: arg("now"),
    masked: arg("masked"),
  }),
);

const addPiece = query<{ original: number; position: number; body: number }>("addPiece")((db, arg) =>
  db.insertInto("original_pieces").values({ original: arg("original"), position: arg("position"), body: arg("body") }),
);

const deletePieces = query<{ original: number }>("deletePieces")((db, arg) =>
  db.deleteFrom("original_pieces").where("original", "=", arg("original")),
);
const deleteOriginal = query<{ original: number }>("deleteOriginal")((db, arg) =>
  db.deleteFrom("originals").where("id", "=", arg("original")),
);

export interface NewOriginals {
  readonly originals: readonly Original[];
  readonly now: number;
}

export function putOriginals(runner: Runner, tenantName: string, { originals, now }: NewOriginals): void {
  const tenant = writingTenant(runner, tenantName);
  for (const original of originals) putOne(runner, tenant, { original, now });
}

function putOne(runner: Runner, tenant: number, { original, now }: { original: Original; now: number }): void {
  const { id, kind, text, masked = false } = original;
  const standing = runner.first(findOriginal, { tenant, id });
  if (standing !== undefined) {
    if (textOf(runner, standing.id) === text) return;
    // A text that took another's id is the newest now.
    removeOriginal(runner, standing.id);
  }
  const label = runner.vault.sealText("label", original.label);
  const row = runner.run(addOriginal, { tenant, id, kind, label, now, masked: Number(masked) }).id;
  piecesOf(original).forEach((piece, position) =>
    runner.run(addPiece, { original: row, position, body: keepBody(runner, tenant, piece) }),
  );
}

function textOf(runner: Runner, original: number): string {
  return runner
    .all(readPieces, { original })
    .map((row) => textOfBody(runner, row))
    .join("\n");
}

export function getOriginal(runner: Runner, tenant: string, id: string): Original | undefined {
  const row = runner.first(findOriginal, { tenant: knownTenant(runner, tenant), id });
  if (row === undefined) return undefined;
  const label = runner.vault.openText("label", row.label);
  const original: Original = { id, kind: row.kind as Original["kind"], label, text: textOf(runner, row.id) };
  return row.masked === 0 ? original : { ...original, masked: true };
}

/** Answers with the size of the bodies that went with it. */
export function removeOriginal(runner: Runner, original: number): number {
  const bodies = runner.all(readPieces, { original }).map(({ id }) => id);
  runner.run(deletePieces, { original });
  runner.run(deleteOriginal, { original });
  return dropUnused(runner, bodies);
}
