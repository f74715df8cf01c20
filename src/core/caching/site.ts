/**
 * A request as a prompt cache sees it: blocks in the order in which a provider renders them (tools, system, messages),
 * some of which can carry a marker. Which blocks there are, a protocol knows; what is done with them is decided here.
 */

import type { Role } from "../transcript/message.ts";

/** How long a written prefix lives. */
export type Ttl = "5m" | "1h";

export type CacheSection = "tools" | "system" | "messages";

export interface CacheSite {
  readonly section: CacheSection;
  /** Index of the message among those of the conversation; -1 outside of it. */
  readonly message: number;
  /** Whose message it is in; undefined for tools. */
  readonly role?: Role;
  /** A marker can be on it: it is not empty, no thinking, and of a kind that takes one. */
  readonly carries: boolean;
  /** The marker that is on it, or inside of it. */
  readonly marker?: Ttl;
  /** The marker came with an older request and is here only because its bytes were kept. */
  readonly stale?: true;
}

/** Where markers shall are: by index of the site. All of them, those that are there already included. */
export type MarkerPlan = ReadonlyMap<number, Ttl>;
