/** What the steps of a turn share: the session's parts, and a conversation as it came and as it is. */
import type { Estimator } from "../core/engines/contract.ts";
import type { MessageKeeper } from "../core/compaction/keep-messages.ts";
import type { Chain } from "../core/transcript/links.ts";
import { calibrated, type Measure } from "../core/transcript/measure.ts";
import type { Transcript } from "../core/transcript/message.ts";
import type { ActiveCompaction, Store } from "../store/store.ts";
import type { RuntimeOptions } from "./contract.ts";
import type { Events } from "./events.ts";
import type { Ingest } from "./ingest.ts";
import type { SessionState } from "./state.ts";
import type { ContextUsageTracker } from "./context-usage.ts";

/** What a session works with. */
export interface SessionContext {
  readonly options: RuntimeOptions;
  readonly store: Store;
  readonly tenant: string;
  readonly chain: Chain;
  /** Uncorrected estimates. */
  readonly estimate: Measure;
  readonly events: Events;
  readonly contextUsage: ContextUsageTracker;
  readonly state: SessionState;
  /** Digests large results as they arrive; undefined where they stay. */
  readonly ingest: Ingest | undefined;
  /** Recall ids of what that took out and the store has. */
  readonly kept: Set<string>;
  /** Has every request of the user stay, where that is wanted, and what is pinned. */
  readonly keepMessages: MessageKeeper;
  readonly keepsRequests: boolean;
  /** What is pinned, where the store keeps nothing beside compactions. */
  readonly pinned: Map<string, unknown>;
  /** What goes out for a transcript: itself, or without its secrets. */
  readonly outgoing: (transcript: Transcript) => Transcript;
}

/** A conversation as it came, and as it is with the compaction recorded for it. */
export interface ConversationView {
  readonly original: Transcript;
  readonly current: Transcript;
  readonly standing: ActiveCompaction;
  /** Tokens of `current`. */
  readonly tokens: number;
}

/** The measure is one object while the factor stands: what was weighed with it need not be weighed again. */
export function estimatorOf({ chain, estimate, state }: SessionContext): Estimator {
  if (state.measure?.factor !== state.factor)
    state.measure = { factor: state.factor, measure: calibrated(estimate, state.factor) };
  return { chain, measure: state.measure.measure };
}
