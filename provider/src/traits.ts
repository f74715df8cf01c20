/**
 * What the provider holds a model to: its window, tokenizer, cache and thinking. Windows and prices come from the table
 * of known models; how a vendor's cache and thinking work is said here, from the vendors' docs of November 2026
 * (docs/sources.md).
 */
import { createRegistry, knownModels, lookUp, type Prices, type Registry } from "../../src/models/index.ts";
import { bareName, returnsReasoning } from "../../src/models/registry/registry.ts";
import type { OverflowErrorName } from "./overflow-errors.ts";

export type CacheKind =
  /** Anthropic: where the request marks it. */
  | "marked"
  /** OpenAI before gpt-5.6: every prefix long enough, free to write. */
  | "automatic"
  /** OpenAI from gpt-5.6 on: at the end of messages and at breakpoints, writes at a price. */
  | "breakpoints";

export interface ModelTraits {
  readonly windowTokens: number;
  /** Answers are cut here where a request does not say. */
  readonly maxOutputTokens: number;
  /** This model's tokens for one of our estimator's. */
  readonly tokenFactor: number;
  readonly imageTokens: number;
  readonly cacheMinimumTokens: number;
  /** Content blocks a marker looks back over, itself counted. */
  readonly lookbackBlocks: number;
  /** How OpenAI's cache works for it; on `/v1/messages` the cache is always the marked one. */
  readonly openaiCache: Exclude<CacheKind, "marked">;
  /** Its thinking is bound to everything before it. */
  readonly bindsThinking: boolean;
  /** Takes system messages behind the first message (Anthropic). */
  readonly systemTurns: boolean;
  /** Refuses messages of one role in a row, as the chat templates of Mistral and Gemma do (Chat Completions). */
  readonly alternates?: boolean;
  /** Refuses a call without the thinking that led to it, as DeepSeek does (Chat Completions and Messages). */
  readonly returnsReasoning?: boolean;
  readonly prices?: Prices;
  /** Whose words a prompt above the window is refused in; the protocol's own vendor's by default. */
  readonly overflowError?: OverflowErrorName;
  /** Whether a streamed request is refused inside of the stream; as the protocol's own vendor does by default. */
  readonly overflowInStream?: boolean;
}

/** Dates of models are not kept: one day for all. */
export const MODEL_CREATED_MS = Date.UTC(2026, 0, 1);
const LOOKBACK_BLOCKS = 20;
/** Sources say 512 to 4,096 for models of Anthropic; OpenAI says 1,024 for all. */
const CACHE_MINIMUM_TOKENS = 1_024;
const MAX_OUTPUT_TOKENS = 128_000;
/** Flat, as our estimator counts (Zhang 2026). */
const IMAGE_TOKENS = 1_600;
const WINDOW_TOKENS = 200_000;

/** The first of each family whose thinking is bound: 5.1 for the model that came first, 5.5 for the others. */
const BINDS_THINKING = /^claude-[a-z]+-(?:5-[1-9](?!\d)|[6-9](?!\d))/;
/** From Claude Opus 4.8 on. */
const SYSTEM_TURNS = /^claude-(?:opus-4-(?:[89]|\d{2})(?!\d)|[a-z]+-(?:[5-9]|\d{2})(?!\d))/;
const WRITES_AT_BREAKPOINTS = /^gpt-(?:5-[6-9](?!\d)|[6-9](?!\d))/;

export interface TraitsOptions {
  /** Models beside the known ones, and figures laid over those of known ones. */
  readonly models?: Readonly<Record<string, Partial<ModelTraits>>> | undefined;
  /** Laid over every model. */
  readonly all?: Partial<ModelTraits> | undefined;
}

export interface ModelBook {
  /** Undefined for a model that does not exist. */
  readonly find: (name: string) => ModelTraits | undefined;
  /** Names for `GET /v1/models`. */
  readonly names: () => readonly string[];
}

export function createModelBook({ models = {}, all = {} }: TraitsOptions): ModelBook {
  const registry = createRegistry();
  const own = new Map(Object.entries(models).map(([name, traits]) => [bareName(name), traits]));
  const found = new Map<string, ModelTraits>();
  const find = (name: string): ModelTraits | undefined => {
    const remembered = found.get(name);
    if (remembered !== undefined) return remembered;
    const stated = own.get(bareName(name));
    const traits = knownTraits(registry, name);
    if (stated === undefined && traits === undefined) return undefined;
    const whole = { ...(traits ?? plainTraits(name)), ...all, ...stated };
    found.set(name, whole);
    return whole;
  };
  const names = (): readonly string[] => [
    ...new Set([...Object.keys(models), ...Array.from(knownModels().values(), ({ name }) => name)]),
  ];
  return { find, names };
}

function knownTraits(registry: Registry, name: string): ModelTraits | undefined {
  const facts = lookUp(registry, name);
  if (facts === undefined) return undefined;
  const plain = plainTraits(name);
  return {
    ...plain,
    windowTokens: facts.windowTokens ?? plain.windowTokens,
    maxOutputTokens: facts.maxOutputTokens ?? plain.maxOutputTokens,
    cacheMinimumTokens: facts.cache?.minimumTokens ?? plain.cacheMinimumTokens,
    ...(facts.prices === undefined ? {} : { prices: facts.prices }),
  };
}

function plainTraits(name: string): ModelTraits {
  const bare = bareName(name);
  return {
    windowTokens: WINDOW_TOKENS,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    tokenFactor: 1,
    imageTokens: IMAGE_TOKENS,
    cacheMinimumTokens: CACHE_MINIMUM_TOKENS,
    lookbackBlocks: LOOKBACK_BLOCKS,
    openaiCache: WRITES_AT_BREAKPOINTS.test(bare) ? "breakpoints" : "automatic",
    bindsThinking: BINDS_THINKING.test(bare),
    systemTurns: SYSTEM_TURNS.test(bare),
    returnsReasoning: returnsReasoning(name),
  };
}
