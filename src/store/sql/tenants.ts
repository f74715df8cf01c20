/** Tenants by name. What is read of an unknown one is empty; the first write makes it known. */
import type { TenantEntry } from "../store.ts";
import { query } from "./query.ts";
import { all, first, run, type Steps } from "./steps.ts";

const UNKNOWN_TENANT = 0;

const addTenant = query<{ name: string }>(`insert into tenants (name) values (:name) on conflict (name) do nothing`);
/** Nothing deletes tenants. */
const findTenant = {
  ...query<{ name: string }, { id: number }>(`select id from tenants where name = :name`),
  lasting: true,
} as const;

const tenantsWithSessions = query<object, { tenant: string; sessions: number; updatedAt: number }>(`
  select tenants.name as tenant, count(*) as sessions, max(sessions.updated_at) as "updatedAt"
  from tenants
  join sessions on sessions.tenant = tenants.id
  group by tenants.id
  order by "updatedAt" desc`);

export function* knownTenant(name: string): Steps<number> {
  return (yield* first(findTenant, { name }))?.id ?? UNKNOWN_TENANT;
}

export function* writingTenant(name: string): Steps<number> {
  const known = yield* knownTenant(name);
  if (known !== UNKNOWN_TENANT) return known;
  yield* run(addTenant, { name });
  return yield* knownTenant(name);
}

export function* listTenants(): Steps<readonly TenantEntry[]> {
  return (yield* all(tenantsWithSessions, {})).map(({ tenant, sessions, updatedAt }) => ({
    tenant,
    sessions,
    updatedAt,
  }));
}
