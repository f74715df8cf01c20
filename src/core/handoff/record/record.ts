/**
 * The record of a session without a model: its episodes, oldest first, described in as many words as there is room for. One
 * figure, found by search, sets the length of every line: what is important and recent keeps more of it.
 */
import { taskWords } from "../../digest/task-words.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Measure } from "../../transcript/measure.ts";
import { contentText, type Message } from "../../transcript/message.ts";
import { belowRoot, rootOf } from "../root.ts";
import { condensable } from "./condense.ts";
import { unitsOf, type Unit } from "./units.ts";
import { episodesOf } from "./episodes.ts";
import { linesOfAll } from "./episode-lines.ts";
import type { RecordLine, VisibleElsewhere } from "./context.ts";
import { isSame, labelled, writtenLines, type SharedLine, type WrittenLines } from "./written-lines.ts";

export interface RecordRequest {
  readonly messages: readonly Message[];
  readonly ledger: Ledger;
  readonly from: number;
  readonly until: number;
  readonly measure: Measure;
  readonly redact: (text: string) => string;
  /** Episodes of an earlier record, oldest first. */
  readonly carried: readonly string[];
  /** Index of the message that is in full after the handoff; -1 for none. */
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
   * The episodes in at most that much room; fewer where not even their first words fit. Sentences that are in `present`
   * are not said again. An episode that says what it said in the handoff before is mostly the same object.
   */
  readonly within: (room: RecordRoom, present: VisibleElsewhere) => readonly RecordEpisode[];
}

export interface RecordRoom {
  readonly tokensMax: number;
  /** Of them for lines that are about the focus, where there is one. */
  readonly matchingMax: number;
}

/** How a handoff writes the lines of an item after its first. */
const INDENTED = "\n  ";
/** The newest episodes are described in full; each one before them in less, down to a share that the oldest keep. */
const NEWEST_EPISODES = 3;
const DECAY_AN_EPISODE = 0.12;
const OLDEST_SHARE = 0.3;
/** The older gives way to the newer, however old both are. */
const FADING_AN_EPISODE = 0.001;
const CHARS_MAX = 60_000;

interface EpisodeLines {
  readonly order: number;
  /** The lines before anything was shared out: the same as long as the episode says the same. */
  readonly whole: readonly RecordLine[];
  readonly lines: readonly SharedLine[];
}

export function recordOf(request: RecordRequest): SessionRecord {
  // A record is mostly written twice beside the same: as planned, and again when it is known what room the rest leaves.
  let last: { readonly present: VisibleElsewhere; readonly episodes: readonly EpisodeLines[] } | undefined;
  return {
    within: (room, present) => {
      if (last?.present !== present) last = { present, episodes: linesOfEpisode({ ...request, present }) };
      return episodesWithin(room, last.episodes, request);
    },
  };
}

interface RecordOptions extends RecordRequest {
  readonly present: VisibleElsewhere;
}

function episodesWithin(
  { tokensMax, matchingMax }: RecordRoom,
  episodes: readonly EpisodeLines[],
  { measure, matches }: RecordRequest,
): readonly RecordEpisode[] {
  const lines = episodes.flatMap((episode) => episode.lines);
  const about = matches === undefined ? lines : lines.filter((line) => line.about);
  const writtenAt = (matching: number, other: number): Iterable<WrittenEpisode> =>
    newestFirst(episodes, matching, other);
  const weigh = (written: Iterable<WrittenEpisode>): number => {
    let tokens = 0;
    for (const one of written) tokens += tokensOf(one, measure);
    return tokens;
  };
  const recordWith = (matching: number, other: number): readonly RecordEpisode[] =>
    [...writtenAt(matching, other)].toReversed();
  const first = widest(about, (chars) => weigh(writtenAt(chars, 0)), { tokensMax: Math.min(tokensMax, matchingMax) });
  if (matches === undefined) return recordWith(first, 0);
  const already = weigh(writtenAt(first, 0));
  const others = lines.filter((line) => !line.about);
  const second = widest(others, (chars) => weigh(writtenAt(first, chars)), { tokensMax, already });
  return recordWith(first, second);
}

/** A shorter text may be all that is left of several episodes: of those, the newest is described. */
const SAME_CHARS_MAX = 300;

/** An episode at some length. */
interface WrittenEpisode extends RecordEpisode {
  readonly lines: WrittenLines;
  weighed?: { readonly measure: Measure; readonly tokens: number };
}

/** What each episode came to at the last few lengths: mostly the same at the next one, and in the next handoff. */
const written = new WeakMap<readonly RecordLine[], readonly WrittenEpisode[]>();
const LENGTHS_KEPT_MAX = 4;
/** A longer one is written again. */
const WRITTEN_CHARS_MAX = 20_000;

/** The episodes, each line at its share of a length: one after another, so that a long record is weighed without being held. */
function* newestFirst(episodes: readonly EpisodeLines[], matching: number, other: number): Generator<WrittenEpisode> {
  const short = new Set<string>();
  for (const { order, lines, whole } of episodes.toReversed()) {
    const own = writtenLines(lines, ({ share, about }) => Math.floor((about ? matching : other) * share));
    if (own.texts.length === 0) continue;
    const kept = written.get(whole) ?? [];
    const known = kept.find((before) => before.order === order && isSame(before.lines, own));
    const one: WrittenEpisode = known ?? { order, lines: own, text: labelled(own) };
    if (short.has(one.text)) continue;
    if (one.text.length <= SAME_CHARS_MAX) short.add(one.text);
    if (known === undefined && one.text.length <= WRITTEN_CHARS_MAX)
      written.set(whole, [one, ...kept].slice(0, LENGTHS_KEPT_MAX));
    yield one;
  }
}

function tokensOf(one: WrittenEpisode, measure: Measure): number {
  if (one.weighed?.measure !== measure)
    one.weighed = { measure, tokens: measure.text(`1. ${one.text.replaceAll("\n", INDENTED)}\n`) };
  return one.weighed.tokens;
}

interface Target {
  readonly tokensMax: number;
  /** What is written whatever length the lines get. */
  readonly already?: number;
}

/**
 * About the greatest length for which what is written fits. How long the lines come out is calculated from their lengths;
 * only a few tries are written and weighed.
 */
function widest(
  lines: readonly SharedLine[],
  weigh: (chars: number) => number,
  { tokensMax, already = 0 }: Target,
): number {
  const columns = columnsOf(lines);
  let tokensAChar = TOKENS_A_CHAR;
  let [chars, used, tooLong] = [0, 0, Infinity];
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const length = lengthFor(columns, Math.max(0, tokensMax - already) / tokensAChar);
    const tokens = weigh(length);
    if (tokens > tokensMax) tooLong = Math.min(tooLong, length);
    else if (length >= chars) {
      [chars, used] = [length, tokens];
      if (length >= CHARS_MAX || tokens >= tokensMax * FULL_SHARE) break;
    }
    // Half of the way towards what this try says, so that tries do not swing; what was too much is corrected in full.
    const says = (tokensAChar * Math.max(1, tokens - already)) / Math.max(1, tokensMax - already);
    tokensAChar = tokens > tokensMax ? says * OVERSHOOT_FACTOR : (says + tokensAChar) / 2;
  }
  for (let length = lengthFor(columns, tokensMax); chars === 0 && length > LINE_CHARS_MIN / 2; length *= STEP_DOWN)
    if (weigh(length) <= tokensMax) [chars, used] = [length, tokensMax];
  // Lines that are left out whole make small steps large ones, and the reckoning goes past what would have fitted.
  for (let half = 0; half < HALVINGS_MAX && used < tokensMax * MOSTLY_FULL_SHARE && tooLong < CHARS_MAX; half++) {
    const middle = (chars + tooLong) / 2;
    const tokens = weigh(middle);
    if (tokens <= tokensMax) [chars, used] = [middle, tokens];
    else tooLong = middle;
  }
  return chars;
}

/** Where no try fits: lines that are left out whole make a small step a large one. */
const STEP_DOWN = 0.85;

const TOKENS_A_CHAR = 0.27;
const TRIES_MAX = 7;
/** That much of the room used is enough. */
const FULL_SHARE = 0.96;
/** With less of it used, a better length is looked for between what fitted and what did not. */
const MOSTLY_FULL_SHARE = 0.9;
const HALVINGS_MAX = 5;
const OVERSHOOT_FACTOR = 1.02;
const LENGTH_STEPS = 24;

/** The length at which lines, each cut to its share of it, come to that many characters. */
function lengthFor({ chars, shares, labels }: Columns, room: number): number {
  const total = (length: number): number => {
    let sum = 0;
    for (let at = 0; at < chars.length; at++) sum += lengthOf(chars[at]!, length * shares[at]!, labels[at]!);
    return sum;
  };
  if (total(CHARS_MAX) <= room) return CHARS_MAX;
  let [low, high] = [0, CHARS_MAX];
  for (let step = 0; step < LENGTH_STEPS; step++) {
    const middle = (low + high) / 2;
    if (total(middle) <= room) low = middle;
    else high = middle;
  }
  return low;
}

/** What decides how long lines come out: they are walked a hundred times. */
interface Columns {
  readonly chars: Float64Array;
  readonly shares: Float64Array;
  readonly labels: Float64Array;
}

function columnsOf(lines: readonly SharedLine[]): Columns {
  const [chars, shares, labels] = [0, 1, 2].map(() => new Float64Array(lines.length)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  for (const [at, { line, share }] of lines.entries()) {
    const { body, label } = line;
    chars[at] = body.chars;
    shares[at] = share;
    labels[at] = label.length;
  }
  return { chars, shares, labels };
}

/** A line is left out where there is no room for a sentence of it. */
function lengthOf(chars: number, charsMax: number, labelChars: number): number {
  if (chars <= charsMax) return chars + labelChars + 1;
  return charsMax < LINE_CHARS_MIN ? 0 : charsMax * USUALLY_USED_SHARE + labelChars + 1;
}

const LINE_CHARS_MIN = 50;
/** Whole sentences leave some of the room. */
const USUALLY_USED_SHARE = 0.85;

function linesOfEpisode({ carried, matches, ...request }: RecordOptions): readonly EpisodeLines[] {
  const { redact, ledger, listsMessages, live, messages, present } = request;
  const shortened = (text: string): string => belowRoot(text, ledger);
  const words = taskWords(live < 0 ? "" : contentText(messages[live]!.parts));
  const standing = new Set(ledger.errors.flatMap(({ message, resolved }) => (resolved === undefined ? [message] : [])));
  const episodes = episodesOf(request);
  const linesOfEach = linesOfAll(episodes, {
    redact,
    shortened,
    root: rootOf(ledger),
    tellsRequests: !listsMessages,
    stillFails: (result) => standing.has(result),
    live,
    present,
    overruled: ledger.overruled,
    taskWords: words,
  });
  const fresh = episodes.map(({ start }, at) => ({ order: start, lines: linesOfEach[at]! }));
  const before = carried.map((text, at) => ({
    order: at - carried.length,
    lines: [
      {
        message: at - carried.length,
        label: "",
        weight: 1,
        body: condensable(unitsOf(text), undefined, { worth: carriedScore }),
      },
    ],
  }));
  const all: { order: number; lines: readonly RecordLine[] }[] = [...before, ...fresh];
  return all.map(({ order, lines }, at) => {
    const age = Math.max(0, all.length - NEWEST_EPISODES - at);
    const share = Math.max(OLDEST_SHARE - FADING_AN_EPISODE * age, 1 / (1 + DECAY_AN_EPISODE * age));
    const last = at === all.length - 1;
    return {
      order,
      whole: lines,
      lines: lines.map((line, place) => ({
        line,
        share:
          line.weight * (line.isAsked === true ? Math.sqrt(share) : share * (last ? growing(place, lines.length) : 1)),
        about: matches?.(line.body.within(CHARS_MAX)) ?? true,
      })),
    };
  });
}

/** Of an episode that an earlier handoff described, what the person asked is kept longest. */
function carriedScore({ text, score }: Unit): number {
  return score + (text.startsWith("User: ") ? CARRIED_REQUEST_WORTH : 0);
}

const CARRIED_REQUEST_WORTH = 2;

/** A long last episode grows in detail towards its end. */
function growing(place: number, length: number): number {
  const start = 1 - (1 - OLDEST_SHARE) * Math.min(1, length / LONG_EPISODE_LINES);
  return length <= 1 ? 1 : start + (1 - start) * (place / (length - 1));
}

const LONG_EPISODE_LINES = 20;
