/** What the ranking weighs of an identifier, and how much each counts. */

/** The facts that the model weighs, in the order of its weights. Those about words move with every turn and are last. */
export const FEATURES = [
  "inverseIdentifierCount",
  "neighbours",
  "path",
  "startedByAssistant",
  "writtenByAssistant",
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

/** By `npm run fit:ranking`; their error on transcripts that they never saw, by `npm run eval`. */
export const WEIGHTS: Weights = {
  bias: -2.4175,
  inverseIdentifierCount: 0.2003,
  neighbours: -0.3484,
  path: -0.4379,
  startedByAssistant: 1.4318,
  writtenByAssistant: 0.7657,
  quoted: 0.4744,
  results: 0.2352,
  ofEditedFile: -0.512,
  wordsOfRequest: 0.4987,
  wordsOfRecentReplies: 0.1547,
};
