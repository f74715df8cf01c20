/** From the configuration to the default engine's settings. */
import type { CompressorSettings } from "../core/engines/compressor/limits.ts";
import { ASSUMED_CONTEXT_TOKENS } from "./defaults.ts";
import type { Configuration } from "./schema.ts";

export function compressorSettings({ model, compression }: Configuration): CompressorSettings {
  return {
    contextLength: model.context_length ?? ASSUMED_CONTEXT_TOKENS,
    maxOutputTokens: model.max_output_tokens,
    threshold: compression.threshold,
    thresholdFloorTokens: compression.threshold_floor_tokens,
    targetRatio: compression.target_ratio,
    protectLastN: compression.protect_last_n,
    protectFirstN: compression.protect_first_n,
    note: compression.note,
    template: compression.template,
  };
}
