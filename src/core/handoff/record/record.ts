/**
 * The record of a session without a model: its episodes, oldest first, described in as many words as there is room for. One
 * figure, found by search, sets the length of every line: what is important and recent keeps more of it.
 */
import { taskWords } from "../../digest/task-words.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { WeighedLine } from "../token-budget.ts";
import type { Measure } from "../../transcript/measure.ts";
import { contentText, type Message } from "../../transcript/message.ts";
import { belowRoot, rootOf } from "../root.ts";
import { condensable } from "./condense.ts";
import { unitsOf, type Unit } from "./units.ts";
import { episodesOf } from "./episodes.ts";
import { isEqual, linesOfAll } from "./episode-lines.ts";
import { sentencesIn, withoutBullet } from "./pieces.ts";
import type { RecordLine, VisibleElsewhere } from "./context.ts";
import { stepsOf } from "./steps.ts";
import { NOTHING, widest } from "./widest.ts";
import { writtenLines, type SharedLine, type WrittenLines } from "./written-lines.ts";

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
  readonly lines: readonly WeighedLine[];
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

/** The newest episodes are described in full; each one before them in less, down to a share that the oldest keep. */
const NEWEST_EPISODES = 3;
const DECAY_AN_EPISODE = 0.12;
const OLDEST_SHARE = 0.3;
/** The older gives way to the newer, however old both are. */
const FADING_AN_EPISODE = 0.001;
const CHARS_MAX = 60_000;

interface EpisodeLines {
  readonly order: number;
  /** The lines before anything was left out or shared out: the same as long as the episode says the same. */
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
  const writtenAt = (matching: number, other: number): readonly WrittenEpisode[] =>
    newestFirst(episodes, { matching, other, measure });
  const number = numberTokens(episodes.length);
  const weigh = (matching: number, other: number): number =>
    writtenAt(matching, other).reduce((sum, { tokens }) => sum + number + tokens, 0);
  const recordWith = (matching: number, other: number): readonly RecordEpisode[] =>
    writtenAt(matching, other).map(joined).toReversed();
  const first = widest(about, (step) => weigh(step, NOTHING), { tokensMax: Math.min(tokensMax, matchingMax) });
  if (matches === undefined) return recordWith(first, NOTHING);
  const already = weigh(first, NOTHING);
  const others = lines.filter((line) => !line.about);
  const second = widest(others, (step) => weigh(first, step), { tokensMax, already });
  return recordWith(first, second);
}

/** The lengths, in steps, of the most important lines that are about the focus, and of those that are not. */
interface Lengths {
  readonly matching: number;
  readonly other: number;
  readonly measure: Measure;
}

/** An episode at some length. */
interface WrittenEpisode extends WrittenLines {
  readonly episode: EpisodeLines;
  readonly lengths: Lengths;
  /** The whole of a short one. */
  readonly short: string | undefined;
}

/** A shorter text may be all that is left of several episodes: of those, the newest is described. */
const SAME_CHARS_MAX = 300;

/** The number of an episode, beyond the margin of a line: most of many have two or three digits. */
function numberTokens(episodes: number): number {
  return episodes < 10 ? 1 : 2;
}

/** The episodes, each line at its share of a length. */
function newestFirst(episodes: readonly EpisodeLines[], lengths: Lengths): readonly WrittenEpisode[] {
  const said = new Set<string>();
  const written: WrittenEpisode[] = [];
  for (let at = episodes.length - 1; at >= 0; at--) {
    const one = writtenEpisode(episodes[at]!, lengths);
    if (one.texts.length === 0 || (one.short !== undefined && said.has(one.short))) continue;
    if (one.short !== undefined) said.add(one.short);
    written.push(one);
  }
  return written;
}

/** What an episode came to at the last lengths: one that did not change gets mostly one of them again in the next handoff. */
const lastLengths = new WeakMap<EpisodeLines, readonly WrittenEpisode[]>();
const LENGTHS_KEPT_MAX = 6;

function writtenEpisode(episode: EpisodeLines, lengths: Lengths): WrittenEpisode {
  const { matching, other, measure } = lengths;
  const kept = lastLengths.get(episode) ?? [];
  for (const one of kept) {
    const { lengths: known } = one;
    if (known.matching === matching && known.other === other && known.measure === measure) return one;
  }
  const own = writtenLines(episode.lines, (line) => stepOf(line, line.about ? matching : other), measure);
  const isShort = own.texts.reduce((sum, { length }) => sum + length, 0) <= SAME_CHARS_MAX;
  const one = { ...own, episode, lengths, short: isShort ? own.texts.join("\n") : undefined };
  lastLengths.set(episode, [one, ...kept.slice(0, LENGTHS_KEPT_MAX - 1)]);
  return one;
}

/** Where the most important line has a length, that of another. */
function stepOf({ share }: SharedLine, step: number): number {
  return step === NOTHING ? NOTHING : step + share;
}

interface LastEpisode {
  readonly texts: readonly string[];
  readonly episode: RecordEpisode;
}

/** What each episode came to in the last handoff: mostly the same in the next. */
const lastEpisodes = new WeakMap<readonly RecordLine[], LastEpisode>();

function joined({ episode: { order, whole }, texts, costs }: WrittenEpisode): RecordEpisode {
  const known = lastEpisodes.get(whole);
  if (known?.episode.order === order && isEqual(known.texts, texts)) return known.episode;
  const episode = { order, text: texts.join("\n"), lines: texts.map((text, at) => ({ text, tokens: costs[at]! })) };
  lastEpisodes.set(whole, { texts, episode });
  return episode;
}

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
  const overruled = sentencesOf(ledger.overruled);
  const untold = {
    ofAgent: new Set([...sentencesOf([present.said], SAID_CHARS_MIN), ...overruled]),
    ofPerson: new Set([...sentencesOf(present.rules), ...overruled]),
    goal: new Set(sentencesOf(present.goal)),
    goalText: present.goal.join("\n"),
  };
  return all.map(({ order, lines: whole }, at) => {
    const lines = whole.flatMap((line) => (line.without === undefined ? line : (line.without(untold) ?? [])));
    return sharedOut({ order, whole, lines }, { age: all.length - 1 - at, matches });
  });
}

interface Episode {
  readonly order: number;
  readonly whole: readonly RecordLine[];
  /** Without what is said elsewhere. */
  readonly lines: readonly RecordLine[];
}

interface Standing extends Pick<RecordRequest, "matches"> {
  /** How many episodes came after it. */
  readonly age: number;
}

/** Episodes as they were shared out last: mostly only the newest changed. */
const lastShared = new WeakMap<
  readonly RecordLine[],
  { readonly from: Episode & Standing; readonly episode: EpisodeLines }
>();

function sharedOut({ order, whole, lines }: Episode, { age, matches }: Standing): EpisodeLines {
  const last = lastShared.get(whole);
  const from = { order, whole, lines, age, matches };
  if (last !== undefined && isSameEpisode(last.from, from)) return last.episode;
  const beyond = Math.max(0, age + 1 - NEWEST_EPISODES);
  const share = Math.max(OLDEST_SHARE - FADING_AN_EPISODE * beyond, 1 / (1 + DECAY_AN_EPISODE * beyond));
  const shareAt = (place: number): number => (age === 0 ? share * growing(place, lines.length) : share);
  const episode = {
    order,
    whole,
    lines: lines.map((line, place) => ({
      line,
      share: stepsOf(line.weight * (line.isAsked === true ? Math.sqrt(share) : shareAt(place))),
      about: matches?.(line.body.within(CHARS_MAX)) ?? true,
    })),
  };
  lastShared.set(whole, { from, episode });
  return episode;
}

function isSameEpisode(one: Episode & Standing, other: Episode & Standing): boolean {
  const isAlike = one.order === other.order && one.age === other.age && one.matches === other.matches;
  return isAlike && isEqual(one.lines, other.lines);
}

/** A shorter one may mean something else. */
const SAID_CHARS_MIN = 8;

function sentencesOf(texts: readonly string[], charsMin = 1): readonly string[] {
  return texts.flatMap((text) => sentencesIn(text).map(withoutBullet)).filter(({ length }) => length >= charsMin);
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
