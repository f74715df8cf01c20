/**
 * Shortens a text to its most telling whole sentences and lines, in their order. Nothing is cut inside a sentence unless
 * a single one is longer than the room; a gap shows where something was left out.
 */
import { clipped, CUT_MARK } from "../items.ts";
import { piecesOf, type Piece } from "./pieces.ts";
import { createSaid, type SaidBefore } from "./said-before.ts";

/** A text taken apart once, so that it can be shortened to any length. */
export interface Condensable {
  readonly chars: number;
  /** At most that many characters of it. Empty where the room is too small to say anything. */
  readonly within: (charsMax: number) => string;
}

/** A text that is not the first of its record. */
export interface CondensedText extends Condensable {
  /** The largest share of words, among its sentences, that nothing before it had said. */
  readonly newness: number;
}

/** A sentence or a line, and how much it says. */
export interface Unit {
  readonly text: string;
  /** What is between the unit before it and this one. */
  readonly lead: string;
  readonly score: number;
  readonly at: number;
}

/** Less than this says nothing. */
const CHARS_MIN = 60;
const LIST_ITEM = /^\s*(?:[-*+•–]|\d{1,3}[.)]|#{1,6})\s/;
/** Announces the next step or is polite: a later reader gains nothing from it. */
const FILLER =
  /^(?:now,? |alright|almost |there we go|all (?:right|done)|still |here(?:['’]s| is| are)\b.{0,60}:$|ok(?:ay)?[,.! ]|great[,.! ]|i understand\b|i can (?:help|assist)\b|perfect[,.! ]|excellent[,.! ]|good[,.! ]|sure[,.! ]|thanks?\b|thank you|let me |let['’]?s |i['’]ll (?:now |start|check|look|read|run|search|also|begin)|i will (?:now |start|check|look)|first,? |next,? |please (?:hold|wait)|is there anything|would you like|feel free|happy to)/i;
/** Begins like such a sentence, and then says what is the case now: "Now `parse` keeps the order". */
const STATES_AFTER_ALL =
  /^(?:now|perfect|good|great|excellent|ok(?:ay)?|alright|still)[,.!]? (?!(?:let|i|we|you|run|try|test|check|look|read|add|update|fix|create|make|use|and|for|to)\b)/i;
/** Asks what to do next: the next request answers it. */
const OFFER =
  /^(?:do you |would you |want (?:me|to)\b|should (?:i|we) |shall (?:i|we) |let me know|what(?:['’]s| is| do| would) (?:you|your)\b|ready to |anything else|please (?:confirm|let me know)|(?:could|can) you (?:please )?(?:confirm|provide|assist|help))[^.]*[?.]?$/i;
/** Says what was found, settled or left. */
const INFORMATIVE =
  /\b(?:because|root cause|caus(?:e|ed)|reason|decid|chose|instead of|rather than|so that|turns out|found|fix|issue|problem|ensures|failed|fails|pass(?:es|ed)|needs?|remaining|left|next step|todo|blocked|confirmed|changed|added|removed|renamed|replaced|committed|merged|deployed|refund|cancel|book|total|saves?|answer|cleanest|simplest|prefer|recommend)\w*\b|\b(?:i think|makes? (?:more |most )?sense)\b|\b(?:must|never|only|not|cannot|can['’]t|won['’]t)\b/i;
/** Says what somebody wants. */
const WANTED =
  /\b(?:i|we) (?:want|need|would like|['’]d like|have|am|was|can|cannot|can['’]t|could)\b|\b(?:please|should|make sure|instead|also)\b/i;
/** Names and figures. */
const EXACT =
  /`[^`]+`|\b(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z\d]{5,}\b|\d[\d,.]*|[\w-]+\/[\w./-]+|\w+\.\w{1,5}\b|[a-z]+[A-Z]\w+|\w+_\w+/g;
const EXACT_COUNTED_MAX = 4;
/** Patterns that may start anywhere in a word read no more of a unit: its length squared is what they can cost. */
const CHARS_MATCHED_MAX = 2_000;
const WORD = /\p{L}{2,}/gu;
/** A line of fewer words is a bracket, a heading or a figure without its meaning. */
const WORDS_MIN = 3;

/** A text of a message taken apart: the same in every handoff, so it is worked out once. */
export function unitsOf(text: string): readonly Unit[] {
  return takenApart(text.trim());
}

interface Choice {
  /** What is left out whatever room there is. */
  readonly keep?: (unit: string) => boolean;
  /** How much a unit says here; its own score where nothing else is known. The same function where it says the same. */
  readonly worth?: (unit: Unit) => number;
}

/** `said`: sentences that earlier texts hold; those of this text are added. Nobody needs to read one twice. */
export function condensable(
  given: readonly Unit[],
  said: SaidBefore = createSaid(),
  { keep = always, worth = scored }: Choice = {},
): CondensedText {
  const units: Unit[] = [];
  const newness: number[] = [];
  for (const unit of given) {
    const fresh = said.newness(unit);
    if (!said.isNew(unit) || !keep(unit.text)) continue;
    newness.push(fresh);
    units.push(unit);
  }
  const [first] = units;
  if (first === undefined) return EMPTY;
  const known = condensed.get(first);
  if (known !== undefined && known.worth === worth && isSame(known.units, units) && isSame(known.newness, newness))
    return known.text;
  const text = condensedText(units, newness, worth);
  condensed.set(first, { units, newness, worth, text });
  return text;
}

const EMPTY: CondensedText = { chars: 0, newness: 0, within: () => "" };

interface Condensed {
  readonly units: readonly Unit[];
  readonly newness: readonly number[];
  readonly worth: (unit: Unit) => number;
  readonly text: CondensedText;
}

/** By the first unit that is kept of a text: the rest of it is mostly kept again in the next handoff, and shortened again. */
const condensed = new WeakMap<Unit, Condensed>();

function isSame<T>(one: readonly T[], other: readonly T[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at]);
}

function condensedText(
  units: readonly Unit[],
  newness: readonly number[],
  worth: (unit: Unit) => number,
): CondensedText {
  const chars = units.reduce((sum, { lead, text }, at) => sum + (at === 0 ? 0 : lead.length) + text.length, 0);
  let ranked: readonly Unit[] | undefined;
  let whole: string | undefined;
  // One length is asked for several times while a record is written.
  let last = { charsMax: 0, text: "" };
  return {
    chars,
    newness: Math.max(0, ...newness),
    within: (charsMax) => {
      if (chars <= charsMax)
        return (whole ??= units.map(({ lead, text }, at) => (at === 0 ? text : lead + text)).join(""));
      if (charsMax < CHARS_MIN) return "";
      ranked ??= units
        .map((unit, at) => ({ text: unit.text, lead: unit.lead, at, score: worth(unit) - stale(newness[at]!) }))
        .toSorted((a, b) => b.score - a.score || a.at - b.at);
      if (last.charsMax !== charsMax) last = { charsMax, text: clipped(joined(chosen(ranked, charsMax)), charsMax) };
      return last.text;
    },
  };
}

/** What a sentence loses of its score that hardly has a word of its own. */
function stale(newness: number): number {
  return newness >= NEWNESS_MIN ? 0 : STALE_SCORE * (1 - newness / NEWNESS_MIN);
}

const NEWNESS_MIN = 0.25;
const STALE_SCORE = 1.2;

const always = (): boolean => true;
const scored = ({ score }: Unit): number => score;

/** Whether a sentence only says what its speaker is about to do, without a reason. */
export function isAnnouncement(sentence: string): boolean {
  return ANNOUNCES.test(sentence.trim()) && !/\b(?:because|since|as|so that)\b/i.test(sentence);
}

const ANNOUNCES =
  /^(?:(?:now|next|then|so|ok(?:ay)?|good|great|perfect)[,.!]? )?(?:i['’]ll|i will|i['’]m going to|i am going to|let me|let['’]?s)\b/i;

/** Whether a sentence says more than what comes next, or how glad one is. */
export function isInformative(sentence: string): boolean {
  return (
    !FILLER.test(sentence.trim()) ||
    (!sentence.trimEnd().endsWith(":") && INFORMATIVE.test(sentence) && sentence.length > FILLER_CHARS_MAX)
  );
}

const FILLER_CHARS_MAX = 90;

/** The best units that fit together; the best one alone, cut, where not even that fits. */
function chosen(ranked: readonly Unit[], charsMax: number): readonly Unit[] {
  const taken: Unit[] = [];
  let left = charsMax;
  for (const unit of ranked) {
    if (unit.score < SCORE_MIN) break;
    const cost = unit.text.length + Math.max(1, unit.lead.length) + GAP_CHARS;
    if (cost > left) continue;
    left -= cost;
    taken.push(unit);
  }
  const [best] = ranked;
  if (best !== undefined && best.score < SCORE_MIN) return [];
  const most = taken.reduce((score, one) => Math.max(score, one.score), -Infinity);
  const isPoor = most < POOR_SCORE_MAX && (taken.length === 0 || (best?.score ?? 0) > POOR_SCORE_MAX);
  if (best !== undefined && (isPoor || most < best.score - BETTER_SCORE_MIN))
    return [{ ...best, text: clippedAround(best.text, charsMax) }];
  return taken.toSorted((a, b) => a.at - b.at);
}

/**
 * Without what is in parentheses, where it fits then; else its first clauses, or its beginning and its end where that names
 * something exact that would be cut off.
 */
function clippedAround(whole: string, charsMax: number): string {
  const text = whole.length > charsMax ? whole.replace(ASIDE, "") : whole;
  if (text.length <= charsMax) return text;
  const clauses = firstClauses(text, charsMax - CUT_MARK.length);
  if (clauses !== "") return `${clauses}${CUT_MARK}`;
  const half = Math.floor((charsMax - GAP.length) / 2);
  if (half < HALF_CHARS_MIN || text.length <= charsMax || !isExact(text.slice(-Math.min(half, CHARS_MATCHED_MAX))))
    return clipped(text, charsMax);
  const end = text.slice(text.indexOf(" ", text.length - half) + 1);
  const start = text.slice(0, text.lastIndexOf(" ", charsMax - GAP.length - end.length));
  return `${start}${GAP}${end}`;
}

/** As many whole clauses as fit; empty where they are less than most of the room. */
function firstClauses(text: string, charsMax: number): string {
  let end = 0;
  CLAUSE_END.lastIndex = 0;
  for (let match = CLAUSE_END.exec(text); match !== null && match.index <= charsMax; match = CLAUSE_END.exec(text))
    end = match.index;
  return end >= charsMax * CLAUSES_SHARE_MIN ? text.slice(0, end) : "";
}

const ASIDE = / \([^()\n]{3,200}\)(?=[\s.,;:!?]|$)/g;
const CLAUSE_END = /[,;:]?\s+[—–-]\s|[;,]\s|\s\(|\s(?:because|so that|which|but|and|instead of)\s/g;
const CLAUSES_SHARE_MIN = 0.55;

/** Where only such units fit, the beginning of the best one says more. */
const POOR_SCORE_MAX = 0.4;
/** So much more, and it is worth being cut, whatever shorter ones would fit whole. */
const BETTER_SCORE_MIN = 0.3;
const GAP = " […] ";
const HALF_CHARS_MIN = 20;

/** What scores less is a bracket or a figure that means nothing by itself. */
const SCORE_MIN = -1;
/** Room for the mark of a gap, shared by the units around it. */
const GAP_CHARS = 2;

function joined(units: readonly Unit[]): string {
  return units.map((unit, at) => `${leadOf(unit, units[at - 1])}${unit.text}`).join("");
}

function leadOf({ at, lead }: Unit, before: Unit | undefined): string {
  if (before === undefined) return "";
  return at === before.at + 1 || lead.includes("\n") ? lead : `${lead}… `;
}

/** The sentences and lines of a text, where nobody asks how much each says. */
export function sentencesIn(text: string): readonly string[] {
  return piecesOf(text.trim()).map((piece) => piece.text);
}

/** What opens and closes a text is looked for behind its courtesies: "Done!" and "Want me to go on?" are neither. */
function takenApart(text: string): readonly Unit[] {
  const pieces = piecesOf(text);
  const first = pieces.findIndex(saysSomething);
  const last = pieces.findLastIndex(saysSomething);
  return pieces.map(
    (piece, at) =>
      new ScoredLater(piece, at, {
        first: at - first,
        last: last - at,
        fenced: piece.fenced,
        isField: piece.isField,
      }),
  );
}

function saysSomething({ fenced, text }: Piece): boolean {
  return !fenced && !isEmptyPhrase(text);
}

/** Who said it, in a record that is carried on. */
const LABEL = /^(?:Agent|User): /;

function withoutLabel(labelled: string): string {
  const first = labelled.charCodeAt(0);
  return first === LETTER_A || first === LETTER_U ? labelled.replace(LABEL, "") : labelled;
}

const LETTER_A = 0x41;
const LETTER_U = 0x55;

/** Praise, apologies and offers. */
function isEmptyPhrase(labelled: string): boolean {
  const text = withoutLabel(labelled);
  return isFiller(text) || OFFER.test(text) || isExclamation(text);
}

function isFiller(text: string): boolean {
  return FILLER.test(text) && !(STATES_AFTER_ALL.test(text) && isExact(text.slice(0, CHARS_MATCHED_MAX)));
}

/** A few words with an exclamation mark that name nothing and tell nothing. */
function isExclamation(text: string): boolean {
  return text.length <= EXCLAMATION_CHARS_MAX && EXCLAMATION.test(text) && !isExact(text) && !INFORMATIVE.test(text);
}

const EXCLAMATION = /[!！][\s\p{Extended_Pictographic}\p{Emoji_Component}]*$/u;
const EXCLAMATION_CHARS_MAX = 60;

/** Most units are quoted whole or not at all, and nobody asks how much they say: it is worked out when first asked for. */
class ScoredLater implements Unit {
  readonly text: string;
  readonly lead: string;
  readonly at: number;
  private readonly place: UnitPosition;
  private known: number | undefined;

  constructor({ text, lead }: Pick<Unit, "text" | "lead">, at: number, place: UnitPosition) {
    this.text = text;
    this.lead = lead;
    this.at = at;
    this.place = place;
    this.known = undefined;
  }

  get score(): number {
    return (this.known ??= scoreOf(this.text, this.place));
  }
}

/** Where a unit is, which says how much it says. */
interface UnitPosition {
  /** How many units lie between it and those that open and close its text; below 0 beyond them. */
  readonly first: number;
  readonly last: number;
  readonly fenced: boolean;
  readonly isField: boolean;
}

/** How much a unit says: what it says, what it names, and whether it opens or closes the text. */
function scoreOf(labelled: string, { first, last, fenced, isField }: UnitPosition): number {
  const text = withoutLabel(labelled);
  const opensMore = opensMoreText(text);
  const edge = opensMore ? 0 : first === 0 ? 1.5 : last === 0 ? 1.2 : first === 1 || last === 1 ? 0.4 : 0;
  const exact = exactIn(text.replace(LIST_ITEM, "")) / EXACT_COUNTED_MAX;
  const telling = INFORMATIVE.test(text) || WANTED.test(text) ? 1 : 0;
  const item = LIST_ITEM.test(text) ? 0.4 : 0;
  const filler = isFiller(text) || isExclamation(text) ? -2 : isPep(text) ? -0.4 : 0;
  const opening = opensMore ? -0.8 : 0;
  const wondering = isQuestion(text) && !WANTED.test(text) ? -0.6 : 0;
  const asking = OFFER.test(text) ? -2 : 0;
  const heading = text.length <= HEADING_CHARS_MAX && HEADING.test(text) ? -1 : 0;
  const code = fenced ? -2 : CODE.test(text) ? -0.6 - edge : 0;
  const meta = META.test(text) ? -3 : isField ? -1 : 0;
  const wordless = hasWords(text) ? 0 : -3;
  return (
    edge +
    exact +
    telling +
    item +
    filler +
    opening +
    wondering +
    asking +
    heading +
    code +
    meta +
    wordless -
    text.length / LENGTH_PENALTY_CHARS
  );
}

/** Whether it has more words than a bracket, a heading or a figure. */
function hasWords(text: string): boolean {
  WORD.lastIndex = 0;
  let words = 0;
  while (words < WORDS_MIN && WORD.test(text)) words++;
  return words === WORDS_MIN;
}

// A pattern for the end of a text reads all of it; whether it holds the sign at all is known much sooner.
const opensMoreText = (text: string): boolean => text.includes(":") && OPENS_MORE.test(text);
const isQuestion = (text: string): boolean => (text.includes("?") || text.includes("？")) && QUESTION.test(text);
const isPep = (text: string): boolean => (text.includes("!") || text.includes("！")) && PEP.test(text);

/** Whether it is more than a word on the work itself ("This is a bigger one.") or on the call that follows ("Now the tests:"). */
export function isFinding(sentence: string): boolean {
  const text = sentence.trim().slice(0, CHARS_MATCHED_MAX);
  return !opensMoreText(text) && (isExact(text) || INFORMATIVE.test(text));
}

/** Whether it holds a name or a figure. */
function isExact(text: string): boolean {
  EXACT.lastIndex = 0;
  return EXACT.test(text);
}

/** How many names and figures it holds, as far as they count. */
function exactIn(text: string): number {
  const read = text.slice(0, CHARS_MATCHED_MAX);
  EXACT.lastIndex = 0;
  let count = 0;
  while (count < EXACT_COUNTED_MAX && EXACT.test(read)) count++;
  return count;
}

/** Longer than any heading. */
const HEADING_CHARS_MAX = 1_000;
/** Says nothing without what is below it. */
const HEADING = /^\s*(?:\d{1,2}[.)]\s+)?(?:[\p{Lu}\d][\p{Lu}\d\s,&/-]{5,}|#{1,6}\s.{0,60}|[^.!?]{2,40}:)\s*$/u;
/** What a page says of itself to machines. */
const META =
  /^\s*(?:(?:og|al|fb|twitter|article):[\w:.-]+|ogImg|viewport|robots|referrer|theme-color|format-detection|msapplication-\w+):\s/;
/** Says little without what follows it. */
const OPENS_MORE = /:[*_`]{0,3}\s*$/;
/** Mostly answered by what comes after it. */
const QUESTION = /[?？]["')\]*_`]*\s*$/u;
/** How glad one is to have done it. */
const PEP = /[!！]\s*$/;
const CODE = /^\s*(?:[\w.]+\s*=\s*(?:await\s+)?[\w.]+\(|File "|Traceback|at \S+ \()/;

/** A sentence of that many characters loses a point: two short ones say more than a long one. */
const LENGTH_PENALTY_CHARS = 600;
