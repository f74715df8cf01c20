/**
 * Lossless context management: what leaves the conversation goes into leaves, leaves into nodes above them as they
 * grow many, and a fresh tail stays as it is. Every node leads back to its originals, by tools that the model may be
 * given. The Hermes Agent docs name it (`lcm`); the graph of summaries is how lossless-claw does it.
 */
import { spanLabel, type Evicted, type Irreducible } from "../../compaction/compaction.ts";
import { taskWords } from "../../digest/task-words.ts";
import { liveRequestOf } from "../../ledger/readers/live-request.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { SEVEN_SECTIONS } from "../../handoff/templates.ts";
import { exchangesOf, type Exchange } from "../../transcript/exchanges.ts";
import { contentText, textMessage, type Transcript } from "../../transcript/message.ts";
import type { CompactRequest, Engine, Outcome } from "../contract.ts";
import { anchorFor, assemble, type Shape } from "../result/assemble.ts";
import { sizeOf, type Cut, type Draft, type Job, type Memory } from "../result/draft.ts";
import { finished } from "../result/finish.ts";
import { createMemories } from "../result/memory.ts";
import { endOf, ownDag, type Dag, type Place } from "./dag.ts";
import { aimOf, losslessLimits, type Aim, type LosslessLimits, type LosslessSettings } from "./limits.ts";
import { lastStartOf, RUNG_LAST_EXCHANGE, RUNG_SKELETON, shapesOf } from "./shapes.ts";
import { sketched } from "./sketch.ts";
import { decide, initialState, ownState, stateWith, type LosslessState } from "./state.ts";
import { callTool, TOOLS } from "./tools.ts";
import { written, type Written } from "./write.ts";

export function createLossless(settings: LosslessSettings): Engine<LosslessState> {
  const limits = losslessLimits(settings);
  const remember = createMemories();
  return {
    name: "lossless",
    triggerTokens: limits.triggerTokens,
    targetTokens: Math.min(limits.aimTokens, limits.tailTokens + limits.summariesTokens),
    init: initialState,
    observe: (state) => state,
    decide: (state, { tokens }) => decide(ownState(state), tokens, limits),
    compact: async (state, original, request) => {
      request.signal?.throwIfAborted();
      const job = jobOf(original, request, { settings, limits });
      const most = lastStartOf(original.messages, job.exchanges);
      const { chain, measure } = request;
      const dag = ownDag(ownState(state).dag, original.messages, { chain, measure, most });
      return compact(job, dag, remember(original.messages, request));
    },
    tools: () => TOOLS,
    callTool: (state, call, sources) => callTool(ownState(state).dag, call, sources),
  };
}

interface Figures {
  readonly settings: LosslessSettings;
  readonly limits: LosslessLimits;
}

interface AimedJob extends Job, Figures {
  readonly exchanges: readonly Exchange[];
  readonly focus: readonly string[];
  readonly aim: Aim;
  /** Tokens that the summaries should have before the tail gives way. */
  readonly wantedTokens: number;
  /** Tokens of what is sent today. */
  readonly before: number;
}

function jobOf(original: Transcript, request: CompactRequest, figures: Figures): AimedJob {
  const { measure, standing, focus = "" } = request;
  const { messages, system } = original;
  const live = liveRequestOf(messages);
  const asked = messages[live];
  const besideTokens = measure.transcript({ ...original, messages: [] });
  const before = measure.transcript(standing ?? original);
  const fixed = besideTokens + (asked === undefined ? 0 : measure.message(asked));
  const aim = aimOf(figures.limits, request, { fixed, standing: before });
  return {
    ...figures,
    original,
    system,
    request,
    live,
    besideTokens,
    before,
    template: SEVEN_SECTIONS,
    exchanges: exchangesOf(messages),
    focus: taskWords(focus, asked === undefined ? "" : contentText(asked.parts)),
    aim,
    wantedTokens: wantedOf(request, figures.settings, aim.totalTokens - fixed),
  };
}

async function compact(job: AimedJob, dag: Dag, memory: Memory): Promise<Outcome> {
  const { before, request, aim } = job;
  if (request.budget !== undefined && before <= aim.totalTokens)
    return { kind: "unchanged", because: "the transcript is within the budget already" };
  const { draft, nodes, after } = await withFullerTail(job, dag, memory);
  const irreducible = irreducibleBecause(job, after);
  const stuck = irreducible === undefined ? {} : { irreducible };
  if (after >= before)
    return {
      kind: "unchanged",
      because: "the fresh tail is all there is, or as much as could be left of it",
      state: stateWith(dag, before),
      ...stuck,
    };
  const compaction = finished({
    engine: "lossless",
    job,
    memory,
    draft,
    before,
    irreducible,
    summary: nodes.summary,
    remarks: [...remarksOn(draft.shape.rung), ...nodes.remarks],
    stateAfter: () => stateWith(nodes.dag, irreducible === undefined ? 0 : after),
  });
  return { kind: "compacted", compaction };
}

interface Attempt {
  readonly draft: Draft;
  readonly nodes: Written;
  readonly after: number;
}

/** Below this share of an explicit budget, what the summaries leave of it is not worth a second attempt. */
const SPARE_SHARE_MIN = 0.1;
/** Of what they leave: sums of estimates are not quite the estimate of the sum. */
const SPARE_TAKEN_SHARE = 0.9;

/** What the summaries leave of an explicit budget goes to older messages, whole. No model is asked twice for that. */
async function withFullerTail(job: AimedJob, dag: Dag, memory: Memory): Promise<Attempt> {
  const { aim, request } = job;
  const attempt = await attempted(job, dag, memory);
  const spare = aim.totalTokens - attempt.after;
  const isDone = request.budget === undefined || request.writers !== undefined;
  if (isDone || spare < aim.totalTokens * SPARE_SHARE_MIN) return attempt;
  const tailTokens = aim.tailTokens + Math.floor(spare * SPARE_TAKEN_SHARE);
  const wider = { ...job, aim: { ...aim, tailTokens }, wantedTokens: attempt.draft.handoff?.tokens ?? 0 };
  const fuller = await attempted(wider, dag, memory);
  return fuller.draft.shape.rung === attempt.draft.shape.rung && fuller.after <= aim.totalTokens ? fuller : attempt;
}

async function attempted(job: AimedJob, dag: Dag, memory: Memory): Promise<Attempt> {
  const { original, request, exchanges, settings, limits, aim } = job;
  const cut = cutOf(job, dag);
  const sketches = sketched(dag, {
    messages: original.messages,
    exchanges,
    measure: request.measure,
    chain: request.chain,
    settings,
    limits,
    until: cut.shape.tailStart,
    roomTokens: Math.min(cut.budget, aim.summariesTokens),
    fills: request.budget !== undefined,
  });
  const nodes = await written(sketches, dag, { job, memory, cut });
  const draft = draftOf(job, cut, nodes.dag);
  return { draft, nodes, after: sizeOf(job, draft) };
}

/** Of what is left beside system, tools and live request, the summaries should have this much before the tail gives way. */
const SUMMARIES_SHARE_MIN = 0.3;
/** With an explicit budget: there a summary recalls more a token than a digest does. */
const SUMMARIES_BUDGET_SHARE_MIN = 0.65;

/** The first shape that leaves the summaries their room; the smallest where none does. `budget` is that room. */
function cutOf(job: AimedJob, dag: Dag): Cut {
  const { original, request, live, aim, besideTokens, settings, focus, wantedTokens } = job;
  const { messages } = original;
  const { measure, chain } = request;
  let cut: Cut | undefined;
  const shapes = shapesOf({
    messages,
    exchanges: job.exchanges,
    live,
    summarised: endOf(dag),
    tailMessages: request.budget === undefined ? settings.freshTailCount : Infinity,
    tailTokens: aim.tailTokens,
    context: { measure, hash: chain.hash, focus },
  });
  for (const shape of shapes) {
    const verbatim = verbatimOf(job, shape);
    const room = aim.totalTokens - besideTokens - measure.messages(verbatim.all);
    cut = { shape, anchor: verbatim.anchor, verbatim: verbatim.all, focus, budget: room };
    if (room >= (shape.tailStart === 0 ? 0 : wantedTokens)) break;
  }
  return cut!;
}

/** What summaries should have at least. */
function wantedOf({ budget }: CompactRequest, { condensedTargetTokens }: LosslessSettings, roomTokens: number): number {
  const share = budget === undefined ? SUMMARIES_SHARE_MIN : SUMMARIES_BUDGET_SHARE_MIN;
  const most = budget === undefined ? condensedTargetTokens : Infinity;
  return Math.max(HANDOFF_TOKENS_MIN, Math.min(roomTokens * share, most));
}

function verbatimOf({ original, live }: AimedJob, shape: Shape) {
  const anchor = anchorFor(original.messages[live], live, shape);
  return { anchor, all: [...(anchor === undefined ? [] : [anchor]), ...shape.messages.slice(shape.tailStart)] };
}

/** The nodes, a message each, so that those that stay keep their place in the cached prefix. */
function draftOf(job: AimedJob, cut: Cut, { roots, buried }: Dag): Draft {
  const { shape, anchor } = cut;
  const records = roots.map(({ text }) => ({ message: textMessage("user", text, "summary"), from: -1 }));
  const ahead = { placed: records, evicted: [...roots, ...buried].map(spanOf) };
  const assembled = assemble(job.original.messages, { shape, ahead, handoff: undefined, anchor }, job.request);
  const standing = shape.evicted.filter(({ message }) => message >= shape.tailStart);
  const said = roots.map(({ text }) => text).join("\n");
  const tokens = roots.reduce((total, root) => total + root.tokens, 0);
  const handoff = { text: said, said, tokens, sections: [], excerpts: [] };
  const evicted = [...ahead.evicted, ...standing, ...assembled.evicted];
  return { ...cut, ahead, assembled, evicted, handoff: roots.length === 0 ? undefined : handoff };
}

function spanOf({ id, from, until }: Place): Evicted {
  return { id, kind: "span", message: from, end: until, label: spanLabel(from, until) };
}

function irreducibleBecause({ aim, besideTokens }: AimedJob, smallest: number): Irreducible | undefined {
  if (smallest <= aim.totalTokens) return undefined;
  const because = `beside system and tools (${besideTokens} tokens) the live request, the skeleton of the last exchange and a short record stay`;
  return { limit: aim.totalTokens, smallest, because };
}

function remarksOn(rung: number): readonly string[] {
  if (rung < RUNG_LAST_EXCHANGE) return [];
  const left =
    rung < RUNG_SKELETON ? "only the last exchange of it stayed" : "only the calls of the last exchange stayed";
  return [`the fresh tail was too much by itself: ${left}`];
}
