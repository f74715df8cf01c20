/** The default engine's settings. Names, ranges and defaults are those of the Hermes Agent docs; docs/engines/compressor.md says what is ours. */
import type { TemplateName } from "../../handoff/templates.ts";
import { SHARED_DEFAULTS, type SharedSettings } from "../shared-settings.ts";

export interface CompressorSettings extends SharedSettings {
  /** Share of the window at which the in-loop compaction triggers. */
  readonly threshold: number;
  /** Least threshold in tokens; 0 is off (64,000 in Zhang 2026). */
  readonly thresholdFloorTokens: number;
  /** Share of the threshold kept verbatim as tail. */
  readonly targetRatio: number;
  /** Messages of the tail that are honoured while they fit the soft ceiling. */
  readonly protectLastN: number;
  /** Messages after the system prompt that are kept verbatim. */
  readonly protectFirstN: number;
  /** Where the model is told that its transcript was rewritten. */
  readonly note: "system" | "handoff";
  /** Sections of the handoff: the thirteen of Zhang 2026, or the seven of the Hermes Agent docs. */
  readonly template: TemplateName;
}

export const COMPRESSOR_DEFAULTS: CompressorSettings = {
  ...SHARED_DEFAULTS,
  threshold: 0.5,
  thresholdFloorTokens: 0,
  targetRatio: 0.2,
  protectLastN: 20,
  protectFirstN: 3,
  note: "system",
  template: "thirteen",
};
