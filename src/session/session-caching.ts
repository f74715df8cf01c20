/** Cache markers, as a session sets them on what is to be sent. */
import type { Ttl } from "../core/caching/breakpoints.ts";
import type { MarkerLayout } from "../protocols/caching/layout.ts";

export interface SessionCaching {
  /** `native`: Anthropic's on its own API. `openrouter`: the same on Chat requests. `openai`: OpenAI's breakpoints and key. */
  readonly layout: MarkerLayout;
  /** Default `spaced`: the system prompt, the newest message, and what a compaction leaves alone. */
  readonly strategy?: "spaced" | "system_and_3";
  /** How long what is written lives; default `5m`. */
  readonly ttl?: Ttl;
  /** The shortest prefix that the model's provider caches, in tokens, where it is known. */
  readonly minimumTokens?: number;
}
