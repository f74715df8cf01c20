/** Where the history is kept, how it is opened as the settings have it, and for how long: a flag, the configuration, else the person's data folder. */
import { readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { shortPath } from "../../config/load.ts";
import { historyFile } from "../../config/locate.ts";
import { STORE_PASSWORD } from "../../config/schema-gateway.ts";
import type { Configuration } from "../../config/schema.ts";
import { PrecisError } from "../../core/errors.ts";
import { reasonOf } from "../../platform/system-errors.ts";
import { openStore, storeAddress, type OpenOptions } from "../../store/open.ts";
import { usageError } from "../program/exit.ts";
import type { Terminal } from "../screen/terminal.ts";
import type { Environment } from "../../config/environment.ts";
import type { RedactOptions } from "../../core/redaction/redact.ts";
import { createRedactor } from "../../core/redaction/redactor.ts";
import { maskedStore } from "../../store/masked.ts";
import type { HistoryStore } from "../../store/store.ts";
import type { GatewayOptions } from "../../gateway/index.ts";
import { RETENTION_LIMITS } from "../../gateway/operation/retention.ts";

interface StorePlace {
  readonly address: string;
  readonly shown: string;
  readonly path?: string;
}

export function storePlace(given: string | undefined, { gateway }: Configuration, terminal: Terminal): StorePlace {
  const { folder, environment, platform } = terminal;
  const named = given ?? gateway.store ?? historyFile(environment, platform);
  const { kind, place } = storeAddress(named);
  if (STORE_PASSWORD.test(named)) throw usageError("the store's address holds a password", PASSWORD_ELSEWHERE);
  if (kind !== "sqlite") return { address: named, shown: named };
  const home = environment["HOME"] ?? homedir();
  const path = resolve(folder, place.startsWith("~/") ? `${home}${place.slice(1)}` : place);
  const shown = shortPath(path, terminal);
  if (isFolder(path))
    throw usageError(`the store ${shown} is a folder`, `Name a file in it: ${join(shown, "history.db")}`);
  return { address: `sqlite:${path}`, shown, path };
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false; // Opening it will say why.
  }
}

/** A database that any number of gateways may share. */
export function isServer({ address, path }: StorePlace): boolean {
  return path === undefined && address !== IN_MEMORY;
}

/** The store that is meant, which has to be there: a mistyped path must not make a new one. Throws `store_unreachable` where it is not. */
export function existingStore(given: string | undefined, configuration: Configuration, terminal: Terminal): StorePlace {
  const found = storePlace(given, configuration, terminal);
  if (found.address === IN_MEMORY)
    throw usageError("the store is `memory`, which ends with its gateway", "Name a file with --store FILE.");
  if (found.path !== undefined && !isStore(found.path, found.shown))
    throw new PrecisError(`there is no store at ${found.shown}`, {
      code: "store_unreachable",
      place: found.shown,
      hint: "`precis serve` creates one. Name another with --store FILE, or with gateway.store in the configuration.",
    });
  return found;
}

const PASSWORD_ELSEWHERE = "Put the password into the variable PGPASSWORD or the file ~/.pgpass instead.";

/** Keeps nothing beyond the process. */
const IN_MEMORY = "memory";

/** Throws `store_unreachable` where the file system does not let one look. */
function isStore(path: string, shown: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch (cause) {
    throw new PrecisError(`cannot read the store ${shown}: ${reasonOf(cause)}`, {
      code: "store_unreachable",
      place: shown,
      hint: "Check the path and the permissions of the folders above it, or name another file with --store FILE.",
      cause,
    });
  }
}

export function fileBytes(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0; // Opening it will say why.
  }
}

/** What was copied before it was brought up to date. */
export function findCopies(path: string): readonly string[] {
  const folder = dirname(path);
  const name = `${basename(path)}.schema-`;
  return readdirSync(folder)
    .filter((one) => one.startsWith(name) && one.endsWith(".bak"))
    .map((one) => join(folder, one));
}

const KEY_BYTES = 32;
const HEXADECIMAL = /^[0-9a-f]{64}$/i;
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;

export function storeKey(
  { gateway }: { readonly gateway: Pick<Configuration["gateway"], "store_key_env"> },
  environment: Environment,
): { readonly key?: Uint8Array } {
  const { store_key_env: variable } = gateway;
  if (variable === null) return {};
  const text = environment[variable]?.trim() ?? "";
  const key = HEXADECIMAL.test(text)
    ? Buffer.from(text, "hex")
    : BASE64.test(text)
      ? Buffer.from(text, "base64")
      : undefined;
  if (key?.length === KEY_BYTES) return { key };
  throw usageError(
    text === ""
      ? `the key of the store is to be in the variable ${variable}, which is not set`
      : `${variable} is not a key of 32 bytes in base64 or hexadecimal`,
    "Create one with `openssl rand -base64 32` and keep it: without it the store cannot be read.",
  );
}

/** Keeps no secrets where that is configured. */
export function storeAsConfigured(
  store: HistoryStore,
  { redaction }: Configuration,
  secrets: RedactOptions | undefined,
): HistoryStore {
  return redaction.stored ? maskedStore(store, createRedactor(secrets)) : store;
}

const MEBIBYTE = 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** What was kept before there was a bound stays so long after its owner was told of it. */
const GRACE_DAYS = 7;
const STATE = "retention";

interface KeepOptions {
  readonly retention: GatewayOptions["retention"];
  readonly says: string;
  readonly first?: string;
}

/** How large the file may become. One that is larger already has some room, so that what is freed in it can be used again. */
function sizeBytesMax(path: string, { gateway: { limits } }: Configuration): { readonly sizeBytesMax?: number } {
  if (limits.store_mb === null) return {};
  const most = limits.store_mb * MEBIBYTE;
  const now = fileBytes(path);
  return { sizeBytesMax: now > most ? now + most / 10 : most };
}

/** Notes in the store that its owner was told. */
export async function keeping(
  { store, path, shown }: { readonly store: HistoryStore; readonly path: string | undefined; readonly shown: string },
  configuration: Configuration,
  terminal: Terminal,
): Promise<KeepOptions> {
  const { retention_days: days, limits, store_key_env } = configuration.gateway;
  const isInMemory = storeAddress(shown).kind === "memory";
  // A database has a size of its own, and somebody who looks after it.
  const megabytes = path === undefined ? null : limits.store_mb;
  const bytesMax = isInMemory ? RETENTION_LIMITS.memoryBytes : megabytes === null ? undefined : megabytes * MEBIBYTE;
  const bounds = {
    ...(days === null ? {} : { unusedMs: days * DAY_MS }),
    ...(bytesMax === undefined ? {} : { bytesMax }),
  };
  const says = `${days === null ? "for ever" : `${days} days after their last use`}, ${bytesMax === undefined ? "no size limit" : `at most ${(bytesMax / MEBIBYTE).toLocaleString("en-US")} MB`}`;
  if (isInMemory) return { retention: bounds, says };
  const noted = noteIn(await store.getState("", STATE).catch(() => undefined));
  // A store that cannot be read keeps nothing now: what it holds counts as old once it can be.
  const holdings = await store.holdings().catch(() => undefined);
  const notBefore = noted ?? (holdings?.sessions === 0 ? 0 : Date.now() + GRACE_DAYS * DAY_MS);
  await store.putState("", STATE, { notBefore }).catch(() => undefined);
  const retention = { ...bounds, notBefore };
  if (noted !== undefined) return { retention, says };
  const secrets = configuration.redaction.stored ? "with their secrets masked" : "as they are sent, secrets included";
  const begins =
    notBefore === 0 ? "" : ` What is there already stays until ${new Date(notBefore).toISOString().slice(0, 10)}.`;
  const first = [
    `Conversations are kept in ${path === undefined ? shown : shortPath(path, terminal)}, ${store_key_env === null ? "not encrypted" : "encrypted"}, ${secrets}: ${says}.${begins}`,
    "gateway.retention_days, gateway.limits.store_mb, redaction.stored and gateway.store_key_env change that, `--store memory` keeps",
    "nothing, and `precis sessions delete` deletes. This is said once.",
  ].join("\n");
  return { retention, says, first };
}

function noteIn(state: unknown): number | undefined {
  const { notBefore } = (state ?? {}) as { readonly notBefore?: unknown };
  return typeof notBefore === "number" ? notBefore : undefined;
}

export interface SharedStore extends Pick<OpenOptions, "key" | "jobs" | "sizeBytesMax"> {
  readonly address: string;
}

export interface OpenedStore extends Pick<StorePlace, "shown" | "path"> {
  readonly store: HistoryStore;
  readonly shared?: SharedStore;
  readonly broken?: PrecisError;
}

/** What may pass by itself, and what no other setting would help against: requests go on without it. */
const PASSING: ReadonlySet<string> = new Set(["store_read_only", "store_full", "store_io"]);

export async function openConfiguredStore(configuration: Configuration, terminal: Terminal): Promise<OpenedStore> {
  const { address, ...where } = storePlace(undefined, configuration, terminal);
  const { path } = where;
  const key = storeKey(configuration, terminal.environment);
  const options = {
    ...key,
    jobs: hasQueue(configuration),
    ...(path === undefined ? {} : sizeBytesMax(path, configuration)),
  };
  try {
    const store = await openStore(address, options);
    // A history in memory is this thread's alone.
    return { store, ...where, ...(storeAddress(address).kind === "memory" ? {} : { shared: { address, ...options } }) };
  } catch (error) {
    const broken = error as PrecisError;
    const isThere = path !== undefined && fileBytes(path) > 0;
    if (!PASSING.has(broken.code) && !(broken.code === "store_unreachable" && isThere)) throw error;
    const store = await openStore(address, { ...key, readOnly: true }).catch(() => withoutStore(broken));
    return { store, ...where, broken };
  }
}

/** Only a database has one, and what is kept masked cannot be compacted by anyone else. */
function hasQueue({ gateway, redaction }: Configuration): boolean {
  return gateway.jobs !== "off" && !redaction.stored;
}

/** Every call fails as opening did, and there is no queue. */
function withoutStore(broken: PrecisError): HistoryStore {
  const fails = (): Promise<never> => Promise.reject(broken);
  return new Proxy({} as HistoryStore, {
    get: (_, name) =>
      name === "then" || name === "jobs" ? undefined : name === "close" ? () => Promise.resolve() : fails,
  });
}
