/**
 * The policy of OpenCode (IA al Día 2026), in two steps: old tool results are hidden, never deleted; where that is not
 * enough, a summary in five sections and in the user's language takes the place of everything, and the last user
 * message is sent again behind it.
 */
import { earlierEnd, tailOf, tailStart } from "../../compaction/run/boundaries.ts";
import {
  digested,
  digestedTail,
  skeletonTail,
  summarisedTo,
  unchangedMessages,
  unreadStart,
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
import { startOf, stateOf, type EngineState } from "../../compaction/run/state.ts";
import { fiveSections } from "../../handoff/five-sections.ts";
import { languageOfPeople } from "../../handoff/language.ts";
import { exchangesOf } from "../../transcript/exchanges.ts";
import type { Engine } from "../contract.ts";
import { hideOldResults, type HiddenStamp } from "./hide.ts";
import { goalOf, steppedLimits, type SteppedGoal, type SteppedLimits } from "./limits.ts";
import type { SteppedSettings } from "./settings.ts";

export interface SteppedState extends EngineState {
  readonly hidden: readonly HiddenStamp[];
}

const FRESH: SteppedState = { ...startOf("stepped"), hidden: [] };

/** The results that are hidden, with the time of it, from the state in a record or a saved session. */
export function hiddenResults(state: unknown): readonly HiddenStamp[] {
  return stateOf(FRESH, state).hidden;
}

/** The engine `stepped`: old tool results are hidden, and a summary follows where that is not enough (docs/engines/stepped.md). */
export function createStepped(settings: Partial<SteppedSettings>): Engine<SteppedState> {
  return createPolicyEngine(steppedPolicy((fixedTokens) => steppedLimits(settings, fixedTokens)));
}

type Run = PolicyRun<SteppedState, SteppedGoal>;

function steppedPolicy(limitsOf: (fixedTokens: number) => SteppedLimits): Policy<SteppedState, SteppedGoal> {
  const triggerTokens = (fixedTokens: number): number => limitsOf(fixedTokens).triggerTokens;
  return {
    name: "stepped",
    triggerTokens,
    states: restingStates(FRESH),
    decide: decideFrom(triggerTokens),
    template: (messages) => fiveSections(languageOfPeople(messages)),
    modelTokens: ({ besideTokens }) => limitsOf(besideTokens).handoffTokens,
    goal: (run) => goalOf(limitsOf(run.besideTokens), run),
    firstAttempt: (run) => hiding(run, limitsOf(run.besideTokens)),
    candidates: summariesOf,
    futileBecause: () =>
      "there is too little to hide, and a summary would not be smaller than the messages it replaces",
    staysBecause: () => "; the live request and what the model has not read yet stay",
  };
}

/** The first step, where it gains enough and is enough. */
function hiding(run: Run, limits: SteppedLimits): FirstAttempt<SteppedState> {
  const { stamps, gainTokens, ...hidden } = hideOldResults(run, { ...limits, stamps: run.state.hidden });
  if (gainTokens <= limits.hideTokensMin) return {};
  const draft = firstThatFits(run, [{ shape: { rung: 0, ...hidden, headEnd: 0, tailStart: 0 } }], run.goal);
  const after = sizeOf(run, draft);
  return after < run.before && after <= run.goal.hiddenTokens ? { draft, leaves: { hidden: stamps } } : {};
}

const RUNG_SUMMARY = 1;
const RUNG_DIGESTED = 2;
const RUNG_SKELETON = 3;

/**
 * The second step: as the policy has it; its tail as digests but for what the model has not read; no tail but that, up to the
 * limit; that as digests, too; its skeleton.
 */
function* summariesOf(run: Run): Generator<Candidate> {
  const last = mandatoryStart(run);
  const start = Math.min(last, newestStart(run));
  yield summarisedTo(start, RUNG_SUMMARY, unchangedMessages(run));
  if (start < last)
    yield summarisedTo(
      start,
      RUNG_DIGESTED,
      digested(run, (at) => at < start || at >= last),
    );
  yield { ...summarisedTo(last, RUNG_SUMMARY, unchangedMessages(run)), limitTokens: run.goal.unreadTokens };
  yield summarisedTo(last, RUNG_DIGESTED, digestedTail(run, last));
  yield summarisedTo(last, RUNG_SKELETON, skeletonTail(run, last));
}

/** What is never summarised: results that the model has not read, and a request that nobody has answered to. */
function mandatoryStart({ original: { messages }, live }: Run): number {
  const answered = messages.findLastIndex(({ role }) => role === "assistant") > live;
  const open = answered || live < 0 ? messages.length : live;
  return Math.max(earlierEnd(messages), Math.min(unreadStart(messages), open));
}

/** Where the newest messages start that stay beside a summary. */
function newestStart({ original: { messages }, request, goal }: Run): number {
  if (goal.tailTokens === 0) return messages.length;
  const conversation = { messages, exchanges: exchangesOf(messages) };
  return tailStart(conversation, earlierEnd(messages), tailOf(goal.tailTokens), request.measure);
}
