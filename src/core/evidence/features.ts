/** What the ranking weighs of an identifier, by name and in order. */

/** The facts that the model weighs, in the order of its weights. */
export const FEATURES = [
  "company",
  "neighbours",
  "path",
  "startedByAssistant",
  "pointed",
  "quoted",
  "results",
  "ofEditedFile",
  "wordsOfRequest",
  "wordsOfRecentReplies",
] as const;
export type Feature = (typeof FEATURES)[number];

/** One weight a feature, on the raw values. */
export interface Weights extends Readonly<Record<Feature, number>> {
  readonly bias: number;
}

/** The part of an identifier's features that stays while nobody mentions it again. */
export interface Fixed {
  readonly messages: number;
  readonly editedFiles: number;
  /** All features in order; those that move are written anew each time. */
  readonly row: number[];
}
