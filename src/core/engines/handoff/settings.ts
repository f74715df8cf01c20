/** The settings of `handoff` (IA al Día 2026; `current`: Codex CLI 0.169). */
import { defaultsOf, derivedTokens, share, tokens, type ValuesOf } from "../setting.ts";
import { WINDOW_DEFAULTS, type Preset, type WindowSettings } from "../shared-settings.ts";

export const HANDOFF_OWN = {
  triggerShare: share(0.9, "Compacts from this share of the window."),
  triggerTokens: tokens(0, "Compacts from this many tokens if that is earlier than `trigger_share`; 0 is off."),
  resultShare: share(
    0.5,
    "Target size of a result, as a share of the window, if it compacts at `trigger_share`; otherwise in proportion.",
  ),
  userTokens: derivedTokens(
    "Tokens of the user's newest messages that are kept word for word. `null`: all of them, or 20,000 with the preset `current`.",
  ),
  remoteUserTokens: derivedTokens(
    "The same with a compaction by the provider itself. `null`: `user_tokens`, or 64,000 with the preset `current`.",
  ),
};

export interface HandoffSettings extends WindowSettings, ValuesOf<typeof HANDOFF_OWN> {
  /**
   * `documented`: IA al Día 2026, which keeps every message of a person; results that the model has not read yet stay,
   * too. `current`: as Codex does it today, all but a person's newest messages goes, and the provider's own compaction
   * leaves more of these.
   */
  readonly preset: Preset;
}

export const HANDOFF_DEFAULTS: HandoffSettings = {
  ...WINDOW_DEFAULTS,
  preset: "documented",
  ...defaultsOf(HANDOFF_OWN),
};
