/**
 * The proxies between this machine and its providers, as whoever runs a network sets them up. What a request says or
 * who sent it never decides the way it takes.
 */
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
