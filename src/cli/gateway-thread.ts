/** The gateway of `precis serve` made once more, in the thread for large requests: from the same settings, on the same file. */
import type { ThreadSource } from "../gateway/large/messages.ts";
import type { ThreadOptions } from "../gateway/large/module.ts";
import type { SqliteOptions } from "../store/sqlite.ts";
import { engineNamed, type CommandEnvironment } from "./engine.ts";
import type { ResolvedConfiguration } from "./gateway-options.ts";
import { storeAsConfigured } from "./store-settings.ts";

/** The file that the history is in. */
export type StoreFile = Pick<SqliteOptions, "path" | "key" | "sizeBytesMax">;

interface ThreadSettings extends ResolvedConfiguration, CommandEnvironment {
  readonly store: StoreFile;
}

/** Everything that the thread needs, as data. */
export function threadSource(
  { configuration, provenance }: ResolvedConfiguration,
  { environment, folder, platform }: CommandEnvironment,
  store: StoreFile,
): ThreadSource {
  const data: ThreadSettings = { configuration, provenance, environment: { ...environment }, folder, platform, store };
  return { module: import.meta.url, data };
}

/** Called in the thread. */
export async function openOptions(settings: ThreadSettings): Promise<ThreadOptions> {
  const [{ gatewayOptions }, { outwardProxies }, { openSqliteStore }] = await Promise.all([
    import("./gateway-options.ts"),
    import("./outward-proxies.ts"),
    import("../store/sqlite.ts"),
  ]);
  const { configuration, environment } = settings;
  const engine = engineNamed(configuration, settings);
  const options = await gatewayOptions(settings, environment, engine);
  const file = await openSqliteStore({ ...settings.store, mustExist: true });
  const store = storeAsConfigured(file, configuration, options.secrets);
  return {
    options: { ...options, proxies: outwardProxies(environment), store },
    close: async () => {
      await file.close();
      if (typeof engine !== "string") await engine.close();
    },
  };
}
