/** The settings of `sacred-zone` (Dual Compression chapter, 16.2, 16.3 and 16.7). */
import { choice, count, defaultsOf, share, tokens, type ValuesOf } from "../setting.ts";
import { WINDOW_DEFAULTS, type WindowSettings } from "../shared-settings.ts";

export const SACRED_ZONE_OWN = {
  triggerShare: share(0.75, "Compacts above this share of the window."),
  targetShare: share(
    0.5,
    "A compaction ends at or below this share of the window, if it compacts at `trigger_share`; otherwise in proportion.",
  ),
  recentTokens: tokens(20_000, "Tokens of the newest messages that are kept unchanged; at most 0.4 of the target."),
  zone: choice(
    "fixed",
    ["fixed", "adaptive"],
    "`adaptive`: from half of `recent_tokens` to twice as many, by how many tools the agent calls and on how many things it works.",
  ),
  summaryWords: count(300, "Maximum number of words of the summary that a session restarts from.", 50),
};

export interface SacredZoneSettings extends WindowSettings, ValuesOf<typeof SACRED_ZONE_OWN> {}

export const SACRED_ZONE_DEFAULTS: SacredZoneSettings = { ...WINDOW_DEFAULTS, ...defaultsOf(SACRED_ZONE_OWN) };
