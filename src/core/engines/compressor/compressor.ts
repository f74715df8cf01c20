/**
 * The default engine: Hermes' four phases (reference/000, 002, 004) with evidence taken from the original messages,
 * the live request anchored as a real user message, and a ladder that ends.
 */
import {
  COMPACTION_SCHEMA_VERSION,
  type Evicted,
  type Irreducible,
  type SummaryAccount,
} from "../../compaction/compaction.ts";
import { describeCall } from "../../digest/call.ts";
import { createEvidence, type Evidence, type Present } from "../../evidence/excerpts.ts";
import { liveRequestOf } from "../../evidence/facts/live-request.ts";
import { createLedgerKeeper, type LedgerKeeper } from "../../evidence/ledger.ts";
import { createRedactor } from "../../redaction/redactor.ts";
import { withNote } from "../../summary/framing.ts";
import { HANDOFF_TOKENS_MIN, latestHandoff, writeHandoff } from "../../summary/handoff.ts";
import { recallId } from "../../transcript/links.ts";
import { callsOf, contentText, type Message, type Transcript } from "../../transcript/message.ts";
import type { CompactRequest, Engine, Outcome } from "../contract.ts";
import { anchorOf, assemble, type Assembled } from "./assemble.ts";
import { afterCompaction, afterFutileAttempt, decide, initialState, type CompressorState } from "./back-off.ts";
import { RUNG_LAST, rungsOf, type Shape } from "./ladder.ts";
import { limitsOf, type CompressorSettings } from "./limits.ts";
import { budgetPlan, documentedPlan, type Plan } from "./plan.ts";
import { reportOf } from "./report.ts";
import { taskWords } from "./task-words.ts";

/** Tokens that a message of ours costs beside its text. */
const MESSAGE_OVERHEAD_TOKENS = 8;

/** One compaction under way: what it works on and what it aims for. */
interface Job {
  readonly original: Transcript;
  /** The system prompt with our note, where the note goes there. */
  readonly system: readonly Message[];
  readonly request: CompactRequest;
  readonly plan: Plan;
  /** Index of the live request; -1 where no user has spoken. */
  readonly live: number;
  /** Tokens of system and tools. */
  readonly besideTokens: number;
}

/** What remembers messages between compactions, so that a new one costs only what is new. */
interface Memory {
  readonly evidence: Evidence;
  readonly ledger: LedgerKeeper;
  readonly redact: (text: string) => string;
}

/** `evidence` ranks what a handoff quotes; the built-in ranking where it is not given. */
export function createCompressor(settings: CompressorSettings, evidence = createEvidence()): Engine<CompressorState> {
  const limits = limitsOf(settings);
  const memory: Memory = { evidence, ledger: createLedgerKeeper(), redact: createRedactor() };
  return {
    name: "compressor",
    init: initialState,
    observe: (state) => state,
    decide: (state, situation) => decide(state, situation, limits),
    compact: async (state, original, request) => {
      const live = liveRequestOf(original.messages);
      const system = settings.note === "system" ? withNote(original.system) : original.system;
      const besideTokens = request.measure.transcript({ ...original, system, messages: [] });
      const liveTokens = live < 0 ? 0 : request.measure.message(original.messages[live]!);
      const plan =
        request.budget === undefined
          ? documentedPlan(settings, limits)
          : budgetPlan(settings, request.budget, besideTokens + liveTokens);
      return compact({ original, system, request, plan, live, besideTokens }, state, memory);
    },
  };
}

function compact(job: Job, state: CompressorState, memory: Memory): Outcome {
  const { measure, standing } = job.request;
  const before = measure.transcript(standing ?? job.original);
  const draft = withFullerTail(job, memory, firstThatFits(job, memory));
  const after = sizeOf(job, draft);
  const irreducible = after > job.plan.limitTokens ? irreducibleBecause(job, draft, after) : undefined;
  if (after >= before) {
    const because =
      draft.assembled.covered === 0
        ? "what the settings protect covers the whole conversation; a budget goes below that"
        : "nothing smaller says as much: the transcript is already about as small as it can be";
    const futile = { kind: "unchanged", because, state: afterFutileAttempt(state) } as const;
    return irreducible === undefined ? futile : { ...futile, irreducible };
  }
  const { assembled, evicted } = draft;
  const report = reportOf({
    ...job,
    assembled,
    evicted,
    rung: draft.shape.rung,
    before,
    after,
    irreducible,
    evidence: memory.evidence,
    ledger: memory.ledger.ledgerOf(job.original.messages),
    redact: memory.redact,
    summary: summaryOf(assembled),
    remarks: [],
  });
  return {
    kind: "compacted",
    compaction: {
      schemaVersion: COMPACTION_SCHEMA_VERSION,
      after: assembled.placed.slice(0, assembled.replaced).map(({ message }) => message),
      covered: assembled.covered,
      covers: job.request.chain.linksOf(job.original.messages.slice(0, assembled.covered)).at(-1) ?? "",
      ...(job.system === job.original.system ? {} : { system: job.system }),
      map: assembled.map,
      evicted,
      state: afterCompaction(state, report),
      report,
    },
  };
}

function summaryOf({ placed }: Assembled): SummaryAccount | undefined {
  return placed.some(({ message }) => message.origin === "summary") ? { by: "ledger", steps: [] } : undefined;
}

interface Draft {
  readonly shape: Shape;
  readonly assembled: Assembled;
  readonly evicted: readonly Evicted[];
}

/** Climbs the ladder until head, anchor and tail leave the handoff its room; the last rung is taken as it is. */
function firstThatFits(job: Job, memory: Memory): Draft {
  const { messages } = job.original;
  const { measure, chain } = job.request;
  const live = messages[job.live];
  const focus = taskWords(job.request.focus ?? "", live === undefined ? "" : contentText(live.parts));
  let draft: Draft | undefined;
  for (const shape of rungsOf({ messages, plan: job.plan, focus, live: job.live, measure, chain })) {
    const anchor = live !== undefined && job.live < shape.tailStart ? anchorOf(live) : undefined;
    const head = shape.messages.slice(0, shape.headEnd);
    const verbatim = [...head, ...(anchor === undefined ? [] : [anchor]), ...shape.messages.slice(shape.tailStart)];
    const room = job.plan.limitTokens - job.besideTokens - measure.messages(verbatim) - MESSAGE_OVERHEAD_TOKENS;
    const wanted = job.plan.handoffTokens(measure.messages(messages.slice(shape.headEnd, shape.tailStart)));
    const replacesNothing = shape.headEnd === shape.tailStart;
    if (replacesNothing && job.plan.wantsHandoff && shape.rung > 0 && shape.rung < RUNG_LAST) continue;
    const needed = replacesNothing ? 0 : Math.min(wanted, shape.handoffTokensMin);
    if (room < needed && shape.rung < RUNG_LAST) continue;
    const budget = Math.max(Math.min(wanted, room), Math.min(HANDOFF_TOKENS_MIN, wanted));
    draft = draftOf(job, memory, { shape, anchor, verbatim, focus, budget });
    break;
  }
  return draft!;
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

function sizeOf(job: Job, { assembled }: Draft): number {
  return job.besideTokens + job.request.measure.messages(assembled.placed.map(({ message }) => message));
}

interface Cut {
  readonly shape: Shape;
  readonly anchor: Message | undefined;
  /** What stands in the result beside the handoff. */
  readonly verbatim: readonly Message[];
  readonly focus: readonly string[];
  /** Tokens for the handoff. */
  readonly budget: number;
}

function draftOf(job: Job, memory: Memory, { shape, anchor, verbatim, focus, budget }: Cut): Draft {
  const { messages } = job.original;
  const { measure } = job.request;
  const beside = presentOf(messages, shape, anchor);
  const from = shape.headEnd;
  const until = shape.tailStart;
  const span = spanOf(job, from, until);
  const handoff =
    span === undefined
      ? undefined
      : writeHandoff({
          messages,
          ledger: memory.ledger.ledgerOf(messages),
          from,
          until,
          budget,
          measure,
          ...(job.request.focus === undefined ? {} : { focus: job.request.focus }),
          spanRecall: span.id,
          previous: latestHandoff(messages),
          liveRequest: job.live,
          excerpts: (tokens, present) =>
            memory.evidence.excerpts(messages, {
              budget: tokens,
              measure,
              focus,
              present: { standing: beside.standing, text: `${beside.text}\n${present}` },
            }),
          tailText: verbatim.map(readable).join("\n"),
          redact: memory.redact,
        }).text;
  const assembled = assemble(messages, { shape, handoff, anchor }, job.request);
  const standing = shape.evicted.filter(({ message }) => message < from || message >= until);
  return { shape, assembled, evicted: [...(span === undefined ? [] : [span]), ...standing, ...assembled.evicted] };
}

/** What stands beside the handoff: messages as they were, and the text of those that are not. */
function presentOf(
  originals: readonly Message[],
  { messages, headEnd, tailStart }: Shape,
  anchor: Message | undefined,
): Present {
  const standing: Message[] = [];
  const changed: Message[] = anchor === undefined ? [] : [anchor];
  messages.forEach((message, at) => {
    if (at < headEnd || at >= tailStart) (message === originals[at] ? standing : changed).push(message);
  });
  return { standing, text: changed.map(readable).join("\n") };
}

/** The whole replaced span, under one id. */
function spanOf(job: Job, from: number, until: number): Evicted | undefined {
  if (from === until) return undefined;
  const { chain } = job.request;
  const hashes = job.original.messages.slice(from, until).map(chain.hashOf).join("\n");
  return {
    id: recallId(hashes, chain.hash),
    kind: "span",
    message: from,
    end: until,
    label: `messages ${from + 1} to ${until}`,
  };
}

/** What a model reads of a message. */
function readable(message: Message): string {
  const calls = callsOf(message).map(
    (call) => `${call.name} ${describeCall(call.name, call.arguments).values.join("\n")}`,
  );
  return [contentText(message.parts), ...calls].join("\n");
}

function irreducibleBecause(job: Job, draft: Draft, smallest: number): Irreducible {
  const { measure } = job.request;
  const live = job.live < 0 ? 0 : measure.message(job.original.messages[job.live]!);
  const last = measure.messages(draft.shape.messages.slice(draft.shape.tailStart));
  const because =
    `system and tools take ${job.besideTokens} tokens, the live request ${live}, ` +
    `the last exchange ${last} even as a skeleton, a handoff at least ${HANDOFF_TOKENS_MIN}`;
  return { limit: job.plan.limitTokens, smallest, because };
}
