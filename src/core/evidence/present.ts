/** What a text names already: an excerpt of it may still say more, but less depends on it. */
import type { Entry, Tally } from "./tally.ts";

/** Identifiers of messages that stand as they were are worth nothing more. */
export function dropHeldIn(standing: readonly Entry[], tally: Tally, scores: Float64Array): void {
  for (const entry of standing) {
    const reading = tally.readingOf(entry);
    for (let local = 0; local < reading.mentions.names.length; local++) scores[tally.numberOf(reading, local)] = 0;
  }
}

/** Of what a text names already, so much of the worth is left: its surroundings may still be worth a line. */
const NAMED_SHARE = 0.25;

export function lowerNamedIn(text: string, tally: Tally, scores: Float64Array): void {
  const named = new Set<number>();
  tally.eachNamed(text, (number) => named.add(number));
  for (const number of named) scores[number] = scores[number]! * NAMED_SHARE;
}
