/**
 * The default engine: Hermes' four phases (reference/000, 002, 004) with evidence taken from the original messages,
 * the live request anchored as a real user message, and a ladder that ends.
 */
import { COMPACTION_SCHEMA_VERSION, type Irreducible, type SummaryAccount } from "../../compaction/compaction.ts";
import { createEvidence } from "../../evidence/excerpts.ts";
import { liveRequestOf } from "../../evidence/facts/live-request.ts";
import { createLedgerKeeper } from "../../evidence/ledger.ts";
import { createRedactors } from "../../redaction/redactor.ts";
import { withNote } from "../../summary/framing.ts";
import { HANDOFF_TOKENS_MIN } from "../../summary/handoff.ts";
import { TEMPLATES } from "../../summary/sections.ts";
import type { Engine, Outcome } from "../contract.ts";
import {
  afterCompaction,
  afterFutileAttempt,
  decide,
  initialState,
  ownState,
  type CompressorState,
} from "./back-off.ts";
import { draftOf, firstThatFits, sizeOf, type Draft, type Job, type Memory } from "./draft.ts";
import { createHiding } from "./hiding.ts";
import { limitsOf, type CompressorSettings } from "./limits.ts";
import { budgetPlan, documentedPlan } from "./plan.ts";
import { reportOf } from "./report.ts";
import { createShownKeeper } from "./shown.ts";
import { toldFor } from "./told.ts";

/** `evidence` ranks what a handoff quotes; the built-in ranking where it is not given. */
export function createCompressor(settings: CompressorSettings, evidence = createEvidence()): Engine<CompressorState> {
  const limits = limitsOf(settings);
  const ledger = createLedgerKeeper();
  const redactorFor = createRedactors();
  const shown = createShownKeeper();
  const hiding = createHiding();
  return {
    name: "compressor",
    init: initialState,
    observe: (state) => state,
    decide: (state, situation) => decide(ownState(state), situation, limits),
    compact: async (state, original, request) => {
      const live = liveRequestOf(original.messages);
      const system = settings.note === "system" ? withNote(original.system) : original.system;
      const besideTokens = request.measure.transcript({ ...original, system, messages: [] });
      const liveTokens = live < 0 ? 0 : request.measure.message(original.messages[live]!);
      const plan =
        request.budget === undefined
          ? documentedPlan(settings, limits)
          : budgetPlan(settings, request.budget, besideTokens + liveTokens);
      const handoff = { documentedTokens: limits.summaryTokensMax, template: TEMPLATES[settings.template] };
      const redact = redactorFor(request.secrets);
      const memory: Memory = { evidence, ledger, redact, hide: hiding(original.messages), shown };
      return compact({ original, system, request, plan, live, besideTokens, ...handoff }, ownState(state), memory);
    },
  };
}

async function compact(job: Job, state: CompressorState, memory: Memory): Promise<Outcome> {
  const before = job.request.measure.transcript(job.request.standing ?? job.original);
  const draft = withFullerTail(job, memory, firstThatFits(job, memory));
  const after = sizeOf(job, draft);
  if (after < before) return compactedTo(await toldBy(job, state, memory, draft), { job, state, memory, before });
  const because =
    draft.assembled.covered === 0
      ? "what the settings protect covers the whole conversation; a budget goes below that"
      : "nothing smaller says as much: the transcript is already about as small as it can be";
  const futile = { kind: "unchanged", because, state: afterFutileAttempt(state) } as const;
  const irreducible = irreducibleBecause(job, draft);
  return irreducible === undefined ? futile : { ...futile, irreducible };
}

/** A draft whose handoff is settled. */
interface Settled {
  readonly draft: Draft;
  readonly summary: SummaryAccount | undefined;
  readonly remarks: readonly string[];
}

/** The draft with what a model wrote in place of the ledger's narrative, where one is asked and its answer stands. */
async function toldBy(job: Job, state: CompressorState, memory: Memory, draft: Draft): Promise<Settled> {
  const told = await toldFor(job, memory, draft, state.written);
  if (told?.prose === undefined) {
    const hasHandoff = draft.assembled.placed.some(({ message }) => message.origin === "summary");
    const summary = told?.account ?? (hasHandoff ? { by: "ledger" as const, steps: [] } : undefined);
    return { draft, summary, remarks: told?.degraded ?? [] };
  }
  return {
    draft: draftOf(job, memory, { ...draft, prose: told.prose }),
    summary: told.account,
    remarks: told.degraded,
  };
}

interface Making {
  readonly job: Job;
  readonly state: CompressorState;
  readonly memory: Memory;
  readonly before: number;
}

function compactedTo({ draft, summary, remarks }: Settled, { job, state, memory, before }: Making): Outcome {
  const { assembled, evicted, handoff, shape } = draft;
  const { chain } = job.request;
  const { messages } = job.original;
  const report = reportOf({
    ...job,
    assembled,
    evicted,
    handoff,
    rung: shape.rung,
    before,
    after: sizeOf(job, draft),
    irreducible: irreducibleBecause(job, draft),
    evidence: memory.evidence,
    ledger: memory.ledger.ledgerOf(messages),
    redact: memory.redact,
    textOf: memory.shown.textOf,
    summary,
    remarks,
  });
  const written = summary?.by === "model" ? { recall: evicted[0]!.id, until: shape.tailStart } : undefined;
  return {
    kind: "compacted",
    compaction: {
      schemaVersion: COMPACTION_SCHEMA_VERSION,
      after: assembled.placed.slice(0, assembled.replaced).map(({ message }) => message),
      covered: assembled.covered,
      covers: chain.linksOf(messages.slice(0, assembled.covered)).at(-1) ?? "",
      ...(job.system === job.original.system ? {} : { system: job.system }),
      map: assembled.map,
      evicted,
      state: afterCompaction(state, report, written),
      report,
    },
  };
}

/** Below this share of the limit, what is left over is not worth a second draft. */
const SPARE_SHARE_MIN = 0.1;

/** What a handoff leaves of an explicit budget, because nothing more is worth quoting, goes to older exchanges, whole. */
function withFullerTail(job: Job, memory: Memory, draft: Draft): Draft {
  const { plan } = job;
  const spare = plan.limitTokens - sizeOf(job, draft);
  if (!plan.wantsHandoff || draft.shape.rung > 0 || spare < plan.limitTokens * SPARE_SHARE_MIN) return draft;
  const tokens = plan.tail.tokens + spare;
  const handoffTokens = plan.handoffTokens(0) - tokens;
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
  return fuller.shape.rung === 0 && sizeOf(job, fuller) <= plan.limitTokens ? fuller : draft;
}

/** Nothing where the draft is within its limit. */
function irreducibleBecause(job: Job, draft: Draft): Irreducible | undefined {
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
