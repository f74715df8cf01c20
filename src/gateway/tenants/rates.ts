/**
 * What one tenant may take of a gateway: so many requests a minute, whatever they ask for, and so many at once. Above it a client gets a
 * 429 that says when to come again, and nobody else waits for it. Each gateway counts for itself.
 */
import type { ClientRequest, ClientResponse } from "../contract.ts";
import type { TenantLimitSettings } from "./directory.ts";
import { refuse } from "../transport/refusals.ts";

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
