/**
 * The messages that an item rests on, as a model names them at its end: `[12, 15-18]`, numbered from 1. A citation that does
 * not hold what the item names is replaced by the messages that do.
 */
import { callsOf, contentText, type Message } from "../../transcript/message.ts";

export interface Cited {
  /** The item without its citation. */
  readonly claim: string;
  /** Numbers of messages, from 1, ascending; empty where nothing is cited. */
  readonly messages: readonly number[];
}

const CITATION =
  /\s*[[(]((?:(?:m(?:sg|essage)?s?\.?\s*)?#?\d{1,6}(?:\s*[-–]\s*\d{1,6})?)(?:\s*[,;]\s*(?:#?\d{1,6}(?:\s*[-–]\s*\d{1,6})?))*)[\])]\.?\s*$/i;
const RANGE_MESSAGES_MAX = 2_000;
/** A corrected citation names that many messages at most. */
const FOUND_MAX = 3;

export function citedIn(text: string): Cited {
  // The pattern is tried from every place of a text: only where it can end like one.
  const match = /[\])]/.test(text.trimEnd().slice(-2)) ? CITATION.exec(text) : null;
  if (match === null) return { claim: text.trim(), messages: [] };
  const numbers = new Set<number>();
  for (const part of match[1]!.split(/[,;]/)) {
    const [first = 0, last = first] = (part.match(/\d+/g) ?? []).map(Number);
    for (let at = first; at <= last && at - first < RANGE_MESSAGES_MAX; at++) numbers.add(at);
  }
  return { claim: text.slice(0, match.index).trim(), messages: [...numbers].toSorted((a, b) => a - b) };
}

/** `[12, 15-18]`; empty for none. */
function citationText(messages: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const number of messages) {
    const last = runs.at(-1);
    if (last !== undefined && number <= last[1] + 1) last[1] = number;
    else runs.push([number, number]);
  }
  const parts = runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  return parts.length === 0 ? "" : `[${parts.join(", ")}]`;
}

export interface CitationChecker {
  /** The item with a citation that holds up: as it is given, corrected, or none where no message can be named. */
  readonly checked: (text: string, names: (claim: string) => readonly string[]) => string;
}

export function createCitationChecker(messages: readonly Message[]): CitationChecker {
  const texts: (string | undefined)[] = [];
  const textOf = (at: number): string => (texts[at] ??= wholeText(messages[at]!));
  const holders = (names: readonly string[]): readonly number[] => {
    const counts = messages.map((_, at) => names.filter((name) => textOf(at).includes(name)).length);
    const most = Math.max(0, ...counts);
    if (most === 0) return [];
    return counts.flatMap((count, at) => (count === most ? [at + 1] : [])).slice(-FOUND_MAX);
  };
  return {
    checked: (text, namesOf) => {
      const { claim, messages: given } = citedIn(text);
      const known = given.filter((number) => number >= 1 && number <= messages.length);
      const names = namesOf(claim);
      const holds = known.some((number) => names.some((name) => textOf(number - 1).includes(name)));
      const cited = names.length === 0 || holds ? known : holders(names);
      return [claim, citationText(cited)].filter((part) => part !== "").join(" ");
    },
  };
}

function wholeText(message: Message): string {
  const calls = callsOf(message).map(({ name, arguments: args }) => `${name} ${args.replaceAll("\\n", "\n")}`);
  return [contentText(message.parts), ...calls].join("\n");
}
