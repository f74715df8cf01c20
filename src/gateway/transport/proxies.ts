/**
 * The proxies between this machine and its providers, as whoever runs a network sets them up. What a request says or
 * who sent it never decides the way it takes.
 */
import type * as Undici from "undici";
import { PrecisError } from "../../core/errors.ts";

export interface OutwardProxies {
  /** For providers with an `http:` address: `http://`, `https://` or `socks5://`. */
  readonly http?: string;
  /** For those with an `https:` one; where it is not given, that of `http`. */
  readonly https?: string;
  /** Hosts that are called directly, between commas: `example.com` and what is below it, `*` for all. */
  readonly except?: string;
}

const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "socks5:"]);

/**
 * `proxy.example:3128` is what people write.
 *
 * @throws PrecisError `proxy_settings`.
 */
export function proxyAddress(proxy: string): string {
  const address = proxy.includes("://") ? proxy : `http://${proxy}`;
  if (URL.canParse(address) && SCHEMES.has(new URL(address).protocol)) return address;
  // It may hold a password, so it is not repeated.
  throw new PrecisError("The address of a proxy cannot be used.", {
    code: "proxy_settings",
    place: "HTTPS_PROXY, HTTP_PROXY",
    hint: "Write http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT, with a user name and a password before the host if needed.",
  });
}

type AgentOptions = NonNullable<ConstructorParameters<typeof Undici.Agent>[0]>;

/** A model server beside the gateway is nobody's to reach but this machine's. */
const NEVER_THROUGH = "localhost,127.0.0.1,::1";

/**
 * Its agent needs undici as a whole, which nobody else should pay for: it is loaded when this is called.
 *
 * @throws PrecisError `proxy_settings` for what is no proxy's address, at once.
 */
export function createProxyAgent(
  options: AgentOptions,
  { http, https = http, except }: OutwardProxies,
): Promise<Undici.Dispatcher> {
  const settings = {
    ...options,
    // Undici would read the environment for what is not given.
    httpProxy: http === undefined ? "" : proxyAddress(http),
    httpsProxy: https === undefined ? "" : proxyAddress(https),
    noProxy: [NEVER_THROUGH, ...(except === undefined ? [] : [except])].join(","),
  };
  return import("undici").then(({ EnvHttpProxyAgent }) => new EnvHttpProxyAgent(settings));
}
