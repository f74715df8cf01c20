/** Keeps the system prompt and the newest messages; everything between them becomes a handoff. */
import { lastStart, tailOf, tailStart } from "../../compaction/run/boundaries.ts";
import { digestedTail, skeletonTail, summarisedTo, unchangedMessages } from "../../compaction/run/candidates.ts";
import type { Candidate } from "../../compaction/run/draft.ts";
import { goalWithin, handoffTokensMax, limitOf, type SizeGoal } from "../../compaction/run/goal.ts";
import { decideFrom, restingStates, type Policy, type PolicyRun } from "../../compaction/run/policy.ts";
import { createPolicyEngine } from "../../compaction/run/runner.ts";
import { startOf, type EngineState } from "../../compaction/run/state.ts";
import { SEVEN_SECTIONS } from "../../handoff/templates.ts";
import { exchangesOf } from "../../transcript/exchanges.ts";
import type { Engine } from "../contract.ts";
import type { Figure } from "../figure.ts";
import { defaultsOf, share, tokens, type ValuesOf } from "../setting.ts";
import { WINDOW_DEFAULTS, type WindowSettings } from "../shared-settings.ts";

export const ENDS_OWN = {
  triggerShare: share(0.75, "Compacts from this share of the usable window."),
  tailTokens: tokens(10_000, "Tokens of the newest messages that are kept."),
};

type EndsSettings = WindowSettings & ValuesOf<typeof ENDS_OWN>;

const DEFAULTS: EndsSettings = { ...WINDOW_DEFAULTS, ...defaultsOf(ENDS_OWN) };

export function createEnds(given: Partial<EndsSettings>): Engine<EngineState> {
  return createPolicyEngine(policy({ ...DEFAULTS, ...given }));
}

function policy(settings: EndsSettings): Policy<EngineState> {
  const { contextLength, tailTokens } = settings;
  const triggerTokens = triggerOf(settings);
  const handoffTokens = handoffTokensMax(contextLength);
  return {
    name: "ends",
    triggerTokens,
    states: restingStates(startOf("ends")),
    decide: decideFrom(triggerTokens),
    template: () => SEVEN_SECTIONS,
    modelTokens: handoffTokens,
    goal: ({ request, before, besideTokens }) => {
      const limitTokens = limitOf(request, Math.floor(triggerTokens / 2), before);
      return goalWithin({ limitTokens, besideTokens, handoffTokens, budgeted: request.budget !== undefined });
    },
    candidates: (run) => candidatesOf(run, tailTokens),
    futileBecause: () => "the newest messages are nearly all there is",
    staysBecause: () => "; the live request and the last exchange stay",
  };
}

function triggerOf({ contextLength, maxOutputTokens, triggerShare }: EndsSettings): number {
  return Math.floor(Math.max(1, contextLength - maxOutputTokens) * triggerShare);
}

function* candidatesOf(run: PolicyRun<EngineState, SizeGoal>, tailTokens: number): Generator<Candidate> {
  const { messages } = run.original;
  const conversation = { messages, exchanges: exchangesOf(messages) };
  const last = lastStart(conversation);
  const start = Math.min(last, tailStart(conversation, 0, tailOf(tailTokens), run.request.measure));
  yield summarisedTo(start, 0, unchangedMessages(run));
  yield summarisedTo(start, 1, digestedTail(run, start));
  yield summarisedTo(last, 2, skeletonTail(run, last));
}

export function endsFigures(given: Partial<EndsSettings>): readonly Figure[] {
  const settings = { ...DEFAULTS, ...given };
  return [
    { name: "threshold", tokens: triggerOf(settings), meaning: "compacts from here on", from: ["triggerShare"] },
    { name: "tail", tokens: settings.tailTokens, meaning: "the newest messages, verbatim", from: ["tailTokens"] },
  ];
}
