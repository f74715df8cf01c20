/** What an evaluation is asked for, and what it finds on one cut: plain data, so that threads and files can carry it. */

export interface Plan {
  /** Shares of the prefix's tokens. */
  readonly budgets: readonly number[];
  readonly engines: readonly string[];
  /** Where what each contestant kept is written, whole. */
  readonly exportFolder?: string;
}

/** Counts over identifiers that the continuation asked for. */
export interface Counts {
  readonly need: number;
  readonly held: number;
  /** Those that the whole prefix binds: what `bound` and `recallable` are shares of. */
  readonly bindable: number;
  readonly bound: number;
  /** Bound, or bound in what a recall id of the result leads to. */
  readonly recallable: number;
  /** Asked for before anyone had shown them again. */
  readonly unaided: number;
  readonly unaidedBound: number;
}

/** The size of a result: a share of the prefix, the policy's own, another engine's, or a recorded compaction's. */
export type Size = number | "policy" | `as ${string}`;

/** One contestant at one size on one cut. */
export interface Mark {
  readonly contestant: string;
  readonly size: Size;
  /** Tokens kept, and of the prefix. */
  readonly kept: number;
  readonly total: number;
  readonly counts: Counts;
  /** The share of the handoff's characters that are in sentences. */
  readonly sentences?: number;
  /** The prefix came back as it was. */
  readonly unchanged?: true;
}

/** What was found at one cut. */
export interface Finding {
  readonly kind: "cut" | "recorded";
  /** The same for a cut that is in another file again. */
  readonly key: string;
  readonly file: string;
  /** Where in its stretch it lies; 1 for a recorded compaction. */
  readonly share: number;
  /** Whose compaction was recorded. */
  readonly agent?: string;
  readonly tokens: number;
  readonly marks: readonly Mark[];
}
