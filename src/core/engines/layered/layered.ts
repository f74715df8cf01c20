/**
 * The policy of Claude Code (IA al Día 2026; observed in 2.1): near the end of the window old tool results are cleared,
 * late ones only; where that is not enough the session memory stands for what came before, and where that does not
 * suffice a model writes nine sections. What the agent needs at hand is then put back.
 */
import type { Irreducible } from "../../compaction/compaction.ts";
import { liveRequestOf } from "../../ledger/readers/live-request.ts";
import { HANDOFF_TOKENS_MIN, isHandoff } from "../../handoff/write.ts";
import { NINE_SECTIONS } from "../../handoff/templates.ts";
import { exchangesOf } from "../../transcript/exchanges.ts";
import type { Engine, Outcome } from "../contract.ts";
import { tailStart } from "../result/boundaries.ts";
import { draftOf, sizeOf, type Draft, type Memory } from "../result/draft.ts";
import { finished, type Settled } from "../result/finish.ts";
import { firstThatFits, focusOf, type Candidate } from "../result/fitting.ts";
import { createMemories } from "../result/memory.ts";
import { bareTail, digestedTail } from "../result/tail.ts";
import { toldBy, writtenIn, type ModelHandoffJob } from "../result/model-handoff.ts";
import { clearedWithin } from "./clearing.ts";
import { layeredLimits, planOf, type LayeredLimits, type LayeredPlan, type LayeredSettings } from "./limits.ts";
import { recentFiles, restorableIn, restored, type Piece } from "./restore.ts";
import { asEarlier, memoryOf, suffices } from "./session-memory.ts";
import {
  afterCompaction,
  afterFutileAttempt,
  decide,
  initialState,
  knownState,
  type LayeredState,
  type Left,
} from "./state.ts";

export function createLayered(settings: LayeredSettings): Engine<LayeredState> {
  const limits = layeredLimits(settings);
  return {
    name: "layered",
    triggerTokens: limits.triggerTokens,
    init: initialState,
    observe: (state) => state,
    decide: (state, { tokens }) => decide(knownState(state), tokens, limits),
    compact: async (given, original, request) => {
      request.signal?.throwIfAborted();
      const { measure } = request;
      const state = knownState(given);
      const before = measure.transcript(request.standing ?? original);
      const live = liveRequestOf(original.messages);
      const besideTokens = measure.transcript({ ...original, messages: [] });
      const liveTokens = live < 0 ? 0 : measure.message(original.messages[live]!);
      const job: LayeredJob = {
        original,
        system: original.system,
        request,
        live,
        besideTokens,
        template: NINE_SECTIONS,
        carried: asEarlier(state.memory),
        documentedTokens: limits.summaryTokens,
        plan: planOf(limits, request, { fixedTokens: besideTokens + liveTokens, standingTokens: before }),
      };
      const making: Making = { state, memory: createMemories()(original.messages, request), before, limits };
      return clearing(job, making) ?? summarising(job, making);
    },
  };
}

interface LayeredJob extends ModelHandoffJob {
  readonly plan: LayeredPlan;
}

interface Making {
  readonly state: LayeredState;
  readonly memory: Memory;
  /** Tokens of what is sent today. */
  readonly before: number;
  readonly limits: LayeredLimits;
}

/** Layers 1 and 2; who asks for a compaction by name wants a summary. */
function clearing(job: LayeredJob, making: Making): Outcome | undefined {
  const { reason, budget } = job.request;
  const cleared =
    reason === "explicit" && budget === undefined ? undefined : clearedWithin(job, making.state, job.plan.limitTokens);
  if (cleared === undefined) return undefined;
  const draft = draftOf(job, making.memory, cleared.cut);
  const after = sizeOf(job, draft);
  if (after > job.plan.limitTokens || after >= making.before) return undefined;
  const { summarisedUntil, memory, written } = making.state;
  const left = { cleared: cleared.ranges, summarisedUntil, memory, written };
  return compactedTo({ draft, summary: undefined, remarks: [] }, job, making, left);
}

/** Layer 3: the session memory where it says enough, a model where there is one, the ledger where there is none. */
async function summarising(job: LayeredJob, making: Making): Promise<Outcome> {
  const { memory, before, state, limits } = making;
  const pieces = restorableIn(
    job.original.messages,
    memory.ledger.ledgerOf(job.original.messages),
    await readAgain(job, memory),
  );
  const draft = firstThatFits(job, memory, shapesOf(job, memory, pieces), {
    ...job.plan,
    handoffTokensMin: Math.max(HANDOFF_TOKENS_MIN, Math.floor(job.plan.limitTokens * HANDOFF_SHARE_MIN)),
  });
  if (sizeOf(job, draft) >= before) {
    const irreducible = irreducibleBecause(job, before, limits);
    return {
      kind: "unchanged",
      because: "neither cleared results nor a summary would make the conversation smaller",
      state: afterFutileAttempt(state, before),
      ...(irreducible === undefined ? {} : { irreducible }),
    };
  }
  const settled = remembered(job, draft) ?? (await toldBy(job, memory, draft, state.written));
  const text = settled.draft.handoff?.text ?? "";
  return compactedTo(settled, job, making, {
    cleared: [],
    summarisedUntil: draft.shape.rung === RUNG_SUMMARY ? draft.shape.tailStart : REWRITTEN,
    memory: memoryOf(text, job.request.measure),
    written: writtenIn(settled),
  });
}

const REWRITTEN = -1;
/** A handoff with less of the limit is too poor while there are shapes left. */
const HANDOFF_SHARE_MIN = 0.1;

/** What the files touched last hold now, where they can be read. */
async function readAgain({ original, request }: LayeredJob, memory: Memory): Promise<ReadonlyMap<string, string>> {
  const { readFile, signal } = request;
  const fresh = new Map<string, string>();
  if (readFile === undefined) return fresh;
  for (const path of recentFiles(memory.ledger.ledgerOf(original.messages))) {
    const text = await readFile(path, signal).catch(() => undefined);
    signal?.throwIfAborted();
    if (text !== undefined) fresh.set(path, text);
  }
  return fresh;
}

/** The session memory as the summary, where it leaves nothing out; a focus is a wish for more than that. */
function remembered({ request }: LayeredJob, draft: Draft): Settled | undefined {
  const { writers, focus } = request;
  if (writers === undefined || focus !== undefined || draft.handoff === undefined) return undefined;
  if (!suffices(draft.handoff)) return undefined;
  const because = "the session memory holds all that counts: no model was asked";
  return { draft, summary: { by: "ledger", because, steps: [] }, remarks: [] };
}

const RUNG_SUMMARY = 1;
const RUNG_DIGESTED = 2;
const RUNG_LAST_EXCHANGE = 3;
const RUNG_SKELETON = 4;

/** As the policy has it; then the tail to digests and nothing put back; then the oldest rounds go; then a skeleton. */
function* shapesOf(job: LayeredJob, { redact }: Memory, pieces: readonly Piece[]): Generator<Candidate> {
  const { original, request, live, plan } = job;
  const { messages, tools } = original;
  const { measure, chain } = request;
  const exchanges = exchangesOf(messages);
  const earlierEnd = messages.findLastIndex(isHandoff) + 1;
  const tail = { tokens: plan.tailTokens, ceilingTokens: plan.tailTokens, messages: 0, messagesMin: 0 };
  const planned = tailStart({ messages, exchanges }, earlierEnd, tail, measure);
  const last = Math.max(earlierEnd, exchanges.at(-1)?.start ?? 0);
  const context = { measure, hash: chain.hash, focus: focusOf(job) };
  const putBack = { roomTokens: plan.restoredTokens, measure, redact, declaresTools: tools !== undefined };

  const shape = { headEnd: 0, tailStart: planned };
  const behind = restored(messages, pieces, { ...putBack, tailStart: planned });
  yield { shape: { ...shape, rung: RUNG_SUMMARY, messages, evicted: [] }, behind };
  const digested = digestedTail({ messages, start: planned, live, context });
  yield { shape: { ...shape, rung: RUNG_DIGESTED, ...digested } };
  const atLast = { headEnd: 0, tailStart: last };
  yield { shape: { ...atLast, rung: RUNG_LAST_EXCHANGE, ...digestedTail({ messages, start: last, live, context }) } };
  yield { shape: { ...atLast, rung: RUNG_SKELETON, ...bareTail({ messages, start: last, live, context }) } };
}

function compactedTo(settled: Settled, job: LayeredJob, making: Making, left: Omit<Left, "messages">): Outcome {
  const { state, memory, before, limits } = making;
  const messages = job.original.messages.length;
  const compaction = finished({
    ...settled,
    engine: "layered",
    remarks: [...remarksOn(settled.draft.shape.rung), ...settled.remarks],
    job,
    memory,
    before,
    irreducible: irreducibleBecause(job, sizeOf(job, settled.draft), limits),
    stateAfter: (report) => afterCompaction(state, report, { ...left, messages }),
  });
  return { kind: "compacted", compaction };
}

function irreducibleBecause(
  { request, besideTokens }: LayeredJob,
  smallest: number,
  { triggerTokens }: LayeredLimits,
): Irreducible | undefined {
  const limit = request.budget ?? triggerTokens;
  const because = `system and tools take ${besideTokens} tokens; the live request and the last exchange, as short as it gets, stay`;
  return smallest > limit ? { limit, smallest, because } : undefined;
}

function remarksOn(rung: number): readonly string[] {
  return rung >= RUNG_LAST_EXCHANGE
    ? ["the recent messages did not fit, even digested: all but the last exchange went into the summary"]
    : [];
}
