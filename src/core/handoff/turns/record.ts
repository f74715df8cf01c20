/**
 * The record of a session without a model: its turns, oldest first, told in as many words as there is room for. What people wrote comes
 * first, word for word; then one figure, found by search, sets the length of every other line, so that what is newer and worth more keeps more.
 */
import type { Events } from "../../events/events.ts";
import { changedAfter } from "../../events/files.ts";
import { keyOf, saysLittle } from "../../events/text.ts";
import type { Measure } from "../../transcript/measure.ts";
import { linesOfCarried } from "./carried.ts";
import {
  CHARS_A_TOKEN,
  createWriter,
  NUMBER_TOKENS,
  UNITS,
  widest,
  type SharedLine,
  type SharedTurn,
  type WriteLine,
  type WrittenLine,
} from "./lengths.ts";
import type { Line, LineKind, LinesOptions } from "./line.ts";
import { linesOfTurns } from "./lines.ts";
import { noveltiesAmong } from "./novelty.ts";
import { isTalkAlone, REQUESTS_SHARE, roomForWords, withItsRequest, wordsFirst } from "./peoples-words.ts";
import { isContinued, turnsOf } from "./turns.ts";
import { PASTE_CHARS_MIN } from "./words.ts";

export interface RecordRequest extends Omit<LinesOptions, "isOld"> {
  readonly events: Events;
  readonly from: number;
  readonly until: number;
  /** Index of the live request, which is in full after the handoff; -1 for none. */
  readonly live: number;
  readonly measure: Measure;
  /** Turns of an earlier record, oldest first. */
  readonly carried: readonly string[];
  /** Whether a text is about the focus, where there is one: such lines get most of the room. */
  readonly matches?: ((text: string) => boolean) | undefined;
}

export interface ToldTurn {
  /** Its first message; below 0 for one of an earlier record. */
  readonly order: number;
  /** Line by line. */
  readonly texts: readonly string[];
  /** How many lines are told in part or not at all, beside what was only looked at. */
  readonly cut: number;
}

export interface SessionRecord {
  /**
   * The turns in at most that many tokens, with a focus so many of them about it; those that have nothing worth reading are left
   * out. The words of persons have their share of `wordsOf` tokens, where more than the record shares a room.
   */
  readonly within: (tokensMax: number, aboutMax?: number, wordsOf?: number) => readonly ToldTurn[];
  /** Tokens in which no message of a person is left out. */
  readonly roomForWords: () => number;
}

/** The newest turns are told in full; each one before them in less, down to a share that the oldest keep. */
const NEWEST_TURNS = 3;
const DECAY_A_TURN = 0.12;
const OLDEST_SHARE = 0.2;
/** What was only looked at fades faster: files can be read again. */
const SHOWN_DECAY_A_TURN = 0.5;
/** More of what one look showed is the file itself. */
const SHOWN_CHARS_MAX = 1_200;
/** Of what a person pasted, beside what they wrote; more where that would hardly be a part of it. */
const PASTE_SHARE = 0.03;
const SMALL_PASTE_SHARE = 0.12;

export function recordOf(request: RecordRequest): SessionRecord {
  const turns = sharedTurns(request);
  const write = createWriter(request.measure);
  return {
    roomForWords: () => roomForWords(turns, write),
    within: (tokensMax, aboutMax = tokensMax, wordsOf = tokensMax) => {
      const room = { tokensMax, aboutMax: Math.min(aboutMax, tokensMax), wordsOf };
      return fitted(limited(turns, tokensMax), room, { ...request, write });
    },
  };
}

function sharedTurns({ events, carried, matches, ...request }: RecordRequest): readonly SharedTurn[] {
  const turns = turnsOf(events.all, request);
  const later = linesOfTurns(turns, { ...request, isOld: changedAfter(events) });
  const earlier = linesOfCarried(carried);
  // An earlier record may end within a turn: what comes first belongs to its last.
  const goesOn = earlier.length > 0 && turns.length > 0 && isContinued(turns[0]!) ? 1 : 0;
  const last = [...earlier.slice(-1), ...later.slice(0, goesOn)].flat();
  const all = earlier.length > 0 ? [...earlier.slice(0, -1), last, ...later.slice(goesOn)] : later;
  const lines = withoutRepeats(all);
  const compared = all.flat().filter(({ kind }) => COMPARED.has(kind));
  const novelties = noveltiesAmong(compared.map(({ body }) => body.within(Infinity)));
  const novelty = new Map(compared.map((line, at) => [line, novelties[at]!]));
  const orders = [...carried.map((_, at) => at - carried.length), ...turns.slice(goesOn).map(({ start }) => start)];
  const isTalk = isTalkAlone(lines.flat());
  return orders.map((order, at) => {
    const own = lines[at]!;
    const age = orders.length - 1 - at;
    const ageAt = (place: number): number => age + (own.length - 1 - place) / LINES_A_TURN;
    return { order, lines: own.map((line, place) => shared(line, ageAt(place), { matches, novelty, isTalk })) };
  });
}

/** Who says the same again is quoted with the newest. Few words say the same only as an answer to the same: a "no" is the answer to its question. */
function withoutRepeats(turns: readonly (readonly Line[])[]): readonly (readonly Line[])[] {
  const said = new Set<string>();
  const answered = wordsBefore(turns.flat());
  const kept = turns.toReversed().map((lines) =>
    lines
      .toReversed()
      .filter((line) => {
        if (line.kind !== "request" && line.kind !== "answer") return true;
        const text = line.body.within(Infinity);
        const key = `${line.kind} ${keyOf(text)} ${saysLittle(text) ? keyOf(answered.get(line) ?? "") : ""}`;
        const isKnown = said.has(key);
        said.add(key);
        return !isKnown;
      })
      .toReversed(),
  );
  return kept.toReversed();
}

/** What the agent last said before each line of a person. */
function wordsBefore(lines: readonly Line[]): ReadonlyMap<Line, string> {
  const before = new Map<Line, string>();
  let said = "";
  for (const line of lines) {
    if (line.kind === "request") before.set(line, said);
    if (line.kind === "answer" || line.kind === "remark") said = line.body.within(Infinity);
    else if (line.kind === "request") said = "";
  }
  return before;
}

/** Lines of work; what was only looked at, and what stays whatever it says, is not compared. */
const COMPARED: ReadonlySet<LineKind> = new Set(["request", "answer", "remark", "deed", "report"]);

/** A turn of hundreds of calls ages within itself: so many lines count as a turn. */
const LINES_A_TURN = 8;

interface Comparing extends Pick<RecordRequest, "matches"> {
  readonly novelty: ReadonlyMap<Line, number>;
  readonly isTalk: boolean;
}

function shared(line: Line, age: number, { matches, novelty, isTalk }: Comparing): SharedLine {
  const beyond = Math.max(0, age + 1 - NEWEST_TURNS);
  const byAge = Math.max(OLDEST_SHARE, 1 / (1 + DECAY_A_TURN * beyond));
  const fading = line.kind === "shown" || line.kind === "look" ? 1 / (1 + SHOWN_DECAY_A_TURN * age) ** 2 : byAge;
  const own = novelty.get(line) ?? 1;
  const about = matches?.(`${line.lead}${line.body.within(ABOUT_CHARS)}`) ?? true;
  return {
    ...line,
    share: line.worth * fading * Math.min(NOVELTY_MAX, own),
    about,
    // Behind the newest turn of a talk, words that stand nowhere else come first, however old they are.
    order: line.worth * (isTalk ? (age < 1 ? Infinity : own) : 1),
    charsMax: Infinity,
  };
}

const ABOUT_CHARS = 20_000;
/** The most that words of its own make of a line, beside one that has as many as the others. */
const NOVELTY_MAX = 2;

/** Pastes and what was shown have a bound of their own, so that one of them never takes the room of all that was said. */
function limited(turns: readonly SharedTurn[], tokensMax: number): readonly SharedTurn[] {
  const chars = tokensMax * CHARS_A_TOKEN;
  return turns.map(({ order, lines }) => ({
    order,
    lines: lines.map((line) => {
      if (line.kind === "shown") return { ...line, charsMax: SHOWN_CHARS_MAX };
      const isPaste = line.kind === "request" && line.body.chars > PASTE_CHARS_MIN;
      return isPaste
        ? { ...line, charsMax: Math.max(chars * PASTE_SHARE, Math.min(PASTE_CHARS_MIN, chars * SMALL_PASTE_SHARE)) }
        : line;
    }),
  }));
}

/** The turns at the longest lengths that fit; first those lines that are about the focus, where there is one. */
function fitted(
  turns: readonly SharedTurn[],
  room: RecordRoom,
  { write, ...request }: RecordRequest & { readonly write: WriteLine },
): readonly ToldTurn[] {
  const { tokensMax, aboutMax, wordsOf } = room;
  const hasFocus = request.matches !== undefined;
  const least = new Map([
    ...wordsFirst(
      turns,
      { tokensMax: hasFocus ? tokensMax - aboutMax : wordsOf, about: hasFocus ? false : undefined },
      write,
    ),
    ...(hasFocus ? wordsFirst(turns, { tokensMax: aboutMax / REQUESTS_SHARE, about: true }, write) : []),
  ]);
  // Where the room is there to be used and all lines have what they may, they go on beyond their bounds.
  const steps = request.fillsRoom === true ? UNITS.length * 2 : UNITS.length;
  const charsAt = (line: SharedLine, step: number): number => {
    if (least.get(line) === 0) return 0;
    const bounded = Math.min(
      line.charsMax,
      Math.max(least.get(line) ?? 0, UNITS[Math.min(step, UNITS.length - 1)]! * line.share),
    );
    return step < UNITS.length ? bounded : Math.max(bounded, UNITS[step - UNITS.length]! * line.share);
  };
  const writeOne = (line: SharedLine, step: number): WrittenLine => write(line, charsAt(line, step), least.has(line));
  const writeAt = hasFocus ? writeOne : withItsRequest(turns.slice(0, -NEWEST_TURNS), writeOne);
  const tokensAt = (line: SharedLine, step: number): number => writeAt(line, step).tokens;
  const tell = (stepOf: (line: SharedLine) => number): readonly ToldTurn[] =>
    turns.flatMap((turn) => told(turn, (line) => writeAt(line, stepOf(line))));
  if (!hasFocus) {
    const leftAt = (step: number): number => leftAfter(turns, tokensMax, (line) => tokensAt(line, step));
    const step = widest(steps, (one) => leftAt(one) >= 0);
    const stepsMax = request.fillsRoom === true ? steps - 1 : Math.min(step + 1, steps - 1);
    const leftMax = tokensMax * LEFT_SHARE_MAX;
    const longer = longerLines(turns, leftAt(step), { step, stepsMax, leftMax, tokensAt });
    return tell((line) => longer.get(line) ?? step);
  }
  const matchingTurns = turns.map(({ order, lines }) => ({ order, lines: lines.filter(({ about }) => about) }));
  const fits = (one: number): boolean => leftAfter(matchingTurns, aboutMax, (line) => tokensAt(line, one)) >= 0;
  const matching = widest(steps, fits);
  const stepOf = (line: SharedLine, other: number): number => (line.about ? matching : other);
  const left = (one: number): number => leftAfter(turns, tokensMax, (line) => tokensAt(line, stepOf(line, one)));
  const other = widest(steps, (one) => left(one) >= 0);
  return tell((line) => stepOf(line, other));
}

/** Of the room, what may stay empty where no line has a piece that small. */
const LEFT_SHARE_MAX = 0.08;

interface Lengthening {
  readonly step: number;
  readonly stepsMax: number;
  /** So many tokens may stay empty. */
  readonly leftMax: number;
  readonly tokensAt: (line: SharedLine, step: number) => number;
}

/** Steps of lines that go further than the others, as far as what is left reaches: those worth most first, of equals the newest. */
function longerLines(
  turns: readonly SharedTurn[],
  tokens: number,
  { step, stepsMax, leftMax, tokensAt }: Lengthening,
): ReadonlyMap<SharedLine, number> {
  const longer = new Map<SharedLine, number>();
  const newest = turns.flatMap(({ lines }) => lines).toReversed();
  const ordered = newest.toSorted((a, b) => b.share - a.share);
  let left = tokens;
  const lengthen = (line: SharedLine, most: number): boolean => {
    const before = tokensAt(line, step);
    const cost = (to: number): number => {
      const more = tokensAt(line, to) - before;
      return before === 0 && more > 0 ? more + NUMBER_TOKENS : more;
    };
    const room = left + (longer.has(line) ? cost(longer.get(line)!) : 0);
    const to = step + widest(most - step + 1, (further) => cost(step + further) <= room);
    left = room - cost(to);
    longer.set(line, to);
    return to === most;
  };
  // All by one step, up to the first that does not fit: with more room the same ones do, and more.
  ordered.every((line) => lengthen(line, Math.min(step + 1, stepsMax)));
  // What pieces as large as that leave empty is for lines that are told already: a new one might not fit beside a longer one.
  for (const line of ordered)
    if (left > leftMax && tokensAt(line, longer.get(line) ?? step) > 0) lengthen(line, stepsMax);
  return longer;
}

interface RecordRoom {
  readonly tokensMax: number;
  /** With a focus, for the lines that are about it. */
  readonly aboutMax: number;
  readonly wordsOf: number;
}

function told({ order, lines }: SharedTurn, write: (line: SharedLine) => WrittenLine): readonly ToldTurn[] {
  const all = lines.map(write);
  const written = all.filter(({ text }) => text !== "");
  if (written.length === 0) return [];
  return [{ order, texts: written.map(({ text }) => text), cut: all.filter(({ isCut }) => isCut).length }];
}

/** What the lines leave of a room; where they do not fit, they are weighed no further than that shows. */
function leftAfter(turns: readonly SharedTurn[], room: number, tokensOf: (line: SharedLine) => number): number {
  let left = room;
  for (const { lines } of turns) {
    let tokens = 0;
    for (const line of lines) {
      tokens += tokensOf(line);
      if (tokens > left) return left - tokens;
    }
    left -= tokens === 0 ? 0 : NUMBER_TOKENS + tokens;
  }
  return left;
}
