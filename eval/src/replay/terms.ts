/**
 * On what terms a session is replayed: the model's prices and window, how its provider caches, and in which protocol it
 * is asked. From the registry, with its sources; what is stated on the way is laid over it.
 */
import type { Ttl } from "../../../src/core/caching/breakpoints.ts";
import { PrecisError } from "../../../src/core/errors.ts";
import { lookUp, type ModelFacts, type Prices, type Registry } from "../../../src/models/index.ts";
import type { ProtocolName } from "../../../src/core/protocols.ts";
import type { ReplayProtocol } from "./requests.ts";
import { definitions } from "../../../src/protocols/registry.ts";
import { AUTOMATIC_TTL_MS, BREAKPOINT_TTL_MS, TTL_MS } from "../../../src/session/economy.ts";
import { initialFactor } from "../../../src/session/state.ts";
import type { SessionCaching } from "../../../src/session/markers.ts";
import { createModelBook, type CacheKind, type ModelTraits } from "../../../provider/src/traits.ts";

export interface TermsQuery {
  readonly registry: Registry;
  readonly model: string;
  /** The protocol of the recording; a model that is cached by markers is asked in Anthropic's. */
  readonly spoken: ProtocolName;
  readonly windowTokens: number;
  readonly ttl?: Ttl;
  readonly strategy?: NonNullable<SessionCaching["strategy"]>;
  /** This model's tokens for one of our estimator's; by the model's name if not given. */
  readonly tokenFactor?: number | undefined;
}

/** What a replay goes by. */
export interface ReplayTerms {
  readonly model: string;
  readonly protocol: ReplayProtocol;
  readonly windowTokens: number;
  readonly prices: Prices;
  readonly cache: CacheKind;
  /** What the strict provider counts and caches the requests by. */
  readonly traits: ModelTraits;
  /** How requests are marked; undefined if the provider caches by itself. */
  readonly caching: SessionCaching | undefined;
  readonly ttl: Ttl;
  /** How long what was asked stays in the cache after its last use, in milliseconds. */
  readonly ttlMs: number;
  readonly tokenFactor: number;
  /** What the registry knows. */
  readonly facts: ModelFacts;
  /** Where figures come from, the strongest first. */
  readonly sources: readonly string[];
  /** What had to be assumed. */
  readonly assumed: readonly string[];
}

/** Throws `unknown_prices` if neither the registry nor the query knows what the model charges. */
export function termsOf(query: TermsQuery): ReplayTerms {
  const { registry, model, ttl = "5m", strategy = "spaced" } = query;
  const found = lookUp(registry, model);
  const prices = found?.prices;
  if (found === undefined || prices === undefined) throw unknownPrices(model);
  const protocol = found.cache?.kind === "markers" ? "anthropic-messages" : openAiProtocol(query.spoken);
  const cache = cacheKindOf(found, protocol);
  const tokenFactor = query.tokenFactor ?? initialFactor(model);
  const { minimumTokens, lookbackBlocks } = found.cache ?? {};
  const stated = {
    tokenFactor,
    ...(minimumTokens === undefined ? {} : { cacheMinimumTokens: minimumTokens }),
    ...(lookbackBlocks === undefined ? {} : { lookbackBlocks }),
  };
  const traits = createModelBook({ models: { [model]: stated } }).find(model)!;
  const assumed = [
    ...(found.cache === undefined
      ? [`how ${model} is cached is not known; automatic caching as by OpenAI is assumed`]
      : []),
    ...(prices.cacheReadUsdPerMtok === undefined ? ["reading from the cache costs as much as any input"] : []),
  ];
  return {
    model,
    protocol,
    windowTokens: query.windowTokens,
    prices,
    cache,
    traits,
    caching: cachingOf(cache, { strategy, ttl, minimumTokens: traits.cacheMinimumTokens }),
    ttl,
    ttlMs: { marked: TTL_MS[ttl], automatic: AUTOMATIC_TTL_MS, breakpoints: BREAKPOINT_TTL_MS }[cache],
    tokenFactor,
    facts: found,
    sources: found.sources,
    assumed,
  };
}

function unknownPrices(model: string): PrecisError {
  return new PrecisError(`the prices of ${model} are not known`, {
    code: "unknown_prices",
    hint: `Choose a model with known prices, for example \`--model claude-sonnet-4-5\` (docs/models.md lists them), or set them: \`--set 'models={"${model}":{"input_usd_per_mtok":1,"output_usd_per_mtok":2}}'\`.`,
  });
}

/** Chat, for a session that was recorded in neither of OpenAI's. */
function openAiProtocol(spoken: ProtocolName): ReplayProtocol {
  return spoken === "openai-responses" ? spoken : "openai-chat";
}

function cacheKindOf(facts: ModelFacts, protocol: ProtocolName): CacheKind {
  if (definitions[protocol].markers === "native") return "marked";
  return facts.cache?.markersMax === undefined ? "automatic" : "breakpoints";
}

function cachingOf(cache: CacheKind, how: Omit<SessionCaching, "layout">): SessionCaching | undefined {
  return cache === "automatic" ? undefined : { layout: cache === "marked" ? "native" : "openai", ...how };
}
