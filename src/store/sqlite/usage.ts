/** What requests took, and the counters that live with a chain's root. */
import type { UsageEntry, UsageTotals } from "../store.ts";
import { fromTheEnd } from "../sql/chains.ts";
import { query } from "../sql/query.ts";
import {
  addUsage,
  readState,
  readUsage,
  setState,
  sumUsage,
  totalsOf,
  usageArguments,
  usageOf,
  type UsageRow,
} from "../sql/usage.ts";
import type { Runner } from "./query.ts";
import { knownTenant, writingTenant } from "./tenants.ts";

const newestUsages = query<{ tenant: number; links: string }, { link: string; id: number }>(`
  select usages.link, max(usages.id) as id from json_each(:links) wanted
  cross join usages
  where usages.tenant = :tenant and usages.link = wanted.value
  group by usages.link`);

const usagesOf = query<{ tenant: number; links: string }, UsageRow>(`
  select usages.link, model, input, output, cache_read, cache_write, cost_usd, at
  from json_each(:links) wanted cross join usages
  where usages.tenant = :tenant and usages.link = wanted.value
  order by usages.id`);

export function putUsage(runner: Runner, tenant: string, usage: UsageEntry): void {
  runner.run(addUsage, usageArguments(writingTenant(runner, tenant), usage));
}

export function findUsage(runner: Runner, tenantName: string, links: readonly string[]): UsageEntry | undefined {
  const tenant = knownTenant(runner, tenantName);
  for (const { batch } of fromTheEnd(links)) {
    const rows = runner.all(newestUsages, { tenant, links: JSON.stringify(batch) });
    const byLink = new Map(rows.map(({ link, id }) => [link, id]));
    const link = rows.length === 0 ? undefined : batch.findLast((one) => byLink.has(one));
    if (link !== undefined) return usageOf(runner.first(readUsage, { id: byLink.get(link)! })!);
  }
  return undefined;
}

export function listUsage(runner: Runner, tenantName: string, links: readonly string[]): readonly UsageEntry[] {
  const rows = runner.all(usagesOf, { tenant: knownTenant(runner, tenantName), links: JSON.stringify(links) });
  return rows.map(usageOf);
}

export function totalUsage(runner: Runner, tenant: string, since: number): UsageTotals {
  return totalsOf(runner.first(sumUsage, { tenant: knownTenant(runner, tenant), since })!);
}

export function putState(runner: Runner, tenant: string, args: { root: string; state: string; now: number }): void {
  const state = runner.vault.sealText("state", args.state);
  runner.run(setState, { ...args, state, tenant: writingTenant(runner, tenant) });
}

export function getState(runner: Runner, tenant: string, root: string): string | undefined {
  const row = runner.first(readState, { tenant: knownTenant(runner, tenant), root });
  return row === undefined ? undefined : runner.vault.openText("state", row.state);
}
