/** `lcm_grep`: words to the lines of the originals that hold them. No patterns: one may take longer than any text is long. */
import { written } from "../../recall/pages.ts";
import { around, linesIn, placesIn, wordsIn } from "../../recall/places.ts";
import type { Quote, ToolAnswer } from "../contract.ts";
import { nodeOf, under, type Dag, type DagNode } from "./dag.ts";
import { refused, type ToolArguments, type BoundedSources } from "./reading.ts";

export const GREP_HITS = 10;
export const GREP_HITS_MAX = 50;
/** Originals that one call reads, the newest first. */
const READS_MAX = 64;
/** Of one original, this much is looked at. */
const ORIGINAL_CHARS_MAX = 4 * 1024 * 1024;
/** A longer line is shown in pieces. */
const LINE_CHARS_MAX = 300;
/** Places this near are in one another's surroundings. */
const NEAR_LINES = 4;

interface Hit {
  readonly leaf: DagNode;
  readonly text: string;
  /** How many of the words are there. */
  readonly held: number;
}

export async function grep(dag: Dag, given: ToolArguments, reading: BoundedSources): Promise<ToolAnswer> {
  const { id, words: asked = "", hits: most = GREP_HITS } = given;
  const node = id === undefined ? undefined : nodeOf(dag, id);
  if (id !== undefined && node === undefined) return refused("no record has this id");
  const tops = node === undefined ? dag.roots : [node];
  const leaves = tops.flatMap((top) => under(dag, top, Infinity)).toReversed();
  const words = wordsIn(asked);
  const hits: Hit[] = [];
  let read = 0;
  for (const leaf of leaves.slice(0, READS_MAX)) {
    if (reading.isLate?.() === true) break;
    const text = await reading.original(leaf.id);
    read++;
    if (text !== undefined) hits.push(...hitsIn(text.slice(0, ORIGINAL_CHARS_MAX), words, leaf));
  }
  const unread = read < leaves.length ? `${leaves.length - read} older records were not searched` : "";
  if (hits.length === 0)
    return refused(
      unread === "" ? "nothing that was removed contains these words" : `${unread}; the others do not hold it`,
    );
  const best = hits.toSorted((a, b) => b.held - a.held).slice(0, most);
  const body = best.map(({ leaf, text }) => `── ${leaf.id}, of messages ${leaf.from + 1} to ${leaf.until}\n${text}`);
  const rest = (shown: number): string => {
    const left = hits.length - shown;
    const more = left === 0 ? "" : `${left} more places: ask for more hits or tokens, or use rarer words`;
    const notes = [more, unread].filter((note) => note !== "");
    return notes.length === 0 ? "" : `(${notes.join("; ")})`;
  };
  const text = written({ head: "", body, rest }, reading.tokensMax);
  const shown = best.filter((_, at) => text.includes(body[at]!));
  return { text, quotes: shown.flatMap(quotesOf) };
}

function hitsIn(text: string, words: readonly string[], leaf: DagNode): readonly Hit[] {
  const lines = linesIn(text, LINE_CHARS_MAX);
  const found: Hit[] = [];
  let last = -Infinity;
  for (const at of placesIn(lines, words)) {
    if (at - last <= NEAR_LINES) continue;
    last = at;
    const line = lines[at]!.toLowerCase();
    found.push({ leaf, text: around(lines, at), held: words.filter((word) => line.includes(word)).length });
  }
  return found;
}

const LINE_NUMBER = /^\d+: /;

/** The lines of a place, without their numbers. */
function quotesOf({ leaf, text }: Hit): readonly Quote[] {
  return text
    .split("\n")
    .map((line) => ({ id: leaf.id, text: line.replace(LINE_NUMBER, "") }))
    .filter((quote) => quote.text !== "");
}
