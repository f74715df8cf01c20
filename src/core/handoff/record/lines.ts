/** The lines of an episode: what the person asked, what the agent said on the way and in the end, and what its calls did. */
import { isErrorLine } from "../../digest/error-line.ts";
import { isApproval, isBareReply } from "../../ledger/readers/bare-replies.ts";
import { condensed, unsaid, type Condensable, type CondensedText, type UnsaidUnit } from "./condense.ts";
import { isAnnouncement, isClosingOffer, isFinding, isInformative, type Unit } from "./units.ts";
import { callLines, callKindOf, type CallKind } from "./calls.ts";
import type { Episode, EpisodeEntry } from "./episodes.ts";
import { withoutBullet } from "./pieces.ts";
import { spokenUnits } from "./redacted-units.ts";
import { WEIGHTS, type CompletedEntry, type LinesContext, type RecordLine, type UntoldSentences } from "./context.ts";

/** A place in an episode across which nothing is gathered: what is before it was described by then, and in these many lines. */
export interface LinesMark {
  readonly entries: number;
  readonly lines: number;
}

export interface LinesProgress {
  /** Lines that are known, and the entries that they describe. */
  readonly known: readonly RecordLine[];
  readonly entries: number;
  /** Told of each place from which the episode could be described anew. */
  readonly reached: (mark: LinesMark) => void;
}

export function linesOf(
  episode: Episode,
  context: LinesContext,
  { known, entries, reached }: LinesProgress,
): readonly RecordLine[] {
  const lines = [...known];
  let group: { readonly kind: CallKind; readonly calls: CompletedEntry[] } | undefined;
  const flush = (): void => {
    if (group !== undefined) lines.push(...callLines(group.kind, group.calls, context));
    group = undefined;
  };
  for (let at = entries; at < episode.entries.length; at++) {
    const entry = episode.entries[at]!;
    if (entry.kind === "done") {
      const kind = callKindOf(entry);
      if (group !== undefined && group.kind !== kind) {
        flush();
        reached({ entries: at, lines: lines.length });
      }
      (group ??= { kind, calls: [] }).calls.push(entry);
      continue;
    }
    const spoken = entry.kind === "asked" ? askedLines(entry, context) : saidLines(entry, context);
    if (spoken.length === 0) continue;
    flush();
    lines.push(...spoken);
    reached({ entries: at + 1, lines: lines.length });
  }
  flush();
  return lines;
}

/** What a person asked, and some lines of what they pasted. */
function askedLines(entry: SpokenEntry, { redact, tellsRequests, live, said }: LinesContext): readonly RecordLine[] {
  const { text, units, pasted } = spokenUnits(entry, redact);
  const { message } = entry;
  if (!tellsRequests || /^\/\S*$/.test(text)) return [];
  if (message === live) return [{ message, label: "User: ", weight: WEIGHTS.asked, body: unshortened(LIVE) }];
  const asked = thinned(unsaid(units), isToldAsRuleOrGoal, (body) =>
    body.chars === 0 || saysNothing(body.within(body.chars))
      ? undefined
      : { message, label: "User: ", weight: WEIGHTS.asked, body, isAsked: true },
  );
  // Where most of it is told elsewhere, what is left of it are pieces.
  let wholeChars = 0;
  const pastedLine = (body: CondensedText): RecordLine | undefined => {
    wholeChars ||= body.chars;
    const isMost = body.chars > 0 && body.chars * 2 >= wholeChars;
    return isMost ? { message, label: "Pasted: ", weight: WEIGHTS.pasted, body } : undefined;
  };
  const material = thinned(unsaid(pasted, said), isToldOfPaste, pastedLine, pastedScore);
  return [...asked, ...material];
}

/** That a person agreed is told: what was done then was not done unasked. */
function saysNothing(reply: string): boolean {
  return isBareReply(reply) && !isApproval(reply);
}

type IsUntold = (sentence: string, at: number, untold: UntoldSentences) => boolean;

/** How a request opens says which one it is, even where it is the goal. */
function isToldAsRuleOrGoal(sentence: string, at: number, { ofPerson, goal }: UntoldSentences): boolean {
  return ofPerson.has(sentence) || (at > 0 && goal.has(sentence));
}

/** What was pasted is taken apart without its fences: a line of the goal may be several of its sentences. */
function isToldOfPaste(sentence: string, _at: number, { ofPerson, goal, goalText }: UntoldSentences): boolean {
  const isPart = sentence.length >= PART_CHARS_MIN && goalText.includes(sentence);
  return isPart || ofPerson.has(sentence) || goal.has(sentence);
}

const PART_CHARS_MIN = 8;

function isSaidOrOverruled(sentence: string, _at: number, { ofAgent }: UntoldSentences): boolean {
  return ofAgent.has(sentence);
}

/** A line that can leave out what need not be told. */
function thinned(
  told: readonly UnsaidUnit[],
  isUntold: IsUntold,
  lineOf: (body: CondensedText) => RecordLine | undefined,
  worth?: (unit: Unit) => number,
): readonly RecordLine[] {
  const whole = lineOf(condensed(told, worth));
  if (whole === undefined) return [];
  let sentences: readonly string[] | undefined;
  const without = (untold: UntoldSentences): RecordLine | undefined => {
    sentences ??= told.map(({ unit }) => withoutBullet(unit.text));
    if (!sentences.some((sentence, at) => isUntold(sentence, at, untold))) return whole;
    return lineOf(
      condensed(
        told.filter((_, at) => !isUntold(sentences![at]!, at, untold)),
        worth,
      ),
    );
  };
  return [{ ...whole, without }];
}

/** Errors are what a person mostly pastes for. */
function pastedScore({ text, score }: Unit): number {
  return score + (isErrorLine(text) ? PASTED_ERROR_SCORE : 0);
}

const PASTED_ERROR_SCORE = 3;

/** What the agent said; nothing where it only announces a call, answers in a word, or says what it said before. */
function saidLines(
  entry: SpokenEntry & { readonly ends: boolean },
  { redact, said }: LinesContext,
): readonly RecordLine[] {
  const { text, units } = spokenUnits(entry, redact);
  const { message, ends } = entry;
  if (!ends && !units.some(({ text: one }) => isWorthRemarking(one) && isFinding(one))) return [];
  if (units.every(({ score }) => score < EMPTY_SCORE_MAX)) return [];
  const concludes = ends && !isData(text);
  return thinned(unsaid(units, said, ends ? isNoClosingOffer : isWorthRemarking), isSaidOrOverruled, (body) => {
    if (body.chars === 0 || (!ends && body.newness < REMARK_NEWNESS_MIN)) return undefined;
    return { message, label: "Agent: ", weight: concludes ? conclusionWeight(body.chars) : remarkWeight(text), body };
  });
}

/** What an agent answers to a program says little to a person. */
function isData(text: string): boolean {
  return /^(?:[\w ]{0,40}:\s*)?\{\s*"/.test(text);
}

function isNoClosingOffer(sentence: string): boolean {
  return !isClosingOffer(sentence);
}

function isWorthRemarking(sentence: string): boolean {
  return isInformative(sentence) && !isAnnouncement(sentence);
}

/** A remark without a sentence that has more words of its own says again where the work is. */
const REMARK_NEWNESS_MIN = 0.1;

/** A plan or a review of several pages holds more than a sentence does. */
function conclusionWeight(chars: number): number {
  const doublings = Math.log2(Math.max(1, chars / LONG_CONCLUSION_CHARS));
  return WEIGHTS.concluded * Math.min(LONG_CONCLUSION_FACTOR_MAX, 1 + doublings / 2);
}

const LONG_CONCLUSION_CHARS = 500;
const LONG_CONCLUSION_FACTOR_MAX = 3;

/** A short remark with a figure in it is mostly a result. */
function remarkWeight(text: string): number {
  return text.length <= SHORT_REMARK_CHARS_MAX && FIGURE.test(text) ? WEIGHTS.found : WEIGHTS.remarked;
}

/** Praise, apologies and offers score less. */
const EMPTY_SCORE_MAX = -0.5;
const SHORT_REMARK_CHARS_MAX = 300;
const FIGURE = /(?:^|[\s($€£])\d[\d,.]{2,}/;

type SpokenEntry = Exclude<EpisodeEntry, CompletedEntry>;

const LIVE = "(the newest message, in full below)";

function unshortened(text: string): Condensable {
  return { chars: text.length, within: () => text };
}
