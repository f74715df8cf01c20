/** The messages that an item rests on, as a model names them at its end: `[12, 15-18]`, numbered from 1. */

export interface Cited {
  readonly claim: string;
  /** Numbers of messages, from 1, ascending; empty where nothing is cited. */
  readonly messages: readonly number[];
}

const CITATION =
  /[[(]((?:(?:m(?:sg|essage)?s?\.?\s*)?#?\d{1,6}(?:\s*[-–]\s*\d{1,6})?)(?:\s*[,;]\s*(?:#?\d{1,6}(?:\s*[-–]\s*\d{1,6})?))*)[\])]\.?$/i;
const RANGE_MESSAGES_MAX = 2_000;

export function citedIn(text: string): Cited {
  // The pattern is tried from every place of a text: only where it can end like one.
  const said = text.trimEnd();
  const match = /[\])]/.test(said.slice(-2)) ? CITATION.exec(said) : null;
  if (match === null) return { claim: text.trim(), messages: [] };
  const numbers = new Set<number>();
  for (const part of match[1]!.split(/[,;]/)) {
    const [first = 0, last = first] = (part.match(/\d+/g) ?? []).map(Number);
    for (let at = first; at <= last && at - first < RANGE_MESSAGES_MAX; at++) numbers.add(at);
  }
  return { claim: text.slice(0, match.index).trim(), messages: [...numbers].toSorted((a, b) => a - b) };
}
