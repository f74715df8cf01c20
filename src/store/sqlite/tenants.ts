/** Tenants by name. What is read of an unknown one is empty; the first write makes it known. */
import type { TenantEntry } from "../store.ts";
import { addTenant, findTenant, tenantOf, tenantsWithSessions } from "../sql/tenants.ts";
import type { Runner } from "./query.ts";

const UNKNOWN_TENANT = 0;

export function knownTenant(runner: Runner, name: string): number {
  return runner.first(findTenant, { name })?.id ?? UNKNOWN_TENANT;
}

export function writingTenant(runner: Runner, name: string): number {
  const known = knownTenant(runner, name);
  return known === UNKNOWN_TENANT ? runner.run(addTenant, { name }).id : known;
}

export function listTenants(runner: Runner): readonly TenantEntry[] {
  return runner.all(tenantsWithSessions, {}).map(tenantOf);
}
