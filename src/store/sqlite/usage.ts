/** What requests took, and the counters that live with a chain's root. */
import type { UsageEntry, UsageTotals } from "../store.ts";
import { fromTheEnd } from "./chains.ts";
import { query, type Runner } from "./query.ts";
import { knownTenant, writingTenant } from "./tenants.ts";

interface UsageArguments {
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

const addUsage = query<UsageArguments>(`
  insert into usages (tenant, link, model, input, output, cache_read, cache_write, cost_usd, at)
  values (:tenant, :link, :model, :input, :output, :cacheRead, :cacheWrite, :costUsd, :at)`);

const newestUsages = query<{ tenant: number; links: string }, { link: string; id: number }>(`
  select usages.link, max(usages.id) as id from json_each(:links) wanted
  cross join usages
  where usages.tenant = :tenant and usages.link = wanted.value
  group by usages.link`);

const readUsage = query<
  { id: number },
  {
    link: string;
    model: string;
    input: number;
    output: number;
    cache_read: number;
    cache_write: number;
    cost_usd: number | null;
    at: number;
  }
>(`select link, model, input, output, cache_read, cache_write, cost_usd, at from usages where id = :id`);

const sumUsage = query<
  { tenant: number; since: number },
  {
    requests: number;
    input: number | null;
    output: number | null;
    cacheRead: number | null;
    cacheWrite: number | null;
    costUsd: number | null;
  }
>(`
  select count(*) as requests, sum(input) as input, sum(output) as output,
    sum(cache_read) as cacheRead, sum(cache_write) as cacheWrite, sum(cost_usd) as costUsd
  from usages where tenant = :tenant and at >= :since`);

const setState = query<{ tenant: number; root: string; state: string; now: number }>(`
  insert into states (tenant, root, state, updated_at)
  values (:tenant, :root, :state, :now)
  on conflict (tenant, root) do update
  set state = :state, updated_at = :now`);

const readState = query<{ tenant: number; root: string }, { state: string }>(
  `select state from states where tenant = :tenant and root = :root`,
);

export function putUsage(runner: Runner, tenant: string, usage: UsageEntry): void {
  runner.run(addUsage, { ...usage, costUsd: usage.costUsd ?? null, tenant: writingTenant(runner, tenant) });
}

export function findUsage(runner: Runner, tenantName: string, links: readonly string[]): UsageEntry | undefined {
  const tenant = knownTenant(runner, tenantName);
  for (const { batch } of fromTheEnd(links)) {
    const rows = runner.all(newestUsages, { tenant, links: JSON.stringify(batch) });
    const byLink = new Map(rows.map(({ link, id }) => [link, id]));
    const link = rows.length === 0 ? undefined : batch.findLast((one) => byLink.has(one));
    if (link !== undefined) return usageOf(runner, byLink.get(link)!);
  }
  return undefined;
}

function usageOf(runner: Runner, id: number): UsageEntry {
  const row = runner.first(readUsage, { id })!;
  const { link, model, input, output, cache_read: cacheRead, cache_write: cacheWrite, cost_usd: costUsd, at } = row;
  return { link, model, input, output, cacheRead, cacheWrite, ...(costUsd === null ? {} : { costUsd }), at };
}

export function totalUsage(runner: Runner, tenant: string, since: number): UsageTotals {
  const row = runner.first(sumUsage, { tenant: knownTenant(runner, tenant), since })!;
  return {
    requests: row.requests,
    input: row.input ?? 0,
    output: row.output ?? 0,
    cacheRead: row.cacheRead ?? 0,
    cacheWrite: row.cacheWrite ?? 0,
    costUsd: row.costUsd ?? 0,
  };
}

export function putState(runner: Runner, tenant: string, args: { root: string; state: string; now: number }): void {
  const state = runner.vault.sealText("state", args.state);
  runner.run(setState, { ...args, state, tenant: writingTenant(runner, tenant) });
}

export function getState(runner: Runner, tenant: string, root: string): string | undefined {
  const row = runner.first(readState, { tenant: knownTenant(runner, tenant), root });
  return row === undefined ? undefined : runner.vault.openText("state", row.state);
}
