/**
 * The policy of the Dual Compression chapter: above three quarters of the window, old tool results give way to digests,
 * the largest first, until half of it is free. System prompt, first exchange and the newest 20,000 tokens are sacred: they give
 * way only when nothing else is left to give.
 */
import { passContext } from "../../compaction/run/candidates.ts";
import {
  draftOf,
  MESSAGE_OVERHEAD_TOKENS,
  type Candidate,
  type CompactionRun,
  type Cut,
  type CompactionDraft,
} from "../../compaction/run/draft.ts";
import { firstWithin } from "../../compaction/run/first-fit.ts";
import { byCode } from "../../compaction/run/model-handoff.ts";
import type { CompactionAttempt, Policy, PolicyRun } from "../../compaction/run/policy.ts";
import { createPolicyEngine } from "../../compaction/run/runner.ts";
import { SEVEN_SECTIONS } from "../../handoff/templates.ts";
import type { Engine } from "../contract.ts";
import { digestLargestFirst } from "./digests.ts";
import { fallbackSteps, RUNG_RESTARTED, RUNG_TRUNCATED, SUMMARY_TOKENS_MAX } from "./fallback.ts";
import { goalOf, sacredZoneLimits, type SacredZoneGoal, type SacredZoneLimits } from "./limits.ts";
import { SACRED_ZONE_DEFAULTS, type SacredZoneSettings } from "./settings.ts";
import { decide, SACRED_ZONE_STATES, type SacredZoneState } from "./statistics.ts";
import { zoneOf } from "./zone.ts";

/** The engine `sacred-zone`: old tool results give way to digests, the largest first (docs/engines/sacred-zone.md). */
export function createSacredZone(settings: Partial<SacredZoneSettings>): Engine<SacredZoneState> {
  return createPolicyEngine(sacredZonePolicy({ ...SACRED_ZONE_DEFAULTS, ...settings }));
}

type Run = PolicyRun<SacredZoneState, SacredZoneGoal>;

function sacredZonePolicy(settings: SacredZoneSettings): Policy<SacredZoneState, SacredZoneGoal> {
  const limitsOf = (fixedTokens: number): SacredZoneLimits => sacredZoneLimits(settings, fixedTokens);
  return {
    name: "sacred-zone",
    triggerTokens: (fixedTokens) => limitsOf(fixedTokens).triggerTokens + 1,
    targetTokens: (fixedTokens) => limitsOf(fixedTokens).targetTokens,
    states: SACRED_ZONE_STATES,
    decide: (state, { tokens, fixedTokens = 0 }) => decide(state, tokens, limitsOf(fixedTokens)),
    template: () => SEVEN_SECTIONS,
    modelTokens: () => SUMMARY_TOKENS_MAX,
    goal: (run) => goalOf(settings, limitsOf(run.besideTokens), run),
    needlessBecause: ({ before, goal }) =>
      before <= goal.limitTokens
        ? "the transcript is already within the target; use a budget to go below it"
        : undefined,
    candidates: candidatesOf,
    pick: (run, candidates) => pick(run, candidates, settings.summaryWords),
    refine: (run, draft) =>
      wordsOf(draft) <= settings.summaryWords ? draft : shortDraft(run, draft, settings.summaryWords),
    futileBecause: () =>
      "nothing outside the sacred zone can be made smaller, and a restart would not be smaller either",
    staysBecause: () => "; the live request and the last exchange, as short as it gets, stay",
    restarts: ({ shape }) => shape.rung >= RUNG_RESTARTED,
    remarksOn: ({ shape }) => notesOn(shape.rung),
  };
}

/**
 * The first candidate within the target. The summary that a session restarts from is a model's where one is asked (16.7);
 * whatever else is left out is recorded by code.
 */
function pick(run: Run, candidates: Iterable<Candidate>, summaryWords: number): CompactionAttempt<SacredZoneState> {
  const draft = firstWithin(run, candidates, run.goal, (cut) => shortDraft(run, cut, summaryWords));
  if (draft.shape.rung < RUNG_RESTARTED || run.request.writers === undefined) return { draft, settled: byCode(draft) };
  return { draft: draftOf(run, { ...draft, budget: SUMMARY_TOKENS_MAX }) };
}

/** Digests, then the fallback step by step. */
function* candidatesOf(run: Run): Generator<Candidate> {
  const { original, request, besideTokens, goal } = run;
  const { messages } = original;
  const { measure, standing } = request;
  const zone = zoneOf(messages, goal.recentTokens, measure);
  const protect = (at: number): boolean => at < zone.firstEnd || at >= zone.recentStart;
  const digests = digestLargestFirst(messages, {
    excessTokens: measure.transcript(original) - goal.limitTokens,
    standing,
    context: { ...passContext(run), protect },
  });
  yield { shape: { rung: 0, ...digests, headEnd: 0, tailStart: 0 } };
  const roomTokens = goal.limitTokens - besideTokens - MESSAGE_OVERHEAD_TOKENS;
  yield* fallbackSteps(run, zone, { roomTokens, unreadTokens: goal.unreadTokens });
}

/** How much shorter a summary of too many words is asked for. */
const SHORTER_SHARE = 0.85;
/** The frame and one line: below the least that a handoff is otherwise given. */
const SHORT_SUMMARY_TOKENS_MIN = 110;

/** The candidate as a result, with a record of that many words at most of what it leaves out. */
function shortDraft(run: CompactionRun, cut: Cut, wordsMax: number): CompactionDraft {
  let draft = draftOf(run, cut);
  while (wordsOf(draft) > wordsMax && draft.budget > SHORT_SUMMARY_TOKENS_MIN) {
    const budget = Math.max(SHORT_SUMMARY_TOKENS_MIN, Math.floor(draft.budget * SHORTER_SHARE));
    draft = draftOf(run, { ...cut, budget });
  }
  return draft;
}

function wordsOf({ handoff }: CompactionDraft): number {
  return handoff?.text.match(/\S+/g)?.length ?? 0;
}

function notesOn(rung: number): readonly string[] {
  if (rung >= RUNG_RESTARTED)
    return ["the sacred zone alone was too large: the session continues with a short summary and its newest messages"];
  if (rung >= RUNG_TRUNCATED)
    return ["digests did not free enough: the oldest messages outside the zone were left out"];
  return [];
}
