/** How each upstream caches each model: whose markers it takes, and what its cache makes of a compaction's price. */
import type { CachingStrategy, Ttl } from "../../core/caching/breakpoints.ts";
import { ENGINE_DEFAULTS, type EngineSettings } from "../../core/engines/settings.ts";
import { createMeasure, type Measure } from "../../core/transcript/measure.ts";
import type { Prices } from "../../models/ai-sdk.ts";
import { bareName, lookUp, type Registry } from "../../models/registry/registry.ts";
import type { MarkerLayout } from "../../protocols/definition.ts";
import type { Schedule } from "../../core/caching/schedule.ts";
import type { Economy } from "../../session/contract.ts";
import { conversationMarker } from "../../protocols/caching/sites.ts";
import type { Decoded } from "../../protocols/protocol.ts";
import type { ProtocolName } from "../../core/protocols.ts";
import { definitions } from "../../protocols/registry.ts";
import type { MarkerRules } from "../../session/markers.ts";
import { economyFrom } from "../../session/economy.ts";

/** What an upstream takes beside what its protocol says; `auto` goes by model and host. */
export type UpstreamCaching = "auto" | "native" | "openrouter" | "openai" | "off";

export interface CachingOptions {
  readonly enabled: boolean;
  readonly strategy: Exclude<CachingStrategy, "anchors">;
  readonly ttl: Ttl;
  /** A message that its client writes again in another form goes out in its former bytes. */
  readonly restoreBytes: boolean;
  /** What picks the moment of a compaction, where the cache's prices are known. */
  readonly schedule: Schedule;
}

const CACHING: CachingOptions = Object.freeze({
  enabled: true,
  strategy: "spaced",
  ttl: "5m",
  restoreBytes: true,
  schedule: "auto",
});

export interface Caching {
  readonly rules: MarkerRules | undefined;
  readonly economy: Economy | undefined;
  readonly ttl: Ttl;
  readonly prices: Prices | undefined;
}

/** For what is only counted. */
export const UNCACHED: Caching = Object.freeze({
  rules: undefined,
  economy: undefined,
  ttl: CACHING.ttl,
  prices: undefined,
});

export interface CachingQuery {
  readonly protocol: ProtocolName;
  readonly model: string;
  readonly upstream: { readonly origin: string; readonly caching: UpstreamCaching };
  readonly asked?: Decoded;
}

export interface CachingContext {
  readonly of: (query: CachingQuery) => Caching;
  readonly ttl: Ttl;
  readonly headMessages: number;
  readonly measure: Measure;
}

const MODELS_MAX = 1_024;

export interface CachingParts {
  readonly caching?: Partial<CachingOptions>;
  readonly settings?: Partial<Pick<EngineSettings, "protectFirstN">>;
  readonly registry: Registry;
}

export function createCachingContext({ caching: stated, settings, registry }: CachingParts): CachingContext {
  const options = { ...CACHING, ...stated };
  const known = new Map<string, Caching>();
  return {
    ttl: options.ttl,
    headMessages: settings?.protectFirstN ?? ENGINE_DEFAULTS.protectFirstN,
    measure: createMeasure(),
    of: (query) => {
      const marker = findMarker(query);
      const key = `${query.protocol}\n${query.upstream.origin}\n${query.upstream.caching}\n${marker}\n${query.model}`;
      const found = known.get(key);
      if (found !== undefined) return found;
      if (known.size >= MODELS_MAX) known.clear();
      const rules = options.enabled ? findMarkerRules(query, options, registry) : undefined;
      const economy = priceCompaction(query, { rules, marker, options, registry });
      const caching = { rules, economy, ttl: marker ?? options.ttl, prices: lookUp(registry, query.model)?.prices };
      known.set(key, caching);
      return caching;
    },
  };
}

function findMarkerRules(
  query: CachingQuery,
  { strategy }: CachingOptions,
  registry: Registry,
): MarkerRules | undefined {
  const layout = findLayout(query);
  if (layout === undefined) return undefined;
  const cache = lookUp(registry, query.model)?.cache;
  const minimumTokens = cache?.minimumTokens;
  if (layout !== "openai") return { layout, strategy, minimumTokens };
  return { layout, strategy: cache?.markersMax === undefined ? undefined : "anchors", minimumTokens };
}

function findMarker({ protocol, asked }: CachingQuery): Ttl | undefined {
  return asked === undefined || definitions[protocol].markers === undefined ? undefined : conversationMarker(asked);
}

interface Pricing {
  readonly rules: MarkerRules | undefined;
  readonly marker: Ttl | undefined;
  readonly options: CachingOptions;
  readonly registry: Registry;
}

/** What a cache makes of a compaction's price; undefined where there is no cache that we know of, or no price. */
function priceCompaction(query: CachingQuery, { rules, marker, options, registry }: Pricing): Economy | undefined {
  const facts = lookUp(registry, query.model);
  // What is cached where it is marked is not cached where nobody marks it.
  const marked = definitions[query.protocol].markers === "native" || facts?.cache?.kind === "markers";
  const isCached = !marked || rules !== undefined || marker !== undefined;
  if (facts === undefined || query.upstream.caching === "off" || !isCached) return undefined;
  return economyFrom(facts, { schedule: options.schedule, marked, ttl: marker ?? options.ttl });
}

/** Claude on its own API or through OpenRouter (Hermes Agent docs); OpenAI's models at OpenAI's. */
function findLayout({ protocol, model, upstream }: CachingQuery): MarkerLayout | undefined {
  const { caching, origin } = upstream;
  if (caching === "off") return undefined;
  const isClaude = /\bclaude\b/.test(bareName(model));
  const { markers, vendor } = definitions[protocol];
  if (markers === "native") return isClaude || caching === "native" ? "native" : undefined;
  if (caching === "openrouter" || (caching === "auto" && isHost(origin, "openrouter.ai")))
    return isClaude && markers === "openrouter" ? "openrouter" : undefined;
  const isOpenAi = caching === "openai" || (caching === "auto" && isHost(origin, "openai.com"));
  return isOpenAi && vendor.name === "openai" ? "openai" : undefined;
}

function isHost(origin: string, domain: string): boolean {
  const { hostname } = new URL(origin);
  return hostname === domain || hostname.endsWith(`.${domain}`);
}
