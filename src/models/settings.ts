/** The settings that models read; the configuration has this shape. */
import type { ProviderName } from "./providers.ts";
import type { Override } from "./registry/known.ts";
import { createRegistry, type Registry } from "./registry/registry.ts";

/** `auto`: by the model's name. */
export type ProviderChoice = ProviderName | "auto";

/** One model's own facts, as the configuration's `models` section states them; what it leaves out stays as known. */
export interface StatedFacts {
  readonly context_length?: number | undefined;
  readonly max_output_tokens?: number | undefined;
  readonly input_usd_per_mtok?: number | undefined;
  readonly output_usd_per_mtok?: number | undefined;
  readonly cache_read_usd_per_mtok?: number | undefined;
  readonly cache_write_5m_usd_per_mtok?: number | undefined;
  readonly cache_write_1h_usd_per_mtok?: number | undefined;
  readonly cache_minimum_tokens?: number | undefined;
  readonly image_tokens?: number | undefined;
  readonly threshold?: number | undefined;
  readonly keep_recent_tokens?: number | undefined;
  readonly engine?: string | undefined;
}

export interface ModelSettings {
  readonly model: {
    readonly name: string | null;
    readonly provider: ProviderChoice;
    readonly base_url: string | null;
    readonly api_key_env: string | null;
    readonly context_length: number | null;
  };
  readonly auxiliary: {
    readonly compression: {
      readonly model: string | null;
      readonly provider: ProviderChoice | "main";
      readonly base_url: string | null;
      readonly api_key_env: string | null;
      /** Of a program that states it; in a file, `models` does. */
      readonly context_length?: number | null;
      readonly thinking_tokens: number | null;
      readonly timeout_seconds: number;
    };
  };
  readonly models: Readonly<Record<string, StatedFacts>>;
}

/** The registry with the configuration's own facts. */
export function registryOf({ models }: Pick<ModelSettings, "models">): Registry {
  return createRegistry(
    Object.fromEntries(Object.entries(models).map(([name, stated]) => [name, makeOverride(stated)])),
  );
}

function makeOverride(stated: StatedFacts): Override {
  const prices = present({
    inputUsdPerMtok: stated.input_usd_per_mtok,
    outputUsdPerMtok: stated.output_usd_per_mtok,
    cacheReadUsdPerMtok: stated.cache_read_usd_per_mtok,
    cacheWrite5mUsdPerMtok: stated.cache_write_5m_usd_per_mtok,
    cacheWrite1hUsdPerMtok: stated.cache_write_1h_usd_per_mtok,
  });
  return {
    ...present({
      windowTokens: stated.context_length,
      maxOutputTokens: stated.max_output_tokens,
      imageTokens: stated.image_tokens,
      cacheMinimumTokens: stated.cache_minimum_tokens,
    }),
    prices,
    compaction: {
      ...present({ threshold: stated.threshold, keepRecentTokens: stated.keep_recent_tokens }),
      ...(stated.engine === undefined ? {} : { engine: stated.engine }),
    },
  };
}

function present<Key extends string>(figures: Readonly<Record<Key, number | undefined>>): Partial<Record<Key, number>> {
  const said = Object.entries(figures).filter(([, figure]) => figure !== undefined);
  return Object.fromEntries(said) as Partial<Record<Key, number>>;
}

/** For one answer, retries included: an agent waits no longer for one prompt. */
export const ASK_TIMEOUT_MS = 120_000;
/** Node gives up on an answer that has not begun after this long, regardless of the settings. */
export const ASK_TIMEOUT_MS_MAX = 300_000;
/** Further requests after one that may succeed when it is made again. */
export const ASK_RETRIES = 2;
/** Output tokens in addition to the answer's own, for a model that is known to think before it writes. */
export const THINKING_TOKENS = 8_000;
