/**
 * Shortens a text to its most telling whole sentences and lines, in their order. Nothing is cut inside a sentence unless
 * a single one is longer than the room; a gap shows where something was left out.
 */
import { clipped, CUT_MARK, withCutMark } from "../items.ts";
import { createSaid, type SaidBefore } from "./said-before.ts";
import { CHARS_MATCHED_MAX, isExact, type Unit } from "./units.ts";

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

/** Less than this says nothing. */
const CHARS_MIN = 60;

interface Choice {
  /** What is left out whatever room there is. */
  readonly keep?: (unit: string) => boolean;
  /** How much a unit says here; its own score where nothing else is known. The same function where it says the same. */
  readonly worth?: (unit: Unit) => number;
}

/** `said`: sentences that earlier texts hold; those of this text are added. Nobody needs to read one twice. */
export function condensable(given: readonly Unit[], said?: SaidBefore, { keep, worth }: Choice = {}): CondensedText {
  return condensed(unsaid(given, said, keep), worth);
}

/** A sentence that no earlier one says, and the share of words that it has by itself. */
export interface UnsaidUnit {
  readonly unit: Unit;
  readonly newness: number;
}

export function unsaid(
  given: readonly Unit[],
  said: SaidBefore = createSaid(),
  keep: (unit: string) => boolean = always,
): readonly UnsaidUnit[] {
  const told: UnsaidUnit[] = [];
  for (const unit of given) {
    const newness = said.newness(unit);
    if (newness !== undefined && keep(unit.text)) told.push({ unit, newness });
  }
  return told;
}

export function condensed(told: readonly UnsaidUnit[], worth: (unit: Unit) => number = scored): CondensedText {
  const [first] = told;
  if (first === undefined) return EMPTY;
  const known = last.get(first.unit);
  if (known?.worth === worth && isSame(known.told, told)) return known.text;
  const text = condensedText(told, worth);
  last.set(first.unit, { told, worth, text });
  return text;
}

const EMPTY: CondensedText = { chars: 0, newness: 0, within: () => "" };

interface LastCondensed {
  readonly told: readonly UnsaidUnit[];
  readonly worth: (unit: Unit) => number;
  readonly text: CondensedText;
}

/** By the first unit that is kept of a text: the rest of it is mostly kept again in the next handoff, and shortened again. */
const last = new WeakMap<Unit, LastCondensed>();

function isSame(one: readonly UnsaidUnit[], other: readonly UnsaidUnit[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ unit, newness }, at) => unit === other[at]!.unit && newness === other[at]!.newness)
  );
}

function condensedText(told: readonly UnsaidUnit[], worth: (unit: Unit) => number): CondensedText {
  const chars = told.reduce((sum, { unit: { lead, text } }, at) => sum + (at === 0 ? 0 : lead.length) + text.length, 0);
  let ranked: readonly RankedUnit[] | undefined;
  let whole: string | undefined;
  // A record is written at one length after another, and mostly they come to the same.
  let current: Shortened = { text: "", from: 0, until: 0 };
  return {
    chars,
    newness: told.reduce((most, { newness }) => Math.max(most, newness), 0),
    within: (charsMax) => {
      if (chars <= charsMax)
        return (whole ??= told.map(({ unit: { lead, text } }, at) => (at === 0 ? text : lead + text)).join(""));
      if (charsMax < CHARS_MIN) return "";
      ranked ??= told
        .map(({ unit, newness }, at) => ({ text: unit.text, lead: unit.lead, at, score: worth(unit) - stale(newness) }))
        .toSorted((a, b) => b.score - a.score || a.at - b.at);
      if (charsMax < current.from || charsMax >= current.until) current = shortened(ranked, charsMax);
      return current.text;
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

/** A unit with what it is worth here. */
type RankedUnit = Pick<Unit, "text" | "lead" | "at" | "score">;

/** What a text comes to at any length `from .. until`. */
interface Shortened {
  readonly text: string;
  readonly from: number;
  readonly until: number;
}

/** The best units that fit together; the best one alone, cut, where not even that fits. */
function shortened(ranked: readonly RankedUnit[], charsMax: number): Shortened {
  const taken: RankedUnit[] = [];
  const [best] = ranked;
  let [used, most, until] = [0, -Infinity, Infinity];
  for (const unit of ranked) {
    if (unit.score < SCORE_MIN) break;
    const next = used + unit.text.length + Math.max(1, unit.lead.length) + GAP_CHARS;
    if (next > charsMax) {
      until = Math.min(until, next);
      continue;
    }
    used = next;
    most = Math.max(most, unit.score);
    taken.push(unit);
  }
  if (best === undefined || best.score < SCORE_MIN) return { text: "", from: 0, until: Infinity };
  const isPoor = most < POOR_SCORE_MAX && (taken.length === 0 || best.score > POOR_SCORE_MAX);
  if (isPoor || most < best.score - BETTER_SCORE_MIN)
    return { text: clipped(clippedAround(best.text, charsMax), charsMax), from: charsMax, until: charsMax + 1 };
  return { text: joined(taken.toSorted((a, b) => a.at - b.at)).trim(), from: used, until };
}

/**
 * Without what is in parentheses, where it fits then; else its first clauses, or its beginning and its end where that names
 * something exact that would be cut off.
 */
function clippedAround(whole: string, charsMax: number): string {
  const text = whole.length > charsMax ? withoutAsides(whole) : whole;
  if (text.length <= charsMax) return text;
  const clauses = firstClauses(text, charsMax - CUT_MARK.length);
  if (clauses !== "") return withCutMark(clauses);
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

/** With a mark for each. What stands in code or in a sum is no aside, and one that denies or limits is what the sentence means. */
function withoutAsides(text: string): string {
  if (!text.includes(" (")) return text;
  return text.replace(ASIDE_OR_CODE, (found: string, aside: string | undefined, at: number) => {
    if (aside === undefined || LIMITS.test(aside)) return found;
    const isTerm = isOperator(text[at - 1]) || isOperator(text[at + found.length + 1]);
    return isTerm ? found : CUT_MARK;
  });
}

function isOperator(sign: string | undefined): boolean {
  return sign !== undefined && OPERATORS.includes(sign);
}

/** A shorter one is hardly longer than its mark. */
const ASIDE_OR_CODE = /`[^`\n]*`| (\([^()\n]{6,200}\))(?=[\s.,;:!?]|$)/g;
const LIMITS = /\b(?:not?|never|without|except|excluding|unless|only|but)\b|n['’]t\b/i;
const OPERATORS = "=+*/^<>&|%-";
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

function joined(units: readonly RankedUnit[]): string {
  return units.map((unit, at) => `${leadOf(unit, units[at - 1])}${unit.text}`).join("");
}

function leadOf({ at, lead }: RankedUnit, before: RankedUnit | undefined): string {
  if (before === undefined) return "";
  return at === before.at + 1 || lead.includes("\n") ? lead : `${lead}… `;
}
