/**
 * Lossless context management: what leaves the conversation goes into leaves, leaves into nodes above them as they
 * grow many, and a fresh tail stays as it is. Every node leads back to its originals, by tools that the model may be
 * given. The Hermes Agent docs name it (`lcm`); the graph of summaries is how lossless-claw does it.
 */
import { assemble } from "../../compaction/run/assemble.ts";
import {
  sizeOf,
  type Candidate,
  type CompactionRun,
  type Cut,
  type CompactionDraft,
} from "../../compaction/run/draft.ts";
import { firstCut } from "../../compaction/run/first-fit.ts";
import type { CompactionAttempt, Policy } from "../../compaction/run/policy.ts";
import { createPolicyEngine } from "../../compaction/run/runner.ts";
import { spanLabel, type Evicted } from "../../compaction/compaction.ts";
import { SEVEN_SECTIONS } from "../../handoff/templates.ts";
import { textMessage } from "../../transcript/message.ts";
import type { Engine } from "../contract.ts";
import { candidatesOf, RUNG_LAST_EXCHANGE, RUNG_SKELETON } from "./candidates.ts";
import type { Dag, DagNode } from "./dag.ts";
import { goalOf, type LosslessFigures, type LosslessGoal } from "./goal.ts";
import { losslessLimits, type LosslessLimits } from "./limits.ts";
import { LOSSLESS_DEFAULTS, type LosslessSettings } from "./settings.ts";
import { sketched } from "./sketch.ts";
import { decide, LOSSLESS_STATES, type LosslessRun, type LosslessState } from "./state.ts";
import { callTool, TOOLS } from "./tools.ts";
import { writeDag, type WrittenDag } from "./write.ts";

/** The engine `lossless`: a graph of summaries, each of which leads back to its originals (docs/engines/lossless.md). */
export function createLossless(given: Partial<LosslessSettings>): Engine<LosslessState> {
  const settings = { ...LOSSLESS_DEFAULTS, ...given };
  return createPolicyEngine(losslessPolicy(settings));
}

function losslessPolicy(settings: LosslessSettings): Policy<LosslessState, LosslessGoal> {
  const limitsOf = (fixedTokens: number): LosslessLimits => losslessLimits(settings, fixedTokens);
  const figuresFor = ({ besideTokens }: CompactionRun): LosslessFigures => ({
    settings,
    limits: limitsOf(besideTokens),
  });
  return {
    name: "lossless",
    triggerTokens: (fixedTokens) => limitsOf(fixedTokens).triggerTokens,
    targetTokens: (fixedTokens) => targetOf(limitsOf(fixedTokens)),
    states: LOSSLESS_STATES,
    decide: (state, { tokens, fixedTokens = 0 }) => decide(state, tokens, limitsOf(fixedTokens)),
    remembers: true,
    template: () => SEVEN_SECTIONS,
    modelTokens: () => 0,
    goal: (run, { dag }) => goalOf(figuresFor(run), run, dag),
    needlessBecause: ({ request, before, goal }) =>
      request.budget !== undefined && before <= goal.limitTokens
        ? "the transcript is already within the budget"
        : undefined,
    candidates: (run) => candidatesOf(run, settings),
    pick: (run, candidates) => withFullerTail(run, candidates, figuresFor(run)),
    futileBecause: () => "there is nothing but the fresh tail, or as much of it as fits",
    staysBecause: () => "; the live request, the skeleton of the last exchange and a short record stay",
    remarksOn: ({ shape }) => remarksOn(shape.rung),
    tools: () => TOOLS,
    callTool: ({ dag }, call, sources) => callTool(dag, call, sources),
  };
}

/** What a compaction is expected to leave. */
function targetOf({ fixedTokens, aimTokens, tailTokens, summariesTokens }: LosslessLimits): number {
  return Math.min(aimTokens, fixedTokens + tailTokens + summariesTokens);
}

/** Below this share of an explicit budget, what the summaries leave of it is not worth a second attempt. */
const FREE_SHARE_MIN = 0.1;
/** Of what they leave: sums of estimates are not quite the estimate of the sum. */
const FREE_SHARE_USED = 0.9;

/** What the summaries leave of an explicit budget goes to older messages, whole. No model is asked twice for that. */
async function withFullerTail(
  run: LosslessRun,
  candidates: Iterable<Candidate>,
  figures: LosslessFigures,
): Promise<CompactionAttempt<LosslessState>> {
  const { goal, request } = run;
  const attempt = await attempted(run, candidates, figures);
  const spare = goal.limitTokens - sizeOf(run, attempt.draft);
  const isDone = request.budget === undefined || request.writers !== undefined;
  if (isDone || spare < goal.limitTokens * FREE_SHARE_MIN) return attempt;
  const wanted = attempt.draft.handoff?.tokens ?? 0;
  const { messages, tailStart } = attempt.draft.shape;
  const tailTokens = request.measure.messages(messages.slice(tailStart)) + Math.floor(spare * FREE_SHARE_USED);
  const wider = { ...run, goal: { ...goal, tailTokens, handoffTokens: () => wanted, handoffTokensMin: wanted } };
  const fuller = await attempted(wider, candidatesOf(wider, figures.settings), figures);
  const isSame = fuller.draft.shape.rung === attempt.draft.shape.rung;
  return isSame && sizeOf(run, fuller.draft) <= goal.limitTokens ? fuller : attempt;
}

/** The tail first, and the summaries in what it leaves. */
async function attempted(
  run: LosslessRun,
  candidates: Iterable<Candidate>,
  { settings, limits }: LosslessFigures,
): Promise<CompactionAttempt<LosslessState>> {
  const { original, request, goal } = run;
  const { measure, chain, budget } = request;
  const { roomTokens, ...cut } = firstCut(run, candidates, goal);
  const sketches = sketched(goal.dag, {
    messages: original.messages,
    exchanges: goal.exchanges,
    measure,
    chain,
    settings,
    limits,
    until: cut.shape.tailStart,
    roomTokens: Math.min(roomTokens, goal.summariesTokens),
    fills: budget !== undefined,
  });
  const nodes: WrittenDag = await writeDag(sketches, goal.dag, { run, cut });
  const draft = draftWith(run, cut, nodes.dag);
  return { draft, settled: { draft, ...nodes }, leaves: { dag: nodes.dag } };
}

/** The nodes, a message each, so that those that stay keep their place in the cached prefix. */
function draftWith(run: CompactionRun, cut: Cut, { roots, buried }: Dag): CompactionDraft {
  const { shape, anchor } = cut;
  const records = roots.map(({ text }) => ({ message: textMessage("user", text, "summary"), from: -1 }));
  const kept = { placed: records, evicted: [...roots, ...buried].map(spanOf) };
  const assembled = assemble(run.original.messages, { shape, kept, handoff: undefined, anchor }, run.request);
  const standing = shape.evicted.filter(({ message }) => message >= shape.tailStart);
  const said = roots.map(({ text }) => text).join("\n");
  const tokens = roots.reduce((total, root) => total + root.tokens, 0);
  const handoff = { text: said, said, tokens, sections: [], tellsAll: false };
  const evicted = [...kept.evicted, ...standing, ...assembled.evicted];
  return { ...cut, kept, assembled, evicted, handoff: roots.length === 0 ? undefined : handoff };
}

function spanOf({ id, from, until }: DagNode): Evicted {
  return { id, kind: "span", message: from, end: until, label: spanLabel(from, until) };
}

function remarksOn(rung: number): readonly string[] {
  if (rung < RUNG_LAST_EXCHANGE) return [];
  const left =
    rung < RUNG_SKELETON ? "only the last exchange of it stayed" : "only the calls of the last exchange stayed";
  return [`the fresh tail alone was too large: ${left}`];
}
