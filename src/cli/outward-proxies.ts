/** The proxies that the environment names, as other programs read it: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, lower case first. */
import type { Environment } from "../config/environment.ts";
import { NEVER_THROUGH_PROXIES, proxyAddress, type OutwardProxies } from "../gateway/transport/proxies.ts";

/** Undefined where nothing stands between this machine and the network. */
export function outwardProxies(environment: Environment): OutwardProxies | undefined {
  const named = (name: string): string | undefined => environment[name.toLowerCase()] || environment[name] || undefined;
  const [plain, secure, except] = [named("HTTP_PROXY"), named("HTTPS_PROXY"), named("NO_PROXY")];
  if (plain === undefined && secure === undefined) return undefined;
  return {
    ...(plain === undefined ? {} : { http: proxyAddress(plain) }),
    ...(secure === undefined ? {} : { https: proxyAddress(secure) }),
    ...(except === undefined ? {} : { except }),
  };
}

/** For what Node itself fetches: models that write handoffs, and what `precis doctor` asks. Node knows how since 24.14. */
export async function useOutwardProxies({ http, https, except }: OutwardProxies): Promise<void> {
  const { setGlobalProxyFromEnv } = (await import("node:http")) as {
    setGlobalProxyFromEnv?: (environment: Environment) => unknown;
  };
  setGlobalProxyFromEnv?.({
    HTTP_PROXY: http,
    HTTPS_PROXY: https,
    NO_PROXY: [NEVER_THROUGH_PROXIES, ...(except === undefined ? [] : [except])].join(","),
  });
}
