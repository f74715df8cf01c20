/**
 * The default engine: Hermes' four phases (Hermes Agent docs, Zhang 2026) with evidence taken from the original messages,
 * the live request anchored as a real user message, and a ladder that ends.
 */
import type { Irreducible } from "../../compaction/compaction.ts";
import type { Evidence } from "../../excerpts/excerpts.ts";
import { liveRequestOf } from "../../ledger/readers/live-request.ts";
import { withNote } from "../../handoff/framing.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { TEMPLATES } from "../../handoff/templates.ts";
import type { Engine, Outcome } from "../contract.ts";
import { sizeOf, type Draft, type Memory } from "../result/draft.ts";
import { finished, type Settled } from "../result/finish.ts";
import { createMemories } from "../result/memory.ts";
import { toldBy, writtenIn } from "../result/model-handoff.ts";
import {
  afterCompaction,
  afterFutileAttempt,
  decide,
  initialState,
  ownState,
  type CompressorState,
} from "./back-off.ts";
import { firstThatFits, type PlannedJob } from "./climb.ts";
import { headMessages, limitsOf, type CompressorSettings } from "./limits.ts";
import { budgetPlan, documentedPlan } from "./plan.ts";
import { withFullerTail, withMoreKept } from "./spare-room.ts";

/** `evidence` ranks what a handoff quotes; the built-in ranking where it is not given. */
export function createCompressor(settings: CompressorSettings, evidence?: Evidence): Engine<CompressorState> {
  const limits = limitsOf(settings);
  const remember = createMemories(evidence);
  return {
    name: "compressor",
    init: initialState,
    observe: (state) => state,
    decide: (state, situation) => decide(ownState(state), situation, limits),
    compact: async (given, original, request) => {
      const state = ownState(given);
      const live = liveRequestOf(original.messages);
      const system = settings.note === "system" ? withNote(original.system) : original.system;
      const besideTokens = request.measure.transcript({ ...original, system, messages: [] });
      const liveTokens = live < 0 ? 0 : request.measure.message(original.messages[live]!);
      const head = headMessages(settings, state.compactions);
      const plan =
        request.budget === undefined
          ? documentedPlan({ ...settings, protectFirstN: head }, limits)
          : budgetPlan({ ...settings, protectFirstN: head }, request.budget, besideTokens + liveTokens);
      const handoff = { documentedTokens: limits.summaryTokensMax, template: TEMPLATES[settings.template] };
      const memory = remember(original.messages, request);
      return compact({ original, system, request, plan, live, besideTokens, ...handoff }, state, memory);
    },
  };
}

async function compact(job: PlannedJob, state: CompressorState, memory: Memory): Promise<Outcome> {
  const before = job.request.measure.transcript(job.request.standing ?? job.original);
  const draft = withFullerTail(job, memory, firstThatFits(job, memory));
  const after = sizeOf(job, draft);
  if (after < before) {
    const settled = await toldBy(job, memory, draft, state.written);
    const kept = withMoreKept(job, memory, settled.draft);
    return compactedTo({ ...settled, draft: kept }, { job, state, memory, before });
  }
  const because =
    draft.assembled.covered === 0
      ? "what the settings protect covers the whole conversation; a budget goes below that"
      : "no compaction needed: the transcript is already about as small as it can be";
  const futile = { kind: "unchanged", because, state: afterFutileAttempt(state) } as const;
  const irreducible = before <= job.plan.limitTokens ? undefined : irreducibleBecause(job, draft);
  return irreducible === undefined ? futile : { ...futile, irreducible };
}

interface Making {
  readonly job: PlannedJob;
  readonly state: CompressorState;
  readonly memory: Memory;
  readonly before: number;
}

function compactedTo(settled: Settled, { job, state, memory, before }: Making): Outcome {
  const { draft } = settled;
  const { shape } = draft;
  const compaction = finished({
    ...settled,
    engine: "compressor",
    remarks: [...(shape.rung >= RUNG_DEGRADED ? [DEGRADED] : []), ...settled.remarks],
    job,
    memory,
    before,
    irreducible: irreducibleBecause(job, draft),
    stateAfter: (report) => afterCompaction(state, report, writtenIn(settled)),
  });
  return { kind: "compacted", compaction };
}

/** From this rung on, recent exchanges that the documented policy would keep are given up. */
const RUNG_DEGRADED = 3;
const DEGRADED = "some recent messages were too large and were summarised";

/** Nothing where the draft is within its limit. */
function irreducibleBecause(job: PlannedJob, draft: Draft): Irreducible | undefined {
  const smallest = sizeOf(job, draft);
  if (smallest <= job.plan.limitTokens) return undefined;
  const { measure } = job.request;
  const live = job.live < 0 ? 0 : measure.message(job.original.messages[job.live]!);
  const last = measure.messages(draft.shape.messages.slice(draft.shape.tailStart));
  const because =
    `system and tools take ${job.besideTokens} tokens, the live request ${live}, ` +
    `the last exchange ${last} even as a skeleton, a handoff at least ${HANDOFF_TOKENS_MIN}`;
  return { limit: job.plan.limitTokens, smallest, because };
}
