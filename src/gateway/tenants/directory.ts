/** Who a request's tenant is and what it may take, by a configuration that may change at any time. */
import { hash } from "node:crypto";
import type { ClientRequest, EmitEvent } from "../contract.ts";
import { refuse, type Refused } from "../transport/refusals.ts";
import {
  credentialsOf,
  OWN_KEY,
  OWN_KEY_CHARS_MIN,
  ownerOf,
  tellingOf,
  type Owner,
  type TenantRules,
} from "./owner.ts";

export interface TenantDirectory {
  readonly ownerOf: (client: Pick<ClientRequest, "headers" | "target">, rules: TenantRules) => Owner | Refused;
  readonly limitsOf: (tenant: string) => TenantLimitSettings;
}

interface DirectoryParts {
  /** Where not given, every tenant is made by the policy for all. */
  readonly source?: TenantsSource | undefined;
  /** For every tenant that has none of its own. */
  readonly limits: TenantLimitSettings;
  readonly onEvent: EmitEvent;
}

const SCHEME = /^(?:bearer|basic)\s+/i;

export function createTenantDirectory({ source, limits, onEvent }: DirectoryParts): TenantDirectory {
  let known: TenantsConfiguration | undefined;
  let byKey = new Map<string, string>();
  let problem: string | undefined;
  const current = (): TenantsConfiguration | undefined => {
    const now = source?.current();
    if (now !== known && now !== undefined) byKey = namesByKey(now);
    known = now;
    const newest = source?.problem();
    if (newest !== undefined && newest !== problem)
      onEvent({ kind: "notice", code: "tenants_unchanged", tenant: "", message: newest });
    problem = newest;
    return now;
  };
  return {
    ownerOf: (client, rules) => {
      const configuration = current();
      const credentials = tellingOf(credentialsOf(client, rules.credentialNames));
      for (const { value } of configuration === undefined ? [] : credentials) {
        const tenant = byKey.get(hash("sha256", value.trim().replace(SCHEME, "")));
        if (tenant !== undefined) return { tenant, isolated: false };
      }
      if (configuration?.others === "refuse") return { refused: unknownKey(client) };
      const isShort = credentials.some(
        ({ name, value }) => name === OWN_KEY && value.trim().length < OWN_KEY_CHARS_MIN,
      );
      return isShort ? { refused: shortKey(client) } : ownerOf(client, rules);
    },
    limitsOf: (tenant) => {
      const { tenants = {} } = current() ?? {};
      return Object.hasOwn(tenants, tenant) ? { ...limits, ...tenants[tenant]?.limits } : limits;
    },
  };
}

function namesByKey({ tenants }: TenantsConfiguration): Map<string, string> {
  return new Map(Object.entries(tenants).flatMap(([name, { keys }]) => keys.map((key) => [key.toLowerCase(), name])));
}

function shortKey(client: Pick<ClientRequest, "headers" | "target">): Refused["refused"] {
  return refuse(client, {
    status: 401,
    code: "short_key",
    message: `precis: the value of ${OWN_KEY} has less than ${OWN_KEY_CHARS_MIN} characters, and could be guessed.`,
    hint: "Make one with `openssl rand -hex 32`.",
  });
}

function unknownKey(client: Pick<ClientRequest, "headers" | "target">): Refused["refused"] {
  return refuse(client, {
    status: 401,
    code: "unknown_key",
    message: "precis: this key belongs to no tenant of the gateway.",
    hint: "Ask the gateway's operator to add it (gateway.tenants_file).",
  });
}

/** What one tenant may take. */
export interface TenantLimitSettings {
  /** A burst may take a minute's worth at once. No limit where not given. */
  readonly requestsPerMinute?: number;
  /** Requests under way, streams until their end. No limit where not given. */
  readonly requestsAtOnce?: number;
  /** Above it nothing new of the tenant is stored, and its requests go on. No limit where not given. */
  readonly storedBytes?: number;
  /** Above it code writes its handoffs until the day is over (UTC). No limit where not given. */
  readonly summariesUsdPerDay?: number;
}

interface TenantSettings {
  /** SHA-256 of the keys that its clients send, as 64 hexadecimal digits: the key itself, without `Bearer`. */
  readonly keys: readonly string[];
  /** In place of those for everybody. */
  readonly limits: TenantLimitSettings;
}

export interface TenantsConfiguration {
  readonly tenants: Readonly<Record<string, TenantSettings>>;
  /** What becomes of a key that is nobody's: `allow` makes a tenant of it as the policy for all says, `refuse` answers with a 401. */
  readonly others: "allow" | "refuse";
}

/** A configuration that may change while the gateway runs. */
export interface TenantsSource {
  /** The same object as long as nothing changes. */
  readonly current: () => TenantsConfiguration;
  /** Why a change was not adopted; undefined where the newest one was. */
  readonly problem: () => string | undefined;
}
