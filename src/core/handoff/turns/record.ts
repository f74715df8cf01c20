/**
 * The record of a session without a model: its turns, oldest first, told in as many words as there is room for. What people wrote comes
 * first, word for word; then one figure, found by search, sets the length of every other line, so that what is newer and worth more keeps more.
 */
import type { Events } from "../../events/events.ts";
import { keyOf, saysLittle } from "../../events/text.ts";
import { keptWhile } from "../../kept.ts";
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
  type TellableLine,
  type TellableTurn,
  type WriteLine,
  type WrittenLine,
} from "./lengths.ts";
import type { Line, LineKind, LinesOptions } from "./line.ts";
import { linesOfTurns } from "./lines.ts";
import { noveltiesAmong } from "./novelty.ts";
import { isTalkAlone, REQUESTS_SHARE, withItsRequest, wordsFirst } from "./peoples-words.ts";
import { isContinued, turnsOf } from "./turns.ts";
import type { Body } from "./shape.ts";
import { BELOW, PASTE_CHARS_MIN } from "./words.ts";

export interface RecordRequest extends LinesOptions {
  readonly events: Events;
  readonly from: number;
  readonly until: number;
  readonly measure: Measure;
  /** Turns of an earlier record, oldest first. */
  readonly carried: readonly string[];
  /** Index of the message that is that record; -1 for none. What stands in front of it was kept from before. */
  readonly carriedAt: number;
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
  /** The turns in at most that many tokens, with a focus so many of them about it; those that have nothing worth reading are left out. */
  readonly within: (tokensMax: number, aboutMax?: number) => readonly ToldTurn[];
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
    within: (tokensMax, aboutMax = tokensMax) => {
      const room = { tokensMax, aboutMax: Math.min(aboutMax, tokensMax) };
      return fitted(limited(turns, tokensMax), room, { ...request, write });
    },
  };
}

function sharedTurns({ events, carried, carriedAt, matches, ...request }: RecordRequest): readonly SharedTurn[] {
  const { from, until } = request;
  const front = carried.length === 0 ? [] : turnsOf(events.all, { from, until: Math.min(carriedAt, until) });
  const turns = turnsOf(events.all, { from: front.length === 0 ? from : carriedAt, until });
  const made = linesOfTurns([...front, ...turns], request);
  const later = made.slice(front.length);
  const earlier = linesOfCarried(carried);
  // An earlier record may end within a turn: what comes first belongs to its last, also the request that stood below it.
  const isAwaited = earlier.at(-1)?.some(isBelow) === true;
  const goesOn = earlier.length > 0 && turns.length > 0 && (isContinued(turns[0]!) || isAwaited) ? 1 : 0;
  const [newest, after] = [earlier.slice(-1).flat(), later.slice(0, goesOn).flat()];
  const asked = isAwaited ? after.filter((line) => line.kind === "request" || isBelow(line)) : [];
  const kept = asked.length === 0 ? newest : newest.filter((line) => !isBelow(line));
  const last = [...asked, ...kept, ...after.filter((line) => !asked.includes(line))];
  const before = [...made.slice(0, front.length), ...earlier.slice(0, -1)];
  const all = earlier.length > 0 ? [...before, last, ...later.slice(goesOn)] : later;
  const lines = withoutRepeats(all).map(withRunsCounted);
  const compared = all.flat().filter(({ kind }) => COMPARED.has(kind));
  const novelties = noveltiesAmong(compared.map(({ body }) => body.within(Infinity)));
  const novelty = new Map(compared.map((line, at) => [line, novelties[at]!]));
  const old = front.length + carried.length;
  const orders = [
    ...Array.from({ length: old }, (_, at) => at - old),
    ...turns.slice(goesOn).map(({ start }) => start),
  ];
  const isTalk = isTalkAlone(lines.flat());
  return orders.map((order, at) => {
    const own = lines[at]!;
    const age = orders.length - 1 - at;
    const ageAt = (place: number): number => age + (own.length - 1 - place) / LINES_A_TURN;
    return { order, lines: own.map((line, place) => shared(line, ageAt(place), { matches, novelty, isTalk })) };
  });
}

/** Whether a line stands for the request that comes after the handoff. */
function isBelow({ body }: Line): boolean {
  return body.chars === BELOW.length && body.within(Infinity) === BELOW;
}

/** Who says the same again is quoted with the newest. Few words say the same only as an answer to the same: a "no" is the answer to its question. */
function withoutRepeats(turns: readonly (readonly Line[])[]): readonly (readonly Line[])[] {
  const said = new Set<string>();
  const answered = wordsBefore(turns.flat());
  const kept = turns.toReversed().map((lines) =>
    lines
      .toReversed()
      .filter((line, at, newer) => {
        if (line.kind !== "request" && line.kind !== "answer") return true;
        const text = line.body.within(Infinity);
        // What a person sent too early, the next message begins with.
        const next = newer[at - 1];
        if (
          line.kind === "request" &&
          next?.kind === "request" &&
          !saysLittle(text) &&
          next.body.within(Infinity).startsWith(text)
        )
          return false;
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
  given: readonly SharedTurn[],
  room: RecordRoom,
  { write, ...request }: RecordRequest & { readonly write: WriteLine },
): readonly ToldTurn[] {
  const { tokensMax, aboutMax } = room;
  const hasFocus = request.matches !== undefined;
  const least = new Map([
    ...wordsFirst(
      given,
      { tokensMax: hasFocus ? tokensMax - aboutMax : tokensMax, about: hasFocus ? false : undefined },
      write,
    ),
    ...(hasFocus ? wordsFirst(given, { tokensMax: aboutMax / REQUESTS_SHARE, about: true }, write) : []),
  ]);
  const steps = UNITS.length;
  const teller = (line: SharedLine): TellableLine => {
    const own = least.get(line);
    const { share, charsMax } = line;
    const charsAt = (step: number): number => Math.min(charsMax, Math.max(own ?? 0, UNITS[step]! * share));
    const tell = write(line);
    return { ...line, at: (step) => tell(own === 0 ? 0 : charsAt(step), own !== undefined) };
  };
  const older = hasFocus ? 0 : given.length - NEWEST_TURNS;
  const turns = given.map(({ order, lines }, at): TellableTurn => {
    const turn = { order, lines: lines.map(teller) };
    return at < older ? withItsRequest(turn) : turn;
  });
  const tell = (stepOf: (line: TellableLine) => number): readonly ToldTurn[] =>
    turns.flatMap((turn) => told(turn, (line) => line.at(stepOf(line))));
  if (!hasFocus) {
    const leftAt = (step: number): number => leftAfter(turns, tokensMax, () => step);
    const step = widest(steps, (one) => leftAt(one) >= 0);
    const longer =
      step + 1 < steps ? longerLines(turns, leftAt(step), { step, leftMax: tokensMax * LEFT_SHARE_MAX }) : NONE;
    return tell((line) => (longer.has(line) ? step + 1 : step));
  }
  const matchingTurns = turns.map(({ order, lines }) => ({ order, lines: lines.filter(({ about }) => about) }));
  const fits = (one: number): boolean => leftAfter(matchingTurns, aboutMax, () => one) >= 0;
  const matching = widest(steps, fits);
  const stepOf = (line: TellableLine, other: number): number => (line.about ? matching : other);
  const left = (one: number): number => leftAfter(turns, tokensMax, (line) => stepOf(line, one));
  const other = widest(steps, (one) => left(one) >= 0);
  return tell((line) => stepOf(line, other));
}

/** Of the room, what may stay empty where no line has a piece that small. */
const LEFT_SHARE_MAX = 0.08;

const NONE: ReadonlySet<TellableLine> = new Set();

interface Lengthening {
  readonly step: number;
  /** So many tokens may stay empty. */
  readonly leftMax: number;
}

/** Lines that go a step further than the others, as far as what is left reaches: those worth most first, of equals the newest. */
function longerLines(
  turns: readonly TellableTurn[],
  tokens: number,
  { step, leftMax }: Lengthening,
): ReadonlySet<TellableLine> {
  const longer = new Set<TellableLine>();
  let left = tokens;
  const lengthen = (line: TellableLine): boolean => {
    const before = line.at(step).tokens;
    const more = line.at(step + 1).tokens - before;
    const cost = before === 0 && more > 0 ? more + NUMBER_TOKENS : more;
    if (cost > left) return false;
    left -= cost;
    longer.add(line);
    return true;
  };
  const newest = turns.flatMap(({ lines }) => lines).toReversed();
  const ordered = newest.toSorted((a, b) => b.share - a.share);
  // Up to the first that does not fit: with more room the same ones do, and more.
  const misfit = ordered.findIndex((line) => !lengthen(line));
  // What pieces as large as that leave empty is for lines that are told already: a new one might not fit beside a longer one.
  for (const line of misfit < 0 ? [] : ordered.slice(misfit + 1))
    if (left > leftMax && line.at(step).tokens > 0) lengthen(line);
  return longer;
}

interface RecordRoom {
  readonly tokensMax: number;
  /** With a focus, for the lines that are about it. */
  readonly aboutMax: number;
}

function told({ order, lines }: TellableTurn, write: (line: TellableLine) => WrittenLine): readonly ToldTurn[] {
  const all = lines.map(write);
  const written = all.filter(({ text }) => text !== "");
  if (written.length === 0) return [];
  // What is the same only because of what is left out is told once, and not counted: more of the kind may be left out whole.
  const texts = written.map(({ text }) => text).filter((text, at, others) => text !== others[at - 1]);
  return [{ order, texts, cut: all.filter(({ isCut }) => isCut).length }];
}

/** Deeds that are the same, one after the other, once, with how many they were. */
function withRunsCounted(lines: readonly Line[]): readonly Line[] {
  let times = 0;
  return lines.flatMap((line, at) => {
    times++;
    const next = lines[at + 1];
    if (line.kind === "deed" && next?.kind === "deed" && isSame(line, next)) return [];
    const once = times === 1 ? line : { ...line, body: saidTimes(line.body, times) };
    times = 0;
    return once;
  });
}

function isSame({ lead, body }: Line, other: Line): boolean {
  return (
    lead === other.lead && body.chars === other.body.chars && body.within(Infinity) === other.body.within(Infinity)
  );
}

const saidTimes = keptWhile((body: Body, times: number): Body => {
  const count = ` (${times} times)`;
  return {
    chars: body.chars + count.length,
    within: (charsMax) => {
      const text = body.within(charsMax - count.length);
      return text === "" ? "" : `${text}${count}`;
    },
  };
});

/** What the lines leave of a room; where they do not fit, they are weighed no further than that shows. */
function leftAfter(turns: readonly TellableTurn[], room: number, stepOf: (line: TellableLine) => number): number {
  let left = room;
  for (const { lines } of turns) {
    let tokens = 0;
    for (const line of lines) {
      tokens += line.at(stepOf(line)).tokens;
      if (tokens > left) return left - tokens;
    }
    left -= tokens === 0 ? 0 : NUMBER_TOKENS + tokens;
  }
  return left;
}
