/** What the steps of a turn share: the session's parts, and a conversation as it came and as it stands. */
import type { Workbench } from "../core/engines/contract.ts";
import type { RequestKeeper } from "../core/compaction/run/keep-requests.ts";
import type { Chain } from "../core/transcript/links.ts";
import { calibrated, type Measure } from "../core/transcript/measure.ts";
import type { Transcript } from "../core/transcript/message.ts";
import type { Standing, Store } from "../store/store.ts";
import type { RuntimeOptions } from "./contract.ts";
import type { Events } from "./events.ts";
import type { Ingest } from "./ingest.ts";
import type { Live } from "./live.ts";
import type { SituationKeeper } from "./situation.ts";

/** What a session works with. */
export interface Desk {
  readonly options: RuntimeOptions;
  readonly store: Store;
  readonly tenant: string;
  readonly chain: Chain;
  /** Uncorrected estimates. */
  readonly estimate: Measure;
  readonly events: Events;
  readonly situation: SituationKeeper;
  readonly live: Live;
  /** Digests large results as they arrive; undefined where they stay. */
  readonly ingest: Ingest | undefined;
  /** Recall ids of what that took out and the store has. */
  readonly kept: Set<string>;
  /** Has every request of the user stay, where that is wanted. */
  readonly keepRequests: RequestKeeper | undefined;
  /** What goes out for a transcript: itself, or without its secrets. */
  readonly outgoing: (transcript: Transcript) => Transcript;
}

/** A conversation as it came, and as it stands with the compaction recorded for it. */
export interface View {
  readonly original: Transcript;
  readonly current: Transcript;
  readonly standing: Standing;
  /** Tokens of `current`. */
  readonly tokens: number;
}

/** The measure is one object while the factor stands: what was weighed with it need not be weighed again. */
export function benchOf({ chain, estimate, live }: Desk): Workbench {
  if (live.measure?.factor !== live.factor)
    live.measure = { factor: live.factor, measure: calibrated(estimate, live.factor) };
  return { chain, measure: live.measure.measure };
}
