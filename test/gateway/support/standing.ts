/** A strict provider with a gateway in front of it, on real ports, both gone after the test. */
import { rmSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { GatewayEvent } from "../../../src/gateway/contract.ts";
import { createGateway, type Gateway, type GatewayOptions } from "../../../src/gateway/index.ts";
import { createProvider, type Provider, type ProviderOptions } from "../../../provider/src/provider.ts";
import { createMemoryStore, openSqliteStore } from "../../../src/store/index.ts";
import { type HistoryStore } from "../../../src/store/store.ts";

export const TENANT = "proof";
/** A busy machine delays this process as work of the gateway's own would: it is to treat requests all the same. */
const EVENT_LOOP_DELAY_MS = 60_000;

export interface Standing {
  readonly provider: Provider;
  /** Straight to the provider. */
  readonly providerUrl: string;
  readonly gateway: Gateway;
  readonly url: string;
  readonly store: HistoryStore;
  readonly events: readonly GatewayEvent[];
}

export interface StandingOptions {
  readonly provider?: ProviderOptions;
  readonly gateway?: Partial<GatewayOptions>;
  /** A history in a file, or in memory. */
  readonly file?: boolean;
}

/** Done after the test that is running, the newest first. */
export function atEnd(end: () => unknown): void {
  onTestFinished(async () => void (await end()));
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "precis-gateway-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function stand({
  provider: asked = {},
  gateway: wanted = {},
  file,
}: StandingOptions = {}): Promise<Standing> {
  const provider = createProvider(asked);
  const { url: providerUrl, close: closeProvider } = await provider.listen();
  atEnd(closeProvider);
  return { provider, providerUrl, ...(await front(providerUrl, wanted, file)) };
}

/** A gateway in front of anything. */
export async function front(
  upstream: string,
  wanted: Partial<GatewayOptions> = {},
  file = false,
): Promise<Omit<Standing, "provider" | "providerUrl">> {
  const kept =
    wanted.store ??
    (file ? await openSqliteStore({ path: join(temporaryFolder(), "history.db") }) : createMemoryStore());
  const store = kept as HistoryStore;
  if (wanted.store === undefined) atEnd(store.close);
  const events: GatewayEvent[] = [];
  const gateway = createGateway({
    upstreams: { openai: { url: upstream }, anthropic: { url: upstream }, google: { url: upstream } },
    tenant: { name: TENANT },
    onEvent: (event) => void events.push(event),
    ...wanted,
    // Most tests are about what a compaction does, and not about its price.
    caching: { schedule: "threshold", ...wanted.caching },
    limits: { eventLoopDelayMs: EVENT_LOOP_DELAY_MS, ...wanted.limits },
    store,
  });
  const listening = await gateway.listen({ port: 0 });
  atEnd(async () => {
    await listening.close();
    await gateway.close();
  });
  return { gateway, url: listening.url, store, events };
}
