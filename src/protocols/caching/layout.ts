/** The forms in which cache markers are written. */

/**
 * Whose markers: Anthropic's own on its own blocks; the same on Chat messages, as OpenRouter takes them; OpenAI's
 * breakpoints, which know no lifetime of their own.
 */
export type MarkerLayout = "native" | "openrouter" | "openai";
