/** What requests took, and the counters that live with a chain's root. */
import type { UsageEntry, UsageTotals } from "../store.ts";
import { fromTheEnd } from "./chains.ts";
import { eachOf, query, type Runner } from "./query.ts";
import { knownTenant, writingTenant } from "./tenants.ts";

const addUsage = query<{ tenant: number; costUsd: number | null } & Omit<UsageEntry, "costUsd">>("addUsage")(
  (db, arg) =>
    db.insertInto("usages").values({
      tenant: arg("tenant"),
      link: arg("link"),
      model: arg("model"),
      input: arg("input"),
      output: arg("output"),
      cache_read: arg("cacheRead"),
      cache_write: arg("cacheWrite"),
      cost_usd: arg("costUsd"),
      at: arg("at"),
    }),
);

const newestUsages = query<{ tenant: number; links: string }>("newestUsages")((db, arg, sql) =>
  db
    .selectFrom(eachOf(sql, arg("links")))
    .crossJoin("usages")
    .select(["usages.link", ({ fn }) => fn.max("usages.id").as("id")])
    .where("usages.tenant", "=", arg("tenant"))
    .whereRef("usages.link", "=", "wanted.value")
    .groupBy("usages.link"),
);

const readUsage = query<{ id: number }>("readUsage")((db, arg) =>
  db.selectFrom("usages").selectAll().where("id", "=", arg("id")),
);

const sumUsage = query<{ tenant: number; since: number }>("sumUsage")((db, arg) =>
  db
    .selectFrom("usages")
    .select(({ fn }) => [
      fn.countAll<number>().as("requests"),
      fn.sum<number>("input").as("input"),
      fn.sum<number>("output").as("output"),
      fn.sum<number>("cache_read").as("cacheRead"),
      fn.sum<number>("cache_write").as("cacheWrite"),
      fn.sum<number>("cost_usd").as("costUsd"),
    ])
    .where("tenant", "=", arg("tenant"))
    .where("at", ">=", arg("since")),
);

const setState = query<{ tenant: number; root: string; state: string; now: number }>("setState")((db, arg) =>
  db
    .insertInto("states")
    .values({ tenant: arg("tenant"), root: arg("root"), state: arg("state"), updated_at: arg("now") })
    .onConflict((conflict) =>
      conflict.columns(["tenant", "root"]).doUpdateSet({ state: arg("state"), updated_at: arg("now") }),
    ),
);

const readState = query<{ tenant: number; root: string }>("readState")((db, arg) =>
  db.selectFrom("states").select("state").where("tenant", "=", arg("tenant")).where("root", "=", arg("root")),
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
