/** What a session may have in common with others, in this process or elsewhere. */
import type { Compaction } from "../core/compaction/compaction.ts";

/** Compactions that are made and not in effect yet, shared by processes. */
export interface SharedAhead {
  readonly put: (compaction: Compaction) => Promise<void>;
  /** The one that covers most of a conversation, given its links. */
  readonly find: (links: readonly string[]) => Promise<Compaction | undefined>;
  /** It is in effect now, or is no use any more. */
  readonly drop: (compaction: Compaction) => void;
}

/** What several sessions may spend together. */
export interface SharedBudget {
  /** Why no model may be asked now; undefined where one may. */
  readonly withheld: () => string | undefined;
  /** A call was answered; its price where it is known. */
  readonly spent: (costUsd: number) => void;
}
