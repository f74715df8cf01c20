/**
 * An explicit budget is there to be used. What a handoff leaves of it, because nothing more is worth quoting, goes to
 * what it replaces, word for word: the user's requests first, the newest messages next.
 */
import { byPerson } from "../../ledger/readers/person.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { exchangesOf } from "../../transcript/exchanges.ts";
import { contentText } from "../../transcript/message.ts";
import { draftOf, sizeOf, type Draft, type Memory } from "../result/draft.ts";
import { firstThatFits, type PlannedJob } from "./climb.ts";

/** Below this share of the limit, what is left over is not worth more messages. */
const SPARE_SHARE_MIN = 0.1;

/** The same with a longer tail, where that gains messages. */
export function withFullerTail(job: PlannedJob, memory: Memory, draft: Draft): Draft {
  const { plan } = job;
  const spare = spareOf(job, draft);
  if (!isWide(job, draft, spare)) return draft;
  const reserved = weigh(job, requestsThatFit(job, draft, spare));
  const handoffTokens = draft.handoff?.tokens ?? 0;
  const tokens = plan.handoffTokens(0) - handoffTokens - reserved;
  const fuller = firstThatFits(
    {
      ...job,
      plan: {
        ...plan,
        tail: { ...plan.tail, tokens, ceilingTokens: tokens },
        handoffTokens: () => handoffTokens,
        handoffTokensMin: HANDOFF_TOKENS_MIN,
      },
    },
    memory,
  );
  const gains = fuller.shape.rung === 0 && fuller.shape.tailStart < draft.shape.tailStart;
  return gains && sizeOf(job, fuller) <= limitOf(job) ? fuller : draft;
}

/** The same with messages kept in front of the handoff, which stays as it is written. */
export function withMoreKept(job: PlannedJob, memory: Memory, draft: Draft): Draft {
  const { handoff, verbatim, shape } = draft;
  const spare = spareOf(job, draft);
  if (!job.plan.wantsHandoff || shape.rung > 0 || handoff === undefined || spare <= 0) return draft;
  const requests = requestsThatFit(job, draft, spare);
  const left = spare - weigh(job, requests);
  const newest = isWide(job, draft, left)
    ? exchangesThatFit(job, draft, { tokens: left, without: new Set(requests) })
    : [];
  const kept = openedByUser(
    job,
    draft,
    [...requests, ...newest].toSorted((a, b) => a - b),
  );
  if (kept.length === 0) return draft;
  const placed = kept.map((at) => ({ message: job.original.messages[at]!, from: at }));
  const standing = [...verbatim, ...placed.map(({ message }) => message)];
  const fuller = draftOf(job, memory, {
    ...draft,
    written: handoff,
    ahead: { placed, evicted: [] },
    verbatim: standing,
  });
  return sizeOf(job, fuller) <= limitOf(job) ? fuller : draft;
}

/** Within the budget, and below what there was: a result has to be smaller. */
function limitOf({ plan, original, request }: PlannedJob): number {
  return Math.min(plan.limitTokens, request.measure.transcript(request.standing ?? original) - 1);
}

function spareOf(job: PlannedJob, draft: Draft): number {
  return limitOf(job) - sizeOf(job, draft);
}

function isWide({ plan }: PlannedJob, { shape }: Draft, spare: number): boolean {
  return plan.wantsHandoff && shape.rung === 0 && spare >= plan.limitTokens * SPARE_SHARE_MIN;
}

function weigh({ original, request }: PlannedJob, places: readonly number[]): number {
  return request.measure.messages(places.map((at) => original.messages[at]!));
}

/** Places of what a person wrote and the handoff does not say in full, the newest first. */
function requestsThatFit(job: PlannedJob, draft: Draft, tokens: number): readonly number[] {
  const { headEnd, tailStart } = draft.shape;
  const said = draft.handoff?.text ?? "";
  const isMissing = (at: number): boolean => {
    const message = job.original.messages[at]!;
    return at !== job.live && byPerson(message) && !said.includes(contentText(message.parts).trim());
  };
  const places = range(headEnd, tailStart).toReversed().filter(isMissing);
  return thatFit(
    job,
    places.map((at) => [at]),
    tokens,
  );
}

interface Room {
  readonly tokens: number;
  readonly without: ReadonlySet<number>;
}

/** Places of whole exchanges, the newest first; one that is too large is passed over. */
function exchangesThatFit(job: PlannedJob, { shape }: Draft, { tokens, without }: Room): readonly number[] {
  const { messages } = job.original;
  const isOwn = (at: number): boolean => at === job.live || without.has(at) || messages[at]!.origin !== undefined;
  const groups = exchangesOf(messages)
    .filter(({ start, end }) => start >= shape.headEnd && end <= shape.tailStart)
    .map(({ start, end }) => range(start, end))
    .filter((places) => !places.some((at) => isOwn(at) || messages[at]!.role === "system"));
  return thatFit(job, groups.toReversed(), tokens);
}

function thatFit(job: PlannedJob, groups: readonly (readonly number[])[], tokens: number): readonly number[] {
  let left = tokens;
  return groups.flatMap((places) => {
    const cost = weigh(job, places);
    if (cost > left) return [];
    left -= cost;
    return places;
  });
}

/** A conversation opens with its user: in front of them nothing can stand. */
function openedByUser({ original }: PlannedJob, { shape }: Draft, places: readonly number[]): readonly number[] {
  if (shape.headEnd > 0) return places;
  const first = places.findIndex((at) => original.messages[at]!.role === "user");
  return first < 0 ? [] : places.slice(first);
}

function range(start: number, end: number): readonly number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, offset) => start + offset);
}
