/**
 * The record of a session without a model: its turns, oldest first, told in as many words as there is room for. What people wrote comes
 * first, word for word; then one figure, found by search, sets the length of every other line, so that what is newer and worth more keeps more.
 */
import type { Events } from "../../events/events.ts";
import { keyOf } from "../../events/text.ts";
import type { Measure } from "../../transcript/measure.ts";
import { linesOfCarried } from "./carried.ts";
import { linesOfTurns, PASTE_CHARS_MIN, type Line, type LinesOptions } from "./lines.ts";
import { turnsOf } from "./turns.ts";

export interface RecordRequest extends LinesOptions {
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
  /** The turns in at most that many tokens, with a focus so many of them about it; those that have nothing worth reading are left out. */
  readonly within: (tokensMax: number, aboutMax?: number) => readonly ToldTurn[];
}

/** The newest turns are told in full; each one before them in less, down to a share that the oldest keep. */
const NEWEST_TURNS = 3;
const DECAY_A_TURN = 0.12;
const OLDEST_SHARE = 0.3;
/** What was only looked at fades faster: files can be read again. */
const SHOWN_DECAY_A_TURN = 0.5;
/** More of what one look showed is the file itself. */
const SHOWN_CHARS_MAX = 1_200;
/** Words of people and system that come first, of the room: they are told whole, and do not fade with age. */
const REQUESTS_SHARE = 0.25;
/** Of what a person pasted, beside what they wrote; the first may be the task itself. */
const PASTE_SHARE = 0.03;
const FIRST_PASTE_SHARE = 0.12;
/** The first request says what all of it is for: it stays, up to that much of the room. */
const FIRST_REQUEST_SHARE = 0.1;
const CHARS_A_TOKEN = 4;
const STEPS = 7;
const UNIT_CHARS_MIN = 16;
const UNIT_CHARS_MAX = 200_000;
const NUMBER_TOKENS = 2;
/** The break and the margin of a line. */
const LINE_TOKENS = 1;

interface SharedLine extends Line {
  /** What it is worth at its age. */
  readonly share: number;
  readonly about: boolean;
  /** The most characters that it may have whatever the room. */
  readonly charsMax: number;
}

interface SharedTurn {
  readonly order: number;
  readonly lines: readonly SharedLine[];
}

export function recordOf(request: RecordRequest): SessionRecord {
  const turns = sharedTurns(request);
  return {
    within: (tokensMax, aboutMax = tokensMax) => {
      const room = { tokensMax, aboutMax: Math.min(aboutMax, tokensMax) };
      return fitted(limited(turns, tokensMax), room, request);
    },
  };
}

function sharedTurns({ events, carried, matches, ...request }: RecordRequest): readonly SharedTurn[] {
  const turns = turnsOf(events.all, request);
  const before = carried.map((_, at) => at - carried.length);
  const lines = withoutRepeats([...linesOfCarried(carried), ...linesOfTurns(turns, request)]);
  const orders = [...before, ...turns.map(({ start }) => start)];
  return orders.map((order, at) => {
    const own = lines[at]!;
    const age = orders.length - 1 - at;
    const ageAt = (place: number): number => age + (own.length - 1 - place) / LINES_A_TURN;
    return { order, lines: own.map((line, place) => shared(line, ageAt(place), matches)) };
  });
}

/** Who says the same again in few words is quoted with the newest: the agent also with other figures, which a person asks for apart. */
function withoutRepeats(turns: readonly (readonly Line[])[]): readonly (readonly Line[])[] {
  const said = new Set<string>();
  const kept = turns.toReversed().map((lines) =>
    lines
      .toReversed()
      .filter(({ kind, body }) => {
        if ((kind !== "request" && kind !== "answer") || body.chars > REPEAT_CHARS_MAX) return true;
        const text = body.within(Infinity);
        const key = kind + keyOf(kind === "answer" ? text.replace(/\d+/g, "#") : text);
        const isKnown = said.has(key);
        said.add(key);
        return !isKnown;
      })
      .toReversed(),
  );
  return kept.toReversed();
}

const REPEAT_CHARS_MAX = 200;
/** A turn of hundreds of calls ages within itself: so many lines count as a turn. */
const LINES_A_TURN = 8;

function shared(line: Line, age: number, matches: RecordRequest["matches"]): SharedLine {
  const beyond = Math.max(0, age + 1 - NEWEST_TURNS);
  const byAge = Math.max(OLDEST_SHARE, 1 / (1 + DECAY_A_TURN * beyond));
  const fading = line.kind === "shown" || line.kind === "look" ? 1 / (1 + SHOWN_DECAY_A_TURN * age) ** 2 : byAge;
  const isTheirs = line.kind === "request" || line.kind === "system";
  const about = matches?.(`${line.lead}${line.body.within(ABOUT_CHARS)}`) ?? true;
  return {
    ...line,
    share: line.worth * (isTheirs ? 1 : fading),
    about,
    charsMax: line.kind === "shown" ? SHOWN_CHARS_MAX : Infinity,
  };
}

const ABOUT_CHARS = 20_000;

/** Pastes have a bound of their own, so that one of them never takes the room of all that was said. */
function limited(turns: readonly SharedTurn[], tokensMax: number): readonly SharedTurn[] {
  const chars = tokensMax * CHARS_A_TOKEN;
  const first = turns.find(({ order }) => order >= 0)?.order;
  return turns.map(({ order, lines }) => ({
    order,
    lines: lines.map((line) => {
      const isPaste = line.kind === "request" && line.body.chars > PASTE_CHARS_MIN;
      const share = order === first ? FIRST_PASTE_SHARE : PASTE_SHARE;
      return isPaste
        ? { ...line, charsMax: Math.max(chars * share, Math.min(PASTE_CHARS_MIN, chars * FIRST_PASTE_SHARE)) }
        : line;
    }),
  }));
}

/** The turns at the widest unit that fits; first those lines that are about the focus, where there is one. */
function fitted(turns: readonly SharedTurn[], room: RecordRoom, request: RecordRequest): readonly ToldTurn[] {
  const { tokensMax, aboutMax } = room;
  const { matches, measure } = request;
  const others = matches === undefined ? tokensMax : tokensMax - aboutMax;
  const whole = wholeRequests(turns, {
    most: others * REQUESTS_SHARE,
    first: tokensMax * FIRST_REQUEST_SHARE,
    measure,
    wanted: ({ about }) => matches === undefined || !about,
  });
  const wholeAbout = wholeRequests(turns, {
    most: matches === undefined ? 0 : aboutMax,
    first: 0,
    measure,
    wanted: ({ about }) => about,
  });
  const write = createWriter(request.measure);
  const tell = (matching: number, other: number): readonly WrittenTurn[] =>
    turns.flatMap((turn) =>
      told(turn, (line) =>
        write(
          line,
          allowed(line, line.about && matches !== undefined ? wholeAbout : whole, line.about ? matching : other),
        ),
      ),
    );
  const fits = (matching: number, other: number, most: number): boolean =>
    sum(tell(matching, other), ({ tokens }) => tokens) <= most;
  if (request.matches === undefined) {
    const unit = widest((one) => fits(one, one, tokensMax));
    // Lines of one length are told all or none: what room is left over is for the newest requests.
    const most = tokensMax - sum(tell(unit, unit), ({ tokens }) => tokens);
    const wanted = (line: SharedLine): boolean => line.body.chars > allowed(line, whole, unit);
    for (const line of wholeRequests(turns, { most, first: 0, measure, wanted })) whole.add(line);
    const chosen = tell(unit, unit);
    if (request.fillsRoom !== true) return chosen;
    const left = tokensMax - sum(chosen, ({ tokens }) => tokens);
    const longer = longerLines(turns, left, { write, charsOf: (line) => allowed(line, whole, unit) });
    return turns.flatMap((turn) => told(turn, (line) => write(line, longer.get(line) ?? allowed(line, whole, unit))));
  }
  const aboutTokens = (unit: number): number =>
    sum(
      turns.flatMap(({ order, lines }) =>
        told({ order, lines: lines.filter(({ about }) => about) }, (line) =>
          write(line, allowed(line, wholeAbout, unit)),
        ),
      ),
      ({ tokens }) => tokens,
    );
  const matching = widest((one) => aboutTokens(one) <= aboutMax);
  const other = widest((one) => fits(matching, one, tokensMax));
  return tell(matching, other);
}

interface Lengths {
  readonly write: (line: SharedLine, charsMax: number) => WrittenLine;
  readonly charsOf: (line: SharedLine) => number;
}

/** Lengths for lines that can use what is left, one after the other: those that are worth most first, of equals the newest. */
function longerLines(turns: readonly SharedTurn[], tokens: number, { write, charsOf }: Lengths): LineLengths {
  const longer = new Map<SharedLine, number>();
  let left = tokens - NUMBER_TOKENS;
  const newest = turns.flatMap(({ lines }) => lines).toReversed();
  for (const line of newest.toSorted((a, b) => b.share - a.share)) {
    if (left < FILLED_TOKENS_MIN) break;
    const chars = charsOf(line);
    if (chars >= line.body.chars) continue;
    const now = write(line, chars).tokens;
    const room = left;
    const most = widest((one) => write(line, chars + one).tokens - now <= room);
    const gained = write(line, chars + most).tokens - now;
    if (gained <= 0 || gained > left) continue;
    longer.set(line, chars + most);
    left -= gained + (now === 0 ? NUMBER_TOKENS : 0);
  }
  return longer;
}

type LineLengths = ReadonlyMap<SharedLine, number>;

/** Less than that says nothing. */
const FILLED_TOKENS_MIN = 12;

interface RecordRoom {
  readonly tokensMax: number;
  /** With a focus, for the lines that are about it. */
  readonly aboutMax: number;
}

function sum<Item>(items: readonly Item[], valueOf: (item: Item) => number): number {
  let total = 0;
  for (const item of items) total += valueOf(item);
  return total;
}

function allowed(line: SharedLine, whole: ReadonlySet<Line>, unit: number): number {
  if (whole.has(line)) return line.body.chars;
  return Math.min(line.charsMax, unit * line.share);
}

interface WholeRoom {
  readonly most: number;
  /** For the first request, whatever its age. */
  readonly first: number;
  readonly measure: Measure;
  readonly wanted: (line: SharedLine) => boolean;
}

/** What people and system wrote and is no paste: the first request, then the newest, as far as their part of the room reaches. */
function wholeRequests(turns: readonly SharedTurn[], room: WholeRoom): Set<Line> {
  const whole = new Set<Line>();
  const lines = turns.flatMap((turn) => turn.lines).filter((line) => line.kind === "request" || line.kind === "system");
  const first = lines.find(({ kind }) => kind === "request");
  let left = room.most;
  for (const line of [...(first === undefined ? [] : [first]), ...lines.toReversed()]) {
    if (whole.has(line) || !room.wanted(line) || line.charsMax < line.body.chars) continue;
    const tokens = NUMBER_TOKENS + room.measure.text(`${line.lead}${line.body.within(Infinity)}\n`);
    if (tokens > (line === first ? Math.max(left, room.first) : left)) continue;
    left -= tokens;
    whole.add(line);
  }
  return whole;
}

/** A line as it is told, and what that weighs. */
interface WrittenLine {
  readonly chars: number;
  readonly text: string;
  readonly tokens: number;
  readonly isCut: boolean;
}

interface WrittenTurn extends ToldTurn {
  readonly tokens: number;
}

/** Writes lines at a length; most are as long in one step of a search as in the one before. */
function createWriter(measure: Measure): (line: SharedLine, charsMax: number) => WrittenLine {
  const last = new Map<SharedLine, WrittenLine>();
  return (line, charsMax) => {
    const chars = Math.min(Math.floor(charsMax), line.body.chars);
    let written = last.get(line);
    if (written?.chars === chars) return written;
    const body = line.body.within(chars);
    const text = body === "" ? "" : `${line.lead}${body}`;
    const isCut = chars < line.body.chars && line.kind !== "look" && line.kind !== "shown";
    written = { chars, text, isCut, tokens: text === "" ? 0 : measure.text(text) + LINE_TOKENS };
    last.set(line, written);
    return written;
  };
}

function told({ order, lines }: SharedTurn, write: (line: SharedLine) => WrittenLine): readonly WrittenTurn[] {
  const all = lines.map(write);
  const written = all.filter(({ text }) => text !== "");
  if (written.length === 0) return [];
  const tokens = NUMBER_TOKENS + sum(written, (line) => line.tokens);
  return [{ order, texts: written.map(({ text }) => text), tokens, cut: all.filter(({ isCut }) => isCut).length }];
}

/** The largest unit, in characters, that fits: doubled until it does not, then found by halving. */
function widest(fits: (unit: number) => boolean): number {
  let low = UNIT_CHARS_MIN;
  let high = low * 2;
  while (high < UNIT_CHARS_MAX && fits(high)) [low, high] = [high, high * 2];
  if (high >= UNIT_CHARS_MAX) return UNIT_CHARS_MAX;
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}
