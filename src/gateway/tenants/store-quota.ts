/**
 * What one tenant may have stored. Above it nothing new of the tenant is kept, and so nothing new is compacted either: its
 * requests go on as they came, or with the compactions that they have. The store is measured now and then; what is added
 * between two measurements counts at once.
 */
import { PrecisError } from "../../core/errors.ts";
import type { HistoryStore } from "../../store/store.ts";
import type { EmitEvent } from "../contract.ts";
import type { TenantLimitSettings } from "./directory.ts";

export interface StoreQuota {
  /** By what is known now; a measurement that is old is made again meanwhile. */
  readonly isFull: (tenant: string) => boolean;
  readonly added: (tenant: string, bytes: number) => void;
  /** @throws PrecisError `tenant_store_full`. */
  readonly check: (tenant: string) => void;
}

export interface StoreQuotaParts {
  readonly store: Pick<HistoryStore, "holdings">;
  readonly limitsOf: (tenant: string) => TenantLimitSettings;
  readonly onEvent: EmitEvent;
  readonly now: () => number;
}

const TENANTS_MAX = 10_000;
/** How often a tenant's share of the store is measured. */
const MEASURE_EVERY_MS = 60_000;

interface Share {
  bytes: number;
  measuredAt: number;
  isFull: boolean;
}

export function createStoreQuota({ store, limitsOf, onEvent, now }: StoreQuotaParts): StoreQuota {
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
  };
}

const MEBIBYTE = 1024 * 1024;

function storeFull(bytes: number): string {
  return `the tenant's stored conversations take ${(bytes / MEBIBYTE).toLocaleString("en-US")} MB, its limit; nothing new of it is stored or compacted until some are deleted`;
}

function tenantStoreFull(): PrecisError {
  return new PrecisError("The tenant has used up what it may store.", {
    code: "tenant_store_full",
    hint: "Delete conversations (`precis sessions delete`), or raise the tenant's limit.",
    retryable: true,
  });
}
