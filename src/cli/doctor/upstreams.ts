/** Where requests go: whether the address can be one, and whether somebody answers there. One request without a key, which costs nothing. */
import { isIP } from "node:net";
import { isLoopback } from "../../config/locate.ts";
import type { Configuration } from "../../config/schema.ts";
import { PrecisError } from "../../core/errors.ts";
import { createUpstreams, type Upstream } from "../../gateway/transport/upstreams.ts";
import { upstreamSettings, outwardFetch } from "../gateway/options.ts";
import { type Examination, fault, fine, note, warning, type Finding } from "./finding.ts";

const ANSWER_WITHIN_MS = 5_000;
const MODELS_PATH = "/v1/models";

export async function checkUpstreams(
  configuration: Configuration,
  { offline, terminal }: Pick<Examination, "offline" | "terminal">,
): Promise<readonly Finding[]> {
  const configured = Object.keys(configuration.gateway.upstreams);
  let all: readonly Upstream[];
  try {
    all = createUpstreams(upstreamSettings(configuration)).all;
  } catch (error) {
    if (!(error instanceof PrecisError)) throw error;
    return [fault("upstreams", error.code, { says: error.message, fix: error.hint })];
  }
  const asked = configured.length === 0 ? all : all.filter(({ name }) => configured.includes(name));
  if (!offline)
    await announce(
      asked.filter((one) => isSound(one, configuration)),
      terminal,
    );
  const send = outwardFetch(terminal.environment);
  const found = await Promise.all(
    asked.map((one) => examined(one, configuration, { offline, own: configured.length > 0, send })),
  );
  return found.flat();
}

/** Said before anything leaves the machine, so that whoever does not want it can still end the command. */
async function announce(asked: readonly Upstream[], { err }: Pick<Examination["terminal"], "err">): Promise<void> {
  if (asked.length === 0) return;
  const addresses = asked.map(formatAddress).join(", ");
  const text = `Asking ${addresses} for the list of models, without a key. \`--offline\` skips this.`;
  await err.say(`${text}\n`);
}

interface UpstreamCheck {
  readonly offline: boolean;
  readonly own: boolean;
  /** As the gateway goes out. */
  readonly send: typeof fetch;
}

function wrongWith(upstream: Upstream, gateway: Configuration["gateway"]): readonly Finding[] {
  return [...badPath(upstream), ...itself(upstream, gateway), ...inTheClear(upstream)];
}

function hasFault(findings: readonly Finding[]): boolean {
  return findings.some(({ level }) => level === "fault");
}

/** Only such an upstream is asked. */
function isSound(upstream: Upstream, { gateway }: Configuration): boolean {
  return !hasFault(wrongWith(upstream, gateway));
}

async function examined(
  upstream: Upstream,
  { gateway }: Configuration,
  asking: UpstreamCheck,
): Promise<readonly Finding[]> {
  const wrong = wrongWith(upstream, gateway);
  if (hasFault(wrong)) return wrong;
  const { name } = upstream;
  if (asking.offline)
    return [...wrong, note("upstreams", "not_asked", `${name}: ${formatAddress(upstream)}, not asked (--offline)`)];
  return [...wrong, ...(await answers(upstream, asking))];
}

function formatAddress({ origin, basePath }: Upstream): string {
  return origin + basePath;
}

const ENDPOINT = /\/(?:chat\/completions|completions|responses|messages|models|embeddings)$/;

function badPath(upstream: Upstream): readonly Finding[] {
  const { name, origin, basePath } = upstream;
  const place = `gateway.upstreams.${name}`;
  if (ENDPOINT.test(basePath)) {
    const base = origin + basePath.replace(ENDPOINT, "");
    const says = `${name}: ${formatAddress(upstream)} is an endpoint, and clients' paths are appended to it`;
    return [fault("upstreams", "upstream_path", { says, fix: `Set ${place}.url to ${base}.` })];
  }
  if (!/\/v1\/v1(?:\/|$)/.test(basePath)) return [];
  const base = origin + basePath.replaceAll(/(?:\/v1){2,8}/g, "/v1");
  return [
    fault("upstreams", "upstream_path", {
      says: `${name}: ${formatAddress(upstream)} has /v1 twice`,
      fix: `Set ${place}.url to ${base}; clients' own /v1 is not doubled.`,
    }),
  ];
}

function itself({ name, origin }: Upstream, { host, port }: Configuration["gateway"]): readonly Finding[] {
  const { hostname, port: given, protocol } = new URL(origin);
  const same = hostname === host || (isLoopback(hostname) && isLoopback(host));
  if (!same || Number(given || (protocol === "https:" ? 443 : 80)) !== port) return [];
  return [
    fault("upstreams", "upstream_is_gateway", {
      says: `${name}: ${origin} is the gateway itself, so requests would loop`,
      fix: `Set gateway.upstreams.${name}.url to the provider's own address.`,
    }),
  ];
}

/** Keys in plain text: on this machine and in a network of one's own it may be meant. */
function inTheClear({ name, origin }: Upstream): readonly Finding[] {
  const { protocol, hostname, host } = new URL(origin);
  if (protocol === "https:" || isLoopback(hostname)) return [];
  if (isNear(hostname))
    return [
      note(
        "upstreams",
        "upstream_plain",
        `${name}: ${origin} is not encrypted; inside your own network that may be intended`,
      ),
    ];
  return [
    fault("upstreams", "upstream_plain", {
      says: `${name}: ${origin} is not encrypted, so keys cross the network in clear text`,
      fix: `Set gateway.upstreams.${name}.url to https://${host}.`,
    }),
  ];
}

/** Private addresses, and names that only a network of one's own knows. */
function isNear(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, "");
  if (isIP(bare) === 4) return /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2[0-9]|3[01])\.|169\.254\.)/.test(bare);
  if (isIP(bare) === 6) return /^f[cde]/i.test(bare);
  return !bare.includes(".") || /\.(?:local|lan|internal|home|intranet|home\.arpa)$/i.test(bare);
}

async function answers(upstream: Upstream, { own, send }: UpstreamCheck): Promise<readonly Finding[]> {
  const { name } = upstream;
  const asked = await ask(upstream.origin + joined(upstream.basePath), send);
  if ("failed" in asked) return [unreachable(upstream, asked, own)];
  const { status, location } = asked;
  if (status === 404) return [await notFound(upstream, send)];
  if (status >= 300 && status < 400)
    return [
      fault("upstreams", "upstream_moved", {
        says: `${name}: ${formatAddress(upstream)} redirects (${status}), which requests with a body do not follow`,
        fix: `Set gateway.upstreams.${name}.url to its target: ${location ?? "the new address"}.`,
      }),
    ];
  if (status >= 500)
    return [
      warning("upstreams", "upstream_ailing", {
        says: `${name}: ${formatAddress(upstream)} answers with ${status}`,
        fix: "Look at the provider's status page, or at the server's own log.",
      }),
    ];
  const meaning = status === 401 || status === 403 ? "requires a key, as expected" : `answers (${status})`;
  return [fine("upstreams", "upstream", `${name}: ${formatAddress(upstream)} ${meaning}`)];
}

function joined(basePath: string): string {
  return basePath.endsWith("/v1") ? basePath.slice(0, -"/v1".length) + MODELS_PATH : basePath + MODELS_PATH;
}

type UpstreamAnswer =
  | { readonly status: number; readonly location: string | undefined }
  | { readonly failed: string; readonly because: string };

async function ask(url: string, send: typeof fetch): Promise<UpstreamAnswer> {
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const response = await send(url, { redirect: "manual", signal });
    await response.body?.cancel();
    return { status: response.status, location: response.headers.get("location") ?? undefined };
  } catch (error) {
    if ((error as Error).name === "TimeoutError")
      return { failed: "timeout", because: `no answer in ${ANSWER_WITHIN_MS / 1_000} s` };
    const { code } = ((error as Error).cause ?? {}) as { readonly code?: string };
    return {
      failed: code ?? "unknown",
      because: REASONS[code ?? ""] ?? `no connection (${code ?? (error as Error).message})`,
    };
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "its name cannot be looked up",
  ECONNRESET: "the connection was broken off",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is signed by an authority that Node does not trust",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is signed by an authority that Node does not trust",
  ERR_SSL_WRONG_VERSION_NUMBER: "it speaks no TLS",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "it speaks no TLS",
};

function unreachable(
  upstream: Upstream,
  { failed, because }: { readonly failed: string; readonly because: string },
  own: boolean,
): Finding {
  const says = `${upstream.name}: ${formatAddress(upstream)} cannot be reached: ${because}`;
  const place = `gateway.upstreams.${upstream.name}.url`;
  const certificate = failed.includes("CERT") || failed.includes("VERIFY");
  const fix = certificate
    ? "Make Node trust the authority: `NODE_EXTRA_CA_CERTS=/path/to/ca.pem precis serve`."
    : failed.startsWith("ERR_SSL")
      ? `Set ${place} to http://, or put TLS in front of it.`
      : `Start the server, or correct ${place}; behind a proxy, the gateway has to reach it directly.`;
  if (own) return fault("upstreams", "upstream_unreachable", { says, fix });
  // The vendors' own are there by default, and perhaps not meant to be used.
  const check = "Check this machine's connection, and HTTPS_PROXY if its network wants a proxy.";
  return warning("upstreams", "upstream_unreachable", { says, fix: certificate ? fix : check });
}

async function notFound(upstream: Upstream, send: typeof fetch): Promise<Finding> {
  const { name, origin, basePath } = upstream;
  const bare = basePath === "" || basePath === "/v1" ? undefined : await ask(origin + MODELS_PATH, send);
  const there = bare !== undefined && "status" in bare && [200, 401, 403].includes(bare.status);
  const says = `${name}: nothing answers under ${formatAddress(upstream)} (404 for ${MODELS_PATH})`;
  if (there)
    return fault("upstreams", "upstream_path", {
      says: `${says}, but under ${origin} it does`,
      fix: `Set gateway.upstreams.${name}.url to ${origin}.`,
    });
  return warning("upstreams", "upstream_path_doubtful", {
    says,
    fix: "Look up the provider's base URL; a server without a list of models may still work.",
  });
}
