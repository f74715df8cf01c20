/** What a gateway keeps, where and for how long: as its retention takes it, and as its owner is told, once in full. */
import { shortPath } from "../config/load.ts";
import type { Configuration } from "../config/schema.ts";
import type { GatewayOptions } from "../gateway/index.ts";
import { RETENTION_LIMITS } from "../gateway/operation/retention.ts";
import { storeAddress } from "../store/open.ts";
import type { HistoryStore } from "../store/store.ts";
import { fileBytes } from "./store-file.ts";
import type { Terminal } from "./terminal.ts";

const MEBIBYTE = 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** What was kept before there was a bound stays so long after its owner was told of it. */
const GRACE_DAYS = 7;
const STATE = "retention";

export interface KeepOptions {
  readonly retention: GatewayOptions["retention"];
  /** In a few words. */
  readonly says: string;
  /** In full, at the first start with this store. */
  readonly first?: string;
}

/** How large the file may become. One that is larger already has some room, so that what is freed in it can be used again. */
export function sizeBytesMax(path: string, { gateway: { limits } }: Configuration): { readonly sizeBytesMax?: number } {
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
