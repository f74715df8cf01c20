/** What the ranking weighs of an identifier, by name and in order. */

/** The facts that the model weighs, in the order of its weights. Those about words move with every turn and stand last. */
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
