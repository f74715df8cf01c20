/**
 * Which nodes there will be, worked out in tokens before a word is written: leaves over what is new, and the oldest
 * nodes condensed while all of them together are too much. The newest stay the finest.
 */
import { HANDOFF_TOKENS_MIN, isHandoff } from "../../handoff/write.ts";
import { recallId, type Chain } from "../../transcript/links.ts";
import { exchangesOf } from "../../transcript/exchanges.ts";
import type { Measure } from "../../transcript/measure.ts";
import type { Message } from "../../transcript/message.ts";
import { MESSAGE_OVERHEAD_TOKENS } from "../../compaction/plan.ts";
import { endOf, type Dag, type DagNode, type Root } from "./dag.ts";
import type { LosslessSettings } from "../settings.ts";

/** A node that is still to be written, in that many tokens. */
export interface Sketch extends DagNode {
  readonly text?: undefined;
  readonly tokens: number;
}

export interface SketchedDag {
  /** In order; those with a text stand as they are. */
  readonly roots: readonly (Root | Sketch)[];
  readonly buried: readonly DagNode[];
}

export interface SketchInput {
  readonly messages: readonly Message[];
  readonly measure: Measure;
  readonly chain: Chain;
  readonly settings: LosslessSettings;
  readonly limits: { readonly leafChunkTokens: number; readonly leafTokens: number };
  /** Everything before this message is to be summarised. */
  readonly until: number;
  /** Tokens for all summaries. */
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
