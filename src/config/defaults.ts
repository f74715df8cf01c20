/**
 * The defaults as plain data, apart from the schema, so that a run without settings of its own loads no validator.
 * Figures of the default engine: reference/000, 002 and 004, as settled in DESIGN §10.
 */
import { COMPRESSOR_DEFAULTS } from "../core/engines/compressor/limits.ts";

export const DEFAULTS = Object.freeze({
  model: Object.freeze({
    name: null,
    context_length: null,
    max_output_tokens: COMPRESSOR_DEFAULTS.maxOutputTokens,
  }),
  context: Object.freeze({ engine: "compressor" }),
  compression: Object.freeze({
    enabled: true,
    threshold: COMPRESSOR_DEFAULTS.threshold,
    threshold_floor_tokens: COMPRESSOR_DEFAULTS.thresholdFloorTokens,
    target_ratio: COMPRESSOR_DEFAULTS.targetRatio,
    protect_last_n: COMPRESSOR_DEFAULTS.protectLastN,
    protect_first_n: COMPRESSOR_DEFAULTS.protectFirstN,
    note: COMPRESSOR_DEFAULTS.note,
    template: COMPRESSOR_DEFAULTS.template,
    schedule: "threshold",
    ingest_limit_tokens: 0,
  } as const),
  auxiliary: Object.freeze({ compression: Object.freeze({ model: null, provider: "auto", base_url: null }) }),
  prompt_caching: Object.freeze({ enabled: true, strategy: "system_and_3", cache_ttl: "5m" } as const),
});

/** The window that is assumed while `model.context_length` is not set. */
export const ASSUMED_CONTEXT_TOKENS = COMPRESSOR_DEFAULTS.contextLength;
