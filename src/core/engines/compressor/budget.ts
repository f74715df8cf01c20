/**
 * What an explicit budget keeps word for word, so that a larger budget never keeps less: head and tail are added in one order,
 * each from the budget on of which it takes a fixed share. A budget is there to be used: what a handoff leaves of it, because
 * there is nothing more to tell, goes to what it replaces, the user's requests first, the newest messages next.
 */
import { draftResult, weighDraft, type CompactionDraft } from "../../compaction/apply.ts";
import { findFirstCut, type Candidate, type CompactionRun, type SizeGoal } from "../../compaction/plan.ts";
import {
  earlierEnd,
  findHeadEnd,
  lastStart,
  skeletonTail,
  unchangedMessages,
  type RewrittenMessages,
} from "../../compaction/tails.ts";
import { defined } from "../../defined.ts";
import { inOneLine } from "../../digest/cut.ts";
import { byPerson, personText } from "../../events/person.ts";
import { namingAbove } from "../../handoff/framing.ts";
import { languageOfPeople } from "../../handoff/language.ts";
import { wordsIn } from "../../handoff/translations.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { rangesText } from "../../recall/messages.ts";
import { exchangesOf } from "../../transcript/exchanges.ts";
import { callsOf, type Message } from "../../transcript/message.ts";
import { pruned, RUNG_LAST, RUNG_PRUNED, withoutDuplicates } from "./limits.ts";

/** `roomTokens`: what an explicit budget leaves beside system, tools and the live request; undefined without one. */
type BudgetRun = CompactionRun & { readonly goal: SizeGoal & { readonly roomTokens?: number | undefined } };

/** Shares of an explicit budget, after system, tools and the live request. A handoff recalls more a token than messages do. */
const LAST_EXCHANGE_SHARE = 0.35;
const TAIL_SHARE = 0.25;
/** The same of a talk: what people said stands in the handoff word for word, and what they said once comes before what they said last. */
const TALK_TAIL_SHARE = 0.05;
const HEAD_SHARE = 0.08;
/** What is left of any budget for the handoff. */
const HANDOFF_SHARE_MIN = 1 - LAST_EXCHANGE_SHARE - HEAD_SHARE;

/** What a handoff needs to name messages in front of it, and so many ranges of them. */
const GAPS_TOKENS = 45;
const RANGES_MAX = 4;

/** Something that is kept from a budget on, in place of what an earlier step of the same kind keeps. */
interface Step {
  readonly at: number;
  /** Of the budget, the least at which it is kept. */
  readonly fromTokens: number;
}

interface TailStep extends Step {
  readonly tokens: number;
  readonly rung: number;
  readonly kept: RewrittenMessages;
}

/** `roomTokens`: what the budget leaves beside system, tools and the live request. */
export function budgetLayout(run: CompactionRun, roomTokens: number, headMessages: number): Candidate {
  const head = headStep(run, headMessages);
  const tails = [...tailSteps(run, roomTokens)];
  const tail = tails.findLast(({ fromTokens }) => fromTokens <= roomTokens) ?? tails[0]!;
  const end = head.fromTokens <= roomTokens ? head.at : 0;
  return { shape: { rung: tail.rung, ...tail.kept, headEnd: end, tailStart: tail.at } };
}

/** The live request is paid for already, wherever it is. */
function weighRange(
  { live, request }: CompactionRun,
  messages: readonly Message[],
  start: number,
  end: number,
): number {
  return request.measure.messages(messages.slice(start, end).filter((_, at) => start + at !== live));
}

function headStep(run: CompactionRun, count: number): Step {
  const { messages } = run.original;
  const earlier = earlierEnd(messages);
  const at = findHeadEnd(messages, count, earlier === 0 ? messages.length : earlier - 1);
  const tokens = weighRange(run, messages, 0, at);
  return { at, fromTokens: at === 0 ? Infinity : fromTokensFor(tokens, HEAD_SHARE) };
}

/** Whatever is kept leaves a handoff that says something. */
function fromTokensFor(tokens: number, share: number): number {
  return Math.max(tokens / share, tokens + HANDOFF_TOKENS_MIN / HANDOFF_SHARE_MIN);
}

/** The last exchange as a skeleton, pruned and whole, then longer and longer tails, as far as budgets up to that size need. */
function* tailSteps(run: CompactionRun, untilTokens: number): Generator<TailStep> {
  const { messages } = run.original;
  const exchanges = exchangesOf(messages);
  const last = lastStart(messages);
  const whole = unchangedMessages(run);
  const stepOf = (rung: number, kept: RewrittenMessages): Omit<TailStep, "fromTokens"> => ({
    rung,
    kept,
    at: last,
    tokens: weighRange(run, kept.messages, last, messages.length),
  });
  const best = stepOf(0, whole);
  // Worse forms are made where the best one may not be kept.
  const worse = (): readonly (typeof best)[] => [
    stepOf(RUNG_LAST, skeletonTail(run, last)),
    stepOf(RUNG_PRUNED, pruned(run, { isSummarised: (at) => at < last })),
  ];
  const isKept = fromTokensFor(best.tokens, LAST_EXCHANGE_SHARE) <= untilTokens;
  const forms = isKept ? [best] : [...worse(), best];
  // A form that weighs no less than a better one is never needed.
  const useful = forms.filter(({ tokens }, at) => forms.slice(at + 1).every((better) => better.tokens > tokens));
  for (const [at, form] of useful.entries())
    yield { ...form, fromTokens: at === 0 ? 0 : fromTokensFor(form.tokens, LAST_EXCHANGE_SHARE) };
  const earlier = earlierEnd(messages);
  const share = messages.every((message) => callsOf(message).length === 0) ? TALK_TAIL_SHARE : TAIL_SHARE;
  let { tokens } = useful.at(-1)!;
  for (let at = exchanges.length - 1; at >= 0; at--) {
    const { start, end } = exchanges[at]!;
    if (end > last) continue;
    if (start < Math.max(1, earlier) || tokens / share > untilTokens) return;
    tokens += weighRange(run, messages, start, end);
    yield { rung: 0, kept: whole, at: start, tokens, fromTokens: fromTokensFor(tokens, share) };
  }
}

/** The same with references in place of the older copies of a result in its tail. */
export function withSingleResults(run: CompactionRun, candidate: Candidate): Candidate {
  const { shape } = candidate;
  if (shape.rung > 0) return candidate;
  const end = Math.max(shape.tailStart, lastStart(run.original.messages));
  return { ...candidate, shape: { ...shape, ...withoutDuplicates(run, shape, { start: shape.tailStart, end }) } };
}

/** Below this share of the limit, what is left over is not worth more messages. */
const SPARE_SHARE_MIN = 0.1;

/** The same with a longer tail, where that gains messages. */
export function withFullerTail(run: BudgetRun, draft: CompactionDraft): CompactionDraft {
  const spare = countFreeTokens(run, draft);
  if (draft.shape.rung > 0 || !isWide(run, spare)) return draft;
  const tailStart = longerTailStart(run, draft, spare - weigh(run, requestsThatFit(run, draft, spare)));
  if (tailStart === draft.shape.tailStart) return draft;
  const shape = { ...draft.shape, tailStart };
  const handoffTokens = draft.handoff?.tokens ?? 0;
  const goal = { ...run.goal, handoffTokens: () => handoffTokens };
  const { prose, proseUntil } = draft;
  const cut = findFirstCut(run, [withSingleResults(run, { shape })], goal);
  // What a model wrote is fitted again, and needs no less room than it takes.
  const budget = prose === undefined ? cut.budget : cut.roomTokens;
  const fuller = draftResult(run, { ...cut, ...defined({ prose, proseUntil }), budget });
  return weighDraft(run, fuller) <= capResult(run) ? fuller : draft;
}

/** Exchanges in front of the tail for which there is room, from the newest on. */
function longerTailStart(run: BudgetRun, { shape }: CompactionDraft, tokens: number): number {
  const { messages } = run.original;
  const from = Math.max(shape.headEnd, earlierEnd(messages)) + 1;
  let [left, start] = [tokens, shape.tailStart];
  for (const exchange of exchangesOf(messages).toReversed()) {
    if (exchange.end > start) continue;
    left -= weigh(run, range(exchange.start, exchange.end));
    if (left < 0 || exchange.start < from) break;
    ({ start } = exchange);
  }
  return start;
}

/**
 * What the handoff leaves goes to a longer record, and what these leave to messages word for word. Where a model wrote it, that says
 * more than a record, and messages come first: those right before the tail, then the user's, then others.
 */
export function withSpareRoomUsed(run: BudgetRun, draft: CompactionDraft): CompactionDraft {
  if (run.goal.roomTokens === undefined) return draft;
  if (draft.prose === undefined) return withGapsNamed(run, withMoreKept(run, withLongerRecord(run, draft)));
  return withGapsNamed(run, withLongerRecord(run, withMoreKept(run, withFullerTail(run, draft))));
}

/** The same with the numbers of the messages in front of the handoff, where they do not follow one another. */
function withGapsNamed(run: BudgetRun, draft: CompactionDraft): CompactionDraft {
  const { handoff, kept, shape } = draft;
  const numbers = (kept?.placed ?? []).map(({ from }) => from + 1);
  if (handoff === undefined || numbers.every((number, nth) => number === shape.headEnd + nth + 1)) return draft;
  const words = wordsIn(languageOfPeople(run.original.messages));
  const named = draftResult(run, {
    ...draft,
    written: { ...handoff, text: namingAbove(handoff.text, words, listed(numbers)) },
  });
  return weighDraft(run, named) <= capResult(run) ? named : draft;
}

/** `24, 45-58`; the last ranges where there are many. */
function listed(numbers: readonly number[]): string {
  const starts = numbers.filter((number, at) => number !== numbers[at - 1]! + 1);
  const ends = numbers.filter((number, at) => number + 1 !== numbers[at + 1]);
  const ranges = starts.map((from, at) => ({ from, to: ends[at]! }));
  return `${ranges.length > RANGES_MAX ? "…, " : ""}${rangesText(ranges.slice(-RANGES_MAX)).replaceAll(",", ", ")}`;
}

/** The same with messages kept in front of the handoff, which stays as it is written. */
function withMoreKept(run: BudgetRun, draft: CompactionDraft): CompactionDraft {
  const { handoff, verbatim } = draft;
  const spare = countFreeTokens(run, draft) - GAPS_TOKENS;
  if (handoff === undefined || !isWide(run, spare)) return draft;
  const requests = requestsThatFit(run, draft, spare);
  const left = spare - weigh(run, requests);
  const newest = isWide(run, left) ? exchangesThatFit(run, draft, { tokens: left, without: new Set(requests) }) : [];
  const places = [...requests, ...newest].toSorted((a, b) => a - b);
  const kept = openedByUser(run, draft, { places, tokens: spare - weigh(run, places) });
  if (kept.length === 0) return draft;
  const placed = kept.map((at) => ({ message: run.original.messages[at]!, from: at }));
  const standing = [...verbatim, ...placed.map(({ message }) => message)];
  const fuller = draftResult(run, {
    ...draft,
    written: handoff,
    kept: { placed, evicted: [] },
    verbatim: standing,
  });
  return weighDraft(run, fuller) <= capResult(run) ? fuller : draft;
}

/** The same with a longer record. */
function withLongerRecord(run: BudgetRun, draft: CompactionDraft): CompactionDraft {
  const { written: _, ...cut } = draft;
  const spare = countFreeTokens(run, draft);
  if (draft.handoff === undefined || !isWide(run, spare)) return draft;
  const fuller = draftResult(run, { ...cut, budget: draft.handoff.tokens + spare, fillsRoom: true });
  return weighDraft(run, fuller) <= capResult(run) ? fuller : draft;
}

/** Within the budget, and below what there was: a result has to be smaller. */
function capResult({ goal, before }: BudgetRun): number {
  return Math.min(goal.limitTokens, before - 1);
}

function countFreeTokens(run: BudgetRun, draft: CompactionDraft): number {
  return capResult(run) - weighDraft(run, draft);
}

function isWide({ goal }: BudgetRun, spare: number): boolean {
  return goal.roomTokens !== undefined && spare >= goal.limitTokens * SPARE_SHARE_MIN;
}

function weigh({ original, request }: BudgetRun, places: readonly number[]): number {
  return request.measure.messages(places.map((at) => original.messages[at]!));
}

/** Places of what a person asked and the handoff does not say in full, the newest first. */
function requestsThatFit(run: BudgetRun, draft: CompactionDraft, tokens: number): readonly number[] {
  const { messages } = run.original;
  const { headEnd, tailStart } = draft.shape;
  const isSaid = makeIncludes(draft.handoff?.text ?? "");
  const textAt = (at: number): string => personText(messages[at]!).trim();
  const isRequest = (at: number): boolean => at !== run.live && byPerson(messages[at]!);
  const places = range(headEnd, tailStart).toReversed().filter(isRequest);
  return thatFit(
    run,
    places.map((at) => [at]),
    // What weighs too much stays out whether it is said or not: the handoff is searched for the others.
    { tokens, isWanted: ([at]) => !isSaid(textAt(at!)) },
  );
}

/** Whether a handoff says a text, which it indents where that has several lines. */
function makeIncludes(handoff: string): (text: string) => boolean {
  let line: string | undefined;
  return (text) =>
    handoff.includes(text) || (text.includes("\n") && (line ??= inOneLine(handoff)).includes(inOneLine(text)));
}

interface SpareTokens {
  readonly tokens: number;
  readonly without: ReadonlySet<number>;
}

/** Places of whole exchanges, the newest first; one that is too large is passed over. */
function exchangesThatFit(
  run: BudgetRun,
  { shape }: CompactionDraft,
  { tokens, without }: SpareTokens,
): readonly number[] {
  const { messages } = run.original;
  const isOwn = (at: number): boolean => at === run.live || without.has(at) || messages[at]!.origin !== undefined;
  const groups = exchangesOf(messages)
    .filter(({ start, end }) => start >= shape.headEnd && end <= shape.tailStart)
    .map(({ start, end }) => range(start, end))
    .filter((places) => !places.some((at) => isOwn(at) || messages[at]!.role === "system"));
  return thatFit(run, groups.toReversed(), { tokens });
}

interface Fitting {
  readonly tokens: number;
  readonly isWanted?: (places: readonly number[]) => boolean;
}

function thatFit(
  run: BudgetRun,
  groups: readonly (readonly number[])[],
  { tokens, isWanted = () => true }: Fitting,
): readonly number[] {
  let left = tokens;
  return groups.flatMap((places) => {
    const cost = weigh(run, places);
    if (cost > left || !isWanted(places)) return [];
    left -= cost;
    return places;
  });
}

interface Opening {
  readonly places: readonly number[];
  /** What is left beside them. */
  readonly tokens: number;
}

/**
 * A conversation opens with its user: in front of them nothing can be, but for what they asked right before it. Where that has no room, the
 * oldest give way to it.
 */
function openedByUser(run: BudgetRun, { shape }: CompactionDraft, { places, tokens }: Opening): readonly number[] {
  const { messages } = run.original;
  if (shape.headEnd > 0) return places;
  let left = tokens;
  let asked = -1;
  for (const [nth, place] of places.entries()) {
    for (let at = (places[nth - 1] ?? -1) + 1; at <= place; at++)
      if (at !== run.live && byPerson(messages[at]!)) asked = at;
    const opening = asked === place || messages[place]!.role === "user" ? [] : [asked];
    if (messages[place]!.role !== "tool" && asked >= 0 && weigh(run, opening) <= left)
      return [...opening, ...places.slice(nth)];
    left += weigh(run, [place]);
  }
  return [];
}

function range(start: number, end: number): readonly number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, offset) => start + offset);
}
