/** A store in a folder of its own: the SQLite file, and room for what else an installation keeps with it. */
import { join } from "node:path";
import { openSqliteStore } from "../sqlite.ts";
import type { OpenOptions } from "../open.ts";
import type { HistoryStore } from "../store.ts";

export function openFolderStore(folder: string, options: OpenOptions): Promise<HistoryStore> {
  return openSqliteStore({ ...options, path: join(folder, "history.db") });
}
