/** From how many tokens on a conversation is compacted, and why it is not yet where its threshold is passed. */

import type { SessionThreshold } from "../core/engines/settings.ts";

/**
 * `prices`: by `compression.schedule` its price is not justified yet. `back_off`: a compaction would free too little to be worth
 * making. `undone`: a person took the last compaction back. `writing`: a model writes the handoff beside the requests.
 */
export type PostponedBy = "prices" | "back_off" | "undone" | "writing";

export interface Postponement {
  readonly by: PostponedBy;
  /** One line. */
  readonly because: string;
}

/** Plain data; survives JSON. */
export interface CompactionTiming {
  /** Where the engine compacts. */
  readonly thresholdTokens: number;
  /** What a person set for this session alone, where the threshold comes from that. */
  readonly set?: SessionThreshold;
  /** The figure in force: the threshold, or where a compaction that waits is made at the latest; absent where none is made by itself. */
  readonly compactsAtTokens?: number;
  /** Set while the conversation is above its threshold and is not compacted. */
  readonly postponed?: Postponement;
}
