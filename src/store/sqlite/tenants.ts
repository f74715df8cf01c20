/** Tenants by name. What is read of an unknown one is empty; the first write makes it known. */
import type { TenantEntry } from "../store.ts";
import { query, type Runner } from "./query.ts";

const addTenant = query<{ name: string }>("addTenant")((db, arg) =>
  db
    .insertInto("tenants")
    .values({ name: arg("name") })
    .onConflict((conflict) => conflict.column("name").doNothing()),
);
const findTenant = query<{ name: string }>("findTenant")((db, arg) =>
  db.selectFrom("tenants").select("id").where("name", "=", arg("name")),
);

const tenantsWithSessions = query("tenantsWithSessions")((db) =>
  db
    .selectFrom("tenants")
    .innerJoin("sessions", "sessions.tenant", "tenants.id")
    .select(({ fn }) => [
      "tenants.name as tenant",
      fn.countAll<number>().as("sessions"),
      fn.max("sessions.updated_at").as("updatedAt"),
    ])
    .groupBy("tenants.id")
    .orderBy("updatedAt", "desc"),
);

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
