/**
 * The record of a session without a model: its episodes, oldest first, told in as many words as there is room for. One
 * figure, found by search, sets the length of every line: what is important and recent keeps more of it.
 */
import { taskWords } from "../../digest/task-words.ts";
import type { Ledger } from "../../evidence/ledger.ts";
import type { Measure } from "../../transcript/measure.ts";
import { contentText, type Message } from "../../transcript/message.ts";
import { belowRoot } from "../root.ts";
import { condensable, unitsOf } from "./condense.ts";
import { episodesOf } from "./episodes.ts";
import { linesOf } from "./lines.ts";
import { newContext, type Present, type RecordLine } from "./telling.ts";

export interface RecordRequest {
  readonly messages: readonly Message[];
  readonly ledger: Ledger;
  readonly from: number;
  readonly until: number;
  readonly measure: Measure;
  readonly redact: (text: string) => string;
  /** Episodes of an earlier record, oldest first. */
  readonly carried: readonly string[];
  /** Index of the message that stands in full after the handoff; -1 for none. */
  readonly live: number;
  /** Set where a section of its own lists what the user wrote. */
  readonly listsMessages: boolean;
  /** Whether a text is about the focus, where there is one: such lines get most of the room. */
  readonly matches?: ((text: string) => boolean) | undefined;
}

export interface RecordEpisode {
  /** Below 0 for one of an earlier record. */
  readonly order: number;
  readonly text: string;
}

export interface SessionRecord {
  /**
   * The episodes in at most so many tokens; fewer where not even their first words fit. Sentences that stand in `present`
   * are not said again.
   */
  readonly within: (tokensMax: number, present: Present) => readonly RecordEpisode[];
}

/** How a handoff writes the lines of an item after its first. */
const INDENTED = "\n  ";
/** The newest episodes are told in full; each one before them in less, down to a share that the oldest keep. */
const NEWEST_EPISODES = 3;
const DECAY_AN_EPISODE = 0.12;
const OLDEST_SHARE = 0.3;
/** The older gives way to the newer, however old both are. */
const FADING_AN_EPISODE = 0.001;
const CHARS_MAX = 60_000;

interface SharedLine extends RecordLine {
  /** Of the length that the most important line may have. */
  readonly share: number;
}

interface Told {
  readonly order: number;
  readonly lines: readonly SharedLine[];
}

export function recordOf(request: RecordRequest): SessionRecord {
  return { within: (tokensMax, present) => episodesWithin(tokensMax, { ...request, present }) };
}

interface Telling extends RecordRequest {
  readonly present: Present;
}

function episodesWithin(tokensMax: number, request: Telling): readonly RecordEpisode[] {
  const { measure, matches } = request;
  const told = toldOf(request).map(({ order, lines }) => ({
    order,
    lines: lines.map((line) => ({ ...line, about: matches?.(line.body.within(CHARS_MAX)) ?? true })),
  }));
  const lines = told.flatMap((episode) => episode.lines);
  const about = lines.filter((line) => line.about);
  const others = lines.filter((line) => !line.about);
  const write = (matching: number, other: number): readonly RecordEpisode[] =>
    distinct(
      told.flatMap(({ order, lines: own }) => {
        const texts = own.flatMap(({ label, share, body, about: matchesFocus }) => {
          const text = body.within(Math.floor((matchesFocus ? matching : other) * share));
          return text === "" ? [] : [`${label}${text}`];
        });
        return texts.length === 0 ? [] : [{ order, text: texts.join("\n") }];
      }),
    );
  const weigh = (episodes: readonly RecordEpisode[]): number =>
    episodes.reduce((sum, { text }) => sum + measure.text(`1. ${text.replaceAll("\n", INDENTED)}\n`), 0);
  const share = matches === undefined ? 1 : FOCUS_SHARE;
  const [matching, episodes] = widest(about, (chars) => write(chars, 0), { weigh, tokensMax: tokensMax * share });
  if (matches === undefined) return episodes;
  const already = weigh(episodes);
  const most = already + tokensMax * (1 - share);
  return widest(others, (chars) => write(matching, chars), { weigh, tokensMax: most, already })[1];
}

/** Of episodes that were shortened to the same words, the newest. */
function distinct(episodes: readonly RecordEpisode[]): readonly RecordEpisode[] {
  const newest = new Map(episodes.map((episode) => [episode.text, episode]));
  return episodes.filter((episode) => newest.get(episode.text) === episode);
}

/** What matches the focus gets 60 to 70 % (Zhang 2026, section 12). */
const FOCUS_SHARE = 0.66;

interface Target {
  readonly weigh: (episodes: readonly RecordEpisode[]) => number;
  readonly tokensMax: number;
  /** What is written whatever length the lines get. */
  readonly already?: number;
}

/**
 * About the greatest length for which what is written fits, and what is written then. How long the lines come out is
 * reckoned from their lengths; only a few tries are written and weighed.
 */
function widest(
  lines: readonly SharedLine[],
  write: (chars: number) => readonly RecordEpisode[],
  { weigh, tokensMax, already = 0 }: Target,
): readonly [chars: number, episodes: readonly RecordEpisode[]] {
  let tokensAChar = TOKENS_A_CHAR;
  let [chars, best]: [number, readonly RecordEpisode[]] = [0, already > 0 ? write(0) : []];
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const room = Math.max(0, tokensMax - already) / tokensAChar;
    const length = lengthFor(lines, room);
    const episodes = write(length);
    const tokens = weigh(episodes);
    if (tokens <= tokensMax && length >= chars) [chars, best] = [length, episodes];
    if (length >= CHARS_MAX && tokens <= tokensMax) break;
    if (tokens <= tokensMax && tokens >= tokensMax * FULL_SHARE) break;
    const written = Math.max(1, tokens - already);
    // Half of the way towards what this try says, so that tries do not swing; what was too much is corrected in full.
    const says = (tokensAChar * written) / Math.max(1, tokensMax - already);
    tokensAChar = tokens > tokensMax ? says * OVERSHOOT_FACTOR : (says + tokensAChar) / 2;
  }
  for (
    let length = lengthFor(lines, tokensMax);
    best.length === 0 && length > LINE_CHARS_MIN / 2;
    length *= STEP_DOWN
  ) {
    const episodes = write(length);
    if (weigh(episodes) <= tokensMax) [chars, best] = [length, episodes];
  }
  return [chars, best];
}

/** Where no try fits: lines that are left out whole make a small step a large one. */
const STEP_DOWN = 0.85;

const TOKENS_A_CHAR = 0.27;
const TRIES_MAX = 7;
/** So much of the room used is enough. */
const FULL_SHARE = 0.96;
const OVERSHOOT_FACTOR = 1.02;
const LENGTH_STEPS = 24;

/** The length at which lines, each cut to its share of it, come to so many characters. */
function lengthFor(lines: readonly SharedLine[], room: number): number {
  const total = (chars: number): number =>
    lines.reduce((sum, { label, share, body }) => sum + lengthOf(body.chars, chars * share, label.length), 0);
  if (total(CHARS_MAX) <= room) return CHARS_MAX;
  let [low, high] = [0, CHARS_MAX];
  for (let step = 0; step < LENGTH_STEPS; step++) {
    const middle = (low + high) / 2;
    if (total(middle) <= room) low = middle;
    else high = middle;
  }
  return low;
}

/** A line is left out where there is no room for a sentence of it. */
function lengthOf(chars: number, charsMax: number, labelChars: number): number {
  if (chars <= charsMax) return chars + labelChars + 1;
  return charsMax < LINE_CHARS_MIN ? 0 : charsMax * USUALLY_USED_SHARE + labelChars + 1;
}

const LINE_CHARS_MIN = 50;
/** Whole sentences leave some of the room. */
const USUALLY_USED_SHARE = 0.85;

function toldOf({ carried, ...request }: Telling): readonly Told[] {
  const { redact, ledger, listsMessages, live, messages, present } = request;
  const shortened = (text: string): string => belowRoot(text, ledger);
  const words = taskWords(live < 0 ? "" : contentText(messages[live]!.parts));
  const standing = new Set(ledger.errors.flatMap(({ message, resolved }) => (resolved === undefined ? [message] : [])));
  const context = newContext({
    redact,
    shortened,
    tellsRequests: !listsMessages,
    stillFails: (result) => standing.has(result),
    live,
    present,
    taskWords: words,
  });
  const fresh = episodesOf(request).map((episode) => ({ order: episode.start, lines: linesOf(episode, context) }));
  const before = carried.map((text, at) => ({
    order: at - carried.length,
    lines: [{ message: at - carried.length, label: "", weight: 1, body: condensable(unitsOf(text)) }],
  }));
  const all: { order: number; lines: readonly RecordLine[] }[] = [...before, ...fresh];
  return all.map(({ order, lines }, at) => {
    const age = Math.max(0, all.length - NEWEST_EPISODES - at);
    const share = Math.max(OLDEST_SHARE - FADING_AN_EPISODE * age, 1 / (1 + DECAY_AN_EPISODE * age));
    const last = at === all.length - 1;
    return {
      order,
      lines: lines.map((line, place) => ({
        ...line,
        share:
          line.weight * (line.isAsked === true ? Math.sqrt(share) : share * (last ? growing(place, lines.length) : 1)),
      })),
    };
  });
}

/** A long last episode grows in detail towards its end. */
function growing(place: number, length: number): number {
  return length <= 1 ? 1 : OLDEST_SHARE + (1 - OLDEST_SHARE) * (place / (length - 1));
}
