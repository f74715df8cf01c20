/** What a handoff knows of a topic: everything about it but its drafts is data in one table. */
import type { Events } from "../../events/events.ts";

/** What a section is about; every template is made of these. */
export type Topic =
  | "task"
  | "goal"
  | "constraints"
  | "actions"
  | "state"
  | "progress"
  | "blocked"
  | "decisions"
  | "resolved"
  | "pending"
  | "files"
  | "remaining"
  | "context"
  | "messages"
  | "fixed";

export interface TopicDefinition {
  /** Of the handoff, at most. */
  readonly share: number;
  /** The order in which topics are filled; 1 is the first. */
  readonly need: number;
  /** Bullets where it is not set; `grouped`: paths in a line, by the tool that touched them. */
  readonly layout?: "numbered" | "grouped";
  /** Two items with one key say the same: only one is written. From the written words, so that an item read back has the same. */
  readonly keyOf: (text: string) => string;
  readonly carried: CarriedRule;
  /** A section that holds several topics asks a model for the first of them by this order; a model is never asked for one without. */
  readonly place?: number;
}

/** How items of an earlier handoff come into the next. */
export interface CarriedRule {
  /** Among the drafts; below 1, most new ones come first. */
  readonly rank: number;
  /** Whether it is still true, after what happened from message `since` on; always where not given. */
  readonly holds?: (text: string, events: Events, since: number) => boolean;
  /** Set where there is only one at a time: a new one takes its place. */
  readonly isReplaced?: boolean;
}
