/**
 * What a compaction may send, before a word of it is written: the run it works on, how large a result may be, the
 * candidates that an engine is willing to send from the mildest to the severest, and the first of them that fits.
 */
import { taskWords } from "../digest/focus.ts";
import type { CompactRequest } from "../engines/contract.ts";
import type { Room } from "../engines/room.ts";
import { liveRequestOf } from "../events/live-request.ts";
import type { Items } from "../handoff/model/asked.ts";
import type { Section } from "../handoff/templates.ts";
import { HANDOFF_TOKENS_MIN, type Handoff, type ParsedHandoff } from "../handoff/write.ts";
import { redactorFor, type Redactor } from "../redaction/redactor.ts";
import { createSecretHider } from "./remembered.ts";
import { contentText, type Message, type Transcript } from "../transcript/message.ts";
import type { Evicted } from "./compaction.ts";

/** One compaction under way: what it works on, and what is known before its engine has a say. */
export interface CompactionRun {
  readonly original: Transcript;
  /** The system prompt with our note, where the note goes there. */
  readonly system: readonly Message[];
  readonly request: CompactRequest;
  /** Index of the live request; -1 where no user has spoken. */
  readonly live: number;
  /** Words of the task, in lower case. */
  readonly focus: readonly string[];
  readonly besideTokens: number;
  /** Tokens of system, tools and live request, which every result has. */
  readonly fixedTokens: number;
  /** Tokens of what is sent today. */
  readonly before: number;
  readonly template: readonly Section[];
  /** What the engine carries on from earlier handoffs, where none is among the messages. */
  readonly carried?: ParsedHandoff | undefined;
  readonly redact: Redactor;
  /** Hides the secrets of the whole conversation and pieces of them, for what a model wrote. */
  readonly hideSecrets: Redactor;
}

/** A list of messages that nobody changes: what is read of one is remembered for it. */
function unchanging(messages: readonly Message[]): readonly Message[] {
  return Object.isFrozen(messages) ? messages : Object.freeze([...messages]);
}

export function beginRun(
  given: Transcript,
  request: CompactRequest,
  { template, system = given.system }: Pick<CompactionRun, "template"> & Partial<Pick<CompactionRun, "system">>,
): CompactionRun {
  const original = { ...given, messages: unchanging(given.messages) };
  const { measure, standing = original, focus = "", secrets } = request;
  const live = liveRequestOf(original.messages);
  const asked = original.messages[live];
  const besideTokens = measure.transcript({ ...original, system, messages: [] });
  return {
    original,
    system,
    request,
    live,
    focus: taskWords(focus, asked === undefined ? "" : contentText(asked.parts)),
    besideTokens,
    fixedTokens: besideTokens + (asked === undefined ? 0 : measure.message(asked)),
    before: measure.transcript(standing),
    template,
    redact: redactorFor(secrets),
    hideSecrets: createSecretHider(original.messages),
  };
}

/** Head and tail of a result; what is between goes into the handoff. `messages[i]` is original `i`, perhaps rewritten. */
export interface ResultShape {
  /** The step of the engine's ladder: 0 where none was needed. */
  readonly rung: number;
  readonly messages: readonly Message[];
  readonly headEnd: number;
  readonly tailStart: number;
  readonly evicted: readonly Evicted[];
}

/** A message of the result with the index of the original it stands for; -1 for one of ours. */
export interface PlacedMessage {
  readonly message: Message;
  readonly from: number;
}

/** Messages between head and handoff: some of those that the handoff replaces, where an engine keeps them, and its own. */
export interface KeptMessages {
  readonly placed: readonly PlacedMessage[];
  readonly evicted: readonly Evicted[];
}

/** What an engine is willing to send: a shape, and what is next to its handoff. */
export interface Candidate {
  readonly shape: ResultShape;
  readonly kept?: KeptMessages | undefined;
  /** Messages of ours after the handoff. */
  readonly restored?: readonly Message[];
  /** Where this candidate may weigh something else than the goal says. */
  readonly limitTokens?: number;
  /** Where this candidate's handoff has a share of its own, and a minimum (`SizeGoal`). */
  readonly handoffTokens?: (replacedTokens: number) => number;
  readonly handoffTokensMin?: number;
}

/** A candidate with what it leaves room for. */
export interface Cut extends Pick<Candidate, "shape" | "kept" | "restored"> {
  /** What the handoff replaces, where it is named already. */
  readonly span?: Evicted | undefined;
  /** The handoff that replaces it already, where none is to be written. */
  readonly written?: Handoff;
  /** The live request, where it is repeated. */
  readonly anchor: Message | undefined;
  readonly verbatim: readonly Message[];
  readonly budget: number;
  /** What the limit leaves for the handoff; its budget may be less. */
  readonly roomTokens?: number;
  readonly prose?: Items;
  /** Whether what the prose leaves of the budget is for record and quotes. */
  readonly fillsRoom?: boolean;
  /** Index after the last message that the model read, where that is not all of the span. */
  readonly proseUntil?: number;
}

/** What a result may weigh, and how the handoff shares it. All figures in tokens. */
export interface SizeGoal {
  /** The whole result should not weigh more. */
  readonly limitTokens: number;
  /** Where a heavier result does as well: only above this, not above the limit, is it irreducible. */
  readonly acceptedTokens?: number;
  /** The handoff's share, given what it replaces. */
  readonly handoffTokens: (replacedTokens: number) => number;
  /** With less room for the handoff, the next candidate is tried. */
  readonly handoffTokensMin: number;
  /** What the handoff is given whether the limit can be kept or not. */
  readonly handoffTokensLeast?: (roomTokens: number, replacedTokens: number) => number;
  /** What a handoff costs beside its text. */
  readonly overheadTokens?: number;
}

export const MESSAGE_OVERHEAD_TOKENS = 8;
const GOAL_DEFAULTS = { handoffTokensLeast: () => HANDOFF_TOKENS_MIN, overheadTokens: MESSAGE_OVERHEAD_TOKENS };

/** What a request and the engine's figures come to. */
export interface SizeLimits {
  /** What a result may weigh: the budget, else what the engine aims at. */
  readonly limitTokens: number;
  /** Above it a result that a session makes by itself is too large to be sent. */
  readonly acceptedTokens: number;
  /** What a result may weigh that shows in full what the model has not read yet: as much as a request may. It is not cut only to free more. */
  readonly unreadTokens: number;
}

/** The room beside a fixed part, and from when on an engine compacts there. */
export interface EngineLimits extends Room {
  readonly triggerTokens: number;
}

type SizeRun = Pick<CompactionRun, "besideTokens" | "fixedTokens" | "before"> & {
  readonly request: Pick<CompactRequest, "budget" | "reason" | "freesTokensMin">;
};

export function sizeLimits(run: SizeRun, limits: EngineLimits, aimTokens: number): SizeLimits {
  const { budget } = run.request;
  return {
    limitTokens: resultLimit(run, aimTokens, limits),
    acceptedTokens: budget ?? Math.max(limits.limitTokens, limits.triggerTokens - 1),
    unreadTokens: budget ?? limits.limitTokens,
  };
}

/** Of the conversation that a provider refused, as much stays, where our own count finds nothing wrong with it. */
const REFUSED_SHARE = 0.5;
/** A live request that takes more of what the engine aims at makes the result larger, up to the limit, and not the rest smaller. */
const LIVE_SHARE_MAX = 0.5;

/** The budget, else what the engine aims at; below what was refused, and small enough to be worth it. */
export function resultLimit(
  { request, besideTokens, fixedTokens, before }: SizeRun,
  aimTokens: number,
  { limitTokens }: Pick<Room, "limitTokens">,
): number {
  const { budget, reason, freesTokensMin = -Infinity } = request;
  if (budget !== undefined) return budget;
  const excess = fixedTokens - besideTokens - (aimTokens - besideTokens) * LIVE_SHARE_MAX;
  const targetTokens = Math.max(aimTokens, Math.min(Math.floor(aimTokens + Math.max(0, excess)), limitTokens));
  if (reason !== "overflow") return Math.min(targetTokens, before - freesTokensMin);
  return Math.min(targetTokens, besideTokens + Math.floor((before - besideTokens) * REFUSED_SHARE));
}

/** A candidate is good enough that leaves the handoff this much, of the room beside system and tools. */
const HANDOFF_SHARE_MIN = 0.25;
const HANDOFF_TOKENS_ENOUGH = 2_000;

/** The handoff's share where the sources of an engine say nothing of it: up to `most`, or all of an explicit budget, which is there to be used. */
export function handoffShare(
  { besideTokens, request }: Pick<CompactionRun, "besideTokens" | "request">,
  limitTokens: number,
  most: number,
): Pick<SizeGoal, "handoffTokens" | "handoffTokensMin"> {
  const room = Math.max(0, limitTokens - besideTokens);
  return {
    handoffTokens: (replaced) => (request.budget === undefined ? Math.min(most, replaced) : room),
    handoffTokensMin: Math.min(HANDOFF_TOKENS_ENOUGH, Math.floor(room * HANDOFF_SHARE_MIN)),
  };
}

/** A cut, and whether its handoff has room enough. */
export interface FittedCut extends Cut {
  readonly limitTokens: number;
  readonly roomTokens: number;
  readonly fits: boolean;
}

function fitCut(run: CompactionRun, candidate: Candidate, goal: SizeGoal): FittedCut {
  const { shape, kept, restored = [], ...own } = candidate;
  const { measure } = run.request;
  const { messages } = run.original;
  const { headEnd, tailStart } = shape;
  const { handoffTokens, handoffTokensMin, handoffTokensLeast, overheadTokens, limitTokens } = {
    ...GOAL_DEFAULTS,
    ...goal,
    ...own,
  };
  const anchor = anchorFor(run, candidate);
  const verbatim = [
    ...shape.messages.slice(0, headEnd),
    ...(kept?.placed ?? []).map(({ message }) => message),
    ...restored,
    ...(anchor === undefined ? [] : [anchor]),
    ...shape.messages.slice(tailStart),
  ];
  const roomTokens = limitTokens - run.besideTokens - measure.messages(verbatim) - overheadTokens;
  const replaced = measure.messages(messages.slice(headEnd, tailStart));
  const wanted = handoffTokens(replaced);
  const budget = Math.max(Math.min(wanted, roomTokens), handoffTokensLeast(roomTokens, replaced));
  const fits = roomTokens >= (headEnd === tailStart ? 0 : Math.min(wanted, handoffTokensMin));
  return { shape, kept, restored, anchor, verbatim, budget, limitTokens, roomTokens, fits };
}

/**
 * The live request as a message of its own, whole and apart from the wire message it came in; `undefined` where it is
 * in the head, in the tail or among what is kept between them, because nothing is to be said twice.
 */
function anchorFor({ original, live }: CompactionRun, { shape, kept }: Candidate): Message | undefined {
  const asked = original.messages[live];
  const isKept = kept?.placed.some(({ from }) => from === live) ?? false;
  if (asked === undefined || live < shape.headEnd || live >= shape.tailStart || isKept) return undefined;
  const parts = asked.parts.map(({ at: _, ...part }) => Object.freeze(part));
  return Object.freeze({ role: "user", parts: Object.freeze(parts), origin: "anchor" });
}

/** The first candidate that leaves its handoff room; the last where none does. Candidates are made one by one. */
export function findFirstCut(run: CompactionRun, candidates: Iterable<Candidate>, goal: SizeGoal): FittedCut {
  let last: FittedCut | undefined;
  for (const candidate of candidates) {
    last = fitCut(run, candidate, goal);
    if (last.fits) break;
  }
  return last!;
}

/** The first whose whole result, made by `make`, is within the limit; the smallest where none is. */
export function findFirstWithin<Draft>(
  run: CompactionRun,
  candidates: Iterable<Candidate>,
  goal: SizeGoal,
  { make, weigh }: { readonly make: (cut: Cut) => Draft; readonly weigh: (draft: Draft) => number },
): Draft {
  let smallest: { readonly draft: Draft; readonly tokens: number } | undefined;
  for (const candidate of candidates) {
    const cut = fitCut(run, candidate, goal);
    const draft = make(cut);
    const tokens = weigh(draft);
    if (tokens <= cut.limitTokens) return draft;
    if (smallest === undefined || tokens < smallest.tokens) smallest = { draft, tokens };
  }
  return smallest!.draft;
}
