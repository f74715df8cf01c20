/**
 * Lossless context management: what leaves the conversation goes into leaves, leaves into nodes above them as they
 * grow many, and a fresh tail stays as it is. Every node leads back to its originals, by tools that the model may be
 * given. The Hermes Agent docs name it (`lcm`); the graph of summaries, and the figures where nothing else is said, are those
 * of lossless-claw.
 */
import { assemble, weighDraft, type CompactionDraft } from "../../compaction/apply.ts";
import { spanLabel, type Evicted } from "../../compaction/compaction.ts";
import {
  findFirstCut,
  type Candidate,
  type CompactionRun,
  type Cut,
  type SizeGoal,
  type SizeLimits,
} from "../../compaction/plan.ts";
import {
  earlierEnd,
  lastStart,
  passContext,
  skeletonTail,
  summarisedTo,
  tailOf,
  tailStart,
  unchangedMessages,
  type RewrittenMessages,
} from "../../compaction/tails.ts";
import { SEVEN_SECTIONS } from "../../handoff/templates.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { digestResults } from "../../passes/digest-results.ts";
import { exchangesOf } from "../../transcript/exchanges.ts";
import { textMessage } from "../../transcript/message.ts";
import type { Engine } from "../contract.ts";
import { createPolicyEngine, retryFrom, type Plan, type Policy, type PolicyRun } from "../policy.ts";
import { momentsIn, triggerIn, type Figure, type Room } from "../room.ts";
import { LOSSLESS_DEFAULTS, type LosslessSettings } from "../settings.ts";
import { endOf, NO_DAG, ownDag, type Dag, type DagNode } from "./originals.ts";
import { sketchDag, writeDag } from "./sketch.ts";
import { callTool, TOOLS } from "./tools.ts";

/** A compaction ends this far below what triggers it: the original's headroom of a fifth. */
const HEADROOM_TRIGGER_SHARE = 0.8;
/** Of the trigger, what all summaries together may take: the original's derived target. */
const SUMMARIES_TRIGGER_SHARE = 0.5;
/** Of what the usable window leaves beside system and tools; keeps the proportions in windows where lossless-claw's figures would fill it (ours). */
const TAIL_WINDOW_SHARE_MAX = 0.25;
const LEAF_WINDOW_SHARE_MAX = 0.25;

export interface LosslessLimits extends Room {
  readonly triggerTokens: number;
  /** A compaction ends at or below it. */
  readonly aimTokens: number;
  readonly summariesTokens: number;
  readonly tailTokens: number;
  readonly leafChunkTokens: number;
  readonly leafTokens: number;
}

export function losslessLimits(settings: LosslessSettings, fixedTokens = 0): LosslessLimits {
  const { contextLength, contextThreshold } = settings;
  const { room, triggerTokens, mostTokens, besideTokens } = momentsIn(settings, fixedTokens, (within) =>
    triggerIn(within, contextThreshold * contextLength),
  );
  const beside = Math.max(1, room.usableTokens - fixedTokens);
  const chunk = Math.max(1, Math.floor(Math.min(settings.leafChunkTokens, beside * LEAF_WINDOW_SHARE_MAX)));
  const derived = Math.min(settings.leafChunkTokens, Math.floor(besideTokens * SUMMARIES_TRIGGER_SHARE));
  return {
    ...room,
    triggerTokens,
    aimTokens: Math.min(fixedTokens + Math.floor(besideTokens * HEADROOM_TRIGGER_SHARE), mostTokens),
    summariesTokens: Math.max(Math.min(settings.condensedTargetTokens, besideTokens), derived),
    tailTokens: Math.floor(Math.min(settings.freshTailMaxTokens, beside * TAIL_WINDOW_SHARE_MAX)),
    leafChunkTokens: chunk,
    leafTokens: Math.floor((settings.leafTargetTokens * chunk) / settings.leafChunkTokens),
  };
}

export function losslessFigures(given: Partial<LosslessSettings>): readonly Figure[] {
  const limits = losslessLimits({ ...LOSSLESS_DEFAULTS, ...given });
  const trigger = ["contextThreshold"];
  const summaries = ["condensedTargetTokens", "leafChunkTokens", ...trigger];
  return [
    { name: "threshold", tokens: limits.triggerTokens, meaning: "compacts above it", from: trigger },
    { name: "target", tokens: limits.aimTokens, meaning: "0.8 of that: a compaction ends here", from: trigger },
    { name: "tail", tokens: limits.tailTokens, meaning: "the newest messages", from: ["freshTailMaxTokens"] },
    { name: "summaries", tokens: limits.summariesTokens, meaning: "all nodes together", from: summaries },
    { name: "leaf", tokens: limits.leafTokens, meaning: "one leaf", from: ["leafTargetTokens", "leafChunkTokens"] },
  ];
}

const STATE_SCHEMA_VERSION = 1;

/** What the engine remembers between two compactions: the graph, and whether it rests. */
export interface LosslessState {
  readonly schemaVersion: typeof STATE_SCHEMA_VERSION;
  readonly engine: "lossless";
  readonly dag: Dag;
  /** No attempt is made up to here, in tokens. */
  readonly quietToTokens: number;
}

/** `stuckTokens`: what is left although it should be less. */
function stateWith(dag: Dag, stuckTokens = 0): LosslessState {
  return { schemaVersion: STATE_SCHEMA_VERSION, engine: "lossless", dag, quietToTokens: retryFrom(stuckTokens) };
}

interface Lossless {
  readonly state: LosslessState;
  readonly limits: LosslessLimits;
  readonly goal: LosslessGoal;
}

interface LosslessGoal extends SizeGoal, SizeLimits {
  readonly acceptedTokens: number;
  readonly tailTokens: number;
  /** An explicit budget is there to be used: infinite, what is left after all else. */
  readonly summariesTokens: number;
  /** The summaries so far, as far as they belong to this conversation. */
  readonly dag: Dag;
}

type Run = PolicyRun<Lossless>;

/** The engine `lossless`: a graph of summaries, each of which leads back to its originals (docs/engines/lossless.md). */
export function createLossless(given: Partial<LosslessSettings>): Engine<LosslessState> {
  return createPolicyEngine(losslessPolicy({ ...LOSSLESS_DEFAULTS, ...given }));
}

const RUNG_LAST_EXCHANGE = 1;
const RUNG_DIGESTED = 2;
const RUNG_SKELETON = 3;
const RESTS =
  "system prompt, tools, the live request and the last exchange leave too little room: start a fresh session";

function losslessPolicy(settings: LosslessSettings): Policy<Lossless> {
  return {
    name: "lossless",
    limits: (fixedTokens) => losslessLimits(settings, fixedTokens),
    aimTokens: ({ aimTokens }) => aimTokens,
    isDueAbove: true,
    // What a compaction is expected to leave.
    figures: ({ fixedTokens, aimTokens, tailTokens, summariesTokens }) => ({
      targetTokens: Math.min(aimTokens, fixedTokens + tailTokens + summariesTokens),
    }),
    fresh: stateWith(NO_DAG),
    restsBecause: ({ quietToTokens }, tokens) => (tokens > quietToTokens ? undefined : RESTS),
    afterCompaction: ({ state }, { report, leaves }) =>
      stateWith(leaves.dag ?? state.dag, report.irreducible === undefined ? 0 : report.tokens.after),
    afterFutileAttempt: ({ goal, before }) => stateWith(goal.dag, before),
    sections: () => SEVEN_SECTIONS,
    modelTokens: () => 0,
    goal: (run, { state, limits, size }) => losslessGoal(run, { size, limits, settings, dag: state.dag }),
    plan: (run) =>
      run.request.budget !== undefined && run.before <= run.goal.limitTokens
        ? "the transcript is already within the budget"
        : planWithFullerTail(run, settings),
    futileBecause: "there is nothing but the fresh tail, or as much of it as fits",
    staysBecause: "; the live request, the skeleton of the last exchange and a short record stay",
    remarks: [
      [RUNG_LAST_EXCHANGE, "the fresh tail alone was too large: only the last exchange of it stayed"],
      [RUNG_SKELETON, "the fresh tail alone was too large: only the calls of the last exchange stayed"],
    ],
    tools: () => TOOLS,
    callTool: ({ dag }, call, sources) => callTool(dag, call, sources),
  };
}

/** Of an explicit budget, after what is in any case (ours; the default engine's share). */
const TAIL_BUDGET_SHARE = 0.25;
/** Of what is left beside system, tools and live request, the summaries should have this much before the tail gives way. */
const SUMMARIES_SHARE_MIN = 0.3;
/** With an explicit budget: there a summary recalls more a token than a digest does. */
const SUMMARIES_BUDGET_SHARE_MIN = 0.65;

interface GoalBasis {
  readonly size: SizeLimits;
  readonly limits: LosslessLimits;
  readonly settings: LosslessSettings;
  readonly dag: Dag;
}

function losslessGoal(run: CompactionRun, { size, limits, settings, dag }: GoalBasis): LosslessGoal {
  const { request, fixedTokens, besideTokens } = run;
  const { messages } = run.original;
  const { chain, measure, budget } = request;
  const { limitTokens } = size;
  const room = limitTokens - fixedTokens;
  const wanted =
    budget === undefined
      ? Math.min(room * SUMMARIES_SHARE_MIN, settings.condensedTargetTokens)
      : room * SUMMARIES_BUDGET_SHARE_MIN;
  const wantedTokens = Math.max(HANDOFF_TOKENS_MIN, wanted);
  return {
    ...size,
    tailTokens:
      budget === undefined
        ? Math.min(limits.tailTokens, Math.floor((limitTokens - besideTokens) * TAIL_BUDGET_SHARE * 2))
        : Math.floor(Math.max(0, room) * TAIL_BUDGET_SHARE),
    summariesTokens: budget === undefined ? limits.summariesTokens : Infinity,
    handoffTokens: () => wantedTokens,
    handoffTokensMin: wantedTokens,
    // The nodes are counted as messages.
    overheadTokens: 0,
    dag: ownDag(dag, messages, { chain, measure, most: lastStart(messages) }),
  };
}

/** From the fresh tail as it is down to the names and ids of the last exchange's calls; each weighs less. */
function* candidates(run: Run, { freshTailCount }: LosslessSettings): Generator<Candidate> {
  const { messages } = run.original;
  const count = run.request.budget === undefined ? freshTailCount : Infinity;
  const last = lastStart(messages);
  const whole = unchangedMessages(run);
  yield summarisedTo(freshTail(run, whole, { last, count }), 0, whole);
  yield {
    ...summarisedTo(last, RUNG_LAST_EXCHANGE, whole),
    limitTokens: run.goal.unreadTokens,
    handoffTokensMin: HANDOFF_TOKENS_MIN,
  };
  const digested = digestResults(messages, { ...passContext(run), protect: (at) => at === run.live || at < last });
  // With the last exchange digested, there is room for some before it again.
  yield summarisedTo(freshTail(run, digested, { last, count }), RUNG_DIGESTED, digested);
  yield summarisedTo(last, RUNG_SKELETON, skeletonTail(run, last));
}

interface Most {
  /** The last exchange stays in any case. */
  readonly last: number;
  /** Messages of the tail, at most. */
  readonly count: number;
}

function freshTail({ goal, request, original }: Run, { messages }: RewrittenMessages, { last, count }: Most): number {
  const exchanges = exchangesOf(original.messages);
  const { measure } = request;
  const byTokens = tailStart(messages, { from: 0, budget: tailOf(goal.tailTokens), measure, exchanges });
  const byCount = exchanges.find(({ start }) => start >= messages.length - count)?.start ?? last;
  return Math.min(last, Math.max(byTokens, byCount, endOf(goal.dag), earlierEnd(messages)));
}

/** Below this share of an explicit budget, what the summaries leave of it is not worth a second attempt. */
const FREE_SHARE_MIN = 0.1;
/** Of what they leave: sums of estimates are not quite the estimate of the sum. */
const FREE_SHARE_USED = 0.9;

/** What the summaries leave of an explicit budget goes to older messages, whole. No model is asked twice for that. */
async function planWithFullerTail(run: Run, settings: LosslessSettings): Promise<Plan<LosslessState>> {
  const { goal, request } = run;
  const plan = await planOnce(run, settings);
  const spare = goal.limitTokens - weighDraft(run, plan.draft);
  const isDone = request.budget === undefined || request.writers !== undefined;
  if (isDone || spare < goal.limitTokens * FREE_SHARE_MIN) return plan;
  const wanted = plan.draft.handoff?.tokens ?? 0;
  const { messages, tailStart: start } = plan.draft.shape;
  const tailTokens = request.measure.messages(messages.slice(start)) + Math.floor(spare * FREE_SHARE_USED);
  const wider = { ...goal, tailTokens, handoffTokens: () => wanted, handoffTokensMin: wanted };
  const fuller = await planOnce({ ...run, goal: wider }, settings);
  const isSame = fuller.draft.shape.rung === plan.draft.shape.rung;
  return isSame && weighDraft(run, fuller.draft) <= goal.limitTokens ? fuller : plan;
}

/** The tail first, and the summaries in what it leaves. */
async function planOnce(run: Run, settings: LosslessSettings): Promise<Plan<LosslessState>> {
  const { original, request, goal, limits } = run;
  const { measure, chain, budget } = request;
  const { roomTokens, ...cut } = findFirstCut(run, candidates(run, settings), goal);
  const sketches = sketchDag(goal.dag, {
    messages: original.messages,
    measure,
    chain,
    settings,
    limits,
    until: cut.shape.tailStart,
    roomTokens: Math.min(roomTokens, goal.summariesTokens),
    fills: budget !== undefined,
  });
  const nodes = await writeDag(sketches, goal.dag, { run, cut });
  const draft = draftWith(run, cut, nodes.dag);
  return { draft, settled: { draft, ...nodes }, leaves: { dag: nodes.dag } };
}

/** The nodes, a message each, so that those that stay keep their place in the cached prefix. */
function draftWith(run: CompactionRun, cut: Cut, { roots, buried }: Dag): CompactionDraft {
  const { shape, anchor } = cut;
  const records = roots.map(({ text }) => ({ message: textMessage("user", text, "summary"), from: -1 }));
  const kept = { placed: records, evicted: [...roots, ...buried].map(toSpan) };
  const assembled = assemble(run.original.messages, { shape, kept, handoff: undefined, anchor }, run.request);
  const standing = shape.evicted.filter(({ message }) => message >= shape.tailStart);
  const said = roots.map(({ text }) => text).join("\n");
  const tokens = roots.reduce((total, root) => total + root.tokens, 0);
  const handoff = { text: said, said, tokens, sections: [], tellsAll: false, unsaid: 0 };
  const evicted = [...kept.evicted, ...standing, ...assembled.evicted];
  return { ...cut, kept, assembled, evicted, handoff: roots.length === 0 ? undefined : handoff };
}

function toSpan({ id, from, until }: DagNode): Evicted {
  return { id, kind: "span", message: from, end: until, label: spanLabel(from, until) };
}
