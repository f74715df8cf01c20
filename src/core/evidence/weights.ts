/** Weights of the ranking, by `npm run fit:ranking`; their error on transcripts they never saw, by `npm run eval`. */
import type { Weights } from "./features.ts";

export const WEIGHTS: Weights = {
  bias: -0.9663,
  company: -0.1931,
  recentCompany: 0.6228,
  mentions: 0.2354,
  neighbours: -0.2278,
  path: -0.1154,
  startedByAssistant: 2.7165,
  pointed: 3.0652,
  quoted: 0.6269,
  results: 0.0963,
  ofEditedFile: -0.158,
  wordsOfRequest: 0.4635,
  wordsOfRecentReplies: 0.129,
};
