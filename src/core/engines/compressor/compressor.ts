/**
 * The default engine: Hermes' four phases (Hermes Agent docs, Zhang 2026) with evidence taken from the original messages,
 * the live request anchored as a real user message, and a ladder that ends.
 */
import type { Candidate, CompactionDraft } from "../../compaction/run/draft.ts";
import { firstThatFits } from "../../compaction/run/first-fit.ts";
import type { Policy, PolicyRun } from "../../compaction/run/policy.ts";
import { createPolicyEngine } from "../../compaction/run/runner.ts";
import { withNote } from "../../handoff/framing.ts";
import { languageOfPeople } from "../../handoff/language.ts";
import { SEVEN_SECTIONS } from "../../handoff/templates.ts";
import { thirteenSections } from "../../handoff/translations.ts";
import type { Engine } from "../contract.ts";
import { COMPRESSOR_STATES, decide, type CompressorState } from "./back-off.ts";
import { budgetGoal, documentedGoal, type CompressorGoal } from "./goal.ts";
import { budgetLayout, withSingleResults } from "./budget-layout.ts";
import { RUNG_DEGRADED, rungsOf } from "./ladder.ts";
import { headMessages, limitsOf } from "./limits.ts";
import type { CompressorSettings } from "./settings.ts";
import { withFullerTail, withSpareRoomUsed } from "./spare-room.ts";

export function createCompressor(settings: CompressorSettings): Engine<CompressorState> {
  return createPolicyEngine(compressorPolicy(settings));
}

type Run = PolicyRun<CompressorState, CompressorGoal>;

function compressorPolicy(settings: CompressorSettings): Policy<CompressorState, CompressorGoal> {
  return {
    name: "compressor",
    states: COMPRESSOR_STATES,
    triggerTokens: (fixedTokens) => limitsOf(settings, fixedTokens).thresholdTokens,
    decide: (state, { tokens, fixedTokens }) => decide(state, tokens, limitsOf(settings, fixedTokens)),
    remembers: true,
    systemOf: ({ system }) => (settings.note === "system" ? withNote(system) : system),
    template: (messages) =>
      settings.template === "seven" ? SEVEN_SECTIONS : thirteenSections(languageOfPeople(messages)),
    modelTokens: ({ besideTokens }) => limitsOf(settings, besideTokens).handoffTokensMax,
    goal: (run, { compactions }) => {
      const protecting = { ...settings, protectFirstN: headMessages(settings, compactions) };
      const { budget } = run.request;
      if (budget === undefined) return documentedGoal(protecting, limitsOf(settings, run.besideTokens), run);
      return budgetGoal(protecting, budget, run.fixedTokens);
    },
    candidates: candidatesOf,
    pick: (run, candidates) => ({ draft: withFullerTail(run, firstThatFits(run, candidates, run.goal)) }),
    refine: withSpareRoomUsed,
    futileBecause: ({ assembled }) =>
      assembled.covered === 0
        ? "the settings protect the whole conversation; use a budget to go below that"
        : "nothing would be removed",
    staysBecause,
    remarksOn: ({ shape }) =>
      shape.rung >= RUNG_DEGRADED ? ["some recent messages did not fit and were summarised"] : [],
  };
}

function candidatesOf({ goal, ...run }: Run): Iterable<Candidate> {
  if (goal.roomTokens === undefined) return rungsOf(run, goal);
  return [withSingleResults(run, budgetLayout(run, goal.roomTokens, goal.headMessages))];
}

function staysBecause({ request, ...run }: Run, { shape: { messages, tailStart }, handoff }: CompactionDraft): string {
  const rest = request.measure.messages(messages.filter((_, at) => at >= tailStart && at !== run.live));
  return (
    `, the live request ${run.fixedTokens - run.besideTokens}, ` +
    (rest === 0 ? "" : `the rest of the last exchange ${rest} even as a skeleton, `) +
    `the handoff ${handoff?.tokens ?? 0}`
  );
}
