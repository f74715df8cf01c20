/** A conversation of this agent: its folder with the journal, the store of what compactions removed, and a lock for one process. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PrecisError } from "../../src/core/errors.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import type { HistoryStore } from "../../src/store/store.ts";
import { openJournal, type ChatJournal } from "./journal.ts";

const FOLDER_MODE = 0o700;
const NAME = /^[\w.-]{1,80}$/;

export interface Conversation {
  readonly folder: string;
  readonly journal: ChatJournal;
  readonly store: HistoryStore;
  readonly close: () => Promise<void>;
}

/** Throws `bad_session` for a name that is none, and `session_in_use` where another process has it open. */
export async function openConversation(parent: string, name: string): Promise<Conversation> {
  if (!NAME.test(name) || name.startsWith("."))
    throw new PrecisError(`--session is "${name}"`, {
      code: "bad_session",
      hint: "Use up to 80 letters, digits, dots, dashes and underscores.",
    });
  const folder = join(parent, name);
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  const unlock = lock(join(folder, "lock"), name);
  try {
    const journal = openJournal(join(folder, "messages.jsonl"));
    const store = await openSqliteStore({ path: join(folder, "removed.db") });
    const close = async (): Promise<void> => {
      journal.close();
      await store.close();
      unlock();
    };
    return { folder, journal, store, close };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Puts a closed conversation aside, so that its name is free. */
export function setAside({ folder }: Pick<Conversation, "folder">, now: Date): string {
  const aside = `${folder}.${now.toISOString().replaceAll(/[^0-9]/g, "")}`;
  renameSync(folder, aside);
  return aside;
}

/** A lock whose process is gone is no lock: that process was killed. */
function lock(path: string, name: string): () => void {
  try {
    writeFileSync(path, String(process.pid), { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (isAlive(Number(readFileSync(path, "utf8"))))
      throw new PrecisError(`the conversation "${name}" is open in another process`, {
        code: "session_in_use",
        hint: "End that one, or name another conversation with --session.",
      });
    writeFileSync(path, String(process.pid));
  }
  return () => rmSync(path, { force: true });
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
