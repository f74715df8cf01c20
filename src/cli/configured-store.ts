/** The store of the configuration, as commands open it that run until they are interrupted. */
import type { Configuration } from "../config/schema.ts";
import type { PrecisError } from "../core/errors.ts";
import type { HistoryStore } from "../store/store.ts";
import type { SharedStore } from "./gateway-thread.ts";
import { sizeBytesMax } from "./keep-options.ts";
import { fileBytes, storePlace, type StorePlace } from "./store-file.ts";
import { storeKey } from "./store-settings.ts";
import type { Terminal } from "./terminal.ts";

export interface OpenedStore extends Pick<StorePlace, "shown" | "path"> {
  readonly store: HistoryStore;
  /** Where another thread can open it and write to it. */
  readonly shared?: SharedStore;
  /** Why nothing can be kept in it. */
  readonly broken?: PrecisError;
}

/** What may pass by itself, and what no other setting would help against: requests go on without it. */
const PASSING: ReadonlySet<string> = new Set(["store_read_only", "store_full", "store_io"]);

export async function openConfiguredStore(configuration: Configuration, terminal: Terminal): Promise<OpenedStore> {
  const { address, ...where } = storePlace(undefined, configuration, terminal);
  const { path } = where;
  const { openStore, storeAddress } = await import("../store/open.ts");
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
