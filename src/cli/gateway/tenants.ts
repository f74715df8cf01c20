/**
 * The tenants of `gateway.tenants_file`: whose keys they are, and what each may take. The file is read again when it changes and
 * on SIGHUP; one that cannot be read stops a gateway from starting, and later changes nothing.
 */
import { readFileSync, watchFile } from "node:fs";
import { resolve } from "node:path";
import { isMainThread } from "node:worker_threads";
import type { Configuration } from "../../config/schema.ts";
import { PrecisError } from "../../core/errors.ts";
import { reasonOf } from "../../platform/system-errors.ts";
import type { GatewayOptions } from "../../gateway/index.ts";
import type { TenantLimitSettings, TenantsConfiguration, TenantsSource } from "../../gateway/tenants/directory.ts";
import type { Terminal } from "../screen/terminal.ts";
import { parse } from "yaml";
import { z } from "zod";
import { shown } from "../../config/problems.ts";

/** Looked at so often: that also sees a file that is exchanged as a whole, as Kubernetes does. */
const LOOK_MS = 2_000;
const MEBIBYTE = 1024 * 1024;

/** Nothing where no file is configured. @throws PrecisError `bad_tenants`. */
export function configuredTenants(
  { gateway }: Pick<Configuration, "gateway">,
  { folder }: Pick<Terminal, "folder">,
): Pick<GatewayOptions, "tenants" | "tenantLimits"> {
  if (gateway.tenants_file === null) return {};
  const file = resolve(folder, gateway.tenants_file);
  return { tenants: watchTenants(file), tenantLimits: toLimits(readFile(file).limits) };
}

/** For as long as the process lives, which it does not keep alive. @throws PrecisError `bad_tenants`. */
function watchTenants(file: string): TenantsSource {
  let current = toTenants(readFile(file));
  let problem: string | undefined;
  const reload = (): void => {
    try {
      current = toTenants(readFile(file));
      problem = undefined;
    } catch (error) {
      problem = `${(error as PrecisError).message}; the tenants stay as they were`;
    }
  };
  watchFile(file, { interval: LOOK_MS, persistent: false }, reload);
  if (isMainThread) process.on("SIGHUP", reload);
  return { current: () => current, problem: () => problem };
}

function readFile(file: string): TenantsFile {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new PrecisError(`the file of tenants cannot be read: ${reasonOf(cause)}`, {
      code: "bad_tenants",
      place: file,
      hint: "Check gateway.tenants_file and the permissions of the file.",
      cause,
    });
  }
  return readTenants(text, file);
}

function toTenants({ others, tenants }: TenantsFile): TenantsConfiguration {
  const all = Object.entries(tenants).map(([name, entry]) => {
    const keys = entry.keys.map((key) => key.toLowerCase().replace("sha256:", ""));
    return [name, { keys, limits: toLimits(entry) }] as const;
  });
  return { others, tenants: Object.fromEntries(all) };
}

/** What is `null` has no limit, whatever holds for everybody. */
function toLimits(entry: TenantLimits): TenantLimitSettings {
  const { requests_per_minute: minute, requests_at_once: atOnce, store_mb: store, summaries_usd_per_day: usd } = entry;
  return {
    ...(minute === undefined ? {} : { requestsPerMinute: toLimit(minute) }),
    ...(atOnce === undefined ? {} : { requestsAtOnce: toLimit(atOnce) }),
    ...(store === undefined ? {} : { storedBytes: toLimit(store, MEBIBYTE) }),
    ...(usd === undefined ? {} : { summariesUsdPerDay: toLimit(usd) }),
  };
}

function toLimit(given: number | null, unit = 1): number {
  return given === null ? Infinity : given * unit;
}

/** Names of ours, and what looks like a tenant that is named after its key. */
const OWN_NAME = /^(?:local|anonymous|[0-9a-f]{24})$/;
const NAME = /^[A-Za-z0-9_.@-]{1,64}$/;
const KEY = /^(?:sha256:)?[0-9a-f]{64}$/i;
const TENANTS_MAX = 10_000;

const limits = z.strictObject({
  requests_per_minute: z.int().min(1).nullable().optional(),
  requests_at_once: z.int().min(1).nullable().optional(),
  store_mb: z.int().min(1).nullable().optional(),
  summaries_usd_per_day: z.number().min(0).nullable().optional(),
});

const tenant = limits.extend({ keys: z.array(z.string().regex(KEY)).max(1_000) });

const file = z.strictObject({
  others: z.enum(["allow", "refuse"]).default("allow"),
  /** What each tenant may take that has no limits of its own. A change holds from the next start on. */
  limits: limits.default({}),
  tenants: z
    .record(z.string().regex(NAME), tenant)
    .refine((all) => Object.keys(all).length <= TENANTS_MAX, `more than ${TENANTS_MAX} tenants`),
});

type TenantsFile = z.infer<typeof file>;
type TenantLimits = z.infer<typeof limits>;

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
