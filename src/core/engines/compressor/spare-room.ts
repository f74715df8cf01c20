/**
 * An explicit budget is there to be used. What a handoff leaves of it, because there is nothing more to tell, goes to
 * what it replaces, word for word: the user's requests first, the newest messages next.
 */
import { byPerson } from "../../events/person.ts";
import { inOneLine } from "../../digest/cut.ts";
import { exchangesOf } from "../../transcript/exchanges.ts";
import { contentText } from "../../transcript/message.ts";
import { earlierEnd } from "../../compaction/run/boundaries.ts";
import { draftOf, sizeOf, type CompactionDraft } from "../../compaction/run/draft.ts";
import { firstThatFits } from "../../compaction/run/first-fit.ts";
import type { PolicyRun } from "../../compaction/run/policy.ts";
import type { CompressorState } from "./back-off.ts";
import { withSingleResults } from "./budget-layout.ts";
import type { CompressorGoal } from "./goal.ts";

type Run = PolicyRun<CompressorState, CompressorGoal>;

/** Below this share of the limit, what is left over is not worth more messages. */
const SPARE_SHARE_MIN = 0.1;

/** The same with a longer tail, where that gains messages. */
export function withFullerTail(run: Run, draft: CompactionDraft): CompactionDraft {
  const spare = freeTokensOf(run, draft);
  if (draft.shape.rung > 0 || !isWide(run, spare)) return draft;
  const tailStart = longerTailStart(run, draft, spare - weigh(run, requestsThatFit(run, draft, spare)));
  if (tailStart === draft.shape.tailStart) return draft;
  const shape = { ...draft.shape, tailStart };
  const handoffTokens = draft.handoff?.tokens ?? 0;
  const goal = { ...run.goal, handoffTokens: () => handoffTokens };
  const fuller = firstThatFits(run, [withSingleResults(run, { shape })], goal);
  return sizeOf(run, fuller) <= limitOf(run) ? fuller : draft;
}

/** Exchanges in front of the tail for which there is room, from the newest on. */
function longerTailStart(run: Run, { shape }: CompactionDraft, tokens: number): number {
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

/** What the handoff leaves goes to a longer record, and what these leave to messages word for word. */
export function withSpareRoomUsed(run: Run, draft: CompactionDraft): CompactionDraft {
  return run.goal.roomTokens === undefined ? draft : withMoreKept(run, withLongerRecord(run, draft));
}

/** The same with messages kept in front of the handoff, which stays as it is written. */
function withMoreKept(run: Run, draft: CompactionDraft): CompactionDraft {
  const { handoff, verbatim } = draft;
  const spare = freeTokensOf(run, draft);
  if (handoff === undefined || !isWide(run, spare)) return draft;
  const requests = requestsThatFit(run, draft, spare);
  const left = spare - weigh(run, requests);
  const newest = isWide(run, left) ? exchangesThatFit(run, draft, { tokens: left, without: new Set(requests) }) : [];
  const places = [...requests, ...newest].toSorted((a, b) => a - b);
  const kept = openedByUser(run, draft, { places, tokens: spare - weigh(run, places) });
  if (kept.length === 0) return draft;
  const placed = kept.map((at) => ({ message: run.original.messages[at]!, from: at }));
  const standing = [...verbatim, ...placed.map(({ message }) => message)];
  const fuller = draftOf(run, {
    ...draft,
    written: handoff,
    kept: { placed, evicted: [] },
    verbatim: standing,
  });
  return sizeOf(run, fuller) <= limitOf(run) ? fuller : draft;
}

/** The same with a longer record, unless a model wrote it. */
function withLongerRecord(run: Run, draft: CompactionDraft): CompactionDraft {
  const { written: _, ...cut } = draft;
  const spare = freeTokensOf(run, draft);
  if (draft.handoff === undefined || draft.prose !== undefined || !isWide(run, spare)) return draft;
  const fuller = draftOf(run, { ...cut, budget: draft.handoff.tokens + spare });
  return sizeOf(run, fuller) <= limitOf(run) ? fuller : draft;
}

/** Within the budget, and below what there was: a result has to be smaller. */
function limitOf({ goal, before }: Run): number {
  return Math.min(goal.limitTokens, before - 1);
}

function freeTokensOf(run: Run, draft: CompactionDraft): number {
  return limitOf(run) - sizeOf(run, draft);
}

function isWide({ goal }: Run, spare: number): boolean {
  return goal.roomTokens !== undefined && spare >= goal.limitTokens * SPARE_SHARE_MIN;
}

function weigh({ original, request }: Run, places: readonly number[]): number {
  return request.measure.messages(places.map((at) => original.messages[at]!));
}

/** Places of what a person asked and the handoff does not say in full, the newest first. */
function requestsThatFit(run: Run, draft: CompactionDraft, tokens: number): readonly number[] {
  const { messages } = run.original;
  const { headEnd, tailStart } = draft.shape;
  const isSaid = saidIn(draft.handoff?.text ?? "");
  const textAt = (at: number): string => contentText(messages[at]!.parts).trim();
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
function saidIn(handoff: string): (text: string) => boolean {
  let line: string | undefined;
  return (text) =>
    handoff.includes(text) || (text.includes("\n") && (line ??= inOneLine(handoff)).includes(inOneLine(text)));
}

interface SpareTokens {
  readonly tokens: number;
  readonly without: ReadonlySet<number>;
}

/** Places of whole exchanges, the newest first; one that is too large is passed over. */
function exchangesThatFit(run: Run, { shape }: CompactionDraft, { tokens, without }: SpareTokens): readonly number[] {
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
  run: Run,
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

/** A conversation opens with its user: in front of them nothing can be, but for what they asked right before it. */
function openedByUser(run: Run, { shape }: CompactionDraft, { places, tokens }: Opening): readonly number[] {
  const { messages } = run.original;
  if (shape.headEnd > 0 || places.length === 0) return places;
  const asked = messages.findLastIndex((message, at) => at <= places[0]! && at !== run.live && byPerson(message));
  if (asked === places[0]) return places;
  if (asked >= 0 && weigh(run, [asked]) <= tokens) return [asked, ...places];
  const first = places.findIndex((at) => messages[at]!.role === "user");
  return first < 0 ? [] : places.slice(first);
}

function range(start: number, end: number): readonly number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, offset) => start + offset);
}
