/** The proxies that the environment names, as other programs read it: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, lower case first. */
import type { Environment } from "../config/environment.ts";
import { proxyAddress, type OutwardProxies, createProxyAgent } from "../gateway/transport/proxies.ts";

/**
 * Undefined where nothing is between this machine and the network.
 *
 * @throws PrecisError `proxy_settings`.
 */
export function outwardProxies(environment: Environment): OutwardProxies | undefined {
  const named = (name: string): string | undefined => environment[name.toLowerCase()] || environment[name] || undefined;
  const [http, https = http, except] = [named("HTTP_PROXY"), named("HTTPS_PROXY"), named("NO_PROXY")];
  if (https === undefined) return undefined;
  return {
    https: proxyAddress(https),
    ...(http === undefined ? {} : { http: proxyAddress(http) }),
    ...(except === undefined ? {} : { except }),
  };
}

/** `fetch` by the way that they leave, for all that goes out but the gateway's own calls. Who never calls it needs no way. */
export function outwardFetch(environment: Environment): typeof fetch {
  let way: Promise<typeof fetch> | undefined;
  return async (input, init) => (await (way ??= fetchBy(environment)))(input, init);
}

async function fetchBy(environment: Environment): Promise<typeof fetch> {
  const proxies = outwardProxies(environment);
  if (proxies === undefined) return fetch;
  // Node's own takes no agent of another undici than the one it was built with.
  const undici = await import("undici");
  const dispatcher = await createProxyAgent({}, proxies);
  return ((input: string, init: object) => undici.fetch(input, { ...init, dispatcher })) as unknown as typeof fetch;
}
