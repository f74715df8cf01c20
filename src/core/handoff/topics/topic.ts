/** What a handoff knows of a topic: everything about it is in the file of that topic. */
import type { Ledger } from "../../ledger/ledger.ts";
import type { ItemDraft } from "../items.ts";
import type { HandoffMaterial } from "../material.ts";

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
  /** What the ledger says of it; the highest rank is most worth saying. */
  readonly drafts: (material: HandoffMaterial) => readonly ItemDraft[];
  /** Of the handoff, at most. What asks for more than there is gets less in proportion, but for those with `keepsShare`. */
  readonly share: number;
  /** What it may take whatever its share, up to another share: of a small handoff, what nothing else helps without. */
  readonly least?: { readonly tokens: number; readonly shareMax: number };
  /** The order in which topics are filled; 1 is the first. */
  readonly need: number;
  readonly keepsShare?: true;
  /** The record of episodes may say it already: filled after that, with what it leaves out. */
  readonly afterRecord?: true;
  /** What a person said of it is in their own words, whatever a model made of it. */
  readonly wordForWord?: true;
  /** Bullets where it is not set; `grouped`: paths in a line, by the tool that touched them. */
  readonly layout?: "numbered" | "grouped";
  /** Two items with one key say the same: only one is written. From the written words, so that an item read back has the same. */
  readonly keyOf: (text: string) => string;
  readonly carried: CarriedRule;
  readonly model: ModelRule;
}

/** How items of an earlier handoff come into the next. */
export interface CarriedRule {
  /** Among the drafts; below 1, most new ones come first. */
  readonly rank: number;
  /** What the first item has beyond that. */
  readonly firstRank?: number;
  /** Whether it is still true, after what the ledger tells from message `since` on; always where not given. */
  readonly holds?: (text: string, ledger: Ledger, since: number) => boolean;
  /** How it becomes a draft again, where it was not written as it is. */
  readonly again?: (text: string, ledger: Ledger) => Pick<ItemDraft, "write" | "group">;
}

/** What a language model is asked for, and what is believed of its items. */
export interface ModelRule {
  /** A section that holds several topics asks for the first of them by this order; a model is never asked for one without. */
  readonly place?: number;
  /** The ledger's items give way to the model's, but for those of this rank and above. */
  readonly replaces?: { readonly below?: number };
  /** Its items are wishes, which a tool's output never has: of a person alone, or of either side. */
  readonly wishOf?: "person" | "session";
  /** Its items say what was changed: held against the ledger's files. */
  readonly tellsDeeds?: true;
  /** "Fails" means now: held against the last check. */
  readonly failsNow?: true;
}
