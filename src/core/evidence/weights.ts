import type { Weights } from "./ranking.ts";

export const WEIGHTS: Weights = {
  bias: -2.5338,
  recentCompany: 0,
  company: 0.2391,
  mentions: 0.3258,
  neighbours: -0.3228,
  path: -0.3502,
  startedByAssistant: 1.4058,
  pointed: 0.6764,
  quoted: 0.4394,
  results: 0.095,
  ofEditedFile: -0.5562,
  wordsOfRequest: 0.5076,
  wordsOfRecentReplies: 0.1422,
};
