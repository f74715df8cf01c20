/**
 * Which nodes there will be, worked out in tokens before a word is written: leaves over what is new, and the oldest
 * nodes condensed while all of them together are too much. The newest stay the finest.
 */
import { defined } from "../../defined.ts";
import { HANDOFF_TOKENS_MIN, isHandoff, latestHandoff, parseHandoff, writeHandoff } from "../../handoff/write.ts";
import { recallId, type Chain } from "../../transcript/links.ts";
import { exchangesOf } from "../../transcript/exchanges.ts";
import type { Measure } from "../../transcript/measure.ts";
import { type Message, textMessage } from "../../transcript/message.ts";
import { MESSAGE_OVERHEAD_TOKENS, type CompactionRun, type Cut } from "../../compaction/plan.ts";
import { endOf, type Dag, type DagNode, type Root } from "./originals.ts";
import type { LosslessSettings } from "../settings.ts";
import type { SummaryAccount, SummaryStep } from "../../compaction/compaction.ts";
import { askedOf, type Items } from "../../handoff/model/asked.ts";
import { isSpent, leftOf, NOTHING_SPENT, plus, type StageUsage } from "../../handoff/model/staged-reading.ts";
import { COMPACTION_SPEND_LIMIT, tell, type ModelHandoff } from "../../handoff/model/model-handoff.ts";
import { visibleIn } from "../../compaction/remembered.ts";

/** A node that is still to be written, in that many tokens. */
interface Sketch extends DagNode {
  readonly text?: undefined;
  readonly tokens: number;
}

interface SketchedDag {
  /** In order; those with a text stand as they are. */
  readonly roots: readonly (Root | Sketch)[];
  readonly buried: readonly DagNode[];
}

interface SketchInput {
  readonly messages: readonly Message[];
  readonly measure: Measure;
  readonly chain: Chain;
  readonly settings: LosslessSettings;
  readonly limits: { readonly leafChunkTokens: number; readonly leafTokens: number };
  readonly until: number;
  readonly roomTokens: number;
  /** Whether what is left of the room goes to what is new. */
  readonly fills: boolean;
}

/** The least a node weighs, as a message. */
const NODE_TOKENS_MIN = HANDOFF_TOKENS_MIN + MESSAGE_OVERHEAD_TOKENS;
/** A summary of a short stretch, as a share of it, where the leaf's own size would say it nearly all again. */
const SHORT_LEAF_SHARE = 0.25;
/** A node above others is at most this share of them, and so condensing ends. */
const CONDENSED_SHARE_MAX = 0.5;
/** Where there is room to fill, a node takes at most this share of what it stands for. */
const FILLED_SHARE_MAX = 0.5;

export function sketchDag(dag: Dag, input: SketchInput): SketchedDag {
  const leaves = splitChunks(input, endOf(dag)).map((chunk) => sketchLeaf(chunk, input));
  const fitting = condensed({ roots: [...dag.roots, ...leaves], buried: dag.buried }, input);
  return input.fills ? filled(fitting, input.roomTokens) : fitting;
}

interface Chunk {
  readonly from: number;
  readonly until: number;
  readonly tokens: number;
}

/** What is new, in stretches of whole exchanges. An earlier handoff among them opens a stretch of its own. */
function splitChunks({ messages, measure, limits, settings, until }: SketchInput, start: number): readonly Chunk[] {
  const chunks: Chunk[] = [];
  for (const exchange of exchangesOf(messages)) {
    if (exchange.start < start || exchange.end > until) continue;
    const tokens = measure.messages(messages.slice(exchange.start, exchange.end));
    const last = chunks.at(-1);
    const opens = isHandoff(messages[exchange.start]!);
    if (last === undefined || opens || last.tokens + tokens > limits.leafChunkTokens)
      chunks.push({ from: exchange.start, until: exchange.end, tokens });
    else chunks[chunks.length - 1] = { from: last.from, until: exchange.end, tokens: last.tokens + tokens };
  }
  const [before, last] = chunks.slice(-2);
  if (before === undefined || last === undefined || isHandoff(messages[last.from]!)) return chunks;
  const isWorth = last.until - last.from >= settings.leafMinFanout || last.tokens > limits.leafTokens;
  if (isWorth) return chunks;
  return [...chunks.slice(0, -2), { from: before.from, until: last.until, tokens: before.tokens + last.tokens }];
}

function sketchLeaf({ from, until, tokens }: Chunk, input: SketchInput): Sketch {
  const { messages, measure, limits } = input;
  const record = isHandoff(messages[from]!) ? measure.message(messages[from]!) : 0;
  const share = Math.floor((tokens - record) * SHORT_LEAF_SHARE);
  const target = Math.max(NODE_TOKENS_MIN, record + Math.min(limits.leafTokens, share));
  return { ...locateNode(from, until, input), depth: 0, sources: [], stands: tokens, tokens: target };
}

function locateNode(
  from: number,
  until: number,
  { messages, chain }: SketchInput,
): Pick<DagNode, "id" | "from" | "until" | "link"> {
  const id = recallId(messages.slice(from, until).map(chain.hashOf).join("\n"), chain.hash);
  return { id, from, until, link: chain.linksOf(messages.slice(0, until)).at(-1)! };
}

/** Four nodes of one depth become one, the shallowest and oldest first; then fewer, then whatever is oldest. */
function condensed({ roots: all, buried: before }: SketchedDag, input: SketchInput): SketchedDag {
  const { roomTokens, settings } = input;
  let roots = all;
  const buried = [...before];
  while (roots.length > 1 && sum(roots) > roomTokens) {
    const { at, count } =
      findRun(roots, settings.condensedMinFanout) ?? findRun(roots, settings.condensedMinFanoutHard) ?? OLDEST_TWO;
    const group = roots.slice(at, at + count);
    for (const each of group.map(placeIn)) buried.push(each);
    roots = [...roots.slice(0, at), above(group, input), ...roots.slice(at + count)];
  }
  const [only] = roots;
  if (only === undefined || sum(roots) <= roomTokens) return { roots, buried };
  const smallest = { ...placeIn(only), tokens: Math.max(NODE_TOKENS_MIN, Math.floor(roomTokens)) };
  return { roots: only.tokens > smallest.tokens ? [smallest] : roots, buried };
}

const OLDEST_TWO: Run = { at: 0, count: 2 };

interface Run {
  readonly at: number;
  readonly count: number;
}

/** The oldest of the shallowest runs of that many; the newest node is left out. */
function findRun(roots: SketchedDag["roots"], count: number): Run | undefined {
  const candidates = roots.slice(0, -1);
  const depths = [...new Set(candidates.map(({ depth }) => depth))].sort((a, b) => a - b);
  for (const depth of depths) {
    const at = candidates.findIndex((_, start) => {
      const run = candidates.slice(start, start + count);
      return run.length === count && run.every((one) => one.depth === depth);
    });
    if (at >= 0) return { at, count };
  }
  return undefined;
}

function above(group: SketchedDag["roots"], input: SketchInput): Sketch {
  const [first, last] = [group[0]!, group.at(-1)!];
  const most = Math.floor(sum(group) * CONDENSED_SHARE_MAX);
  return {
    ...locateNode(first.from, last.until, input),
    depth: group.reduce((deepest, one) => Math.max(deepest, one.depth), 0) + 1,
    sources: group.map(({ id }) => id),
    stands: group.reduce((total, { stands }) => total + stands, 0),
    tokens: Math.max(NODE_TOKENS_MIN, Math.min(input.settings.condensedTargetTokens, most)),
  };
}

/** A node without what is shown of it. */
function placeIn({ id, depth, from, until, link, sources, stands }: DagNode): DagNode {
  return { id, depth, from, until, link, sources, stands };
}

/** What the nodes leave of the room goes to those that are written now, each in its proportion. */
function filled({ roots, buried }: SketchedDag, roomTokens: number): SketchedDag {
  const spare = roomTokens - sum(roots);
  const fresh = roots.filter(({ text }) => text === undefined);
  if (spare <= 0 || fresh.length === 0) return { roots, buried };
  const factor = 1 + spare / sum(fresh);
  const larger = (one: Sketch): Sketch => {
    const most = Math.max(one.tokens, Math.floor(one.stands * FILLED_SHARE_MAX));
    return { ...one, tokens: Math.min(most, Math.floor(one.tokens * factor)) };
  };
  return { roots: roots.map((one) => (one.text === undefined ? larger(one) : one)), buried };
}

function sum(nodes: readonly { readonly tokens: number }[]): number {
  return nodes.reduce((total, { tokens }) => total + tokens, 0);
}

interface WriteDagRequest {
  readonly run: CompactionRun;
  /** What is next to the nodes. */
  readonly cut: Pick<Cut, "shape" | "verbatim">;
}

interface WrittenDag {
  readonly dag: Dag;
  /** Who wrote the new nodes; absent where none is new. */
  readonly summary: SummaryAccount | undefined;
  readonly remarks: readonly string[];
}

export async function writeDag(
  { roots, buried }: SketchedDag,
  before: Dag,
  writing: WriteDagRequest,
): Promise<WrittenDag> {
  const models = createModels(writing, before);
  const done: Root[] = [];
  let fresh = 0;
  for (const node of roots) {
    if (node.text !== undefined) {
      done.push(node);
      continue;
    }
    const prose = await models.tell(node);
    done.push(writtenRoot(node, writing, prose));
    fresh++;
  }
  return { dag: { roots: done, buried }, ...(fresh === 0 ? NOTHING_WRITTEN : models.account()) };
}

const NOTHING_WRITTEN = { summary: undefined, remarks: [] };

function writtenRoot(node: Sketch, { run, cut }: WriteDagRequest, prose: Items | undefined): Root {
  const { measure, focus } = run.request;
  const { messages } = run.original;
  const own = messages.slice(node.from, node.until);
  const heading = composeHeading(node);
  const handoff = writeHandoff({
    messages: own,
    before: node.from,
    from: 0,
    until: own.length,
    budget: Math.max(HANDOFF_TOKENS_MIN, node.tokens - MESSAGE_OVERHEAD_TOKENS - measure.text(heading)),
    measure,
    ...(focus === undefined ? {} : { focus }),
    spanRecall: node.id,
    previous: latestHandoff(own),
    beside: visibleIn(cut.verbatim),
    redact: run.redact,
    template: run.template,
    ...(prose === undefined ? {} : { prose }),
  });
  const safe = prose === undefined ? handoff.text : run.hideSecrets(handoff.text);
  const text = headed(safe, heading);
  return { ...node, text, tokens: measure.message(textMessage("user", text, "summary")) };
}

/** A smaller node has no room to say where it is. */
const HEADING_NODE_TOKENS_MIN = 400;

/** Says what a node stands for, and what can be expanded one by one. */
function composeHeading({ from, until, depth, sources, tokens }: Sketch): string {
  if (tokens < HEADING_NODE_TOKENS_MIN) return "";
  const made = depth === 0 ? "" : `; made of ${sources.join(", ")}`;
  return `Messages ${from + 1} to ${until}${made}.`;
}

/** The heading comes after the frame's two lines. */
function headed(text: string, heading: string): string {
  if (heading === "") return text;
  const at = text.indexOf("\n", text.indexOf("\n") + 1);
  return `${text.slice(0, at)}\n${heading}${text.slice(at)}`;
}

/** The models of one compaction: asked node by node, within one limit, and no more after the first that none could write. */
interface Models {
  readonly tell: (node: Sketch) => Promise<Items | undefined>;
  readonly account: () => Omit<WrittenDag, "dag">;
}

/** A smaller node has no room for sentences. */
const NODE_TOKENS_ASKED_MIN = 800;
/** Of a node; the rest is for requests, rules, files, and lines of the original. */
const PROSE_SHARE = 0.4;

function createModels(writing: WriteDagRequest, before: Dag): Models {
  const { writers } = writing.run.request;
  const all: ModelHandoff[] = [];
  let spent: StageUsage = NOTHING_SPENT;
  return {
    tell: async (node) => {
      const allowed = leftOf(COMPACTION_SPEND_LIMIT, spent);
      const gaveUp = all.length > 0 && all.at(-1)!.prose === undefined;
      if (writers === undefined || gaveUp || isSpent(allowed) || node.tokens < NODE_TOKENS_ASKED_MIN) return undefined;
      const written = await tell({
        ...asking(node, writing, before),
        // What is said of models that rest is said once.
        writers: all.length === 0 ? writers : { ...writers, resting: [] },
        allowed,
      });
      all.push(written);
      spent = written.account.steps.reduce<StageUsage>(plus, spent);
      return written.prose;
    },
    account: () => ({ summary: mergeAccounts(all), remarks: [...new Set(all.flatMap(({ degraded }) => degraded))] }),
  };
}

/** A node above others reads their records, and of the originals only what no record holds. */
function asking(node: Sketch, { run }: WriteDagRequest, before: Dag): Omit<Parameters<typeof tell>[0], "writers"> {
  const { measure, focus, signal } = run.request;
  const { messages } = run.original;
  const known = before.roots.filter(({ from, until }) => from >= node.from && until < node.until);
  return {
    ...defined({ signal, focus }),
    span: {
      messages,
      from: known.at(-1)?.until ?? node.from,
      until: node.until,
      focus: run.focus,
      recall: node.id,
      measure,
      redact: run.redact,
    },
    record: collectItems(known, run),
    template: run.template,
    budget: node.tokens,
    targetTokens: Math.floor(node.tokens * PROSE_SHARE),
    live: undefined,
    visible: 0,
  };
}

function collectItems(known: readonly Root[], { template }: CompactionRun): Items {
  const records = known.flatMap(({ text }) => parseHandoff(text) ?? []);
  const topics = askedOf(template).map(({ topic }) => topic);
  return new Map(topics.map((topic) => [topic, records.flatMap(({ sections }) => sections.get(topic) ?? [])]));
}

function mergeAccounts(all: readonly ModelHandoff[]): SummaryAccount {
  const steps: readonly SummaryStep[] = all.flatMap(({ account }) => account.steps);
  const items = all.flatMap(({ account }) => account.items ?? []);
  const because = all.find(({ account }) => account.because !== undefined)?.account.because;
  const dropped = items.flatMap((one) => one.dropped);
  const reasons = [...new Set(dropped.map((one) => one.because))];
  const count = (reason: string): number =>
    dropped.filter((one) => one.because === reason).reduce((total, one) => total + one.count, 0);
  return {
    by: all.some(({ prose }) => prose !== undefined) ? "model" : "ledger",
    ...(because === undefined ? {} : { because }),
    steps,
    ...(items.length === 0
      ? {}
      : {
          items: {
            kept: items.reduce((total, { kept }) => total + kept, 0),
            dropped: reasons.map((reason) => ({ because: reason, count: count(reason) })),
          },
        }),
  };
}
