/**
 * What one tenant may take of a gateway: so many requests a minute, whatever they ask for, and so many at once. Above it a client gets a
 * 429 that says when to come again, and nobody else waits for it. Each gateway counts for itself.
 */
import type { ClientRequest, ClientResponse, EmitEvent } from "../contract.ts";
import type { TenantLimitSettings } from "./directory.ts";
import { refuse } from "../transport/refusals.ts";
import { PrecisError } from "../../core/errors.ts";
import { isNamedByKey } from "./owner.ts";
import type { HistoryStore, Original } from "../../store/store.ts";
import { randomUUID } from "node:crypto";
import type { SharedBudget } from "../../session/events.ts";

export interface TenantRates {
  readonly enter: (tenant: string, client: ClientRequest) => Admitted | { readonly refused: ClientResponse };
}

interface Admitted {
  readonly leave: () => void;
}

const FREE: Admitted = { leave: () => undefined };
/** Who was counted longest ago is forgotten: with nothing under way, that only gives it a full minute again. */
const TENANTS_MAX = 10_000;
const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
/** A request that is under way ends at any moment. */
const AT_ONCE_RETRY_SECONDS = 1;

interface TenantCount {
  underWay: number;
  /** Requests that may come now; refilled as time goes by. */
  tokens: number;
  refilledAt: number;
}

/** `limitsOf` is asked for each request: they may change. */
export function createTenantRates(limitsOf: (tenant: string) => TenantLimitSettings, now: () => number): TenantRates {
  const counts = new Map<string, TenantCount>();
  const countOf = (tenant: string, requestsPerMinute: number): TenantCount => {
    const known = counts.get(tenant);
    const count = known ?? { underWay: 0, tokens: requestsPerMinute, refilledAt: now() };
    // The newest is last.
    counts.delete(tenant);
    counts.set(tenant, count);
    if (known === undefined && counts.size > TENANTS_MAX) forgetOldest(counts);
    if (requestsPerMinute === Infinity) return count;
    const time = now();
    const refill = (Math.max(0, time - count.refilledAt) / MINUTE_MS) * requestsPerMinute;
    count.tokens = Math.min(requestsPerMinute, count.tokens + refill);
    count.refilledAt = time;
    return count;
  };
  return {
    enter: (tenant, client) => {
      const { requestsPerMinute = Infinity, requestsAtOnce = Infinity } = limitsOf(tenant);
      if (requestsPerMinute === Infinity && requestsAtOnce === Infinity && !counts.has(tenant)) return FREE;
      const count = countOf(tenant, requestsPerMinute);
      if (count.underWay >= requestsAtOnce) return { refused: tooManyAtOnce(client, requestsAtOnce) };
      if (requestsPerMinute !== Infinity && count.tokens < 1) {
        const waitMs = ((1 - count.tokens) / requestsPerMinute) * MINUTE_MS;
        return { refused: tooManyAMinute(client, requestsPerMinute, Math.ceil(waitMs / SECOND_MS)) };
      }
      count.tokens -= 1;
      count.underWay += 1;
      return { leave: () => void (count.underWay -= 1) };
    },
  };
}

function forgetOldest(counts: Map<string, TenantCount>): void {
  for (const [tenant, { underWay }] of counts) if (underWay === 0) return void counts.delete(tenant);
}

function tooManyAtOnce(client: ClientRequest, limit: number): ClientResponse {
  return tooMany(client, AT_ONCE_RETRY_SECONDS, {
    code: "tenant_requests_at_once",
    message: `precis: more than ${limit} requests of this key are under way.`,
  });
}

function tooManyAMinute(client: ClientRequest, limit: number, retrySeconds: number): ClientResponse {
  return tooMany(client, retrySeconds, {
    code: "tenant_requests_per_minute",
    message: `precis: more than ${limit} requests of this key came in a minute.`,
  });
}

function tooMany(
  client: ClientRequest,
  retrySeconds: number,
  said: { readonly code: string; readonly message: string },
): ClientResponse {
  const unit = retrySeconds === 1 ? "second" : "seconds";
  return refuse(client, {
    status: 429,
    ...said,
    hint: `Send it again in ${retrySeconds} ${unit}.`,
    headers: [["retry-after", String(retrySeconds)]],
  });
}

export interface StoreQuota {
  /** By what is known now; a measurement that is old is made again meanwhile. */
  readonly isFull: (tenant: string) => boolean;
  readonly added: (tenant: string, bytes: number) => void;
  /** @throws PrecisError `tenant_store_full`. */
  readonly check: (tenant: string) => void;
  /** Whether originals may be kept that no provider's answer vouches for. Those that may are counted. */
  readonly takes: (tenant: string, originals: readonly Pick<Original, "id" | "text">[]) => boolean;
}

interface StoreQuotaParts {
  readonly store: Pick<HistoryStore, "holdings">;
  /** What the store may take in all, where that is bounded. */
  readonly bytesMax?: number | undefined;
  readonly limitsOf: (tenant: string) => TenantLimitSettings;
  readonly onEvent: EmitEvent;
  readonly now: () => number;
}

/**
 * Keys cost nothing to invent: what all tenants that are nothing but a key may have kept in a minute is this part of the store, so that
 * they push out little of what others keep there. An original counts as this much at least.
 */
const GUESTS_PART = 0.05;
/** Where it is not known how large the store may be. */
const GUESTS_BYTES = 16 * 1024 * 1024;
const GUEST_ORIGINAL_BYTES = 4_096;

/** How often a tenant's share of the store is measured. */
const MEASURE_EVERY_MS = 60_000;

interface Share {
  bytes: number;
  measuredAt: number;
  isFull: boolean;
}

export function createStoreQuota({ store, bytesMax, limitsOf, onEvent, now }: StoreQuotaParts): StoreQuota {
  const guestsTake = createGuestsBound(bytesMax === undefined ? GUESTS_BYTES : bytesMax * GUESTS_PART, now);
  const shares = new Map<string, Share>();
  const shareOf = (tenant: string): Share => {
    const share = shares.get(tenant) ?? { bytes: 0, measuredAt: -Infinity, isFull: false };
    shares.delete(tenant);
    shares.set(tenant, share);
    if (shares.size > TENANTS_MAX) shares.delete(shares.keys().next().value!);
    return share;
  };
  const measure = async (tenant: string, share: Share): Promise<void> => {
    share.measuredAt = now();
    share.bytes = (await store.holdings(tenant)).bytes;
  };
  const isFull = (tenant: string): boolean => {
    const { storedBytes = Infinity } = limitsOf(tenant);
    if (storedBytes === Infinity) return false;
    const share = shareOf(tenant);
    // A store that does not answer says so elsewhere.
    if (now() - share.measuredAt >= MEASURE_EVERY_MS) void measure(tenant, share).catch(() => undefined);
    const full = share.bytes >= storedBytes;
    if (full && !share.isFull)
      onEvent({ kind: "notice", code: "tenant_limit", tenant, message: storeFull(storedBytes) });
    share.isFull = full;
    return full;
  };
  return {
    isFull,
    added: (tenant, bytes) => {
      if (shares.has(tenant)) shareOf(tenant).bytes += bytes;
    },
    check: (tenant) => {
      if (isFull(tenant)) throw tenantStoreFull();
    },
    takes: (tenant, originals) => !isNamedByKey(tenant) || guestsTake(tenant, originals),
  };
}

function createGuestsBound(bytesMax: number, now: () => number): StoreQuota["takes"] {
  let [since, bytes, counted] = [-Infinity, 0, new Set<string>()];
  return (tenant, originals) => {
    if (now() - since >= MINUTE_MS) [since, bytes, counted] = [now(), 0, new Set()];
    const fresh = originals.filter(({ id }) => !counted.has(`${tenant} ${id}`));
    const more = fresh.reduce((total, { text }) => total + Math.max(text.length, GUEST_ORIGINAL_BYTES), 0);
    if (bytes + more > bytesMax) return false;
    bytes += more;
    for (const { id } of fresh) counted.add(`${tenant} ${id}`);
    return true;
  };
}

const MEBIBYTE = 1024 * 1024;

function storeFull(bytes: number): string {
  return `the tenant's stored conversations take ${(bytes / MEBIBYTE).toLocaleString("en-US")} MB, its limit; nothing new of it is stored or compacted until some are deleted`;
}

export function tenantStoreFull(): PrecisError {
  return new PrecisError("The tenant has used up what it may store.", {
    code: "tenant_store_full",
    hint: "Delete conversations (`precis sessions delete`), or raise the tenant's limit.",
    retryable: true,
  });
}

export interface TenantSpend {
  readonly budgetOf: (tenant: string) => SharedBudget;
}

interface TenantSpendParts {
  readonly store: Pick<HistoryStore, "getState" | "putState">;
  readonly limitsOf: (tenant: string) => TenantLimitSettings;
  readonly onEvent: EmitEvent;
  readonly now: () => number;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** What other processes have spent is read this often. */
const REFRESH_MS = 10_000;
/** Processes whose parts of a day are kept apart; of more, the oldest are one. */
const PROCESSES_MAX = 256;
const JOINED = "earlier";

/** By process, in US dollars. */
type Parts = Readonly<Record<string, number>>;

interface Account {
  day: number;
  own: number;
  others: Parts;
  readAt: number;
  isUsedUp: boolean;
  writing: Promise<void>;
}

export function createTenantSpend({ store, limitsOf, onEvent, now }: TenantSpendParts): TenantSpend {
  const process = randomUUID();
  const accounts = new Map<string, Account>();
  const accountOf = (tenant: string): Account => {
    const day = Math.floor(now() / DAY_MS);
    const known = accounts.get(tenant);
    const account =
      known?.day === day
        ? known
        : { day, own: 0, others: {}, readAt: -Infinity, isUsedUp: false, writing: Promise.resolve() };
    accounts.delete(tenant);
    accounts.set(tenant, account);
    if (accounts.size > TENANTS_MAX) accounts.delete(accounts.keys().next().value!);
    return account;
  };
  const refresh = async (tenant: string, account: Account): Promise<void> => {
    account.readAt = now();
    const { [process]: _, ...others } = parseParts(await store.getState(tenant, stateName(account)));
    account.others = others;
  };
  const write = async (tenant: string, account: Account): Promise<void> => {
    await refresh(tenant, account);
    await store.putState(tenant, stateName(account), { ...bounded(account.others), [process]: account.own });
  };
  const withheld = (tenant: string): string | undefined => {
    const { summariesUsdPerDay: limit = Infinity } = limitsOf(tenant);
    if (limit === Infinity) return undefined;
    const account = accountOf(tenant);
    if (now() - account.readAt >= REFRESH_MS) void refresh(tenant, account).catch(() => undefined);
    const spent = account.own + sum(account.others);
    if (spent < limit) return void (account.isUsedUp = false);
    const because = `the tenant has spent $${spent.toFixed(2)} on summaries today; its limit is $${limit.toFixed(2)}`;
    if (!account.isUsedUp) onEvent({ kind: "notice", code: "tenant_limit", tenant, message: because });
    account.isUsedUp = true;
    return because;
  };
  return {
    budgetOf: (tenant) => ({
      withheld: () => withheld(tenant),
      spent: (costUsd) => {
        if (costUsd <= 0 || limitsOf(tenant).summariesUsdPerDay === undefined) return;
        const account = accountOf(tenant);
        account.own += costUsd;
        // What cannot be written now is written with what is spent next.
        account.writing = account.writing.then(() => write(tenant, account)).catch(() => undefined);
      },
    }),
  };
}

function stateName({ day }: Account): string {
  return `spent ${new Date(day * DAY_MS).toISOString().slice(0, 10)}`;
}

function bounded(parts: Parts): Parts {
  const all = Object.entries(parts);
  const joined = all.slice(0, Math.max(0, all.length - PROCESSES_MAX));
  if (joined.length === 0) return parts;
  const rest = all.filter(([name]) => name !== JOINED).slice(joined.length);
  return { [JOINED]: sum(parts) - sum(Object.fromEntries(rest)), ...Object.fromEntries(rest) };
}

function sum(parts: Parts): number {
  return Object.values(parts).reduce((total, one) => total + one, 0);
}

function parseParts(state: unknown): Parts {
  const entries = Object.entries((state ?? {}) as Readonly<Record<string, unknown>>);
  return Object.fromEntries(entries.filter((entry): entry is [string, number] => typeof entry[1] === "number"));
}
