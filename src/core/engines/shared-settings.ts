/** What every engine is told: the model's window, and which edition of its policy holds. */
export type Preset = "documented" | "current";

/** From where on one session is compacted, as a person set it: a share of the window, or tokens. */
export type SessionThreshold = { readonly share: number } | { readonly tokens: number };

export interface WindowSettings {
  /** The model's window in tokens. */
  readonly contextLength: number;
  /** Output tokens a request reserves inside the window. */
  readonly maxOutputTokens: number;
  /** In place of what the engine would choose; set for single sessions, never by configuration. */
  readonly sessionThreshold?: SessionThreshold | undefined;
  /** Tokens of the newest messages that stay word for word, in place of the engine's own figure; set for single models. */
  readonly keepRecentTokens?: number | undefined;
}

export interface SharedSettings extends WindowSettings {
  /** Of the engines that have two: as it was described in 2026 (docs/sources.md), or as its original does it today. */
  readonly preset: Preset;
  /**
   * `as_fits`: of older requests of the user, what fits stays, and the rest can be recalled. `all`: every one stays word for
   * word, and a compaction that has no room for them is refused. A session sees to it, whatever the engine.
   */
  readonly keepRequests: "as_fits" | "all";
}

export const WINDOW_DEFAULTS: WindowSettings = { contextLength: 200_000, maxOutputTokens: 0 };

export const SHARED_DEFAULTS: SharedSettings = { ...WINDOW_DEFAULTS, preset: "documented", keepRequests: "as_fits" };
