/**
 * The default engine: Hermes' four phases (Hermes Agent docs, Zhang 2026) with evidence taken from the original messages,
 * the live request anchored as a real user message, and a ladder that ends.
 */
import type { CompactionDraft } from "../../compaction/run/draft.ts";
import { firstThatFits } from "../../compaction/run/first-fit.ts";
import type { Policy, PolicyRun } from "../../compaction/run/policy.ts";
import { createPolicyEngine } from "../../compaction/run/runner.ts";
import type { Evidence } from "../../excerpts/excerpts.ts";
import { withNote } from "../../handoff/framing.ts";
import { TEMPLATES } from "../../handoff/templates.ts";
import type { Engine } from "../contract.ts";
import { COMPRESSOR_STATES, decide, type CompressorState } from "./back-off.ts";
import { budgetGoal, documentedGoal, type CompressorGoal } from "./goal.ts";
import { RUNG_DEGRADED, rungsOf } from "./ladder.ts";
import { headMessages, limitsOf } from "./limits.ts";
import type { CompressorSettings } from "./settings.ts";
import { withFullerTail, withMoreKept } from "./spare-room.ts";

/** `evidence` ranks what a handoff quotes; the built-in ranking where it is not given. */
export function createCompressor(settings: CompressorSettings, evidence?: Evidence): Engine<CompressorState> {
  return createPolicyEngine(compressorPolicy(settings, evidence));
}

type Run = PolicyRun<CompressorState, CompressorGoal>;

function compressorPolicy(settings: CompressorSettings, evidence?: Evidence): Policy<CompressorState, CompressorGoal> {
  const limits = limitsOf(settings);
  return {
    name: "compressor",
    states: COMPRESSOR_STATES,
    decide: (state, tokens) => decide(state, tokens, limits),
    remembers: true,
    evidence,
    systemOf: ({ system }) => (settings.note === "system" ? withNote(system) : system),
    template: () => TEMPLATES[settings.template],
    modelTokens: limits.handoffTokensMax,
    goal: ({ request, fixedTokens }, { compactions }) => {
      const protecting = { ...settings, protectFirstN: headMessages(settings, compactions) };
      if (request.budget === undefined) return documentedGoal(protecting, limits);
      return budgetGoal(protecting, request.budget, fixedTokens);
    },
    candidates: (run) => rungsOf(run, run.goal),
    pick: (run, candidates) => ({ draft: withFullerTail(run, firstThatFits(run, candidates, run.goal)) }),
    refine: withMoreKept,
    futileBecause: ({ assembled }) =>
      assembled.covered === 0
        ? "the settings protect the whole conversation; use a budget to go below that"
        : "nothing would be removed",
    staysBecause,
    remarksOn: ({ shape }) =>
      shape.rung >= RUNG_DEGRADED ? ["some recent messages did not fit and were summarised"] : [],
  };
}

function staysBecause({ request, ...run }: Run, { shape: { messages, tailStart }, handoff }: CompactionDraft): string {
  const rest = request.measure.messages(messages.filter((_, at) => at >= tailStart && at !== run.live));
  return (
    `, the live request ${run.fixedTokens - run.besideTokens}, ` +
    (rest === 0 ? "" : `the rest of the last exchange ${rest} even as a skeleton, `) +
    `the handoff ${handoff?.tokens ?? 0}`
  );
}
