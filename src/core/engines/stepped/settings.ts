/** The settings of `stepped` (IA al Día 2026; `current`: OpenCode 1.18). */
import { count, defaultsOf, derivedTokens, share, tokens, type ValuesOf } from "../setting.ts";
import { WINDOW_DEFAULTS, type Preset, type WindowSettings } from "../shared-settings.ts";

export const STEPPED_OWN = {
  marginTokens: tokens(
    20_000,
    "Compacts this far below the usable window, or the reserved output below it where that is less.",
  ),
  hideTokensMin: derivedTokens(
    "Old results are hidden only where that frees more than so many tokens. `null`: 20,000; with the preset `current` nothing is hidden.",
  ),
  protectedTokens: tokens(40_000, "The newest results of so many tokens are never hidden."),
  protectedTurns: count(2, "Turns of the user whose results are never hidden."),
  resultShare: share(
    0.5,
    "A summary with what stands beside it should not weigh more than this share of the usable window.",
  ),
  tailTokens: derivedTokens(
    "The newest messages that stay beside a summary, in tokens. `null`: none; with the preset `current` a quarter of the window, from 2,000 to 15,000.",
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
