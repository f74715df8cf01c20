/** Opens the file: for its owner alone, every commit on the disk before it is acknowledged, and at our schema. */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { loadSqlite } from "../../platform/builtin.ts";
import { pathToFileURL } from "node:url";
import {
  foreignFileError,
  deletedError,
  emptyFileError,
  newerSchemaError,
  notRegularError,
  olderSchemaError,
  storeError,
} from "./failures.ts";
import { APPLICATION_ID, COMPATIBLE_VERSION, MIGRATIONS, SCHEMA_VERSION } from "./migrations.ts";
import { encryptedError, notEncryptedError, wrongKeyError } from "../refusals.ts";
import { createVault, opens, proofOf } from "../vault.ts";

/** Originals are kept unredacted. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const PAGE_BYTES = 4_096;
/** The journal is cut back to this after a checkpoint. */
const JOURNAL_BYTES_MAX = 64 * 1024 * 1024;
const CACHE_KIBIBYTES = 2 * 1024;
const LOCK_RETRY_MS = 20;
const SQLITE_BUSY = 5;

export interface FileOptions {
  readonly path: string;
  /** How long a call waits for another process that is writing. */
  readonly busyTimeoutMs: number;
  readonly readOnly: boolean;
  readonly sizeBytesMax?: number;
  /** It was open before, here or elsewhere in the program: where it is gone, no other one is put in its place. */
  readonly mustExist?: boolean;
  /** Of an encrypted file. */
  readonly key?: Uint8Array;
}

/** Which file a path leads to. */
export function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stats?.isFile() === true ? `${stats.dev} ${stats.ino}` : undefined;
}

/** @throws PrecisError as docs/store.md lists them; a file that is refused has not been touched. */
export function openDatabase(options: FileOptions): DatabaseSync {
  const { path, readOnly, busyTimeoutMs, mustExist = false } = options;
  let db: DatabaseSync | undefined;
  try {
    checkHeader(path, busyTimeoutMs);
    if (mustExist && identityOf(path) === undefined) throw deletedError(path);
    if (!readOnly) createForOwner(path);
    const { DatabaseSync: Database } = loadSqlite();
    db = new Database(readOnly ? readableAt(path) : path, { readOnly, timeout: busyTimeoutMs });
    if (readOnly) checkSchema(db, path);
    else prepareForWriting(db, options);
    checkKey(db, path, options);
    return db;
  } catch (error) {
    db?.close();
    throw storeError(error, path);
  }
}

/**
 * Where nobody can write beside the file, SQLite cannot set up what readers of a write-ahead log share. The file is
 * then read as one that nobody changes, unless a log beside it holds what is not in it yet.
 */
function readableAt(path: string): string | URL {
  if (hasLog(path)) return path;
  try {
    accessSync(dirname(path), constants.W_OK);
    return path;
  } catch {
    return unchangedAt(path);
  }
}

function hasLog(path: string): boolean {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  return log !== undefined && log.size > 0;
}

/** For a file that is read as one that nobody changes, without what others have written beside it. */
function unchangedAt(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  return url;
}

/**
 * Looks at the file alone: opening a database may already write beside it. Only what its log has not moved into it yet is read with
 * it: without that, it may be half of each. SQLite opens it, and not the program: whoever closes a file gives up all locks that
 * the process has on it (https://sqlite.org/howtocorrupt.html, section 2.2).
 */
function checkHeader(path: string, timeout: number): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  // To open a pipe would wait for whoever writes to it.
  if (!stats.isFile()) throw notRegularError(path);
  if (stats.size === 0) return;
  const { DatabaseSync: Database } = loadSqlite();
  const file = new Database(hasLog(path) ? path : unchangedAt(path), { readOnly: true, timeout });
  try {
    refuse(path, pragma(file, "user_version"), pragma(file, "application_id"));
  } finally {
    file.close();
  }
}

/** A file that another process is just creating has neither version nor application yet. */
function refuse(path: string, version: number, application: number): void {
  if (application !== APPLICATION_ID && !(application === 0 && version === 0)) throw foreignFileError(path);
  if (version > SCHEMA_VERSION) throw newerSchemaError(path, version, SCHEMA_VERSION);
}

function createForOwner(path: string): void {
  makeFolder(dirname(path));
  if (!existsSync(path)) closeSync(openSync(path, "a", FILE_MODE));
  if (process.platform !== "win32" && (statSync(path).mode & 0o777) !== FILE_MODE) chmodSync(path, FILE_MODE);
}

function makeFolder(folder: string): void {
  let nearest = folder;
  while (!existsSync(nearest) && nearest !== dirname(nearest)) nearest = dirname(nearest);
  if (nearest === folder) return;
  // On a read-only disk, `mkdir` with its parents would say that there is no such folder.
  accessSync(nearest, constants.W_OK);
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
}

function prepareForWriting(db: DatabaseSync, { path, busyTimeoutMs, sizeBytesMax }: FileOptions): void {
  const { version } = checkSchema(db, path, { orOlder: true });
  // Changing the journal does not wait for a lock by itself.
  retryWhileLocked(() => db.exec("pragma journal_mode = wal"), busyTimeoutMs);
  db.exec(`
    pragma synchronous = full;
    pragma temp_store = memory;
    pragma secure_delete = fast;
    pragma cache_size = -${CACHE_KIBIBYTES};
    pragma journal_size_limit = ${JOURNAL_BYTES_MAX};
  `);
  if (version < SCHEMA_VERSION) migrate(db, path);
  // After that: what is full is brought up to date all the same.
  if (sizeBytesMax !== undefined)
    db.exec(`pragma max_page_count = ${Math.max(1, Math.floor(sizeBytesMax / PAGE_BYTES))}`);
}

/**
 * A whole database of its own beside the file, for the version that wrote it. Nobody writes meanwhile: the one that migrates
 * has the lock, and whoever only reads does not need it.
 */
function backUp(path: string, version: number): void {
  const copy = backupPath(path, version);
  const { DatabaseSync: Database } = loadSqlite();
  // SQLite writes into an empty file, and would make a new one for everybody to read.
  closeSync(openSync(copy, "wx", FILE_MODE));
  try {
    const source = new Database(path, { readOnly: true });
    try {
      source.prepare("vacuum into ?").run(copy);
    } finally {
      source.close();
    }
    const file = openSync(copy, "r+");
    fsyncSync(file);
    closeSync(file);
  } catch (error) {
    rmSync(copy, { force: true });
    throw error;
  }
}

/** Beside the file; one that is there already is kept. */
function backupPath(path: string, version: number): string {
  const name = `${path}.schema-${version}`;
  for (let copy = 1; ; copy++) {
    const free = `${name}${copy === 1 ? "" : `.${copy}`}.bak`;
    if (!existsSync(free)) return free;
  }
}

function retryWhileLocked(run: () => void, timeoutMs: number): void {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return run();
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY || Date.now() >= deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_RETRY_MS);
    }
  }
}

/** `version` is the number of steps that the file has taken. */
function checkSchema(db: DatabaseSync, path: string, { orOlder = false } = {}): { readonly version: number } {
  const compatibleWith = pragma(db, "user_version");
  refuse(path, compatibleWith, pragma(db, "application_id"));
  const tables = db.prepare("select count(*) as count from sqlite_schema").get()!["count"];
  if (compatibleWith === 0 && tables !== 0) throw foreignFileError(path);
  const version = compatibleWith === 0 ? 0 : stepsTaken(db);
  if (version === 0 && !orOlder) throw emptyFileError(path);
  if (version < SCHEMA_VERSION && !orOlder) throw olderSchemaError(path, version);
  return { version };
}

function stepsTaken(db: DatabaseSync): number {
  return Number(db.prepare("select max(position) as position from migrations").get()!["position"]);
}

function pragma(db: DatabaseSync, name: string): number {
  return Number(db.prepare(`pragma ${name}`).get()![name]);
}

/**
 * All steps or none: a second process finds them taken. A file that holds something is copied first, unless the program that wrote
 * it can go on with the new schema.
 */
function migrate(db: DatabaseSync, path: string): void {
  db.exec("begin immediate");
  try {
    const { version } = checkSchema(db, path, { orOlder: true });
    if (version > 0 && version < COMPATIBLE_VERSION) backUp(path, version);
    MIGRATIONS.slice(version).forEach(({ name, sql }, at) => {
      db.exec(sql);
      db.prepare("insert into migrations values (?, ?, ?)").run(version + at + 1, name, Date.now());
    });
    db.exec(`pragma user_version = ${COMPATIBLE_VERSION}; pragma application_id = ${APPLICATION_ID}; commit`);
  } catch (error) {
    if (db.isTransaction) db.exec("rollback");
    throw error;
  }
}

/** Whether the file and the key belong together; a file without contents takes the key it is first opened with. */
function checkKey(db: DatabaseSync, path: string, { key, readOnly }: KeyUse): void {
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

interface KeyUse {
  readonly key?: Uint8Array;
  readonly readOnly: boolean;
}

function proofIn(db: DatabaseSync): Uint8Array | undefined {
  return db.prepare("select proof from encryption").get()?.["proof"] as Uint8Array | undefined;
}
