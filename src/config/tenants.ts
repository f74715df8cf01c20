/** The file of tenants: whose keys they are, and what each may take. Read again when it changes, so it is a file of its own. */
import { parse } from "yaml";
import { z } from "zod";
import { PrecisError } from "../core/errors.ts";
import { shown } from "./shown.ts";

/** Names of ours, and what looks like a tenant that is named after its key. */
const OWN_NAME = /^(?:local|anonymous|[0-9a-f]{24})$/;
const NAME = /^[A-Za-z0-9_.@-]{1,64}$/;
const KEY = /^(?:sha256:)?[0-9a-f]{64}$/i;
const TENANTS_MAX = 10_000;

const tenant = z.strictObject({
  keys: z.array(z.string().regex(KEY)).max(1_000),
  requests_per_minute: z.int().min(1).nullable().optional(),
  requests_at_once: z.int().min(1).nullable().optional(),
  store_mb: z.int().min(1).nullable().optional(),
  summaries_usd_per_day: z.number().min(0).nullable().optional(),
});

const file = z.strictObject({
  others: z.enum(["allow", "refuse"]).default("allow"),
  tenants: z
    .record(z.string().regex(NAME), tenant)
    .refine((all) => Object.keys(all).length <= TENANTS_MAX, `more than ${TENANTS_MAX} tenants`),
});

export type TenantsFile = z.infer<typeof file>;
export type TenantEntry = z.infer<typeof tenant>;

/** @throws PrecisError `bad_tenants` with the place, and no key. */
export function readTenants(text: string, place: string): TenantsFile {
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    throw badTenants(place, "it is not valid YAML");
  }
  const read = file.safeParse(value);
  if (!read.success) throw badTenants(place, problemIn(read.error, value));
  const names = Object.keys(read.data.tenants);
  const own = names.find((name) => OWN_NAME.test(name));
  if (own !== undefined) throw badTenants(place, `a tenant cannot be called ${shown(own)}`);
  const keys = Object.entries(read.data.tenants).flatMap(([name, { keys: of }]) =>
    of.map((key) => [key.toLowerCase().replace("sha256:", ""), name] as const),
  );
  const twice = keys.find(([key], at) => keys.findIndex(([other]) => other === key) < at);
  if (twice !== undefined) throw badTenants(place, `a key of ${shown(twice[1])} is there twice`);
  return read.data;
}

/** A key may have been written in place of its hash: no value is repeated. */
function problemIn({ issues: [issue] }: z.ZodError, value: unknown): string {
  if (typeof value !== "object" || value === null) return "it has no `tenants`";
  const path = issue?.path.map(String).join(".") ?? "";
  return path.includes(".keys.")
    ? `\`${path}\` is no SHA-256 of a key (64 hexadecimal digits)`
    : `\`${path === "" ? "it" : path}\`: ${issue?.message ?? "it is wrong"}`;
}

function badTenants(place: string, what: string): PrecisError {
  return new PrecisError(`the file of tenants cannot be used: ${what}`, {
    code: "bad_tenants",
    place,
    hint: "Correct it (docs/tenants.md); the gateway reads it again by itself.",
  });
}
