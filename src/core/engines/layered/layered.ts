/**
 * The policy of Claude Code (IA al Día 2026; observed in 2.1): near the end of the window old tool results are cleared,
 * late ones only; where that is not enough the session memory replaces what came before, and where that does not
 * suffice a model writes nine sections. What the agent needs at hand is then put back.
 */
import { eventsOf } from "../../events/events.ts";
import { earlierEnd, lastStart, tailOf, tailStart } from "../../compaction/run/boundaries.ts";
import {
  digested,
  digestedTail,
  skeletonTail,
  summarisedTo,
  unchangedMessages,
} from "../../compaction/run/candidates.ts";
import { draftOf, sizeOf, type Candidate, type CompactionDraft } from "../../compaction/run/draft.ts";
import type { WrittenDraft } from "../../compaction/run/model-handoff.ts";
import type { FirstAttempt, Policy, PolicyRun } from "../../compaction/run/policy.ts";
import { createPolicyEngine } from "../../compaction/run/runner.ts";
import { NINE_SECTIONS } from "../../handoff/templates.ts";
import { exchangesOf } from "../../transcript/exchanges.ts";
import type { Engine } from "../contract.ts";
import { clearedWithin } from "./clearing.ts";
import { goalOf, layeredLimits, type LayeredGoal, type LayeredLimits } from "./limits.ts";
import type { LayeredSettings } from "./settings.ts";
import { heldIn, recentFiles, restorableIn, restored, type RestoredText } from "./restore.ts";
import { asEarlier, suffices } from "./session-memory.ts";
import { decide, LAYERED_STATES, RUNG_SUMMARY, type LayeredState } from "./state.ts";

/** The engine `layered`: old tool results are cleared, and a summary follows where that is not enough (docs/engines/layered.md). */
export function createLayered(settings: Partial<LayeredSettings>): Engine<LayeredState> {
  return createPolicyEngine(layeredPolicy((fixedTokens) => layeredLimits(settings, fixedTokens)));
}

type Run = PolicyRun<LayeredState, LayeredGoal>;

function layeredPolicy(limitsOf: (fixedTokens: number) => LayeredLimits): Policy<LayeredState, LayeredGoal> {
  const limitsFor = ({ besideTokens }: Pick<Run, "besideTokens">): LayeredLimits => limitsOf(besideTokens);
  return {
    name: "layered",
    triggerTokens: (fixedTokens) => limitsOf(fixedTokens).triggerTokens,
    states: LAYERED_STATES,
    decide: (state, { tokens, fixedTokens = 0 }) => decide(state, tokens, limitsOf(fixedTokens)),
    template: () => NINE_SECTIONS,
    modelTokens: (run) => limitsFor(run).summaryTokens,
    carried: ({ memory }) => asEarlier(memory),
    goal: (run) => goalOf(limitsFor(run), run),
    firstAttempt: (run) => clearing(run, limitsFor(run)),
    candidates: async (run) => {
      const planned = plannedTail(run);
      return candidatesOf(run, planned, await piecesOf(run, planned, limitsFor(run)), limitsFor(run));
    },
    withoutModel: remembered,
    futileBecause: () => "neither clearing results nor a summary would make the conversation smaller",
    staysBecause: () => "; the live request and the last exchange, as short as it gets, stay",
    remarksOn: ({ shape }) =>
      shape.rung >= RUNG_LAST_EXCHANGE
        ? ["the recent messages were too large: all but the last exchange went into the summary"]
        : [],
  };
}

/** Layers 1 and 2; who asks for a compaction by name wants a summary. */
function clearing(run: Run, { keptResults }: LayeredLimits): FirstAttempt<LayeredState> {
  const { reason, budget } = run.request;
  const cleared = reason === "explicit" && budget === undefined ? undefined : clearedWithin(run, keptResults);
  if (cleared === undefined) return {};
  const draft = draftOf(run, cleared.cut);
  const after = sizeOf(run, draft);
  if (after > run.goal.limitTokens || after >= run.before) return {};
  const { summarisedUntil, memory, written } = run.state;
  const kept = { ...(memory === undefined ? {} : { memory }), ...(written === undefined ? {} : { written }) };
  return {
    draft,
    settled: { draft, summary: undefined, remarks: [] },
    leaves: { cleared: cleared.ranges, summarisedUntil, ...kept },
  };
}

/** The session memory as the summary, where it leaves nothing out; a focus is a wish for more than that. */
function remembered({ request }: Run, draft: CompactionDraft): WrittenDraft | undefined {
  const { writers, focus } = request;
  if (writers === undefined || focus !== undefined || draft.handoff === undefined) return undefined;
  if (!suffices(draft.handoff)) return undefined;
  const because = "the session memory contains everything needed: no model was called";
  return { draft, summary: { by: "ledger", because, steps: [] }, remarks: [] };
}

/** Where the tail begins that is kept whole. */
function plannedTail({ original: { messages }, goal, request: { measure } }: Run): number {
  const conversation = { messages, exchanges: exchangesOf(messages) };
  return tailStart(conversation, earlierEnd(messages), tailOf(goal.tailTokens), measure);
}

/** What can be put back: with what the files edited last hold now, where they can be read. */
async function piecesOf(
  { original: { messages }, request }: Run,
  planned: number,
  { restoredFiles }: LayeredLimits,
): Promise<readonly RestoredText[]> {
  const { readFile, signal } = request;
  const events = eventsOf(messages);
  const held = heldIn(messages);
  const paths = recentFiles(events, held, { most: restoredFiles, tailStart: planned });
  const fresh = new Map<string, string>();
  for (const path of readFile === undefined ? [] : paths) {
    const text = await readFile?.(path, signal).catch(() => undefined);
    signal?.throwIfAborted();
    if (text !== undefined) fresh.set(path, text);
  }
  return restorableIn(held, events, { paths, fresh });
}

const RUNG_DIGESTED = 2;
const RUNG_LAST_EXCHANGE = 3;
const RUNG_SKELETON = 4;

/**
 * As the policy has it; then the tail to digests, but for what the model has not read, and nothing put back; then the oldest
 * rounds go; then what was not read as digests; then a skeleton.
 */
function* candidatesOf(
  run: Run,
  planned: number,
  pieces: readonly RestoredText[],
  { restoredFileTokens }: LayeredLimits,
): Generator<Candidate> {
  const { original, request, goal, memory } = run;
  const { messages, tools } = original;
  const { measure } = request;
  const last = lastStart({ messages, exchanges: exchangesOf(messages) });
  const putBack = {
    roomTokens: goal.restoredTokens,
    pieceTokens: restoredFileTokens,
    measure,
    redact: memory.redact,
    declaresTools: tools !== undefined,
  };
  const whole = summarisedTo(planned, RUNG_SUMMARY, unchangedMessages(run));
  yield { ...whole, restored: restored(messages, pieces, { ...putBack, tailStart: planned }) };
  if (planned < last)
    yield summarisedTo(
      planned,
      RUNG_DIGESTED,
      digested(run, (at) => at < planned || at >= last),
    );
  yield { ...summarisedTo(last, RUNG_LAST_EXCHANGE, unchangedMessages(run)), limitTokens: goal.unreadTokens };
  yield summarisedTo(last, RUNG_LAST_EXCHANGE, digestedTail(run, last));
  yield summarisedTo(last, RUNG_SKELETON, skeletonTail(run, last));
}
