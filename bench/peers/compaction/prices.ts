/** What the sessions of the comparison are priced by, and when and to what they are compacted. */

/** In units of one input token: what a token costs that is read from the cache, is written to it, or is an answer. */
export const PRICES = { read: 0.1, write: 1.25, output: 5 } as const;

export const WINDOW_TOKENS = 64_000;
/** Half of the window, as ours is documented. */
export const TRIGGER_TOKENS = 32_000;
