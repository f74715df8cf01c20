/** The settings of `stepped` (IA al Día 2026; `current`: OpenCode 1.18). */
import { count, defaultsOf, derivedTokens, share, tokens, type ValuesOf } from "../setting.ts";
import { WINDOW_DEFAULTS, type Preset, type WindowSettings } from "../shared-settings.ts";

export const STEPPED_OWN = {
  marginTokens: tokens(
    20_000,
    "Compacts this many tokens below the usable window, or the reserved output below it if that is less.",
  ),
  hideTokensMin: derivedTokens(
    "Old results are hidden only if that frees more than this many tokens. `null`: 20,000; with the preset `current` nothing is hidden.",
  ),
  protectedTokens: tokens(40_000, "The newest results up to this many tokens are never hidden."),
  protectedTurns: count(2, "Number of newest user turns whose results are never hidden."),
  resultShare: share(0.5, "Target size of a summary and the messages next to it, as a share of the usable window."),
  tailTokens: derivedTokens(
    "Tokens of the newest messages that are kept next to a summary. `null`: none; with the preset `current` a quarter of the window, from 2,000 to 15,000.",
  ),
};

export interface SteppedSettings extends WindowSettings, ValuesOf<typeof STEPPED_OWN> {
  /**
   * `documented`: IA al Día 2026, results are hidden first. `current`: as OpenCode does it today, nothing is hidden unless
   * asked for, and a tail stays beside the summary.
   */
  readonly preset: Preset;
}

export const STEPPED_DEFAULTS: SteppedSettings = {
  ...WINDOW_DEFAULTS,
  preset: "documented",
  ...defaultsOf(STEPPED_OWN),
};
