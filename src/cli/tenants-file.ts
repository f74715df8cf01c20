/**
 * The tenants of `gateway.tenants_file`, read again when the file changes and on SIGHUP. A file that cannot be read stops a
 * gateway from starting; later on, the tenants stay as they were.
 */
import { readFileSync, watchFile } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { isMainThread } from "node:worker_threads";
import { readTenants, type TenantEntry, type TenantsFile } from "../config/tenants.ts";
import type { Configuration } from "../config/schema.ts";
import { PrecisError } from "../core/errors.ts";
import { reasonOf } from "../platform/system-errors.ts";
import type { GatewayOptions } from "../gateway/index.ts";
import type { TenantLimitSettings, TenantsConfiguration, TenantsSource } from "../gateway/tenants/directory.ts";
import type { Terminal } from "./terminal.ts";

/** Looked at so often: that also sees a file that is exchanged as a whole, as Kubernetes does. */
const LOOK_MS = 2_000;
const MEBIBYTE = 1024 * 1024;

/** Nothing where no file is configured. @throws PrecisError `bad_tenants`. */
export function configuredTenants(
  { gateway }: Pick<Configuration, "gateway">,
  { folder }: Pick<Terminal, "folder">,
): Pick<GatewayOptions, "tenants"> {
  return gateway.tenants_file === null ? {} : { tenants: openTenantsFile(gateway.tenants_file, folder) };
}

/** For as long as the process lives, which it does not keep alive. @throws PrecisError `bad_tenants`. */
function openTenantsFile(path: string, folder: string): TenantsSource {
  const file = isAbsolute(path) ? path : resolve(folder, path);
  let current = read(file);
  let problem: string | undefined;
  const reload = (): void => {
    try {
      current = read(file);
      problem = undefined;
    } catch (error) {
      problem = `${(error as PrecisError).message}; the tenants stay as they were`;
    }
  };
  watchFile(file, { interval: LOOK_MS, persistent: false }, reload);
  if (isMainThread) process.on("SIGHUP", reload);
  return { current: () => current, problem: () => problem };
}

function read(file: string): TenantsConfiguration {
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
  return configurationOf(readTenants(text, file));
}

function configurationOf({ others, tenants }: TenantsFile): TenantsConfiguration {
  const all = Object.entries(tenants).map(([name, entry]) => {
    const keys = entry.keys.map((key) => key.toLowerCase().replace("sha256:", ""));
    return [name, { keys, limits: limitsOf(entry) }] as const;
  });
  return { others, tenants: Object.fromEntries(all) };
}

/** What is `null` has no limit, whatever holds for everybody. */
function limitsOf(entry: TenantEntry): TenantLimitSettings {
  const { requests_per_minute: minute, requests_at_once: atOnce, store_mb: store, summaries_usd_per_day: usd } = entry;
  return {
    ...(minute === undefined ? {} : { requestsPerMinute: limitOf(minute) }),
    ...(atOnce === undefined ? {} : { requestsAtOnce: limitOf(atOnce) }),
    ...(store === undefined ? {} : { storedBytes: limitOf(store, MEBIBYTE) }),
    ...(usd === undefined ? {} : { summariesUsdPerDay: limitOf(usd) }),
  };
}

function limitOf(given: number | null, unit = 1): number {
  return given === null ? Infinity : given * unit;
}
