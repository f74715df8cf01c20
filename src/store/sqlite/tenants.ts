/** Tenants by name. What is read of an unknown one is empty; the first write makes it known. */
import type { TenantEntry } from "../store.ts";
import { query, type Runner } from "./query.ts";

const addTenant = query<{ name: string }>(`insert into tenants (name) values (:name) on conflict (name) do nothing`);
const findTenant = query<{ name: string }, { id: number }>(`select id from tenants where name = :name`);

const tenantsWithSessions = query<object, { tenant: string; sessions: number; updatedAt: number }>(`
  select tenants.name as tenant, count(*) as sessions, max(sessions.updated_at) as updatedAt
  from tenants
  join sessions on sessions.tenant = tenants.id
  group by tenants.id
  order by updatedAt desc`);

const UNKNOWN_TENANT = 0;

export function knownTenant(runner: Runner, name: string): number {
  return runner.first(findTenant, { name })?.id ?? UNKNOWN_TENANT;
}

export function writingTenant(runner: Runner, name: string): number {
  const known = knownTenant(runner, name);
  return known === UNKNOWN_TENANT ? runner.run(addTenant, { name }).id : known;
}

export function listTenants(runner: Runner): readonly TenantEntry[] {
  return runner
    .all(tenantsWithSessions, {})
    .map(({ tenant, sessions, updatedAt }) => ({ tenant, sessions, updatedAt }));
}
