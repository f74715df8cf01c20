/**
 * The policy of the Dual Compression chapter: above three quarters of the window, old tool results give way to digests,
 * the largest first, until half of it is free. System prompt, first exchange and the newest 20,000 tokens are sacred: they give
 * way only when nothing else is left to give.
 */
import {
  addTokens,
  cacheEffectiveness,
  NO_TOKENS,
  type CachedTokens,
  type CacheEffectiveness,
} from "../../caching/effectiveness.ts";
import { draftResult, weighDraft, type CompactionDraft, codeWritten } from "../../compaction/apply.ts";
import type { LastModelHandoff } from "../../compaction/model-handoff.ts";
import {
  findFirstWithin,
  MESSAGE_OVERHEAD_TOKENS,
  type Candidate,
  type Cut,
  type SizeGoal,
  type SizeLimits,
  type CompactionRun,
} from "../../compaction/plan.ts";
import {
  earlierEnd,
  passContext,
  tailOf,
  tailStart,
  type RewrittenMessages,
  digested,
  lastStart,
  shortenedBy,
  skeletonTail,
  unchangedMessages,
} from "../../compaction/tails.ts";
import { SEVEN_SECTIONS } from "../../handoff/templates.ts";
import { isHandoff, HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { digestResults, digestResultsWith } from "../../passes/digest-results.ts";
import { exchangesOf } from "../../transcript/exchanges.ts";
import { RECALL_IDS } from "../../transcript/links.ts";
import type { Message } from "../../transcript/message.ts";
import type { Engine } from "../contract.ts";
import {
  backOff,
  createPolicyEngine,
  ownState,
  restUntil,
  retryFrom,
  type Plan,
  type Policy,
  type PolicyRun,
} from "../policy.ts";
import { momentsIn, triggerIn, type Figure, type Room } from "../room.ts";
import { SACRED_ZONE_DEFAULTS, type SacredZoneSettings } from "../settings.ts";

/** In the chapter's window of 100K the recent part is this share of the target; in smaller ones it keeps the share. */
const RECENT_TARGET_SHARE_MAX = 0.4;

interface SacredZoneLimits extends Room {
  readonly triggerTokens: number;
  /** A compaction ends at or below it. */
  readonly targetTokens: number;
}

export function sacredZoneLimits(given: Partial<SacredZoneSettings>, fixedTokens = 0): SacredZoneLimits {
  const { contextLength, triggerShare, targetShare, ...settings } = { ...SACRED_ZONE_DEFAULTS, ...given };
  const { room, triggerTokens, mostTokens, besideTokens } = momentsIn(
    { contextLength, ...settings },
    fixedTokens,
    (within) => triggerIn(within, triggerShare * contextLength),
  );
  const target = fixedTokens + Math.floor((besideTokens * targetShare) / triggerShare);
  return { ...room, triggerTokens, targetTokens: Math.min(target, mostTokens) };
}

export function sacredZoneFigures(given: Partial<SacredZoneSettings>): readonly Figure[] {
  const settings = { ...SACRED_ZONE_DEFAULTS, ...given };
  const { triggerTokens, targetTokens } = sacredZoneLimits(settings);
  const recent = Math.floor(Math.min(settings.recentTokens, targetTokens * RECENT_TARGET_SHARE_MAX));
  const from = ["recentTokens", "targetShare"];
  return [
    { name: "threshold", tokens: triggerTokens, meaning: "compacts above it", from: ["triggerShare"] },
    { name: "target", tokens: targetTokens, meaning: "a compaction ends at or below this", from: ["targetShare"] },
    { name: "recent", tokens: recent, meaning: "the newest messages, unchanged", from },
  ];
}

const STATE_SCHEMA_VERSION = 2;

/** With the statistics of a session (Dual Compression chapter, 16.6). */
export interface SacredZoneState {
  readonly schemaVersion: typeof STATE_SCHEMA_VERSION;
  readonly engine: "sacred-zone";
  readonly compactions: number;
  readonly savedTokens: number;
  /** Sum of the shares that each compaction saved. */
  readonly savedShares: number;
  /** No attempt is made up to here, in tokens. */
  readonly restsToTokens: number;
  /** The summary that the session restarted from, where a model wrote it. */
  readonly written?: LastModelHandoff;
  /** What the provider reported of all requests. */
  readonly used: CachedTokens;
}

/** The cache's part is over all requests that a provider reported on. */
export interface SacredZoneStatistics extends CacheEffectiveness {
  readonly compactions: number;
  readonly savedTokens: number;
  /** What a compaction saves on average, as a share of what was sent before it; 0 before the first. */
  readonly averageRatio: number;
}

const FRESH: SacredZoneState = {
  schemaVersion: STATE_SCHEMA_VERSION,
  engine: "sacred-zone",
  compactions: 0,
  savedTokens: 0,
  savedShares: 0,
  restsToTokens: 0,
  used: NO_TOKENS,
};

/** What the compactions of a session came to, from the state in a record or a saved session. */
export function sacredZoneStatistics(state: unknown): SacredZoneStatistics {
  const { compactions, savedTokens, savedShares, used } = ownState(FRESH, state);
  const averageRatio = compactions === 0 ? 0 : savedShares / compactions;
  return { compactions, savedTokens, averageRatio, ...cacheEffectiveness(used) };
}

interface SacredZone {
  readonly state: SacredZoneState;
  readonly limits: SacredZoneLimits;
  /** `recentTokens`: the newest tokens that are sacred. */
  readonly goal: SizeGoal & SizeLimits & { readonly recentTokens: number };
}

type Run = PolicyRun<SacredZone>;

/** The engine `sacred-zone`: old tool results give way to digests, the largest first (docs/engines/sacred-zone.md). */
export function createSacredZone(settings: Partial<SacredZoneSettings>): Engine<SacredZoneState> {
  return createPolicyEngine(sacredZonePolicy({ ...SACRED_ZONE_DEFAULTS, ...settings }));
}

function sacredZonePolicy(settings: SacredZoneSettings): Policy<SacredZone> {
  return {
    name: "sacred-zone",
    limits: (fixedTokens) => sacredZoneLimits(settings, fixedTokens),
    aimTokens: ({ targetTokens }) => targetTokens,
    isDueAbove: true,
    figures: ({ triggerTokens, targetTokens }) => ({ triggerTokens: triggerTokens + 1, targetTokens }),
    fresh: FRESH,
    restsBecause: restUntil("what must be kept is above the target already: start a fresh session"),
    observe: (state, usage) => ({ ...state, used: addTokens(state.used, usage) }),
    afterCompaction: ({ state: { written: _, ...state } }, { report, written }) => {
      const { before, after } = report.tokens;
      return {
        ...state,
        ...(written === undefined ? {} : { written }),
        compactions: state.compactions + 1,
        savedTokens: state.savedTokens + before - after,
        savedShares: state.savedShares + (before - after) / before,
        restsToTokens: report.irreducible === undefined ? 0 : retryFrom(after),
      };
    },
    afterFutileAttempt: backOff,
    sections: () => SEVEN_SECTIONS,
    modelTokens: () => SUMMARY_TOKENS_MAX,
    goal: ({ besideTokens }, { size }) => ({
      ...size,
      recentTokens: Math.floor(
        Math.min(settings.recentTokens, Math.max(0, size.limitTokens - besideTokens) * RECENT_TARGET_SHARE_MAX),
      ),
      // Each candidate says how long the record of what it leaves out may be.
      handoffTokens: () => 0,
      handoffTokensMin: 0,
    }),
    plan: (run) =>
      run.before <= run.goal.limitTokens
        ? "the transcript is already within the target; use a budget to go below it"
        : planWithin(run, settings.summaryWords),
    refine: (run, draft) =>
      countWords(draft) <= settings.summaryWords ? draft : draftShort(run, draft, settings.summaryWords),
    futileBecause: "nothing outside the sacred zone can be made smaller, and a restart would not be smaller either",
    staysBecause: "; the live request and the last exchange, as short as it gets, stay",
    restartsFrom: RUNG_RESTARTED,
    remarks: [
      [RUNG_TRUNCATED, "digests did not free enough: the oldest messages outside the zone were left out"],
      [
        RUNG_RESTARTED,
        "the sacred zone alone was too large: the session continues with a short summary and its newest messages",
      ],
    ],
  };
}

/**
 * The first candidate within the target. The summary that a session restarts from is a model's where one is asked (16.7);
 * whatever else is left out is recorded by code.
 */
function planWithin(run: Run, summaryWords: number): Plan<SacredZoneState> {
  const make = (cut: Cut): CompactionDraft => draftShort(run, cut, summaryWords);
  const weigh = (draft: CompactionDraft): number => weighDraft(run, draft);
  const draft = findFirstWithin(run, candidates(run), run.goal, { make, weigh });
  const isByCode = draft.shape.rung < RUNG_RESTARTED || run.request.writers === undefined;
  if (isByCode) return { draft, settled: codeWritten(draft) };
  return { draft: draftResult(run, { ...draft, budget: SUMMARY_TOKENS_MAX }) };
}

function* candidates(run: Run): Generator<Candidate> {
  const { besideTokens, goal } = run;
  const zone = findZone(run);
  yield { shape: { rung: 0, ...digestLargestFirst(run, zone), headEnd: 0, tailStart: 0 } };
  const roomTokens = goal.limitTokens - besideTokens - MESSAGE_OVERHEAD_TOKENS;
  yield* fallbackSteps(run, zone, { roomTokens, unreadTokens: goal.unreadTokens });
}

/** What no compaction touches while anything else can give way. The system prompt is next to the conversation. */
function findZone({ original: { messages }, goal, request: { measure } }: Run): Zone {
  const exchanges = exchangesOf(messages);
  const [opening, answer] = [messages.findIndex(isHandoff), messages.findIndex(({ role }) => role === "assistant")];
  // What follows a handoff is no beginning.
  const hasFirst = answer >= 0 && (opening < 0 || answer < opening);
  const firstEnd = hasFirst ? answer + 1 : 0;
  return {
    firstEnd,
    headEnd: exchanges.find(({ end }) => end >= firstEnd && firstEnd > 0)?.end ?? 0,
    recentStart: tailStart(messages, { from: 0, budget: tailOf(goal.recentTokens), measure }),
    earlierEnd: earlierEnd(messages),
  };
}

/**
 * Old tool results give way to their digests, the largest first, until enough is saved (16.3). A result whose digest is sent
 * today gives way before any other.
 */
function digestLargestFirst(run: Run, { firstEnd, recentStart }: Zone): RewrittenMessages {
  const { original, request, goal } = run;
  const { measure, standing } = request;
  const { messages } = original;
  const protect = (at: number): boolean => at < firstEnd || at >= recentStart;
  const digests = digestResults(messages, { ...passContext(run), protect });
  const already = idsIn(standing?.messages ?? []);
  const stands = new Set(digests.evicted.filter(({ id }) => already.has(id)).map(({ message }) => message));
  const weight = (at: number): number => measure.message(messages[at]!);
  const order = messages
    .flatMap((message, at) => (digests.messages[at] === message ? [] : at))
    .toSorted((a, b) => Number(stands.has(b)) - Number(stands.has(a)) || weight(b) - weight(a) || a - b);
  const excessTokens = measure.transcript(original) - goal.limitTokens;
  const taken = new Set<number>();
  let saved = 0;
  for (const at of order) {
    if (saved >= excessTokens && !stands.has(at)) break;
    taken.add(at);
    saved += weight(at) - measure.message(digests.messages[at]!);
  }
  return {
    messages: messages.map((message, at) => (taken.has(at) ? digests.messages[at]! : message)),
    evicted: digests.evicted.filter(({ message }) => taken.has(message)),
  };
}

/** Ids that digests show. */
function idsIn(messages: readonly Message[]): ReadonlySet<string> {
  const digests = messages.filter(({ origin }) => origin === "digest");
  const texts = digests.flatMap(({ parts }) => parts.map((part) => JSON.stringify(part)));
  return new Set(texts.flatMap((text) => text.match(RECALL_IDS) ?? []));
}

/** How much shorter a summary of too many words is asked for. */
const SHORTER_SHARE = 0.85;
/** The frame and one line: below the least that a handoff is otherwise given. */
const SHORT_SUMMARY_TOKENS_MIN = 110;

/** The candidate as a result, with a record of that many words at most of what it leaves out. */
function draftShort(run: Run, cut: Cut, wordsMax: number): CompactionDraft {
  let draft = draftResult(run, cut);
  while (countWords(draft) > wordsMax && draft.budget > SHORT_SUMMARY_TOKENS_MIN) {
    const budget = Math.max(SHORT_SUMMARY_TOKENS_MIN, Math.floor(draft.budget * SHORTER_SHARE));
    draft = draftResult(run, { ...cut, budget });
  }
  return draft;
}

function countWords({ handoff }: CompactionDraft): number {
  return handoff?.text.match(/\S+/g)?.length ?? 0;
}

interface Zone {
  /** Index after the first assistant message: the first request and its answer come before it. */
  readonly firstEnd: number;
  /** The same, moved to where an exchange ends; nothing before it is ever left out but by a restart. */
  readonly headEnd: number;
  /** Where the recent part starts; the last exchange always belongs to it. */
  readonly recentStart: number;
  /** Index after a handoff that is among the messages; 0 without one. */
  readonly earlierEnd: number;
}

const RUNG_AGGRESSIVE = 1;
const RUNG_TRUNCATED = 2;
const RUNG_RESTARTED = 3;
const RUNG_SKELETON = 4;

/** A digest by the aggressive step is as short as digests get. */
const DIGEST_TOKENS_MIN = 60;
/** The chapter's limit on the answer of its summarizer. */
const SUMMARY_TOKENS_MAX = 500;

interface FallbackRoom {
  readonly roomTokens: number;
  /** In all, where it shows in full what the model has not read yet. */
  readonly unreadTokens: number;
}

/**
 * When digests are not enough (16.7): everything outside the zone to its minimum; then the oldest of that left out; then a
 * restart from a short summary. Each step is tried only after the one before did not do.
 */
function* fallbackSteps(
  run: CompactionRun,
  zone: Zone,
  { roomTokens, unreadTokens }: FallbackRoom,
): Generator<Candidate> {
  const { firstEnd, headEnd, recentStart } = zone;
  const last = lastStart(run.original.messages);

  const least = digested(run, (at) => at < firstEnd || at >= recentStart, toLeast);
  yield step(RUNG_AGGRESSIVE, least, { headEnd: 0, tailStart: 0, recordTokens: 0 });

  const headTokens = run.request.measure.messages(least.messages.slice(0, headEnd));
  const takenTokens = headTokens + HANDOFF_TOKENS_MIN;
  const middle = { headEnd, from: Math.max(headEnd, zone.earlierEnd), to: recentStart, takenTokens, roomTokens };
  const cut = oldestThatFits(run, least.messages, middle);
  if (cut > headEnd) yield step(RUNG_TRUNCATED, least, { headEnd, tailStart: cut, recordTokens: HANDOFF_TOKENS_MIN });

  const restart = { headEnd: 0, recordTokens: SUMMARY_TOKENS_MAX };
  const from = Math.max(recentStart, zone.earlierEnd);
  if (from <= last) yield step(RUNG_RESTARTED, unchangedMessages(run), { ...restart, tailStart: from });
  const recent = { headEnd: 0, from, to: last, takenTokens: SUMMARY_TOKENS_MAX, roomTokens };
  const startIn = ({ messages }: RewrittenMessages): number => oldestThatFits(run, messages, recent);
  const read = digested(run, (at) => at >= last, toLeast);
  yield step(RUNG_RESTARTED, read, { ...restart, tailStart: startIn(read) });
  yield { ...step(RUNG_RESTARTED, read, { ...restart, tailStart: last }), limitTokens: unreadTokens };
  const all = digested(run, () => false, toLeast);
  yield step(RUNG_RESTARTED, all, { ...restart, tailStart: startIn(all) });
  yield step(RUNG_SKELETON, skeletonTail(run, last), { ...restart, tailStart: last });
}

interface StepRange {
  readonly headEnd: number;
  readonly tailStart: number;
  /** The most that is written in place of what the step leaves out. */
  readonly recordTokens: number;
}

function step(rung: number, rewritten: RewrittenMessages, { recordTokens, ...place }: StepRange): Candidate {
  return { shape: { rung, ...rewritten, ...place }, handoffTokens: () => recordTokens };
}

const toLeast = shortenedBy(digestResultsWith({ triggerTokens: DIGEST_TOKENS_MIN, targetTokens: DIGEST_TOKENS_MIN }));

interface MessageRange {
  /** What comes before it is kept. */
  readonly headEnd: number;
  readonly from: number;
  readonly to: number;
  /** What comes before the cut, in tokens. */
  readonly takenTokens: number;
  readonly roomTokens: number;
}

/** The first boundary between exchanges from which on the messages fit; the last of the stretch where none does. */
function oldestThatFits(
  { live, original, request: { measure } }: CompactionRun,
  messages: readonly Message[],
  { headEnd, from, to, takenTokens, roomTokens }: MessageRange,
): number {
  const anchor = messages[live];
  const anchorTokens = anchor === undefined ? 0 : measure.message(anchor);
  let tokens = measure.messages(messages.slice(from));
  let at = from;
  for (const { start, end } of exchangesOf(original.messages)) {
    if (start < from || end > to) continue;
    if (takenTokens + tokens + (live >= headEnd && live < start ? anchorTokens : 0) <= roomTokens) break;
    tokens -= measure.messages(messages.slice(start, end));
    at = end;
  }
  return at;
}
