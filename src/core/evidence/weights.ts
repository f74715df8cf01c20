import type { Weights } from "./ranking.ts";

export const WEIGHTS: Weights = {
  bias: -2.5554,
  recentCompany: 0,
  company: 0.2271,
  mentions: 0.3079,
  neighbours: -0.3185,
  path: -0.3516,
  startedByAssistant: 1.417,
  pointed: 0.6695,
  quoted: 0.4419,
  results: 0.1045,
  ofEditedFile: -0.556,
  wordsOfRequest: 0.4773,
  wordsOfRecentReplies: 0.1369,
};
