/** Which header lines go on to the provider, and which come back: order, case and repetition stay as they were. */
import type { HeaderLines, ClientRequest } from "../contract.ts";
import type { Vendor } from "../../core/protocols.ts";
import { vendors } from "../../protocols/registry.ts";
import { pathOf } from "../request/routes.ts";

/** About one connection, not about the message (RFC 9110, 7.6.1); `http2-settings` and two older ones included. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
]);

/** Set by whoever sends: the provider's own name, and a handshake that is over once the body is here. */
const OF_THE_SENDER: ReadonlySet<string> = new Set(["host", "expect"]);

/** Called with the body as it came. */
const OF_THE_BODY: ReadonlySet<string> = new Set(["content-length", "content-encoding", "content-md5", "digest"]);

/** All that is ours, between a client and this gateway: `x-precis` itself, and whatever begins so. */
const OWN_PREFIX = "x-precis";

/** Of a request that goes on with its body as it came, or with another one. */
export function onwardHeaders(headers: HeaderLines, body: "same" | "rewritten"): HeaderLines {
  const named = namedByConnection(headers);
  return headers.filter(([line]) => {
    const name = line.toLowerCase();
    if (HOP_BY_HOP.has(name) || OF_THE_SENDER.has(name) || isOwn(name)) return false;
    return !named.has(name) && !(body === "rewritten" && OF_THE_BODY.has(name));
  });
}

/** The lines of a request whose body was replaced before anything else read it. */
export function withoutBodyHeaders(headers: HeaderLines): HeaderLines {
  return headers.filter(([line]) => !OF_THE_BODY.has(line.toLowerCase()));
}

/** Of an answer: all that is about the message. An `x-precis` header of another gateway behind this one gives way to ours. */
export function backwardHeaders(headers: HeaderLines): HeaderLines {
  const named = namedByConnection(headers);
  return headers.filter(([line]) => {
    const name = line.toLowerCase();
    return !HOP_BY_HOP.has(name) && !named.has(name) && !isOwn(name);
  });
}

function isOwn(name: string): boolean {
  return name.startsWith(OWN_PREFIX);
}

const NONE: ReadonlySet<string> = new Set();

/** Headers that `connection` declares to be about the connection; never those that say what the body is. */
function namedByConnection(headers: HeaderLines): ReadonlySet<string> {
  const connection = headerOf(headers, "connection")?.toLowerCase();
  if (connection === undefined || connection === "keep-alive" || connection === "close") return NONE;
  const names = connection.split(",").map((name) => name.trim());
  return new Set(names.filter((name) => !name.startsWith("content-")));
}

/** As `rawHeaders` of Node and of undici stand: names and values in turn. */
export function headerLines(raw: readonly (string | Buffer)[]): HeaderLines {
  const lines: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) lines.push([latin1(raw[at]!), latin1(raw[at + 1]!)]);
  return lines;
}

export function flatHeaders(lines: HeaderLines): string[] {
  const flat: string[] = [];
  for (const [name, value] of lines) flat.push(name, value);
  return flat;
}

function latin1(value: string | Buffer): string {
  return typeof value === "string" ? value : value.toString("latin1");
}

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
