/** The gateway of `precis serve` made once more, in the thread for large requests: from the same settings, on the same store. */
import { isLoopback } from "../../config/locate.ts";
import type { ThreadSource } from "../../gateway/large/messages.ts";
import type { ThreadOptions } from "../../gateway/large/module.ts";
import { engineNamed, type CommandEnvironment } from "../settings/engine.ts";
import { letHeapGrow } from "./lean-memory.ts";
import { gatewayOptions, outwardProxies, type ResolvedConfiguration } from "./options.ts";
import { configuredTenants } from "./tenants.ts";
import { openStore, storeAddress } from "../../store/open.ts";
import { storeAsConfigured, type SharedStore } from "../store/place.ts";

interface ThreadSettings extends ResolvedConfiguration, CommandEnvironment {
  readonly store: SharedStore;
}

export function threadSource(
  { configuration, provenance }: ResolvedConfiguration,
  { environment, folder, platform }: CommandEnvironment,
  store: SharedStore,
): ThreadSource {
  const data: ThreadSettings = { configuration, provenance, environment: { ...environment }, folder, platform, store };
  return { module: import.meta.url, data };
}

/** Called in the thread. */
export async function openOptions(settings: ThreadSettings): Promise<ThreadOptions> {
  const { configuration, environment } = settings;
  const engine = engineNamed(configuration, settings);
  const options = await gatewayOptions(settings, environment, engine);
  const { address, ...how } = settings.store;
  if (isLoopback(configuration.gateway.host) && storeAddress(address).kind === "sqlite") letHeapGrow();
  const opened = await openStore(address, { ...how, mustExist: true });
  const store = storeAsConfigured(opened, configuration, options.secrets);
  return {
    options: { ...options, ...configuredTenants(configuration, settings), proxies: outwardProxies(environment), store },
    close: async () => {
      await opened.close();
      if (typeof engine !== "string") await engine.close();
    },
  };
}
