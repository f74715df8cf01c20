/** Looks for damage: what SQLite knows of, bodies that are not what their hash says, chains with a gap. */
import type { DatabaseSync } from "node:sqlite";
import { keyOf } from "../text-bytes.ts";
import { brokenLinks } from "../sql/chains.ts";
import { query } from "../sql/query.ts";
import type { Runner } from "./query.ts";

const allBodies = query<object, { id: number; hash: Uint8Array; encoding: string; content: Uint8Array }>(
  `select id, hash, encoding, content from bodies`,
);

function isWhat({ vault }: Runner, row: { encoding: string; content: Uint8Array }, hash: Uint8Array): boolean {
  try {
    return Buffer.compare(vault.keyed(keyOf(row.encoding, vault.open("body", row.content))), hash) === 0;
  } catch {
    // Damage to an encrypted body shows when it is opened.
    return false;
  }
}

/** One line a fault; none for a sound file. Reads the whole of it. */
export function checkDatabase(db: DatabaseSync, runner: Runner): readonly string[] {
  const faults: string[] = [];
  for (const row of db.prepare("pragma integrity_check").iterate()) {
    if (row["integrity_check"] !== "ok") faults.push(String(row["integrity_check"]));
  }
  for (const row of db.prepare("pragma foreign_key_check").iterate())
    faults.push(
      `${String(row["table"])} row ${String(row["rowid"])} refers to a missing row of ${String(row["parent"])}`,
    );
  for (const { id, hash, encoding, content } of runner.each(allBodies, {}))
    if (!isWhat(runner, { encoding, content }, hash)) faults.push(`body ${id} does not match its hash`);
  for (const { link } of runner.all(brokenLinks, {})) faults.push(`link ${link} does not follow the one before it`);
  return faults;
}
