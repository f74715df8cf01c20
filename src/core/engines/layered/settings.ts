/** The settings of `layered` (IA al Día 2026; observed in Claude Code 2.1). */
import { count, defaultsOf, tokens, type ValuesOf } from "../setting.ts";
import { WINDOW_DEFAULTS, type WindowSettings } from "../shared-settings.ts";

export const LAYERED_OWN = {
  reservedTokens: tokens(
    20_000,
    "Tokens of the window reserved for writing a summary, unless more is reserved for output; also the maximum size of a summary.",
  ),
  triggerMarginTokens: tokens(
    13_000,
    "Compacts this many tokens below the rest of the window, at half of it at the earliest.",
  ),
  keptResults: count(3, "Number of newest tool results that are never cleared."),
  tailTokens: tokens(
    10_000,
    "Tokens of the newest messages that are kept verbatim after a summary; at most 0.05 of the window.",
  ),
  restoredTokens: tokens(
    50_000,
    "Tokens of instructions, skills and files that are restored after a summary; at most a quarter of the window.",
  ),
  restoredFiles: count(5, "Maximum number of restored files."),
  restoredFileTokens: tokens(5_000, "Maximum tokens of each restored piece."),
  failuresMax: count(
    3,
    "The engine stops after this many consecutive compactions that failed or had to be repeated at once.",
    1,
  ),
};

export interface LayeredSettings extends WindowSettings, ValuesOf<typeof LAYERED_OWN> {}

export const LAYERED_DEFAULTS: LayeredSettings = { ...WINDOW_DEFAULTS, ...defaultsOf(LAYERED_OWN) };
