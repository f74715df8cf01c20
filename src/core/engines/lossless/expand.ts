/** `lcm_expand`: the originals behind a node, from its oldest leaf on, page by page. */
import { pageOf, written } from "../../recall/pages.ts";
import { estimateText } from "../../transcript/estimate.ts";
import type { Quote, ToolAnswer } from "../contract.ts";
import { nodeOf, under, type Dag, type DagNode } from "./dag.ts";
import { refused, type ToolArguments, type BoundedSources } from "./reading.ts";

/** Levels that an expansion goes down: lossless-claw's. */
export const EXPAND_DEPTH = 3;
export const EXPAND_DEPTH_MAX = 12;
/** What the words around the pages take. */
const FRAME_TOKENS = 130;
/** With less room left no further page is begun. */
const PAGE_TOKENS_MIN = 40;
/** Of what is left over, that many ids are named. */
const NAMED_MAX = 6;
const RECALL_ID = /^r[0-9a-f]{9}$/;

interface Pages {
  readonly body: readonly string[];
  readonly quotes: readonly Quote[];
  /** Where to read on. */
  readonly next?: { readonly id: string; readonly offset: number };
  /** Ids that were not come to. */
  readonly left: readonly string[];
}

export async function expand(dag: Dag, given: ToolArguments, reading: BoundedSources): Promise<ToolAnswer> {
  const { id = "", depth = EXPAND_DEPTH, offset = 0 } = given;
  const node = nodeOf(dag, id);
  if (node === undefined && !RECALL_ID.test(id)) return refused("no record has this id");
  const below = node === undefined ? [] : under(dag, node, depth);
  const leaves = node === undefined ? [{ id }] : below.filter((one) => one.depth === 0);
  const closed = below.filter((one) => one.depth > 0);
  const pages = await pagesOf(leaves, offset, reading);
  if (pages === undefined) return refused(`there is nothing from character ${offset} on`);
  if (pages.body.length === 0 && closed.length === 0 && pages.left.length === 0)
    return refused("there is nothing under this id");
  const head = node === undefined ? id : `${id}: messages ${node.from + 1} to ${node.until}`;
  const rest = (): string => [onward(pages), unopened(closed)].filter((line) => line !== "").join("\n");
  const text = written({ head, body: pages.body, rest }, reading.tokensMax);
  return { text, quotes: pages.quotes.filter((_, at) => text.includes(pages.body[at]!)) };
}

/** Undefined where the first original ends before the offset. */
async function pagesOf(
  leaves: readonly Pick<DagNode, "id">[],
  offset: number,
  { original, tokensMax, isLate }: BoundedSources,
): Promise<Pages | undefined> {
  const body: string[] = [];
  const quotes: Quote[] = [];
  let room = Math.max(1, tokensMax - FRAME_TOKENS);
  for (const [at, { id }] of leaves.entries()) {
    const left = leaves.slice(at).map((leaf) => leaf.id);
    if (isLate?.() === true || (at > 0 && room < PAGE_TOKENS_MIN)) return { body, quotes, left };
    const whole = await original(id);
    if (whole === undefined) continue;
    const from = at === 0 ? offset : 0;
    if (from > 0 && from >= whole.length) return undefined;
    const { text, next } = pageOf(whole, from, room);
    const piece = at === 0 ? text : `── ${id}\n${text}`;
    body.push(piece);
    quotes.push({ id, text });
    room -= estimateText(piece) + 1;
    if (next !== undefined) return { body, quotes, next: { id, offset: next }, left: left.slice(1) };
  }
  return { body, quotes, left: [] };
}

function onward({ next, left }: Pages): string {
  const named = left.slice(0, NAMED_MAX).join(", ");
  const more = left.length > NAMED_MAX ? ` and ${left.length - NAMED_MAX} more` : "";
  if (next === undefined) return left.length === 0 ? "" : `(not read: ${named}${more})`;
  return `(more: id ${next.id}, offset ${next.offset}${left.length === 0 ? "" : `; then ${named}${more}`})`;
}

function unopened(closed: readonly DagNode[]): string {
  if (closed.length === 0) return "";
  const named = closed.slice(0, NAMED_MAX).map(({ id }) => id);
  return `(deeper than was asked for: ${named.join(", ")}${closed.length > NAMED_MAX ? ", …" : ""})`;
}
