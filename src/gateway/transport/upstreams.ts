/** The providers that requests go on to: known by name, chosen by path, header or route, never by a URL in a request. */
import { PrecisError } from "../../core/errors.ts";
import { VENDORS, type Vendor } from "../../core/protocols.ts";
import { vendors } from "../../protocols/registry.ts";
import type { UpstreamCaching } from "../models/caching.ts";
import type { ClientRequest } from "../contract.ts";
import { refuse, type Refused } from "./refusals.ts";
import { headerOf, splitTarget, vendorOf } from "./headers.ts";

export interface UpstreamSettings {
  /** An origin, or an origin and a base path; the path may end in `/v1`, which is not doubled. */
  readonly url: string;
  /** Whose routes it serves by itself; all of them where nothing is said. A vendor's name as the upstream's says the same. */
  readonly protocol?: Vendor;
  /** What it takes for its prompt cache, where its address and the model do not say. */
  readonly caching?: UpstreamCaching;
}

export interface Upstream {
  readonly name: string;
  readonly origin: string;
  /** Empty, or starts with a slash and does not end with one. */
  readonly basePath: string;
  readonly protocol: Vendor | undefined;
  readonly caching: UpstreamCaching;
}

export interface Destination {
  readonly upstream: Upstream;
  /** Path and query as the client meant them: without `/upstreams/NAME`. What a route is recognised by. */
  readonly target: string;
  /** Path and query on the upstream's origin. */
  readonly path: string;
}

export interface Upstreams {
  readonly all: readonly Upstream[];
  readonly pick: (client: Pick<ClientRequest, "target" | "headers">) => Destination | Refused;
}

const UPSTREAM_HEADER = "x-precis-upstream";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const VERSION_PATH = "/v1";

/** @throws PrecisError `upstream_settings` for a name or URL that cannot be one. */
export function createUpstreams(settings: Readonly<Record<string, UpstreamSettings>> = {}): Upstreams {
  const given = Object.entries(settings).map(([name, one]) => readUpstream(name, one));
  const defaults = Object.values(vendors).map(({ name, url }) => readUpstream(name, { url, protocol: name }));
  const all = [...given, ...defaults.filter(({ name }) => !Object.hasOwn(settings, name))];
  const byName = new Map(all.map((upstream) => [upstream.name, upstream]));
  const unknown = (client: Pick<ClientRequest, "target" | "headers">, name: string): Refused => ({
    refused: refuse(client, {
      status: 404,
      code: "unknown_upstream",
      message: `precis: there is no upstream called ${JSON.stringify(name.slice(0, 64))}.`,
      hint: `There are: ${[...byName.keys()].join(", ")}.`,
    }),
  });
  return {
    all,
    pick: (client) => {
      const { name = headerOf(client.headers, UPSTREAM_HEADER), target } = splitTarget(client.target);
      if (!target.startsWith("/")) return { refused: notAPath(client) };
      if (hasDotSegment(client.target)) return { refused: climbing(client) };
      const upstream = name === undefined ? byRoute(all, vendorOf(client)) : byName.get(name);
      if (upstream === undefined) return unknown(client, name ?? "");
      return { upstream, target, path: joined(upstream.basePath, target) };
    },
  };
}

/** The first that serves this vendor's routes. What was configured comes before the defaults. */
function byRoute(all: readonly Upstream[], vendor: Vendor): Upstream | undefined {
  return all.find(({ protocol }) => protocol === undefined || protocol === vendor);
}

function climbing(client: Pick<ClientRequest, "target" | "headers">): ReturnType<typeof refuse> {
  return refuse(client, {
    status: 400,
    code: "bad_target",
    message: "precis: the request's path has a part `.` or `..`, which would leave the upstream's base path.",
    hint: "Send the path without such parts.",
  });
}

function notAPath(client: Pick<ClientRequest, "target" | "headers">): ReturnType<typeof refuse> {
  return refuse(client, {
    status: 400,
    code: "bad_target",
    message: "precis: the request's target is not a path.",
    hint: "Use the gateway as a base URL, not as a forward proxy.",
  });
}

/** `/v1` is once, whether the base path, the target or both have it. */
function joined(basePath: string, target: string): string {
  if (!basePath.endsWith(VERSION_PATH) || !/^\/v1(?:[/?]|$)/.test(target)) return basePath + target;
  return basePath.slice(0, -VERSION_PATH.length) + target;
}

function readUpstream(name: string, { url, protocol, caching = "auto" }: UpstreamSettings): Upstream {
  if (!NAME.test(name)) throw wrong(name, "its name may only have letters, digits, dots, dashes and underscores");
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !["http:", "https:"].includes(parsed.protocol))
    throw wrong(name, "its url is not an http or https URL");
  if (parsed.username !== "" || parsed.password !== "") throw wrong(name, "its url contains a credential");
  if (parsed.search !== "" || parsed.hash !== "") throw wrong(name, "its url has a query or a fragment");
  if (hasDotSegment(parsed.pathname)) throw wrong(name, "its path has a part . or .., encoded");
  return {
    name,
    origin: parsed.origin,
    basePath: parsed.pathname.replace(/\/{1,64}$/, ""),
    protocol: protocol ?? VENDORS.find((vendor) => vendor === name),
    caching,
  };
}

function wrong(name: string, what: string): PrecisError {
  return new PrecisError(`Upstream ${JSON.stringify(name)} cannot be used: ${what}.`, {
    code: "upstream_settings",
    place: `gateway.upstreams.${name}`,
    hint: "Give it the provider's base URL, such as https://api.openai.com; keys come with the requests.",
  });
}

/** Nobody encodes a path more often by accident; more is refused where it counts. */
const DECODINGS_MAX = 8;
const ENCODED_PERCENT = /%(?:25)+/g;
const ENCODED_ASCII = /%([0-7][0-9a-f])/gi;
const SEPARATORS = /[/\\]/;
/** A part that is `.` or `..`, also with what some servers cut off a part, or leave out, before they look at it. */
const DOT_SEGMENT = /^\.{1,2}(?:[;?#]|$)/;

/** Undefined where it is encoded more often than anybody does. */
export function plainPath(target: string): string | undefined {
  let [path = ""] = target.split(/[?#]/, 1);
  for (let decodings = 0; decodings <= DECODINGS_MAX; decodings++) {
    const next = path
      .replace(ENCODED_PERCENT, "%")
      .replace(ENCODED_ASCII, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (next === path) return path;
    path = next;
  }
  return undefined;
}

/**
 * Whether a part of the path is `.` or `..` to any server that may read it. Servers resolve such parts, some after
 * they decode the path, and would leave the upstream's base path by them.
 */
function hasDotSegment(target: string): boolean {
  if (!target.includes(".") && !target.includes("%")) return false;
  const plain = plainPath(target);
  if (plain === undefined) return true;
  return plain
    .replace(/[\0-\x20]/g, "")
    .split(SEPARATORS)
    .some((segment) => DOT_SEGMENT.test(segment));
}
