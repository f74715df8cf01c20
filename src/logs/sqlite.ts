/** The databases of other agents, opened with what Node has. Reading never writes: not even a journal is recovered. */
import { existsSync, readSync, openSync, closeSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { PrecisError } from "../core/errors.ts";
import { loadSqlite } from "../platform/builtin.ts";
import type { Fields } from "./fields.ts";

const MAGIC = "SQLite format 3\u0000";
/** Another program may be writing. */
const BUSY_MS_MAX = 5_000;

export function isDatabase(path: string): boolean {
  const start = Buffer.alloc(MAGIC.length);
  const file = openSync(path, "r");
  try {
    return readSync(file, start, 0, start.length, 0) === start.length && start.toString("latin1") === MAGIC;
  } finally {
    closeSync(file);
  }
}

export interface StoredSession {
  readonly id: string;
  readonly title: string | undefined;
  readonly cwd: string | undefined;
  readonly modifiedMs: number;
}

export interface AgentDatabase {
  readonly tables: ReadonlySet<string>;
  readonly rows: (sql: string, ...values: readonly (string | number)[]) => readonly Fields[];
}

/** Throws `unreadable_input`. */
export function withDatabase<Result>(path: string, use: (database: AgentDatabase) => Result): Result {
  return opened(path, { readOnly: true }, (database) => use(readingFrom(database)));
}

function readingFrom(database: DatabaseSync): AgentDatabase {
  const rows: AgentDatabase["rows"] = (sql, ...values) => database.prepare(sql).all(...values);
  const named = rows("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')");
  return { rows, tables: new Set(named.map(({ name }) => String(name))) };
}

export type Insert = (table: string, row: Readonly<Record<string, string | number | null>>) => void;

/** All of it or nothing is written. Columns that this version of the agent does not have are left out. */
export function insertInto(path: string, write: (insert: Insert, database: AgentDatabase) => void): void {
  opened(path, { readOnly: false }, (database) => {
    const reading = readingFrom(database);
    database.exec("BEGIN IMMEDIATE");
    try {
      write((table, row) => {
        const columns = new Set(reading.rows(`PRAGMA table_info(${quoted(table)})`).map(({ name }) => String(name)));
        const names = Object.keys(row).filter((name) => columns.has(name));
        const places = names.map(() => "?").join(", ");
        const sql = `INSERT INTO ${quoted(table)} (${names.map(quoted).join(", ")}) VALUES (${places})`;
        database.prepare(sql).run(...names.map((name) => row[name]!));
      }, reading);
      database.exec("COMMIT");
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
  });
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function opened<Result>(
  path: string,
  { readOnly }: { readonly readOnly: boolean },
  use: (database: DatabaseSync) => Result,
): Result {
  if (!existsSync(path))
    throw failure(`there is no database ${path}`, "Start the agent once, so that it makes one, or name another.");
  const sqlite = loadSqlite();
  if (sqlite === undefined) throw failure("this Node was built without SQLite", "Install Node from nodejs.org.");
  try {
    const database = new sqlite.DatabaseSync(path, { readOnly, timeout: BUSY_MS_MAX });
    try {
      return use(database);
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof PrecisError) throw error;
    const hint = "Close the agent and try again, or check that its version is one that docs/sessions.md names.";
    throw failure(`cannot use the database ${path}: ${(error as Error).message}`, hint);
  }
}

function failure(message: string, hint: string): PrecisError {
  return new PrecisError(message, { code: "unreadable_input", hint });
}
