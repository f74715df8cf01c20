/** What requests took, and plain data by name. */
import { fromTheEnd } from "../sql/chains.ts";
import { query } from "../sql/query.ts";
import {
  addUsage,
  readState,
  setState,
  sumUsage,
  totalsOf,
  usageArguments,
  usageOf,
  type UsageRow,
} from "../sql/usage.ts";
import type { UsageEntry, UsageTotals } from "../store.ts";
import type { Runner } from "./database.ts";
import { knownTenant, writingTenant } from "./tenants.ts";

const newestUsages = query<{ tenant: number; links: readonly string[] }, UsageRow>(`
  select distinct on (link) link, model, input, output, cache_read, cache_write, cost_usd, at from usages
  where tenant = :tenant and link = any(:links::text[])
  order by link, id desc`);

const usagesOf = query<{ tenant: number; links: readonly string[] }, UsageRow>(`
  select link, model, input, output, cache_read, cache_write, cost_usd, at from usages
  where tenant = :tenant and link = any(:links::text[])
  order by id`);

export async function putUsage(runner: Runner, tenant: string, usage: UsageEntry): Promise<void> {
  await runner.run(addUsage, usageArguments(await writingTenant(runner, tenant), usage));
}

export async function findUsage(
  runner: Runner,
  tenantName: string,
  links: readonly string[],
): Promise<UsageEntry | undefined> {
  const tenant = await knownTenant(runner, tenantName);
  for (const { batch } of fromTheEnd(links)) {
    const rows = await runner.all(newestUsages, { tenant, links: batch });
    const byLink = new Map(rows.map((row) => [row.link, row]));
    const link = rows.length === 0 ? undefined : batch.findLast((one) => byLink.has(one));
    if (link !== undefined) return usageOf(byLink.get(link)!);
  }
  return undefined;
}

export async function listUsage(
  runner: Runner,
  tenant: string,
  links: readonly string[],
): Promise<readonly UsageEntry[]> {
  return (await runner.all(usagesOf, { tenant: await knownTenant(runner, tenant), links })).map(usageOf);
}

export async function totalUsage(runner: Runner, tenant: string, since: number): Promise<UsageTotals> {
  return totalsOf((await runner.first(sumUsage, { tenant: await knownTenant(runner, tenant), since }))!);
}

export async function putState(
  runner: Runner,
  tenant: string,
  { root, state, now }: { readonly root: string; readonly state: unknown; readonly now: number },
): Promise<void> {
  const sealed = runner.vault.sealText("state", JSON.stringify(state));
  await runner.run(setState, { tenant: await writingTenant(runner, tenant), root, state: sealed, now });
}

export async function getState(runner: Runner, tenant: string, root: string): Promise<unknown> {
  const row = await runner.first(readState, { tenant: await knownTenant(runner, tenant), root });
  return row === undefined ? undefined : JSON.parse(runner.vault.openText("state", row.state));
}
