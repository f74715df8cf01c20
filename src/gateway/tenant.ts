/**
 * Whose history a request belongs to: one name for a machine of one's own, else a hash of the credential it came with.
 * Records of one tenant are never shown to another, and a credential is never kept.
 */
import { hash } from "node:crypto";
import type { HeaderLines } from "./contract.ts";

/** `auto`: one tenant on loopback, one a credential elsewhere. Bearer tokens that rotate make a new tenant each. */
export type TenantPolicy = "auto" | "per_key" | { readonly name: string };

const LOCAL_TENANT = "local";
const CREDENTIAL_HEADERS = new Set(["authorization", "x-api-key", "api-key", "x-goog-api-key"]);
/** Enough to tell tenants apart; too little to try keys against. */
const TENANT_HEX_DIGITS = 24;

export function tenantOf(headers: HeaderLines, policy: TenantPolicy, loopback: boolean): string {
  if (typeof policy === "object") return policy.name;
  if (policy === "auto" && loopback) return LOCAL_TENANT;
  const credentials = headers.filter(([name]) => CREDENTIAL_HEADERS.has(name.toLowerCase()));
  if (credentials.length === 0) return "anonymous";
  const told = credentials.map(([name, value]) => `${name.toLowerCase()}: ${value}`).sort();
  return hash("sha256", `precis tenant\n${told.join("\n")}`).slice(0, TENANT_HEX_DIGITS);
}
