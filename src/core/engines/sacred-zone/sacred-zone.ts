/**
 * The policy of the Dual Compression chapter: above three quarters of the window, old tool results give way to digests,
 * the largest first, until half of it is free. System prompt, first exchange and the newest 20,000 tokens are sacred: they give
 * way only when nothing else is left to give.
 */
import type { Irreducible } from "../../compaction/compaction.ts";
import { taskWords } from "../../digest/task-words.ts";
import { liveRequestOf } from "../../ledger/readers/live-request.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { SEVEN_SECTIONS } from "../../handoff/templates.ts";
import { contentText, type Transcript } from "../../transcript/message.ts";
import type { CompactRequest, Engine, Outcome } from "../contract.ts";
import { anchorFor } from "../result/assemble.ts";
import {
  draftOf,
  MESSAGE_OVERHEAD_TOKENS,
  sizeOf,
  type Cut,
  type Draft,
  type Job,
  type Memory,
} from "../result/draft.ts";
import { finished } from "../result/finish.ts";
import { createMemories } from "../result/memory.ts";
import { digestLargestFirst } from "./digests.ts";
import { fallbackSteps, RUNG_RESTARTED, RUNG_TRUNCATED, type Step } from "./fallback.ts";
import { aimOf, recentTokensOf, sacredZoneLimits, type SacredZoneSettings } from "./limits.ts";
import { afterCompaction, afterFutileAttempt, decide, initialState, knownState, observed } from "./statistics.ts";
import type { SacredZoneState } from "./statistics.ts";
import { zoneOf } from "./zone.ts";

export function createSacredZone(settings: SacredZoneSettings): Engine<SacredZoneState> {
  const limits = sacredZoneLimits(settings);
  return {
    name: "sacred-zone",
    triggerTokens: limits.triggerTokens + 1,
    targetTokens: limits.targetTokens,
    init: initialState,
    observe: (state, usage) => observed(knownState(state), usage),
    decide: (state, { tokens }) => decide(knownState(state), tokens, limits),
    compact: async (state, original, request) => {
      request.signal?.throwIfAborted();
      const { measure, standing = original } = request;
      const before = measure.transcript(standing);
      const aimTokens = aimOf(limits, request, before);
      const job: AimedJob = {
        original,
        system: original.system,
        request,
        live: liveRequestOf(original.messages),
        besideTokens: measure.transcript({ ...original, messages: [] }),
        template: SEVEN_SECTIONS,
        aimTokens,
        recentTokens: recentTokensOf(settings, aimTokens, original.messages),
      };
      // Compactions are rare here: none is worth remembering what the last one read, and each depends on its input alone.
      const memory = createMemories()(original.messages, request);
      return compact(job, { state: knownState(state), memory, before });
    },
  };
}

interface AimedJob extends Job {
  /** The whole result should not exceed this. */
  readonly aimTokens: number;
  /** The newest tokens that are sacred. */
  readonly recentTokens: number;
}

interface Making {
  readonly state: SacredZoneState;
  readonly memory: Memory;
  /** Tokens of what is sent today. */
  readonly before: number;
}

function compact(job: AimedJob, { state, memory, before }: Making): Outcome {
  if (before <= job.aimTokens)
    return { kind: "unchanged", because: "the transcript is within the target already; a budget goes below it" };
  const draft = firstThatFits(job, memory);
  const after = sizeOf(job, draft);
  const irreducible = irreducibleBecause(job, after);
  const stuck = irreducible === undefined ? {} : { irreducible };
  if (after >= before)
    return {
      kind: "unchanged",
      because: "nothing outside the sacred zone can be made smaller, and no restart would be smaller either",
      state: afterFutileAttempt(state, before),
      ...stuck,
    };
  const compaction = finished({
    engine: "sacred-zone",
    job,
    memory,
    draft,
    before,
    irreducible,
    summary: draft.handoff === undefined ? undefined : { by: "ledger", steps: [] },
    remarks: remarksOn(draft.shape.rung),
    stateAfter: (report) => afterCompaction(state, report),
  });
  return { kind: "compacted", compaction };
}

/** Digests, then the fallback step by step; the smallest result where none is small enough. */
function firstThatFits(job: AimedJob, memory: Memory): Draft {
  let smallest: Draft | undefined;
  for (const step of stepsOf(job)) {
    const draft = drafted(job, memory, step);
    const tokens = sizeOf(job, draft);
    if (tokens <= job.aimTokens) return draft;
    if (smallest === undefined || tokens < sizeOf(job, smallest)) smallest = draft;
  }
  return smallest!;
}

function* stepsOf(job: AimedJob): Generator<Step> {
  const { original, request, live, besideTokens, aimTokens } = job;
  const { messages } = original;
  const { measure, chain, standing } = request;
  const zone = zoneOf(messages, job.recentTokens, measure);
  const context = { measure, hash: chain.hash, focus: focusOf(original, request, live) };
  const protect = (at: number): boolean => at < zone.firstEnd || at >= zone.recentStart;
  const digests = digestLargestFirst(messages, {
    excessTokens: measure.transcript(original) - aimTokens,
    standing,
    context: { ...context, protect },
  });
  yield { rung: 0, ...digests, headEnd: 0, tailStart: 0, recordTokens: 0 };
  const roomTokens = aimTokens - besideTokens - MESSAGE_OVERHEAD_TOKENS;
  yield* fallbackSteps({ messages, zone, live, roomTokens, context });
}

function focusOf({ messages }: Transcript, { focus = "" }: CompactRequest, live: number): readonly string[] {
  const request = messages[live];
  return taskWords(focus, request === undefined ? "" : contentText(request.parts));
}

/** What a summary that a session restarts from may be long, in words (Dual Compression chapter, 16.7). */
export const SUMMARY_WORDS_MAX = 300;
/** How much shorter a summary of too many words is asked for. */
const SHORTER_SHARE = 0.85;

/** The step as a result, with a record of what it leaves out: as long as fits, of so many words at most. */
function drafted(job: AimedJob, memory: Memory, shape: Step): Draft {
  const { messages } = job.original;
  const anchor = anchorFor(messages[job.live], job.live, shape);
  const verbatim = [
    ...shape.messages.slice(0, shape.headEnd),
    ...(anchor === undefined ? [] : [anchor]),
    ...shape.messages.slice(shape.tailStart),
  ];
  const taken = job.besideTokens + job.request.measure.messages(verbatim) + MESSAGE_OVERHEAD_TOKENS;
  const room = Math.max(HANDOFF_TOKENS_MIN, Math.min(shape.recordTokens, job.aimTokens - taken));
  const cut: Cut = { shape, anchor, verbatim, focus: focusOf(job.original, job.request, job.live), budget: room };
  let draft = draftOf(job, memory, cut);
  while (wordsOf(draft) > SUMMARY_WORDS_MAX && draft.budget > HANDOFF_TOKENS_MIN)
    draft = draftOf(job, memory, {
      ...cut,
      budget: Math.max(HANDOFF_TOKENS_MIN, Math.floor(draft.budget * SHORTER_SHARE)),
    });
  return draft;
}

function wordsOf({ handoff }: Draft): number {
  return handoff?.text.match(/\S+/g)?.length ?? 0;
}

function irreducibleBecause({ aimTokens, besideTokens }: AimedJob, smallest: number): Irreducible | undefined {
  if (smallest <= aimTokens) return undefined;
  const because = `system and tools take ${besideTokens} tokens; the live request and the last exchange, as short as it gets, stay`;
  return { limit: aimTokens, smallest, because };
}

function remarksOn(rung: number): readonly string[] {
  if (rung >= RUNG_RESTARTED)
    return ["what is sacred was too much by itself: the session goes on from a short summary and its newest messages"];
  if (rung >= RUNG_TRUNCATED)
    return ["digests did not free enough: the oldest messages outside the zone were left out"];
  return [];
}
