/**
 * Who may call a gateway that has no password of its own. A program on this machine may; a web page that somebody visits
 * may not: it could write into conversations (a cross-site request), or read answers after its name was made to point
 * at this machine (DNS rebinding).
 */
import { isLoopback } from "../../config/locate.ts";
import type { ClientRequest, HeaderLines } from "../contract.ts";
import type { Refusal } from "./refusals.ts";
import { headerOf } from "./headers.ts";

export interface CallersAllowed {
  /** True where only this machine can reach the gateway: its name is then one of this machine's, or an allowed one. */
  readonly loopback: boolean;
  /** Further names by which it is called, and sites whose pages may call it: `host`, or `host:port`. */
  readonly allowedHosts: readonly string[];
}

/** What containers call the machine that they run on. Nobody can own these names on the internet. */
const CONTAINER_HOSTS: readonly string[] = ["host.docker.internal", "host.containers.internal"];

/** What a page of another site can send without asking first (https://fetch.spec.whatwg.org/#cors-safelisted-request-header). */
const SIMPLE_CONTENT = /^(?:text\/plain|application\/x-www-form-urlencoded|multipart\/form-data)/i;
const BROWSER = /^Mozilla\//;

/** What proxies add to what they pass on (RFC 7239, RFC 9110 7.6.3, and what was usual before). */
const PASSED_ON =
  /^(?:forwarded|via|x-forwarded(?:-[a-z-]+)?|x-real-ip|(?:x-client|x-cluster-client|true-client|cf-connecting)-ip)$/;

type CallerRequest = Pick<ClientRequest, "method" | "headers">;

/** Whether the name is another machine's. */
export function isForeignName(host: string): boolean {
  return !isLoopback(withoutPort(host)) && !isListed(host, CONTAINER_HOSTS);
}

/** Whether a request may come from another machine although it reached a port of this one: a proxy beside the gateway sent it. */
export function isPassedOn(headers: HeaderLines): boolean {
  return headers.some(([line, value]) => {
    const name = line.toLowerCase();
    return name === "host" ? isForeignName(value.toLowerCase()) : PASSED_ON.test(name);
  });
}

/** Why a request is refused before it is looked at; undefined for one that may pass. */
export function callerRefusal(client: CallerRequest, allowed: CallersAllowed): Refusal | undefined {
  const host = headerOf(client.headers, "host")?.toLowerCase();
  if (host !== undefined && !isOwnHost(host, allowed)) return FOREIGN_HOST;
  if (isCrossSite(client, host, allowed)) return FOREIGN_ORIGIN;
  return isFormOfBrowser(client) ? JSON_NEEDED : undefined;
}

function isOwnHost(host: string, { loopback, allowedHosts }: CallersAllowed): boolean {
  // Elsewhere a gateway has names that only its operator knows: they count once they are listed.
  if (!loopback && allowedHosts.length === 0) return true;
  return !isForeignName(host) || isListed(host, allowedHosts);
}

/** `Origin` comes with whatever a page sends that could matter; `Sec-Fetch-Site` also with what it only embeds. */
function isCrossSite({ headers }: CallerRequest, host: string | undefined, { allowedHosts }: CallersAllowed): boolean {
  const origin = headerOf(headers, "origin")?.toLowerCase();
  if (origin !== undefined) {
    const from = URL.canParse(origin) ? new URL(origin).host : "";
    return from === "" || (from !== host && !isListed(from, allowedHosts));
  }
  const site = headerOf(headers, "sec-fetch-site")?.toLowerCase();
  return site === "cross-site" || site === "same-site";
}

function isFormOfBrowser({ method, headers }: CallerRequest): boolean {
  return (
    method === "POST" &&
    SIMPLE_CONTENT.test(headerOf(headers, "content-type") ?? "text/plain") &&
    (headerOf(headers, "sec-fetch-site") !== undefined || BROWSER.test(headerOf(headers, "user-agent") ?? ""))
  );
}

function isListed(host: string, names: readonly string[]): boolean {
  const bare = withoutPort(host);
  return names.some((name) => name.toLowerCase() === host || name.toLowerCase() === bare);
}

function withoutPort(host: string): string {
  return host.replace(/:\d{1,5}$/, "");
}

const FOREIGN_HOST: Refusal = {
  status: 403,
  code: "foreign_host",
  message: "precis: the gateway does not accept the name in this request's Host header.",
  hint: "Use the address that `precis serve` printed, or add the name to gateway.allowed_hosts.",
};

const FOREIGN_ORIGIN: Refusal = {
  status: 403,
  code: "foreign_origin",
  message: "precis: a web page of another site may not use the gateway.",
  hint: "To let pages of a site use it, add its host to gateway.allowed_hosts.",
};

const JSON_NEEDED: Refusal = {
  status: 415,
  code: "json_needed",
  message: "precis: a request from a browser needs the content type application/json.",
  hint: "Send content-type: application/json.",
};
