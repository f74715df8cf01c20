/** The settings of `layered` (IA al Día 2026; observed in Claude Code 2.1). */
import { count, defaultsOf, tokens, type ValuesOf } from "../setting.ts";
import { WINDOW_DEFAULTS, type WindowSettings } from "../shared-settings.ts";

export const LAYERED_OWN = {
  reservedTokens: tokens(
    20_000,
    "Tokens of the window that are left for a summary to be written, unless more is reserved for output; also the most that a summary takes.",
  ),
  triggerMarginTokens: tokens(
    13_000,
    "Compacts this far below the rest of the window, and at half of it at the earliest.",
  ),
  keptResults: count(3, "The newest tool results, which are never cleared."),
  tailTokens: tokens(10_000, "The newest tokens that stay verbatim behind a summary; at most 0.05 of the window."),
  restoredTokens: tokens(
    50_000,
    "Instructions, skills and files that are put back behind a summary, in tokens; at most a quarter of the window.",
  ),
  restoredFiles: count(5, "Files that are put back, at most."),
  restoredFileTokens: tokens(5_000, "Tokens of each piece that is put back, at most."),
  failuresMax: count(3, "After so many compactions in a row that failed or did not last, the engine stops.", 1),
};

export interface LayeredSettings extends WindowSettings, ValuesOf<typeof LAYERED_OWN> {}

export const LAYERED_DEFAULTS: LayeredSettings = { ...WINDOW_DEFAULTS, ...defaultsOf(LAYERED_OWN) };
