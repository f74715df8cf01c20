/** The room that the words of people and system have of their own, before all that was done. */
import {
  CHARS_A_TOKEN,
  NUMBER_TOKENS,
  UNITS,
  widest,
  type SharedLine,
  type SharedTurn,
  type TellableLine,
  type TellableTurn,
  type WriteLine,
  type WrittenLine,
} from "./lengths.ts";
import type { Line, LineKind } from "./line.ts";
import { PROSE_CHARS_MIN } from "./shape.ts";

/** Words of people and system that come first, of the room; none of them takes more than a part of that. */
export const REQUESTS_SHARE = 0.5;
/** The same where not all of them fit even in little: what was done gives way to what was asked. */
const LEAST_WORDS_SHARE = 0.7;
/** The same where there is nothing to tell but what was said; more where an agent hardly said anything. */
const TALK_SHARE = 0.75;
const REQUEST_SHARE = REQUESTS_SHARE / 2;
const REQUEST_CHARS = 400;
/** The first request says what all of it is for: it stays, up to that much of the room. */
const FIRST_REQUEST_SHARE = 0.1;
/** Less of a longer message does not say what it is about. */
const SHARED_CHARS_MIN = 160;
/** The newest have room for more than the others, and come first, also where they only ask. */
const NEWEST_MESSAGES = 4;
/** Of the words' room, what one of the newest may have. */
const NEWEST_SHARE = 0.15;
const TALK: ReadonlySet<LineKind> = new Set(["request", "system", "answer", "remark"]);

/** Whether nothing was done: persons, the system and the agent only spoke. */
export const isTalkAlone = (lines: readonly Pick<Line, "kind">[]): boolean => lines.every(({ kind }) => TALK.has(kind));

interface WordsRoom {
  readonly tokensMax: number;
  /** Only lines that are about the focus, or only those that are not. */
  readonly about: boolean | undefined;
}

/**
 * The least length of what people and system wrote, beside the part of the first request. In work all of them have one bound, the longest
 * with which all fit: a long message gives way to many. In a talk, about a focus and in a room for a few messages, each may have its part.
 * What does not fit even so gives way by its order; in work it has the length 0. More room shortens none of them.
 */
export function wordsFirst(
  turns: readonly SharedTurn[],
  { tokensMax, about }: WordsRoom,
  write: WriteLine,
): ReadonlyMap<SharedLine, number> {
  const all = turns.flatMap(({ lines }) => lines).filter(({ kind }) => kind === "request" || kind === "system");
  const wanted = about === undefined ? all : all.filter((line) => line.about === about);
  const first = wanted.find(({ kind }) => kind === "request");
  const others = wanted.filter((line) => line !== first);
  const chars = tokensMax * CHARS_A_TOKEN;
  const told = turns.flatMap(({ lines }) => lines);
  const isTalk = about === undefined && isTalkAlone(told);
  const room = tokensMax * (isTalk ? Math.max(TALK_SHARE, charsOf(all) / charsOf(told)) : REQUESTS_SHARE);
  const most = Math.max(chars * REQUEST_SHARE, REQUEST_CHARS);
  const isShared = !isTalk && about === undefined && most > REQUEST_CHARS;
  const newest = new Set(others.slice(-NEWEST_MESSAGES));
  const charsAt = (line: SharedLine, shared: number): number => {
    const bound = newest.has(line) ? Math.max(shared, room * CHARS_A_TOKEN * NEWEST_SHARE) : shared;
    return Math.min(
      line.charsMax,
      isShared ? inOwnScript(bound, line.body.chars, write(line)(Infinity, true).tokens) : bound,
    );
  };
  const tokensAt = (line: SharedLine, bound: number): number => {
    const { tokens } = write(line)(charsAt(line, bound), true);
    return tokens === 0 ? 0 : tokens + NUMBER_TOKENS;
  };
  const bound = isShared ? sharedBound(others, { room, most, tokensAt }) : most;
  const needed = isShared ? others.reduce((sum, line) => sum + tokensAt(line, bound), 0) : 0;
  const least = new Map<SharedLine, number>();
  if (first !== undefined) least.set(first, chars * FIRST_REQUEST_SHARE);
  let left = Math.max(room, Math.min(needed, tokensMax * LEAST_WORDS_SHARE));
  const isForemost = (line: SharedLine): number => (isShared && newest.has(line) ? 1 : 0);
  const byOrder = (a: SharedLine, b: SharedLine): number => isForemost(b) - isForemost(a) || b.order - a.order || 0;
  for (const line of others.toReversed().toSorted(byOrder)) {
    const tokens = tokensAt(line, bound);
    left = tokens > left ? -Infinity : left - tokens;
    if (left >= 0 && tokens > 0) least.set(line, charsAt(line, bound));
    // What is older than one that does not fit gives way with it, however short: what replaced it may be what has no room.
    else if (left < 0 && isShared) least.set(line, 0);
  }
  return least;
}

function charsOf(lines: readonly SharedLine[]): number {
  return lines.reduce((sum, { body }) => sum + body.chars, 0);
}

/** A bound is in letters; where a character says more than a letter, as many tokens are fewer of them. */
function inOwnScript(bound: number, chars: number, tokens: number): number {
  return Math.max(PROSE_CHARS_MIN, bound * Math.min(1, chars / (tokens * CHARS_A_TOKEN)));
}

interface Sharing {
  readonly room: number;
  /** No bound is longer. */
  readonly most: number;
  readonly tokensAt: (line: SharedLine, bound: number) => number;
}

/** The longest bound with which all lines fit; the shortest where they fit with none. */
function sharedBound(lines: readonly SharedLine[], { room, most, tokensAt }: Sharing): number {
  const bounds = [...UNITS.filter((chars) => chars >= SHARED_CHARS_MIN && chars < most), most];
  const fits = (step: number): boolean => {
    let left = room;
    return lines.every((line) => (left -= tokensAt(line, bounds[step]!)) >= 0);
  };
  return bounds[widest(bounds.length, fits)]!;
}

const UNTOLD: WrittenLine = { text: "", tokens: 0, isCut: true };

/**
 * Tells no word of the agent in a turn of which no request is told: an answer would read as one to something else. Of a turn
 * of an earlier record, its words alone may be what is left; where people's words are told elsewhere, no turn has a request.
 */
export function withItsRequest({ order, lines }: TellableTurn): TellableTurn {
  const requests = lines.filter(({ kind }) => kind === "request");
  const isLeftOver = order < 0 && lines.every(isSaid);
  if (requests.length === 0 && !isLeftOver) return { order, lines };
  const isAsked = (step: number): boolean => requests.some(({ at }) => at(step).text !== "");
  const behind = (line: TellableLine): TellableLine => ({
    ...line,
    at: (step) => (isAsked(step) ? line.at(step) : UNTOLD),
  });
  return { order, lines: lines.map((line) => (isSaid(line) ? behind(line) : line)) };
}

function isSaid({ kind }: SharedLine): boolean {
  return kind === "answer" || kind === "remark";
}
