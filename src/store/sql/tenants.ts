/** Tenants by name, and those that have a session. */
import type { TenantEntry } from "../store.ts";
import { query } from "./query.ts";

export const addTenant = query<{ name: string }>(
  `insert into tenants (name) values (:name) on conflict (name) do nothing`,
);
export const findTenant = query<{ name: string }, { id: number }>(`select id from tenants where name = :name`);

export const tenantsWithSessions = query<object, { tenant: string; sessions: number; updatedAt: number }>(`
  select tenants.name as tenant, count(*) as sessions, max(sessions.updated_at) as "updatedAt"
  from tenants
  join sessions on sessions.tenant = tenants.id
  group by tenants.id
  order by "updatedAt" desc`);

export function tenantOf({ tenant, sessions, updatedAt }: TenantEntry): TenantEntry {
  return { tenant, sessions, updatedAt };
}
