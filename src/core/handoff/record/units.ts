/**
 * The sentences and lines of a text, and how much each says to somebody who goes on: what was found, settled or wanted, and
 * the names and figures in it. Courtesies, announcements and what only machines read say little.
 */
import { piecesOf, type Piece } from "./pieces.ts";
import { BEYOND_ASCII, wordsOf, type Words } from "./words.ts";

/** A sentence or a line, and how much it says. */
export interface Unit {
  readonly text: string;
  /** What is between the unit before it and this one. */
  readonly lead: string;
  readonly score: number;
  readonly at: number;
  readonly words: Words;
}

const LIST_ITEM = /^\s*(?:[-*+•–]|\d{1,3}[.)]|#{1,6})\s/;
/** Announces the next step or is polite: a later reader gains nothing from it. */
const FILLER =
  /^(?:now,? |alright|almost |there we go|all (?:right|done)|still |here(?:['’]s| is| are)\b.{0,60}:$|ok(?:ay)?[,.! ]|great[,.! ]|i understand\b|i can (?:help|assist)\b|perfect[,.! ]|excellent[,.! ]|good[,.! ]|sure[,.! ]|let me |let['’]?s |i['’]ll (?:now |start|check|look|read|run|search|also|begin)|i will (?:now |start|check|look)|first,? |next,? |please (?:hold|wait)|is there anything|would you like|feel free|happy to)/i;
/** Begins like such a sentence, and then says what is the case now: "Now `parse` keeps the order". */
const STATES_AFTER_ALL =
  /^(?:now|perfect|good|great|excellent|ok(?:ay)?|alright|still)[,.!]? (?!(?:let|i|we|you|run|try|test|check|look|read|add|update|fix|create|make|use|and|for|to)\b)/i;
/** Thanks or praises in a few words. */
const COURTESY =
  /(?:\b(?:thank you|thanks)(?: (?:so much|very much|a lot|again|for [^.!?,;:]{1,60}))?|\b(?:very|really|so|quite) (?:useful|helpful|nice|interesting|good|well|kind)(?:,? (?:indeed|to me))?|\b(?:good|great|nice) (?:idea|advice|question|point))[.!\s]*$/i;
const COURTESY_CHARS_MAX = 120;
/** Asks what to do next: the next request answers it. */
const OFFER =
  /^(?:do you |would you |want (?:me|to)\b|should (?:i|we) |shall (?:i|we) |let me know|what(?:['’]s| is| do| would) (?:you|your)\b|ready to |anything else|please (?:confirm|let me know)|(?:could|can) you (?:please )?(?:confirm|provide|assist|help))[^.]*[?.]?$/i;
/** Offers more help when all is done. */
const CLOSING_OFFER =
  /^(?:if|should) you\b[^.]*\b(?:feel free|let me know|don['’]t hesitate|(?:just|please) ask|reach out|i['’]m here)\b/i;
/** Says what follows from what was said before, and of what only there: "Therefore, it cannot be changed." */
const LEANS =
  /^(?:(?:therefore|thus|hence|consequently|accordingly|as such|so),? .*\b(?:this|that|these|those|it|they|them)\b|(?:additionally|furthermore|moreover|in addition),? )/i;
/** Says what was found, settled or left. */
const INFORMATIVE =
  /\b(?:because|root cause|caus(?:e|ed)|reason|decid|chose|instead of|rather than|so that|turns out|found|fix|issue|problem|ensures|failed|fails|pass(?:es|ed)|needs?|remaining|left|next step|todo|blocked|confirmed|changed|added|removed|renamed|replaced|committed|merged|deployed|refund|cancel|book|total|saves?|answer|cleanest|simplest|prefer|recommend)\w*\b|\b(?:i think|makes? (?:more |most )?sense)\b|\b(?:must|never|only|not|cannot|can['’]t|won['’]t)\b/i;
/** Says what somebody wants. */
const WANTED =
  /\b(?:i|we) (?:want|need|would like|['’]d like|like|love|enjoy|prefer|hate|live|work|have|am|was|can|cannot|can['’]t|could)\b|\b(?:please|should|make sure|instead|also)\b/i;
const TELLING = new RegExp(`${INFORMATIVE.source}|${WANTED.source}`, "i");
/** Names and figures, each to its end: code, a figure, a path, a file, `camelCase`, `snake_case`. */
const EXACT = /`[^`]+`|(?:\d|(?<=\w)(?:\/[\w.]|\.\w{1,5}\b|_\w)|(?<=[a-z])[A-Z]\w)[\w.,:/-]*/g;
const EXACT_COUNTED_MAX = 4;
/** Patterns that may start anywhere in a word read no more of a unit: its length squared is what they can cost. */
export const CHARS_MATCHED_MAX = 2_000;
const WORD = /\p{L}{2,}/gu;
const WORD_ASCII = /[A-Za-z]{2,}/g;
/** A line of fewer words is a bracket, a heading or a figure without its meaning. */
const WORDS_MIN = 3;

/** A text of a message taken apart: the same in every handoff, so it is worked out once. */
export function unitsOf(text: string): readonly Unit[] {
  return takenApart(text.trim());
}

/** What opens and closes a text is looked for behind its courtesies: "Done!" and "Want me to go on?" are neither. */
function takenApart(text: string): readonly Unit[] {
  const pieces = piecesOf(text);
  const first = pieces.findIndex(saysSomething);
  const last = pieces.findLastIndex((piece) => saysSomething(piece) && !leans(piece.text));
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
  return !fenced && !isEmptyPhrase(text) && !isHeading(text);
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
  return isFiller(text) || isCourtesy(text) || isOffer(text) || isExclamation(text);
}

function isOffer(text: string): boolean {
  return OFFER.test(text) || isClosingOffer(text);
}

/** Whether a sentence only offers more help. */
export function isClosingOffer(sentence: string): boolean {
  return CLOSING_OFFER.test(sentence) && !isExact(sentence.slice(0, CHARS_MATCHED_MAX));
}

/** Whether it says little without the sentence before it. */
function leans(text: string): boolean {
  return LEANS.test(text) && !isExact(text.slice(0, CHARS_MATCHED_MAX));
}

function isCourtesy(text: string): boolean {
  return text.length <= COURTESY_CHARS_MAX && COURTESY.test(text) && !isExact(text) && !TELLING.test(text);
}

function isFiller(text: string): boolean {
  return FILLER.test(text) && !(STATES_AFTER_ALL.test(text) && isExact(text.slice(0, CHARS_MATCHED_MAX)));
}

/** A few words with an exclamation mark that name nothing and tell nothing. */
function isExclamation(text: string): boolean {
  return (
    text.length <= EXCLAMATION_CHARS_MAX &&
    mayExclaim(text) &&
    EXCLAMATION.test(text) &&
    !isExact(text) &&
    !INFORMATIVE.test(text)
  );
}

const EXCLAMATION = /[!！][\s\p{Extended_Pictographic}\p{Emoji_Component}]*$/u;
const EXCLAMATION_CHARS_MAX = 60;

/**
 * Most units are quoted whole or not at all, and nobody asks how much they say: it is worked out when first asked for. So are
 * their words, which are kept here because a map of thousands of units costs more than they do.
 */
class ScoredLater implements Unit {
  readonly text: string;
  readonly lead: string;
  readonly at: number;
  private readonly place: UnitPosition;
  private known: number | undefined;
  private compared: Words | undefined;

  constructor({ text, lead }: Pick<Unit, "text" | "lead">, at: number, place: UnitPosition) {
    this.text = text;
    this.lead = lead;
    this.at = at;
    this.place = place;
    this.known = undefined;
    this.compared = undefined;
  }

  get score(): number {
    return (this.known ??= scoreOf(this.text, this.place));
  }

  get words(): Words {
    return (this.compared ??= wordsOf(this.text));
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
  const isItem = LIST_ITEM.test(text);
  const exact = exactIn(isItem ? text.replace(LIST_ITEM, "") : text) / EXACT_COUNTED_MAX;
  const telling = TELLING.test(text) ? 1 : 0;
  const item = isItem ? 0.4 : 0;
  const filler = isFiller(text) || isCourtesy(text) || isExclamation(text) ? -2 : isPep(text) ? -0.4 : 0;
  const opening = opensMore ? -0.8 : 0;
  const wondering = isQuestion(text) && !WANTED.test(text) ? -0.6 : 0;
  const asking = isOffer(text) ? -2 : 0;
  const leaning = leans(text) ? -0.4 : 0;
  const heading = isHeading(text) ? -1 : 0;
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
    leaning +
    heading +
    code +
    meta +
    wordless -
    text.length / LENGTH_PENALTY_CHARS
  );
}

/** Whether it has more words than a bracket, a heading or a figure. */
function hasWords(text: string): boolean {
  return wordsCounted(text, WORDS_MIN) === WORDS_MIN;
}

/** How many words of letters alone a text has, up to a number. Letters beyond ASCII are found several times slower. */
export function wordsCounted(text: string, most: number): number {
  const words = matchesOf(WORD_ASCII, text, most);
  return words === most || !BEYOND_ASCII.test(text) ? words : matchesOf(WORD, text, most);
}

function matchesOf(pattern: RegExp, text: string, most: number): number {
  pattern.lastIndex = 0;
  let count = 0;
  while (count < most && pattern.test(text)) count++;
  return count;
}

/** Whether it is a heading: in capitals, marked as one, or a few words before a colon. */
function isHeading(text: string): boolean {
  if (text.length > HEADING_CHARS_MAX) return false;
  return (MAY_OPEN_HEADING.test(text) || text.trimEnd().endsWith(":")) && HEADING.test(text);
}

// A pattern for the end of a text reads all of it; whether it holds the sign at all is known much sooner.
const opensMoreText = (text: string): boolean => text.includes(":") && OPENS_MORE.test(text);
const isQuestion = (text: string): boolean => (text.includes("?") || text.includes("？")) && QUESTION.test(text);
const mayExclaim = (text: string): boolean => text.includes("!") || text.includes("！");
const isPep = (text: string): boolean => mayExclaim(text) && PEP.test(text);

/** Whether it is more than a word on the work itself ("This is a bigger one.") or on the call that follows ("Now the tests:"). */
export function isFinding(sentence: string): boolean {
  const text = sentence.trim().slice(0, CHARS_MATCHED_MAX);
  return !opensMoreText(text) && (isExact(text) || INFORMATIVE.test(text));
}

/** Whether it holds a name or a figure. */
export function isExact(text: string): boolean {
  EXACT.lastIndex = 0;
  return EXACT.test(text);
}

/** How many names and figures it holds, as far as they count. */
function exactIn(text: string): number {
  const read = text.slice(0, CHARS_MATCHED_MAX);
  return matchesOf(EXACT, read, EXACT_COUNTED_MAX);
}

/** Longer than any heading. */
const HEADING_CHARS_MAX = 1_000;
/** How every heading begins that does not end with a colon. */
const MAY_OPEN_HEADING = /^\s*(?:[\p{Lu}\d][\p{Lu}\d\s,.)&/-]|#)/u;
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
