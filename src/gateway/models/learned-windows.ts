/**
 * Windows that refusals revealed, by tenant, model and upstream: another upstream may serve the same model with another
 * window. They are kept in the store, so that a restart does not have to be taught again, and other gateways know of them.
 *
 * A learned window is believed for an hour. Then it is on trial: conversations go by the window that was known before, until
 * a request larger than the learned one shows whether it still holds. If that is accepted, the learned window is forgotten;
 * if it is refused, the window is believed for twice as long as before, for a day at most.
 */
import type { RememberedWindow, TenantsWindow, WindowChoice } from "../../session/timing.ts";
import type { HistoryStore } from "../../store/store.ts";
import { createKeptStates, type StateStore } from "./kept-states.ts";

const BELIEVED_MS_MIN = 60 * 60_000;
const BELIEVED_MS_MAX = 24 * BELIEVED_MS_MIN;
/** What nobody has asked about for so long is forgotten. */
const KEPT_MS = 7 * BELIEVED_MS_MAX;

/** Kept in place of a window, so that no other gateway brings it back. */
interface ForgottenWindow extends Pick<RememberedWindow, "model" | "upstream" | "at"> {
  readonly tokens?: undefined;
}

type Entry = RememberedWindow | ForgottenWindow;
type Entries = ReadonlyMap<string, Entry>;
type Place = Pick<RememberedWindow, "model" | "upstream">;

export interface LearnedWindows {
  /** Whether or not it is believed now. */
  readonly get: (tenant: string, place: Place) => RememberedWindow | undefined;
  readonly learn: (
    tenant: string,
    window: Place & Pick<RememberedWindow, "tokens" | "by" | "refusedTokens" | "countsOutput">,
  ) => void;
  readonly forget: (tenant: string, place: Place) => void;
  /**
   * Reads what is kept of a tenant. The first time, and as long as a window of the model is remembered, there is something
   * to wait for: a window that was forgotten elsewhere must not count for another request.
   */
  readonly load: (tenant: string, model: string) => Promise<void> | undefined;
}

export function createLearnedWindows(store: StateStore, now: () => number): LearnedWindows {
  const states = createKeptStates<Entries>(store, now, {
    initial: () => new Map(),
    parse: parseEntries,
    merge: mergeNewest,
    serialize: (entries) => serializeEntries(entries, now()),
  });
  const put = (tenant: string, entry: Entry): void =>
    states.put(tenant, NAME, new Map(states.get(tenant, NAME)).set(placeKey(entry), entry));
  const get = (tenant: string, place: Place): RememberedWindow | undefined => {
    const entry = states.get(tenant, NAME).get(placeKey(place));
    return isRemembered(entry) ? entry : undefined;
  };
  return {
    get,
    learn: (tenant, window) => {
      const at = now();
      const before = get(tenant, window);
      const refusals = before === undefined ? 1 : before.refusals + (at < before.until ? 0 : 1);
      const until = at + Math.min(BELIEVED_MS_MAX, BELIEVED_MS_MIN * 2 ** (refusals - 1));
      put(tenant, { ...window, at, until, refusals });
    },
    forget: (tenant, place) => put(tenant, forgotten(place, now())),
    load: (tenant, model) =>
      states.load(tenant, NAME, (entries) =>
        [...entries.values()].some((entry) => isRemembered(entry) && entry.model === model),
      ),
  };
}

export async function listWindows(
  store: Pick<HistoryStore, "getState" | "listTenants">,
  { tenant, model, upstream }: WindowChoice = {},
): Promise<readonly TenantsWindow[]> {
  const tenants = tenant === undefined ? (await store.listTenants()).map((one) => one.tenant) : [tenant];
  const found: TenantsWindow[] = [];
  for (const name of tenants)
    for (const entry of (await readEntries(store, name)).values())
      if (isRemembered(entry)) found.push({ ...entry, tenant: name });
  return found
    .filter((one) => (model ?? one.model) === one.model && (upstream ?? one.upstream) === one.upstream)
    .toSorted((one, other) => other.at - one.at);
}

/** Answers with those that it forgot. A gateway on the same store goes by the window that was known before from its next request on. */
export async function forgetWindows(
  store: Pick<HistoryStore, "getState" | "putState" | "listTenants">,
  choice: WindowChoice,
  now = Date.now(),
): Promise<readonly TenantsWindow[]> {
  const windows = await listWindows(store, choice);
  for (const [tenant, ofTenant] of Map.groupBy(windows, (one) => one.tenant)) {
    const entries = new Map(await readEntries(store, tenant));
    for (const one of ofTenant) entries.set(placeKey(one), forgotten(one, Math.max(now, one.at + 1)));
    await store.putState(tenant, NAME, serializeEntries(entries, now));
  }
  return windows;
}

function forgotten({ model, upstream }: Place, at: number): ForgottenWindow {
  return { model, upstream, at };
}

function isRemembered(entry: Entry | undefined): entry is RememberedWindow {
  return entry?.tokens !== undefined;
}

function placeKey({ model, upstream }: Place): string {
  return `${model}\n${upstream}`;
}

function mergeNewest(some: Entries, others: Entries): Entries {
  const newest = new Map(some);
  for (const [key, entry] of others) if (entry.at >= (newest.get(key)?.at ?? 0)) newest.set(key, entry);
  return newest;
}

const NAME = "learned windows";

async function readEntries(store: Pick<StateStore, "getState">, tenant: string): Promise<Entries> {
  return parseEntries(await store.getState(tenant, NAME));
}

function parseEntries(state: unknown): Entries {
  const { windows } = (state ?? {}) as { readonly windows?: unknown };
  const entries = Array.isArray(windows) ? (windows as readonly unknown[]).filter(isEntry) : [];
  return new Map(entries.map((entry) => [placeKey(entry), entry]));
}

function serializeEntries(entries: Entries, now: number): unknown {
  return { windows: [...entries.values()].filter(({ at }) => now - at < KEPT_MS) };
}

function isEntry(value: unknown): value is Entry {
  const { model, upstream, at, tokens, until } = (value ?? {}) as Partial<Record<string, unknown>>;
  const isPlaced = typeof model === "string" && typeof upstream === "string" && typeof at === "number";
  return isPlaced && (tokens === undefined || (typeof tokens === "number" && typeof until === "number"));
}
