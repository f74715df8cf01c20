/**
 * The policy of Codex (reference/003): what a person wrote stays word for word, the newest 20,000 tokens of it, and all
 * else goes into a handoff, written here or by the provider. Results that the model has not read yet stay, too.
 */
import type { Irreducible } from "../../compaction/compaction.ts";
import { liveRequestOf } from "../../evidence/facts/live-request.ts";
import { FOUR_SECTIONS } from "../../summary/four-sections.ts";
import type { Engine, Outcome } from "../contract.ts";
import { dueAt, isOwn, onwards, startOf, stuck, type Course } from "../result/course.ts";
import { sizeOf, type Memory } from "../result/draft.ts";
import { finished, type Settled } from "../result/finish.ts";
import { firstThatFits, focusOf, type Candidate } from "../result/fitting.ts";
import { createMemories } from "../result/memory.ts";
import { bareTail, digestedTail, unreadStart, type Rewritten } from "../result/tail.ts";
import { toldBy, writtenIn, type TellingJob } from "../result/told.ts";
import { keptOf } from "./kept.ts";
import { aimOf, handoffLimits, type HandoffAim, type HandoffLimits, type HandoffSettings } from "./limits.ts";
import { besideItem, itemFrom, type RemoteAnswer } from "./remote.ts";

const NAME = "handoff";

export function createHandoff(settings: HandoffSettings): Engine<Course> {
  const limits = handoffLimits(settings);
  const known = (state: Course): Course => (isOwn(NAME, state) ? state : startOf(NAME));
  return {
    name: NAME,
    triggerTokens: limits.triggerTokens,
    init: () => startOf(NAME),
    observe: (state) => state,
    decide: (state, { tokens }) => dueAt(limits.triggerTokens, known(state), tokens),
    compact: async (state, original, request) => {
      request.signal?.throwIfAborted();
      const { messages } = original;
      const { measure, standing = original } = request;
      const before = measure.transcript(standing);
      const besideTokens = measure.transcript({ ...original, messages: [] });
      const job: HandoffJob = {
        original,
        system: original.system,
        request,
        live: liveRequestOf(messages),
        besideTokens,
        template: FOUR_SECTIONS,
        documentedTokens: limits.handoffTokens,
        tailStart: settings.preset === "current" ? messages.length : unreadStart(messages),
        aim: aimOf(limits, request, { standing: before, beside: besideTokens }),
      };
      const memory = createMemories()(messages, request);
      return compact(job, { state: known(state), memory, before, limits });
    },
  };
}

interface HandoffJob extends TellingJob {
  readonly tailStart: number;
  readonly aim: HandoffAim;
}

interface Making {
  readonly state: Course;
  readonly memory: Memory;
  /** Tokens of what is sent today. */
  readonly before: number;
  readonly limits: HandoffLimits;
}

async function compact(job: HandoffJob, { state, memory, before, limits }: Making): Promise<Outcome> {
  const remote = await byProvider(job, { memory, before, limits });
  const draft = remote.settled?.draft ?? firstThatFits(job, memory, shapesOf(job, job.aim.userTokens), job.aim);
  const irreducible = irreducibleBecause(job, sizeOf(job, draft), limits);
  if (sizeOf(job, draft) >= before)
    return {
      kind: "unchanged",
      because: "what a person wrote is nearly all there is: a handoff would save nothing",
      state: stuck(state, before),
      ...(irreducible === undefined ? {} : { irreducible }),
    };
  const settled = remote.settled ?? (await toldBy(job, memory, draft, state.written));
  const compaction = finished({
    ...settled,
    engine: NAME,
    remarks: [...remote.remarks, ...remarksOn(draft.shape.rung), ...settled.remarks],
    job,
    memory,
    before,
    irreducible,
    stateAfter: (report) => onwards(state, report, remote.settled === undefined ? writtenIn(settled) : undefined),
  });
  return { kind: "compacted", compaction };
}

const RUNG_DIGESTED = 1;
const RUNG_TRIMMED = 2;
const RUNG_LAST = 3;
/** How often the room for what a person wrote is halved before only the live request is left. */
const TRIMS_MAX = 4;

/** As the policy has it; then the unread results to digests; then the oldest words of the person go; then nothing is left to give. */
function* shapesOf(job: HandoffJob, userTokens: number): Generator<Candidate> {
  const { original, request, live, tailStart } = job;
  const { messages } = original;
  const { measure, chain } = request;
  const shape = (rung: number, tail: Rewritten, tokens: number): Candidate => {
    const keeping = { live, tailStart, tokens, opening: rung < RUNG_TRIMMED, measure, hash: chain.hash };
    const { headEnd, ...ahead } = keptOf(messages, keeping);
    return { shape: { rung, ...tail, headEnd, tailStart }, ahead };
  };
  const whole: Rewritten = { messages, evicted: [] };
  const tail = {
    messages,
    start: tailStart,
    live,
    context: { measure, hash: chain.hash, focus: focusOf(job) },
  };
  yield shape(0, whole, userTokens);
  const digested = tailStart === messages.length ? whole : digestedTail(tail);
  if (digested.evicted.length > 0) yield shape(RUNG_DIGESTED, digested, userTokens);
  for (let trims = 1; trims <= TRIMS_MAX; trims++) yield shape(RUNG_TRIMMED, digested, userTokens / 2 ** trims);
  yield shape(RUNG_LAST, tailStart === messages.length ? whole : bareTail(tail), 0);
}

interface ByProvider {
  /** Absent where the handoff is written here. */
  readonly settled?: Settled;
  readonly remarks: readonly string[];
}

/** The remote path: the provider's own item in place of a handoff, and beside it a few lines that lead to the originals. */
async function byProvider(
  job: HandoffJob,
  { memory, before, limits }: Pick<Making, "memory" | "before" | "limits">,
): Promise<ByProvider> {
  if (job.request.remote === undefined) return { remarks: [] };
  const answer: RemoteAnswer = await itemFrom(job.request.remote, job);
  if (answer.kind === "failed") return { remarks: [answer.because] };
  const tokens = Math.min(limits.remoteUserTokens, job.request.budget === undefined ? Infinity : job.aim.userTokens);
  const draft = firstThatFits(job, memory, besideItem(answer.item, shapesOf(job, tokens)), answer.aim(job.aim));
  const after = sizeOf(job, draft);
  if (after >= before || after > job.aim.limitTokens) return { remarks: [answer.tooLarge] };
  return { settled: { draft, summary: answer.summary, remarks: [] }, remarks: [] };
}

/** Nothing where the result does what it should: be within the budget, or not due again. */
function irreducibleBecause(
  { request, besideTokens }: HandoffJob,
  smallest: number,
  { triggerTokens }: HandoffLimits,
): Irreducible | undefined {
  const limit = request.budget ?? triggerTokens;
  if (smallest <= limit) return undefined;
  const because = `system and tools take ${besideTokens} tokens; the live request and what the model has not read yet stay`;
  return { limit, smallest, because };
}

function remarksOn(rung: number): readonly string[] {
  return rung >= RUNG_TRIMMED
    ? ["the person's oldest messages were trimmed away, to make the result small enough"]
    : [];
}
