/** Tenants by name. What is read of an unknown one is empty; the first write makes it known. */
import { addTenant, findTenant } from "../sql/tenants.ts";
import type { Runner } from "./database.ts";

const UNKNOWN_TENANT = 0;

export async function knownTenant(runner: Runner, name: string): Promise<number> {
  return (await runner.first(findTenant, { name }))?.id ?? UNKNOWN_TENANT;
}

export async function writingTenant(runner: Runner, name: string): Promise<number> {
  const known = await knownTenant(runner, name);
  if (known !== UNKNOWN_TENANT) return known;
  await runner.run(addTenant, { name });
  return knownTenant(runner, name);
}
