/** What can be known of a model; whatever no source told is absent. */
import type { Prices } from "../usage.ts";

/** How a provider's prompt cache is used. */
export interface CacheRules {
  /** `markers`: where the request marks it. `automatic`: for every prefix long enough. */
  readonly kind: "markers" | "automatic";
  readonly markersMax?: number;
  /** Content blocks before a marker in which an earlier cache entry is found. */
  readonly lookbackBlocks?: number;
  readonly minimumTokens?: number;
  readonly ttls?: readonly string[];
}

export interface ModelFacts {
  /** Input and output together. */
  readonly windowTokens?: number;
  readonly maxOutputTokens?: number;
  readonly prices?: Prices;
  readonly cache?: CacheRules;
  /** What a large image is charged. */
  readonly imageTokens?: number;
  /** It thinks before it writes, and what it thinks counts as output. */
  readonly thinks?: true;
}

/** Facts with the place they come from. */
export interface SourcedFacts extends ModelFacts {
  /** As its provider writes it. */
  readonly name: string;
  readonly source: string;
  readonly asOf: string;
}

/** What holds for the conversations of one model. */
export interface ModelCompaction {
  /** Share of the window. */
  readonly threshold?: number;
  readonly keepRecentTokens?: number;
  /** Of conversations that begin with it. */
  readonly engine?: string;
}

/** What the configuration says of a model; each figure is laid over the known one. */
export interface Override extends Omit<ModelFacts, "cache" | "prices"> {
  /** How its conversations are compacted, in place of what holds for others. */
  readonly compaction?: ModelCompaction;
  readonly cacheMinimumTokens?: number;
  readonly prices?: Partial<Prices>;
}
