/** Weights of the ranking, by `npm run fit:ranking`; their error on transcripts they never saw, by `npm run eval`. */
import type { Weights } from "./features.ts";

export const WEIGHTS: Weights = {
  bias: -2.4175,
  company: 0.2003,
  neighbours: -0.3484,
  path: -0.4379,
  startedByAssistant: 1.4318,
  pointed: 0.7657,
  quoted: 0.4744,
  results: 0.2352,
  ofEditedFile: -0.512,
  wordsOfRequest: 0.4987,
  wordsOfRecentReplies: 0.1547,
};
