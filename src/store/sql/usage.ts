/** What requests took, and plain data by name. */
import type { UsageEntry, UsageTotals } from "../store.ts";
import { query } from "./query.ts";

export interface UsageArguments {
  readonly tenant: number;
  readonly link: string;
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly costUsd: number | null;
  readonly at: number;
}

export const addUsage = query<UsageArguments>(`
  insert into usages (tenant, link, model, input, output, cache_read, cache_write, cost_usd, at)
  values (:tenant, :link, :model, :input, :output, :cacheRead, :cacheWrite, :costUsd, :at)`);

export interface UsageRow {
  readonly link: string;
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly cost_usd: number | null;
  readonly at: number;
}

interface TotalsRow {
  readonly requests: number;
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
  readonly costUsd: number | null;
}

export const readUsage = query<{ id: number }, UsageRow>(
  `select link, model, input, output, cache_read, cache_write, cost_usd, at from usages where id = :id`,
);

export const sumUsage = query<{ tenant: number; since: number }, TotalsRow>(`
  select count(*) as requests, sum(input) as input, sum(output) as output,
    sum(cache_read) as "cacheRead", sum(cache_write) as "cacheWrite", sum(cost_usd) as "costUsd"
  from usages where tenant = :tenant and at >= :since`);

export const setState = query<{ tenant: number; root: string; state: string; now: number }>(`
  insert into states (tenant, root, state, updated_at)
  values (:tenant, :root, :state, :now)
  on conflict (tenant, root) do update
  set state = :state, updated_at = :now`);

export const readState = query<{ tenant: number; root: string }, { state: string }>(
  `select state from states where tenant = :tenant and root = :root`,
);

export function usageArguments(tenant: number, usage: UsageEntry): UsageArguments {
  return { ...usage, costUsd: usage.costUsd ?? null, tenant };
}

export function usageOf(row: UsageRow): UsageEntry {
  const { link, model, input, output, cache_read: cacheRead, cache_write: cacheWrite, cost_usd: costUsd, at } = row;
  return { link, model, input, output, cacheRead, cacheWrite, ...(costUsd === null ? {} : { costUsd }), at };
}

export function totalsOf(row: TotalsRow): UsageTotals {
  return {
    requests: row.requests,
    input: row.input ?? 0,
    output: row.output ?? 0,
    cacheRead: row.cacheRead ?? 0,
    cacheWrite: row.cacheWrite ?? 0,
    costUsd: row.costUsd ?? 0,
  };
}
