/**
 * The settings of `lossless`. Defaults are those of lossless-claw, the engine that the Hermes Agent docs mean by their
 * example `lcm`.
 */
import { count, defaultsOf, share, tokens, type ValuesOf } from "../setting.ts";
import { WINDOW_DEFAULTS, type WindowSettings } from "../shared-settings.ts";

export const LOSSLESS_OWN = {
  contextThreshold: share(0.75, "Compacts above this share of the window."),
  freshTailCount: count(64, "Number of newest messages that are kept unchanged if they fit `fresh_tail_max_tokens`."),
  freshTailMaxTokens: tokens(
    24_000,
    "Tokens of the newest messages that are kept unchanged; at most a quarter of the usable window.",
  ),
  leafChunkTokens: tokens(20_000, "Maximum tokens of the conversation in one leaf.", 1_000),
  leafTargetTokens: tokens(2_400, "Tokens of a leaf.", 100),
  condensedTargetTokens: tokens(2_000, "Tokens of a node above leaves.", 100),
  leafMinFanout: count(8, "Number of messages that make a leaf, however few tokens they have.", 1),
  condensedMinFanout: count(4, "Number of nodes of one depth that are merged into one.", 2),
  condensedMinFanoutHard: count(2, "The same if nothing else is left to condense.", 2),
};

export interface LosslessSettings extends WindowSettings, ValuesOf<typeof LOSSLESS_OWN> {}

export const LOSSLESS_DEFAULTS: LosslessSettings = { ...WINDOW_DEFAULTS, ...defaultsOf(LOSSLESS_OWN) };
