/**
 * The policy of Codex (IA al Día 2026): what a person wrote stays word for word, the newest 20,000 tokens of it, and all
 * else goes into a handoff, written here or by the provider. Results that the model has not read yet stay, too.
 */
import { FOUR_SECTIONS } from "../../handoff/four-sections.ts";
import type { Engine } from "../contract.ts";
import { startOf, type Course } from "../result/course.ts";
import { sizeOf } from "../result/draft.ts";
import type { Settled } from "../result/finish.ts";
import { firstThatFits, focusOf, type Candidate } from "../result/fitting.ts";
import { bareTail, digestedTail, unreadStart, type Rewritten } from "../result/tail.ts";
import type { ModelHandoffJob } from "../result/model-handoff.ts";
import { conclude, engineWith, type Undertaking } from "../result/undertaking.ts";
import { keptOf } from "./kept.ts";
import { aimOf, handoffLimits, type HandoffAim, type HandoffLimits, type HandoffSettings } from "./limits.ts";
import { besideItem, itemFrom } from "./remote.ts";

export function createHandoff(settings: HandoffSettings): Engine<Course> {
  const limits = handoffLimits(settings);
  return engineWith({
    ...limits,
    name: "handoff",
    fresh: startOf("handoff"),
    template: () => FOUR_SECTIONS,
    compact: async (undertaking) => {
      const { job, memory, before } = undertaking;
      const { messages } = job.original;
      const aimed: AimedJob = {
        ...job,
        tailStart: settings.preset === "current" ? messages.length : unreadStart(messages),
        aim: aimOf(limits, job.request, { standing: before, beside: job.besideTokens }),
      };
      const remote = await byProvider(aimed, undertaking, limits);
      const draft =
        remote.settled?.draft ?? firstThatFits(job, memory, shapesOf(aimed, aimed.aim.userTokens), aimed.aim);
      return conclude(undertaking, {
        draft,
        settled: remote.settled,
        because: "what a person wrote is nearly all there is: a handoff would save nothing",
        remarks: [...remote.remarks, ...remarksOn(draft.shape.rung)],
      });
    },
  });
}

interface AimedJob extends ModelHandoffJob {
  readonly tailStart: number;
  readonly aim: HandoffAim;
}

const RUNG_DIGESTED = 1;
const RUNG_TRIMMED = 2;
const RUNG_LAST = 3;
/** How often the room for what a person wrote is halved before only the live request is left. */
const TRIMS_MAX = 4;

/** As the policy has it; unread results as digests; fewer and fewer of the person's words; the last that can be given. */
function* shapesOf(job: AimedJob, userTokens: number): Generator<Candidate> {
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
  job: AimedJob,
  { memory, before }: Pick<Undertaking, "memory" | "before">,
  { remoteUserTokens }: HandoffLimits,
): Promise<ByProvider> {
  const { remote, budget } = job.request;
  if (remote === undefined) return { remarks: [] };
  const answer = await itemFrom(remote, job);
  if (answer.kind === "failed") return { remarks: [answer.because] };
  const tokens = budget === undefined ? remoteUserTokens : job.aim.userTokens;
  const draft = firstThatFits(job, memory, besideItem(answer.item, shapesOf(job, tokens)), answer.aim(job.aim));
  const after = sizeOf(job, draft);
  if (after >= before || after > job.aim.limitTokens) return { remarks: [answer.tooLarge] };
  return { settled: { draft, summary: answer.summary, remarks: [] }, remarks: [] };
}

function remarksOn(rung: number): readonly string[] {
  return rung >= RUNG_TRIMMED
    ? ["the person's oldest messages were trimmed away, to make the result small enough"]
    : [];
}
