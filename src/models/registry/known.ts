/**
 * What is known of models by name: windows, output limits, prices, caches, images. Data with its source and the day it
 * was read; a dash is a figure that no source gave. Prices change: the configuration's `models` overrides each one.
 */
import type { Prices } from "../ai-sdk.ts";

export interface List {
  readonly source: string;
  /** The day the source said so, ISO. */
  readonly asOf: string;
  readonly cache?: CacheRules;
  /** Its models think before they write unless a request turns that off, and what they think counts as output. */
  readonly thinks?: true;
  /**
   * A row a model, in columns: name · window · output limit · US dollars for a million tokens of input, output, cache
   * read, 5-minute write, 1-hour write · smallest prefix that is cached · tokens of a large image · long prompts
   * (`above×input×output`: past that many input tokens the whole request costs that many times more).
   */
  readonly rows: string;
}

/** Anthropic: four markers, each looks back twenty blocks (its prompt caching docs, 2026-11). */
const MARKERS: CacheRules = Object.freeze({
  kind: "markers",
  markersMax: 4,
  lookbackBlocks: 20,
  ttls: ["5m", "1h"],
});
/** OpenAI: by itself from 1,024 tokens on; since gpt-5.6 breakpoints can be set too (its prompt caching guide, 2026-11). */
const AUTOMATIC: CacheRules = Object.freeze({ kind: "automatic", minimumTokens: 1_024 });
const AUTOMATIC_OR_MARKERS: CacheRules = Object.freeze({ ...AUTOMATIC, markersMax: 4, ttls: ["30m", "12h"] });

const PRICE_LIST = "genai-prices 0.1.8 for windows and prices";
/** The newest Claude models and Gemini's: a photo of 12 megapixels, as others measured it. */
const IMAGES = "a published measurement of images";

export const KNOWN: readonly List[] = [
  {
    source: `platform.claude.com, pages of the models; ${IMAGES}`,
    asOf: "2026-10-07",
    cache: MARKERS,
    thinks: true,
    rows: `
      claude-haiku-5-5   1000000 128000  0.1 0.5   0.01 0.125 0.2  -    -    100000×5×5
      claude-sonnet-5-5  1000000 128000  2   10    0.1  2.5   4    -    4005 -`,
  },
  {
    source: `${PRICE_LIST}; platform.claude.com for output limits, cache minimums and images; ${IMAGES}`,
    asOf: "2026-09-23",
    cache: MARKERS,
    thinks: true,
    rows: `
      claude-fable-5-1   1000000 128000  10   50   0.25 12.5  20   -    -    -
      claude-fable-5     1000000 128000  10   50   1    12.5  20   512  -    -
      claude-opus-5-5    1000000 128000  4    20   0.2  5     8    -    4005 -
      claude-opus-5      1000000 128000  5    25   0.5  6.25  10   512  -    -
      claude-sonnet-5    1000000 128000  2    10   0.2  2.5   4    1024 -    -`,
  },
  {
    source: `${PRICE_LIST}; platform.claude.com for output limits, cache minimums and images; ${IMAGES}`,
    asOf: "2026-09-23",
    cache: MARKERS,
    rows: `
      claude-opus-4-8    1000000 -       5    25   0.5  6.25  10   1024 -    -
      claude-opus-4-7    1000000 -       5    25   0.5  6.25  10   2048 -    -
      claude-opus-4-6    1000000 -       5    25   0.5  6.25  10   4096 1600 -
      claude-opus-4-5    200000  -       5    25   0.5  6.25  10   4096 1600 -
      claude-opus-4-1    200000  -       15   75   1.5  18.75 30   1024 1600 -
      claude-opus-4      200000  -       15   75   1.5  18.75 30   1024 1600 -
      claude-sonnet-4-6  1000000 -       3    15   0.3  3.75  6    1024 1600 -
      claude-sonnet-4-5  200000  -       3    15   0.3  3.75  6    1024 1600 -
      claude-sonnet-4    200000  -       3    15   0.3  3.75  6    1024 1600 -
      claude-haiku-4-5   200000  64000   1    5    0.1  1.25  2    4096 1600 -
      claude-3-7-sonnet  200000  -       3    15   0.3  3.75  6    1024 1600 -
      claude-3-5-sonnet  200000  -       3    15   0.3  3.75  6    1024 1600 -
      claude-3-5-haiku   200000  8192    0.8  4    0.08 1     1.6  2048 1600 -
      claude-3-opus      200000  -       15   75   1.5  18.75 30   1024 1600 -
      claude-3-haiku     200000  -       0.25 1.25 0.03 0.3   0.5  2048 1600 -`,
  },
  {
    source: `${PRICE_LIST}; developers.openai.com for gpt-5.6-luna and gpt-5.6-terra`,
    asOf: "2026-09-23",
    cache: AUTOMATIC_OR_MARKERS,
    thinks: true,
    rows: `
      gpt-6-astra   1050000 -      10  50  1    12.5  - - - 271999×2×1.5
      gpt-6-sol     1050000 -      2   10  0.2  2.5   - - - 272000×2×1.5
      gpt-6-luna    1050000 -      0.1 0.5 0.01 0.125 - - - 272000×2×1.5
      gpt-5.6-sol   1050000 128000 4   20  0.4  5     - - - 271999×2×1.5
      gpt-5.6-terra 1050000 128000 2   12  0.2  2.5   - - - 271999×2×1.5
      gpt-5.6-luna  1050000 128000 0.2 1.2 0.02 0.25  - - - 271999×2×1.5`,
  },
  {
    source: PRICE_LIST,
    asOf: "2026-09-23",
    cache: AUTOMATIC,
    thinks: true,
    rows: `
      gpt-5.5-pro   1000000 -      30   180  -     - - - - 271999×2×1.5
      gpt-5.5       1000000 -      5    30   0.5   - - - - 271999×2×1.5
      gpt-5.4-pro   1050000 -      30   180  -     - - - - 271999×2×1.5
      gpt-5.4-mini  400000  -      0.75 4.5  0.075 - - - - -
      gpt-5.4-nano  400000  -      0.2  1.25 0.02  - - - - -
      gpt-5.4       1050000 -      2.5  15   0.25  - - - - 271999×2×1.5
      gpt-5.3-codex 400000  -      1.75 14   0.175 - - - - -
      gpt-5.3       128000  -      1.75 14   0.175 - - - - -
      gpt-5.2-pro   400000  -      21   168  -     - - - - -
      gpt-5.2       400000  -      1.75 14   0.175 - - - - -
      gpt-5.1-codex-mini 400000 -  0.25 2    0.025 - - - - -
      gpt-5.1       400000  -      1.25 10   0.125 - - - - -
      gpt-5-pro     400000  -      15   120  -     - - - - -
      gpt-5-mini    400000  -      0.25 2    0.025 - - - - -
      gpt-5-nano    400000  -      0.05 0.4  0.005 - - - - -
      gpt-5         400000  128000 1.25 10   0.125 - - - - -
      o4-mini       200000  -      1.1  4.4  0.275 - - - - -
      o3-pro        200000  -      20   80   -     - - - - -
      o3-mini       200000  -      1.1  4.4  0.55  - - - - -
      o3            200000  -      2    8    0.5   - - - - -
      o1-pro        200000  -      150  600  -     - - - - -
      o1-mini       128000  -      1.1  4.4  0.55  - - - - -
      o1            200000  -      15   60   7.5   - - - - -`,
  },
  {
    source: PRICE_LIST,
    asOf: "2026-09-23",
    cache: AUTOMATIC,
    rows: `
      gpt-4.1-mini  1000000 -      0.4  1.6  0.1   - - - - -
      gpt-4.1-nano  1000000 -      0.1  0.4  0.025 - - - - -
      gpt-4.1       1000000 -      2    8    0.5   - - - - -
      gpt-4o-mini   128000  -      0.15 0.6  0.075 - - - - -
      gpt-4o        128000  -      2.5  10   1.25  - - - - -
      gpt-4-turbo   128000  -      10   30   -     - - - - -
      gpt-4-32k     32000   -      60   120  -     - - - - -
      gpt-4         8192    -      30   60   -     - - - - -
      gpt-3.5-turbo 16385   -      0.5  1.5  -     - - - - -`,
  },
  {
    source: `${PRICE_LIST}; ${IMAGES}`,
    asOf: "2026-09-23",
    thinks: true,
    rows: `
      gemini-3.8-flash       1000000 - 0.75  3.75 0.075  - - - 1101 -
      gemini-3.7-flash       1000000 - 0.75  3.75 0.075  - - - 1101 -
      gemini-3.6-flash       1000000 - 0.75  3.75 0.075  - - - 1101 -
      gemini-3.5-flash-lite  1000000 - 0.3   2.5  0.03   - - - 1101 -
      gemini-3.5-flash       1000000 - 1.5   9    0.15   - - - 1101 -
      gemini-3.1-flash-lite  1000000 - 0.25  1.5  0.025  - - - 1101 -
      gemini-3.1-pro         -       - 2     12   0.2    - - - 1101 200000×2×1.5
      gemini-3-flash         1000000 - 0.5   3    0.05   - - - 1101 -
      gemini-3-pro           -       - 2     12   0.2    - - - 1101 200000×2×1.5
      gemini-2.5-flash-lite  1000000 - 0.1   0.4  0.01   - - - -    -
      gemini-2.5-flash       1048576 - 0.3   2.5  0.03   - - - -    -
      gemini-2.5-pro         -       - 1.25  10   0.125  - - - -    200000×2×1.5`,
  },
  {
    source: PRICE_LIST,
    asOf: "2026-09-23",
    rows: `
      deepseek-v3.2          128000  - 0.2288 0.3432 -   - - - -    -
      deepseek-v4-flash      1000000 - -     -    -      - - - -    -
      deepseek-v4-pro        1000000 - -     -    -      - - - -    -
      grok-4.6               500000  - 2     6    0.5    - - - -    199999×2×2
      grok-4.5               500000  - 2     6    0.3    - - - -    199999×2×2
      grok-4.3               1000000 - 1.25  2.5  0.2    - - - -    199999×2×2
      grok-code-fast-1       256000  - 0.2   1.5  0.02   - - - -    -
      kimi-k3                1048576 - 3     15   0.3    - - - -    -
      kimi-k2.7-code         262144  - 0.95  4    0.19   - - - -    -
      kimi-k2.6              262144  - 0.95  4    0.16   - - - -    -
      kimi-k2.5              262144  - 0.6   3    0.1    - - - -    -
      glm-5.3-flash          1000000 - 0.075 0.25 0.015  - - - -    -
      glm-5.3                1000000 - 1.4   4.4  0.26   - - - -    -
      glm-5.2                1000000 - 1.4   4.4  0.26   - - - -    -
      minimax-m3             1000000 - 0.3   1.2  0.06   - - - -    512000×2×2
      minimax-m2.7           204800  - 0.3   1.2  0.06   0.375 - - - -
      minimax-m2             204800  - 0.3   1.2  0.03   0.375 - - - -
      mistral-large-2512     262144  - 0.5   1.5  0.05   - - - -    -
      mistral-medium-3-5     262144  - 1.5   7.5  0.15   - - - -    -
      mistral-small-2603     262144  - 0.15  0.6  0.015  - - - -    -
      devstral-2512          262144  - 0.4   2    0.04   - - - -    -
      gpt-oss-120b           131072  - -     -    -      - - - -    -
      gpt-oss-20b            131072  - -     -    -      - - - -    -
      gemma-4                262144  - -     -    -      - - - -    -`,
  },
];

/** How a provider's prompt cache is used. */
export interface CacheRules {
  /** `markers`: at the request's markers. `automatic`: for every prefix long enough. */
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
