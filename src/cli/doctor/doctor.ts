/** All checks, one area after another. None of them changes anything, sends a key, or asks for anything that costs money. */
import { checkCaching } from "./caching.ts";
import { checkClients } from "./clients.ts";
import { checkConfiguration, checkWindows } from "./configuration.ts";
import { checkEngineNamed } from "./engine.ts";
import type { Examination } from "./examination.ts";
import type { Finding } from "./finding.ts";
import { checkKeys } from "./keys.ts";
import { checkNode } from "./node.ts";
import { checkPort } from "./port.ts";
import { checkStore } from "./store.ts";
import { checkToken } from "./token.ts";
import { checkUpstreams } from "./upstreams.ts";

export async function examine(examination: Examination): Promise<readonly Finding[]> {
  const { loaded, terminal } = examination;
  const { configuration } = loaded;
  const [store, upstreams, keys, port] = await Promise.all([
    checkStore(examination),
    checkUpstreams(configuration, examination),
    checkKeys(configuration, terminal),
    checkPort(configuration),
  ]);
  return [
    ...checkNode(process.versions.node),
    ...checkConfiguration(examination),
    ...checkEngineNamed(examination),
    ...store,
    ...upstreams,
    ...keys,
    ...checkWindows(configuration),
    ...checkCaching(configuration),
    ...port,
    ...checkToken(configuration, terminal),
    ...checkClients(configuration, terminal),
  ];
}
