/** What an operator can say of tenants: whose keys they are, and what each may take. */

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

export interface TenantSettings {
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
