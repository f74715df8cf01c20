/**
 * Cache markers on what goes out: put where the model's provider takes them, counted with those that the client set, and
 * taken from messages that only a compaction still holds. Where nothing is to be marked, the bytes stay as they are.
 */
import { planMarkers, type CachingStrategy } from "../core/caching/breakpoints.ts";
import { AUTOMATIC, BREAKPOINTS, TTL_MS } from "../core/caching/prefix-cache.ts";
import type { CacheSite, Ttl } from "../core/caching/site.ts";
import { COMPRESSOR_DEFAULTS, type CompressorSettings } from "../core/engines/compressor/limits.ts";
import { createMeasure, type Measure } from "../core/transcript/measure.ts";
import type { Transcript } from "../core/transcript/message.ts";
import type { Prices } from "../models/usage.ts";
import { bareName } from "../models/registry/names.ts";
import { lookUp, type Registry } from "../models/registry/registry.ts";
import { cacheKeyEdits } from "../protocols/caching/key.ts";
import { markerSites, type MarkerLayout } from "../protocols/caching/sites.ts";
import { applyEdits, type Edit } from "../protocols/json/edit.ts";
import type { Economy } from "../session/contract.ts";
import { protocols, type Decoded, type ProtocolName } from "../protocols/index.ts";

/** What an upstream takes beside what its protocol says; `auto` goes by model and host. */
export type UpstreamCaching = "auto" | "native" | "openrouter" | "openai" | "off";

export interface CachingOptions {
  readonly enabled: boolean;
  readonly strategy: Exclude<CachingStrategy, "anchors">;
  readonly ttl: Ttl;
  /** What picks the moment of a compaction, where the cache's prices are known. */
  readonly schedule: Economy["schedule"];
}

const CACHING: CachingOptions = Object.freeze({
  enabled: true,
  strategy: "spaced",
  ttl: "5m",
  schedule: "threshold",
});

/** How requests of one model to one upstream are cached. */
export interface CachingRules {
  readonly layout: MarkerLayout;
  /** Undefined where no markers are set: the provider caches by itself. */
  readonly strategy: CachingStrategy | undefined;
  readonly minimumTokens: number | undefined;
}

export interface Caching {
  /** Undefined where no markers are set. */
  readonly rules: CachingRules | undefined;
  /** Undefined where prices have no say. */
  readonly economy: Economy | undefined;
  readonly prices: Prices | undefined;
}

/** For what is only counted. */
export const UNCACHED: Caching = Object.freeze({ rules: undefined, economy: undefined, prices: undefined });

export interface CachingQuery {
  readonly protocol: ProtocolName;
  readonly model: string;
  readonly upstream: { readonly origin: string; readonly caching: UpstreamCaching };
}

export interface CachingDesk {
  readonly of: (query: CachingQuery) => Caching;
  readonly ttl: Ttl;
  /** Messages that a compaction leaves alone at the beginning. */
  readonly headMessages: number;
  readonly measure: Measure;
}

const MODELS_MAX = 1_024;

export interface CachingParts {
  readonly caching?: Partial<CachingOptions>;
  readonly settings?: Partial<Pick<CompressorSettings, "protectFirstN">>;
  readonly registry: Registry;
}

export function createCachingDesk({ caching: stated, settings, registry }: CachingParts): CachingDesk {
  const options = { ...CACHING, ...stated };
  const known = new Map<string, Caching>();
  return {
    ttl: options.ttl,
    headMessages: settings?.protectFirstN ?? COMPRESSOR_DEFAULTS.protectFirstN,
    measure: createMeasure(),
    of: (query) => {
      const key = `${query.protocol}\n${query.upstream.origin}\n${query.upstream.caching}\n${query.model}`;
      const found = known.get(key);
      if (found !== undefined) return found;
      if (known.size >= MODELS_MAX) known.clear();
      const rules = options.enabled ? rulesOf(query, options, registry) : undefined;
      const economy = options.enabled ? economyOf(query, { rules, options, registry }) : undefined;
      const caching = { rules, economy, prices: lookUp(registry, query.model)?.prices };
      known.set(key, caching);
      return caching;
    },
  };
}

function rulesOf(query: CachingQuery, { strategy }: CachingOptions, registry: Registry): CachingRules | undefined {
  const layout = layoutOf(query);
  if (layout === undefined) return undefined;
  const cache = lookUp(registry, query.model)?.cache;
  const minimumTokens = cache?.minimumTokens;
  if (layout !== "openai") return { layout, strategy, minimumTokens };
  return { layout, strategy: cache?.markersMax === undefined ? undefined : "anchors", minimumTokens };
}

interface Pricing {
  readonly rules: CachingRules | undefined;
  readonly options: CachingOptions;
  readonly registry: Registry;
}

/** What a cache makes of a compaction's price; undefined where there is no cache that we know of, or no price. */
function economyOf(query: CachingQuery, { rules, options, registry }: Pricing): Economy | undefined {
  const { prices, cache } = lookUp(registry, query.model) ?? {};
  const marked = query.protocol === "anthropic-messages";
  if (prices?.cacheReadUsdPerMtok === undefined || query.upstream.caching === "off") return undefined;
  if (marked && rules === undefined) return undefined;
  const { inputUsdPerMtok: input, outputUsdPerMtok: output, cacheReadUsdPerMtok: read } = prices;
  const write = (options.ttl === "1h" ? prices.cacheWrite1hUsdPerMtok : prices.cacheWrite5mUsdPerMtok) ?? input;
  const ttlMs = marked ? TTL_MS[options.ttl] : cache?.markersMax === undefined ? AUTOMATIC.ttlMs : BREAKPOINTS.ttlMs;
  return {
    schedule: options.schedule,
    prices: { read: read / input, write: write / input, output: output / input },
    ttlMs,
  };
}

/** Claude on its own API or through OpenRouter (reference/000); OpenAI's models at OpenAI's. */
function layoutOf({ protocol, model, upstream }: CachingQuery): MarkerLayout | undefined {
  const { caching, origin } = upstream;
  if (caching === "off") return undefined;
  const isClaude = /\bclaude\b/.test(bareName(model));
  if (protocol === "anthropic-messages") return isClaude || caching === "native" ? "native" : undefined;
  if (caching === "openrouter" || (caching === "auto" && isHost(origin, "openrouter.ai")))
    return isClaude && protocol === "openai-chat" ? "openrouter" : undefined;
  const isOpenAi = caching === "openai" || (caching === "auto" && isHost(origin, "openai.com"));
  return isOpenAi ? "openai" : undefined;
}

function isHost(origin: string, domain: string): boolean {
  const { hostname } = new URL(origin);
  return hostname === domain || hostname.endsWith(`.${domain}`);
}

/** A request as it would go out without markers. */
export interface Unmarked {
  readonly rules: CachingRules;
  readonly ttl: Ttl;
  readonly body: string;
  /** As its client sent it. */
  readonly incoming: Decoded;
  /** What was made of it, in the order in which it goes out. */
  readonly sent: Transcript;
  /** The request of this conversation that went out before, read. */
  readonly before: Decoded | undefined;
  readonly headMessages: number;
  readonly measure: Measure;
  /** The name of the conversation, the same for all its requests. */
  readonly root: string;
}

export interface Marked {
  readonly body: string;
  /** What is to be remembered as `before`. */
  readonly outgoing: Decoded;
}

export function withMarkers(unmarked: Unmarked): Marked {
  const { rules, incoming, body, before, root } = unmarked;
  const outgoing = body === incoming.body ? incoming : protocols[incoming.protocol].decode(body, before);
  const key = rules.layout === "openai" ? cacheKeyEdits(outgoing, root) : [];
  return { body: applyEdits(body, [...key, ...markerEdits(unmarked, outgoing)]), outgoing };
}

function markerEdits(unmarked: Unmarked, outgoing: Decoded): readonly Edit[] {
  const { rules, incoming, before, ttl } = unmarked;
  if (rules.strategy === undefined) return [];
  const found = markerSites(outgoing, rules.layout, incoming);
  const plan = planMarkers(found.sites, {
    strategy: rules.strategy,
    ttl,
    taken: found.taken,
    headMessages: headOf(unmarked),
    systemChanged: before !== undefined && systemText(before) !== systemText(outgoing),
    ...prefixMinimum(unmarked, outgoing, found.sites),
  });
  return found.edits(plan);
}

/** Where a compaction stands, the head is what it left alone. */
function headOf({ sent, headMessages }: Unmarked): number {
  const summary = sent.messages.findIndex(({ origin }) => origin === "summary");
  return summary < 0 ? headMessages : summary;
}

function systemText({ transcript: { system } }: Decoded): string {
  return system.map(({ wire }) => wire?.raw ?? "").join("\n");
}

/** Only the stable beginning can be too short to be cached: weighed by system prompt and tools. */
function prefixMinimum({ rules, measure }: Unmarked, { transcript }: Decoded, sites: readonly CacheSite[]) {
  const { minimumTokens } = rules;
  if (minimumTokens === undefined) return {};
  const beginning = measure.transcript({ ...transcript, messages: [] });
  const tokensTo = (at: number): number => (sites[at]!.section === "messages" ? Infinity : beginning);
  return { minimumTokens, tokensTo };
}
