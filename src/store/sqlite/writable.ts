/** Whether the store could keep more, found out before somebody depends on it: by its own bound, on its disk, and by a write. */
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { noRoomError } from "./failures.ts";

/** A disk with less than this is full: the journal and the file itself both grow by what is written. */
const DISK_BYTES_MIN = 1024 * 1024;
const COPIES_WRITTEN = 2;

/** @throws what a write would. */
export function checkWritable(db: DatabaseSync, bytes: number): void {
  const path = db.location() ?? "";
  const number = (name: string): number => Number(db.prepare(`pragma ${name}`).get()![name]);
  const pages = number("max_page_count") - number("page_count") + number("freelist_count");
  if (pages * number("page_size") < bytes) throw noRoomError(path);
  // Writes the file's first page as it is: it fails where any write would.
  db.exec("begin immediate");
  try {
    db.exec(`pragma user_version = ${number("user_version")}; commit`);
  } catch (error) {
    if (db.isTransaction) db.exec("rollback");
    throw error;
  }
  const { bavail, bsize } = statfsSync(dirname(path));
  if (bavail * bsize < Math.max(DISK_BYTES_MIN, bytes * COPIES_WRITTEN)) throw noRoomError(path);
}
