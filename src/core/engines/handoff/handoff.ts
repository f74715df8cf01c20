/**
 * The policy of Codex (IA al Día 2026): what a person wrote stays word for word (with the preset `current` the newest
 * 20,000 tokens of it), and all else goes into a handoff, written here or by the provider. Results that the model has
 * not read yet stay, too.
 */
import {
  digestedTail,
  skeletonTail,
  unchangedMessages,
  unreadStart,
  type RewrittenMessages,
} from "../../compaction/run/candidates.ts";
import { sizeOf, type Candidate } from "../../compaction/run/draft.ts";
import { firstThatFits } from "../../compaction/run/first-fit.ts";
import {
  decideFrom,
  restingStates,
  type FirstAttempt,
  type Policy,
  type PolicyRun,
} from "../../compaction/run/policy.ts";
import { createPolicyEngine } from "../../compaction/run/runner.ts";
import { startOf, type EngineState } from "../../compaction/run/state.ts";
import { FOUR_SECTIONS } from "../../handoff/four-sections.ts";
import type { Engine } from "../contract.ts";
import { keptOf, trimmedBy } from "./kept.ts";
import { goalOf, handoffLimits, type HandoffGoal, type HandoffLimits } from "./limits.ts";
import { HANDOFF_DEFAULTS, type HandoffSettings } from "./settings.ts";
import { besideItem, itemFrom } from "./remote.ts";

/** The engine `handoff`: what a person wrote stays, and all else goes into a handoff (docs/engines/handoff.md). */
export function createHandoff(settings: Partial<HandoffSettings>): Engine<EngineState> {
  return createPolicyEngine(handoffPolicy({ ...HANDOFF_DEFAULTS, ...settings }));
}

type Run = PolicyRun<EngineState, HandoffGoal>;

function handoffPolicy(settings: HandoffSettings): Policy<EngineState, HandoffGoal> {
  const limits = handoffLimits(settings);
  return {
    name: "handoff",
    triggerTokens: limits.triggerTokens,
    states: restingStates(startOf("handoff")),
    decide: decideFrom(limits.triggerTokens),
    template: () => FOUR_SECTIONS,
    modelTokens: limits.handoffTokens,
    goal: (run) => goalOf(settings, limits, run),
    firstAttempt: (run) => byProvider(run, limits),
    candidates: (run) => candidatesOf(run, run.goal.userTokens),
    futileBecause: () => "nearly everything was written by the user, so a handoff would save nothing",
    staysBecause: () => "; the live request and what the model has not read yet stay",
    remarksOn: trimmedBy,
  };
}

const RUNG_DIGESTED = 1;
const RUNG_TRIMMED = 2;
const RUNG_LAST = 3;
/** How often the room for what a person wrote is halved before only the live request is left. */
const TRIMS_MAX = 4;

/**
 * As the policy has it; unread results as digests; fewer and fewer of the person's words, down to what the engine aims
 * at; the last that can be given.
 */
function* candidatesOf(run: Run, userTokens: number): Generator<Candidate> {
  const { messages } = run.original;
  const { trimmedUserTokens, wholeTokens } = run.goal;
  const trimmed = Math.min(userTokens, trimmedUserTokens);
  const tailStart = run.goal.keepsUnread ? unreadStart(messages) : messages.length;
  const candidate = (rung: number, tail: RewrittenMessages, tokens: number): Candidate => {
    const { headEnd, ...kept } = keptOf(run, { tailStart, tokens, opening: rung < RUNG_TRIMMED });
    const shape = { rung, ...tail, headEnd, tailStart };
    return rung < RUNG_TRIMMED ? { shape, kept, limitTokens: wholeTokens } : { shape, kept };
  };
  const whole = unchangedMessages(run);
  const isTailEmpty = tailStart === messages.length;
  yield candidate(0, whole, userTokens);
  const digests = isTailEmpty ? whole : digestedTail(run, tailStart);
  if (digests.evicted.length > 0) yield candidate(RUNG_DIGESTED, digests, userTokens);
  for (let trims = 0; trims <= TRIMS_MAX; trims++) yield candidate(RUNG_TRIMMED, digests, trimmed / 2 ** trims);
  yield candidate(RUNG_LAST, isTailEmpty ? whole : skeletonTail(run, tailStart), 0);
}

/** The provider's own item in place of a handoff, and beside it a few lines that lead to the originals. */
async function byProvider(run: Run, { remoteUserTokens }: HandoffLimits): Promise<FirstAttempt<EngineState>> {
  const { request, goal, before } = run;
  if (request.remote === undefined) return {};
  const answer = await itemFrom(request.remote, run);
  if (answer.kind === "failed") return { remarks: [answer.because] };
  const tokens = request.budget === undefined ? remoteUserTokens : goal.userTokens;
  const draft = firstThatFits(run, besideItem(answer.item, candidatesOf(run, tokens)), answer.goal(goal));
  const after = sizeOf(run, draft);
  if (after >= before || after > goal.wholeTokens) return { remarks: [answer.tooLarge] };
  return { draft, settled: { draft, summary: answer.summary, remarks: [] } };
}
