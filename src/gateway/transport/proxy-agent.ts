/** The agent that goes through a proxy, apart from its settings, which are public and name no type of a package. */
import type * as Undici from "undici";
import { proxyAddress, type OutwardProxies } from "./proxies.ts";

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
