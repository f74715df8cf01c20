/**
 * An explicit budget is there to be used. What a handoff leaves of it, because nothing more is worth quoting, goes to
 * what it replaces, word for word: the user's requests first, the newest messages next.
 */
import { isBareReply } from "../../ledger/readers/bare-replies.ts";
import { byPerson } from "../../ledger/readers/person.ts";
import { inOneLine } from "../../digest/cut.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { exchangesOf } from "../../transcript/exchanges.ts";
import { contentText } from "../../transcript/message.ts";
import { tailOf } from "../../compaction/run/boundaries.ts";
import { draftOf, sizeOf, type CompactionDraft } from "../../compaction/run/draft.ts";
import { firstCut } from "../../compaction/run/first-fit.ts";
import type { PolicyRun } from "../../compaction/run/policy.ts";
import type { CompressorState } from "./back-off.ts";
import type { CompressorGoal } from "./goal.ts";
import { rungsOf } from "./ladder.ts";

type Run = PolicyRun<CompressorState, CompressorGoal>;

/** Below this share of the limit, what is left over is not worth more messages. */
const SPARE_SHARE_MIN = 0.1;

/** The same with a longer tail, where that gains messages. */
export function withFullerTail(run: Run, draft: CompactionDraft): CompactionDraft {
  const spare = freeTokensOf(run, draft);
  if (!isWide(run, draft, spare)) return draft;
  const reserved = weigh(run, requestsThatFit(run, draft, spare));
  const handoffTokens = draft.handoff?.tokens ?? 0;
  const goal = {
    ...run.goal,
    tail: tailOf(run.goal.handoffTokens(0) - handoffTokens - reserved),
    handoffTokens: () => handoffTokens,
    handoffTokensMin: HANDOFF_TOKENS_MIN,
  };
  const cut = firstCut(run, rungsOf(run, goal), goal);
  if (cut.shape.rung > 0 || cut.shape.tailStart >= draft.shape.tailStart) return draft;
  const fuller = draftOf(run, cut);
  return sizeOf(run, fuller) <= limitOf(run) ? fuller : draft;
}

/** The same with messages kept in front of the handoff, which stays as it is written. */
export function withMoreKept(run: Run, draft: CompactionDraft): CompactionDraft {
  const { handoff, verbatim, shape } = draft;
  const spare = freeTokensOf(run, draft);
  if (!run.goal.wantsHandoff || shape.rung > 0 || handoff === undefined || spare <= 0) return draft;
  const requests = requestsThatFit(run, draft, spare);
  const left = spare - weigh(run, requests);
  const newest = isWide(run, draft, left)
    ? exchangesThatFit(run, draft, { tokens: left, without: new Set(requests) })
    : [];
  const kept = openedByUser(
    run,
    draft,
    [...requests, ...newest].toSorted((a, b) => a - b),
  );
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

/** Within the budget, and below what there was: a result has to be smaller. */
function limitOf({ goal, before }: Run): number {
  return Math.min(goal.limitTokens, before - 1);
}

function freeTokensOf(run: Run, draft: CompactionDraft): number {
  return limitOf(run) - sizeOf(run, draft);
}

function isWide({ goal }: Run, { shape }: CompactionDraft, spare: number): boolean {
  return goal.wantsHandoff && shape.rung === 0 && spare >= goal.limitTokens * SPARE_SHARE_MIN;
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
  const isRequest = (at: number): boolean => at !== run.live && byPerson(messages[at]!) && !isBareReply(textAt(at));
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

/** A conversation opens with its user: in front of them nothing can be. */
function openedByUser({ original }: Run, { shape }: CompactionDraft, places: readonly number[]): readonly number[] {
  if (shape.headEnd > 0) return places;
  const first = places.findIndex((at) => original.messages[at]!.role === "user");
  return first < 0 ? [] : places.slice(first);
}

function range(start: number, end: number): readonly number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, offset) => start + offset);
}
