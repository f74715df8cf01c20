/** Opens the store at an address: `memory`, `sqlite:PATH` or the plain path of an SQLite file, or `postgres://…`. */
import type { PostgresOptions } from "./postgres.ts";
import type { SqliteOptions } from "./sqlite.ts";
import type { HistoryStore } from "./store.ts";

export interface OpenOptions
  extends
    Pick<SqliteOptions, "key" | "mustExist" | "now" | "readOnly" | "sizeBytesMax">,
    Pick<PostgresOptions, "jobs"> {}

type Open = (place: string, options: OpenOptions) => Promise<HistoryStore>;

/** By the word before the colon. Each kind is loaded only when it is opened. */
const KINDS = {
  memory: async (_, options) => (await import("./memory.ts")).createMemoryStore(options),
  postgres: async (place, options) => openPostgres(`postgres:${place}`, options),
  postgresql: async (place, options) => openPostgres(`postgresql:${place}`, options),
  sqlite: async (path, options) => (await import("./sqlite.ts")).openSqliteStore({ ...options, path }),
} as const satisfies Readonly<Record<string, Open>>;

async function openPostgres(url: string, options: OpenOptions): Promise<HistoryStore> {
  return (await import("./postgres.ts")).openPostgresStore({ ...options, url });
}

export type StoreKind = keyof typeof KINDS;

export interface StoreAddress {
  readonly kind: StoreKind;
  /** What comes after the kind: a path for `sqlite`, `//USER@HOST/DATABASE` for `postgres`, nothing for `memory`. */
  readonly place: string;
}

/** What an address means. A word before a colon that is no kind belongs to a path. */
export function storeAddress(text: string): StoreAddress {
  const [, kind = "", place = ""] = /^([a-z]+)(?::(.*))?$/s.exec(text) ?? [];
  return Object.hasOwn(KINDS, kind) ? { kind: kind as StoreKind, place } : { kind: "sqlite", place: text };
}

/**
 * Opens the history at an address: a file, or a `postgres://` database.
 *
 * @throws PrecisError as docs/store.md lists them.
 */
export function openStore(address: string, options: OpenOptions = {}): Promise<HistoryStore> {
  const { kind, place } = storeAddress(address);
  return KINDS[kind](place, options);
}
