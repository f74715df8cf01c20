/**
 * Whose history a request belongs to: one name for a machine of one's own, else a hash of the credentials it came with.
 * Records of one tenant are never shown to another, and a credential is never kept.
 */
import { hash } from "node:crypto";
import type { ClientRequest } from "../contract.ts";

/** `auto`: one tenant for what comes from this machine, one a credential elsewhere. */
export type TenantPolicy = "auto" | "per_key" | { readonly name: string };

export interface TenantRules {
  readonly policy: TenantPolicy;
  /** Whether the request comes from this machine for sure. */
  readonly loopback: boolean;
  /** Headers and query parameters of the operator's that hold a credential, beside those that are known. */
  readonly credentialNames?: readonly string[] | undefined;
}

export interface Owner {
  readonly tenant: string;
  /** The request does not say who sends it, so it shares nothing with other requests. */
  readonly isolated: boolean;
}

const LOCAL_TENANT = "local";
const ANONYMOUS_TENANT = "anonymous";
/** Enough to tell tenants apart; too little to try keys against. */
const TENANT_HEX_DIGITS = 24;
const NAMED_BY_KEY = new RegExp(`^[0-9a-f]{${TENANT_HEX_DIGITS}}$`);

/**
 * The name of a header or a query parameter that holds a credential: `authorization`, `x-api-key`, `api-key`,
 * `x-goog-api-key`, `key`, `ocp-apim-subscription-key`, `cf-aig-authorization`, `access_token` and whatever else ends so.
 * To take too much for one costs a tenant its history; to take too little would give it to another.
 */
const CREDENTIAL_NAME =
  /(?:^|[-_.]|api|access|auth|subscription)(?:key|token|auth|authorization|secret|credentials?|password|signature|jwt)$/;
/** Names that end so and say nothing of who asks; what they hold may differ with every request. */
const NO_CREDENTIALS: ReadonlySet<string> = new Set([
  "idempotency-key",
  "x-idempotency-key",
  "x-csrf-token",
  "x-xsrf-token",
  "sec-websocket-key",
  "proxy-authorization",
]);

export function ownerOf(request: Pick<ClientRequest, "headers" | "target">, rules: TenantRules): Owner {
  const { policy, loopback, credentialNames = [] } = rules;
  if (typeof policy === "object") return { tenant: policy.name, isolated: false };
  if (policy === "auto" && loopback) return { tenant: LOCAL_TENANT, isolated: false };
  const found = tellingOf(credentialsOf(request, credentialNames))
    .map(({ place, name, value }) => JSON.stringify([place, name, value]))
    .sort();
  if (found.length === 0) return { tenant: ANONYMOUS_TENANT, isolated: true };
  const digest = hash("sha256", `precis tenant\n${found.join("\n")}`);
  return { tenant: digest.slice(0, TENANT_HEX_DIGITS), isolated: false };
}

/** Whether a tenant is nothing but a key that some client sent. */
export function isNamedByKey(tenant: string): boolean {
  return NAMED_BY_KEY.test(tenant);
}

/**
 * The key of the gateway's own, which stays as it is while an account's tokens rotate. It goes to no provider, so that
 * nobody else has checked it: it must be long.
 */
export const OWN_KEY = "x-precis-key";
export const OWN_KEY_CHARS_MIN = 32;

/** Where there is a key of the gateway's own, it alone says whose a request is. */
export function tellingOf(credentials: readonly Credential[]): readonly Credential[] {
  const own = credentials.filter(({ place, name }) => place === "header" && name === OWN_KEY);
  return own.length > 0 ? own : credentials;
}

interface Credential {
  readonly place: string;
  readonly name: string;
  readonly value: string;
}

/** Of a request's headers and query; `own` are names beside those that are known. */
export function credentialsOf(
  request: Pick<ClientRequest, "headers" | "target">,
  own: readonly string[] = [],
): readonly Credential[] {
  const names = new Set(own.map((name) => name.toLowerCase()));
  return [...lowercased("header", request.headers), ...lowercased("query", parseQuery(request.target))].filter(
    ({ name, value }) => value.trim() !== "" && (names.has(name) || isCredential(name)),
  );
}

function isCredential(name: string): boolean {
  return CREDENTIAL_NAME.test(name) && !NO_CREDENTIALS.has(name);
}

function parseQuery(target: string): Iterable<readonly [string, string]> {
  const at = target.indexOf("?");
  return at < 0 ? [] : new URLSearchParams(target.slice(at + 1));
}

function lowercased(place: string, lines: Iterable<readonly [string, string]>) {
  return Array.from(lines, ([name, value]) => ({ place, name: name.toLowerCase(), value }));
}
