/** What requests took, and plain data by name. */
import type { UsageEntry } from "../store.ts";
import { fromTheEnd } from "./chains.ts";
import { query } from "./query.ts";
import { all, run, type Steps, type Tables } from "./steps.ts";
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

interface UsageRow {
  readonly link: string;
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly cost_usd: number | null;
  readonly at: number;
}

const setState = query<{ tenant: number; root: string; state: string; now: number }>(`
  insert into states (tenant, root, state, updated_at)
  values (:tenant, :root, :state, :now)
  on conflict (tenant, root) do update
  set state = :state, updated_at = :now`);

const readStates = query<{ tenant: number; roots: readonly string[] }, { root: string; state: string }>(
  `select root, state from states where tenant = :tenant and root in (:roots)`,
);

function usageOf(row: UsageRow): UsageEntry {
  const { link, model, input, output, cache_read: cacheRead, cache_write: cacheWrite, cost_usd: costUsd, at } = row;
  return { link, model, input, output, cacheRead, cacheWrite, ...(costUsd === null ? {} : { costUsd }), at };
}

const newestUsages = query<{ tenant: number; links: readonly string[] }, UsageRow>(`
  select link, model, input, output, cache_read, cache_write, cost_usd, at from usages
  where id in (select max(id) from usages where tenant = :tenant and link in (:links) group by link)`);

const usagesOf = query<{ tenant: number; links: readonly string[] }, UsageRow>(`
  select link, model, input, output, cache_read, cache_write, cost_usd, at from usages
  where tenant = :tenant and link in (:links)
  order by id`);

export function* putUsage(tenant: string, usage: UsageEntry): Steps<void> {
  yield* run(addUsage, { ...usage, costUsd: usage.costUsd ?? null, tenant: yield* writingTenant(tenant) });
}

export function* findUsage(tenantName: string, links: readonly string[]): Steps<UsageEntry | undefined> {
  const tenant = yield* knownTenant(tenantName);
  for (const { batch } of fromTheEnd(links)) {
    const byLink = new Map((yield* all(newestUsages, { tenant, links: batch })).map((row) => [row.link, row]));
    const link = byLink.size === 0 ? undefined : batch.findLast((one) => byLink.has(one));
    if (link !== undefined) return usageOf(byLink.get(link)!);
  }
  return undefined;
}

export function* listUsage(tenant: string, links: readonly string[]): Steps<readonly UsageEntry[]> {
  return (yield* all(usagesOf, { tenant: yield* knownTenant(tenant), links })).map(usageOf);
}

export interface NewState {
  readonly root: string;
  /** JSON. */
  readonly state: string;
  readonly now: number;
}

export function* putState({ vault }: Tables, tenant: string, { root, state, now }: NewState): Steps<void> {
  const sealed = vault.sealText("state", state);
  yield* run(setState, { tenant: yield* writingTenant(tenant), root, state: sealed, now });
}

/** JSON by name; nothing of names that have no state. */
export function* getStates(
  { vault }: Tables,
  tenantName: string,
  roots: readonly string[],
): Steps<ReadonlyMap<string, string>> {
  const rows = yield* all(readStates, { tenant: yield* knownTenant(tenantName), roots });
  return new Map(rows.map(({ root, state }) => [root, vault.openText("state", state)]));
}
