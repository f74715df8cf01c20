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
import { MESSAGE_OVERHEAD_TOKENS, sizeOf, type Candidate } from "../../compaction/run/draft.ts";
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
import type { Message } from "../../transcript/message.ts";
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
  const limitsOf = (fixedTokens: number): HandoffLimits => handoffLimits(settings, fixedTokens);
  const triggerTokens = (fixedTokens: number): number => limitsOf(fixedTokens).triggerTokens;
  return {
    name: "handoff",
    triggerTokens,
    states: restingStates(startOf("handoff")),
    decide: decideFrom(triggerTokens),
    template: () => FOUR_SECTIONS,
    modelTokens: ({ besideTokens }) => limitsOf(besideTokens).handoffTokens,
    goal: (run) => goalOf(settings, limitsOf(run.besideTokens), run),
    firstAttempt: (run) => byProvider(run, limitsOf(run.besideTokens)),
    candidates: (run) => candidatesOf(run, run.goal.userTokens),
    futileBecause: () => "nearly everything was written by the user, so a handoff would save nothing",
    staysBecause: () => "; the live request and what the model has not read yet stay",
    remarksOn: trimmedBy,
  };
}

const RUNG_TRIMMED = 1;
const RUNG_DIGESTED = 2;
const RUNG_LAST = 3;

/**
 * As the policy has it; as many of the person's newest words as there is room for; the same up to the limit, where that shows
 * unread results in full; these as digests; the last that can be given.
 */
function* candidatesOf(run: Run, userTokens: number): Generator<Candidate> {
  const { messages } = run.original;
  const { limitTokens, unreadTokens, wholeTokens, keepsUnread } = run.goal;
  const tailStart = keepsUnread ? unreadStart(messages) : messages.length;
  const candidate = (
    rung: number,
    tail: RewrittenMessages,
    most: { tokens: number; limitTokens: number },
  ): Candidate => {
    const { headEnd, ...kept } = keptOf(run, { tailStart, tokens: most.tokens, opening: rung < RUNG_TRIMMED });
    return { shape: { rung, ...tail, headEnd, tailStart }, kept, limitTokens: most.limitTokens };
  };
  const trimmed = (rung: number, tail: RewrittenMessages, limit: number): Candidate => {
    const tokens = Math.min(userTokens, userTokensWithin(run, limit, tail.messages.slice(tailStart)));
    return candidate(rung, tail, { tokens, limitTokens: limit });
  };
  const whole = unchangedMessages(run);
  const isTailEmpty = tailStart === messages.length;
  yield candidate(0, whole, { tokens: userTokens, limitTokens: wholeTokens });
  if (!isTailEmpty) yield candidate(0, whole, { tokens: userTokens, limitTokens: unreadTokens });
  yield trimmed(RUNG_TRIMMED, whole, limitTokens);
  if (!isTailEmpty) {
    yield trimmed(RUNG_TRIMMED, whole, unreadTokens);
    yield trimmed(RUNG_DIGESTED, digestedTail(run, tailStart), limitTokens);
  }
  yield candidate(RUNG_LAST, isTailEmpty ? whole : skeletonTail(run, tailStart), { tokens: 0, limitTokens });
}

/** Of the room beside system and tools, a handoff has this much at most where messages of the person have to go for it. */
const HANDOFF_ROOM_SHARE_MAX = 0.5;

/** What a result of that size leaves for the person's messages, beside the handoff and the end of the conversation. */
function userTokensWithin({ goal, request, besideTokens }: Run, limit: number, tail: readonly Message[]): number {
  const room = limit - besideTokens;
  const handoff = Math.min(goal.handoffTokensMax, Math.floor(room * HANDOFF_ROOM_SHARE_MAX));
  return Math.max(0, room - handoff - request.measure.messages(tail) - MESSAGE_OVERHEAD_TOKENS);
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
