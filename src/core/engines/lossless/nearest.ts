/** The places in originals that hold most words of a query near one another, and the message that each is in. */
import { rankPlaces } from "../../recall/ranking.ts";
import { placed, type FoundOriginal, type OriginalMessage } from "./originals.ts";

const PLACES_PER_ORIGINAL = 6;

export interface NearestPlace {
  readonly original: FoundOriginal;
  readonly message: OriginalMessage;
  readonly text: string;
  /** Words of the query that its original does not hold. */
  readonly missing: readonly string[];
}

export function nearestPlaces(
  originals: readonly FoundOriginal[],
  words: string,
  limit: number,
): readonly NearestPlace[] {
  const candidates = originals.map((original) => ({ key: original, text: original.text }));
  return rankPlaces(candidates, words, { limit, placesPerText: PLACES_PER_ORIGINAL }).map(({ key, text, missing }) => ({
    original: key,
    ...placed(text, key),
    missing,
  }));
}
