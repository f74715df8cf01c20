/** Whose words a request is in, as far as its route and headers tell: errors of ours are put in the same. */
import type { Vendor } from "../../core/protocols.ts";
import { vendors } from "../../protocols/registry.ts";
import type { ClientRequest, HeaderLines } from "../contract.ts";
import { pathOf } from "../routes.ts";

/** Whose servers are imitated most, so that its words are understood everywhere. */
export const FALLBACK: Vendor = "openai";
const others = Object.values(vendors).filter(({ name }) => name !== FALLBACK);

const UPSTREAMS_PREFIX = "/upstreams/";

/** The value of the first header of that name, which is given in lower case. */
export function headerOf(headers: HeaderLines, name: string): string | undefined {
  return headers.find((line) => line[0].length === name.length && line[0].toLowerCase() === name)?.[1];
}

/** The target without `/upstreams/NAME`, and that name where it is there. */
export function splitTarget(target: string): { readonly name: string | undefined; readonly target: string } {
  if (!target.startsWith(UPSTREAMS_PREFIX)) return { name: undefined, target };
  const rest = target.slice(UPSTREAMS_PREFIX.length);
  const end = rest.search(/[/?]/);
  if (end === -1) return { name: rest, target: "/" };
  return { name: rest.slice(0, end), target: rest[end] === "/" ? rest.slice(end) : `/${rest.slice(end)}` };
}

export function vendorOf(request: Pick<ClientRequest, "target" | "headers">): Vendor {
  const path = pathOf(splitTarget(request.target).target);
  const header = (name: string): string | undefined => headerOf(request.headers, name);
  return others.find(({ isAddressed }) => isAddressed(path, header))?.name ?? FALLBACK;
}
