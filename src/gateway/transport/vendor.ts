/** Whose words a request is in, as far as its route and headers tell: errors of ours are put in the same. */
import type { ClientRequest, HeaderLines } from "../contract.ts";

export type Vendor = "openai" | "anthropic";

const UPSTREAMS_PREFIX = "/upstreams/";

/** The value of the first header of that name, which is given in lower case. */
export function headerOf(headers: HeaderLines, name: string): string | undefined {
  return headers.find((line) => line[0].length === name.length && line[0].toLowerCase() === name)?.[1];
}

/** The target without `/upstreams/NAME`, and that name where it stands there. */
export function splitTarget(target: string): { readonly name: string | undefined; readonly target: string } {
  if (!target.startsWith(UPSTREAMS_PREFIX)) return { name: undefined, target };
  const rest = target.slice(UPSTREAMS_PREFIX.length);
  const end = rest.search(/[/?]/);
  if (end === -1) return { name: rest, target: "/" };
  return { name: rest.slice(0, end), target: rest[end] === "/" ? rest.slice(end) : `/${rest.slice(end)}` };
}

export function vendorOf(request: Pick<ClientRequest, "target" | "headers">): Vendor {
  const { target } = splitTarget(request.target);
  const messages = /^\/v1\/messages(?:[/?]|$)/.test(target);
  return messages || headerOf(request.headers, "anthropic-version") !== undefined ? "anthropic" : "openai";
}
