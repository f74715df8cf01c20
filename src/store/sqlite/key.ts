/** Whether a file and the key it is opened with belong together. */
import type { DatabaseSync } from "node:sqlite";
import { encryptedError, notEncryptedError, wrongKeyError } from "../refusals.ts";
import { createVault, opens, proofOf } from "../vault.ts";

/** Whether the file and the key belong together; a file without contents takes the key it is first opened with. */
export function checkKey(db: DatabaseSync, path: string, { key, readOnly }: KeyUse): void {
  const proof = proofIn(db);
  if (key === undefined) {
    if (proof !== undefined) throw encryptedError(path);
    return;
  }
  const vault = createVault(key);
  if (proof === undefined) {
    const { count } = db.prepare("select count(*) as count from (select 1 from tenants limit 1)").get()!;
    if (count !== 0 || readOnly) throw notEncryptedError(path);
    db.prepare("insert or ignore into encryption values (1, ?)").run(proofOf(vault));
  }
  if (!opens(vault, proofIn(db)!)) throw wrongKeyError(path);
}

export interface KeyUse {
  readonly key?: Uint8Array;
  readonly readOnly: boolean;
}

function proofIn(db: DatabaseSync): Uint8Array | undefined {
  return db.prepare("select proof from encryption").get()?.["proof"] as Uint8Array | undefined;
}
