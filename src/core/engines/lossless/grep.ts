/** `lcm_grep`: words, or a pattern, to the lines of the originals that hold them. */
import { written } from "../../recall/pages.ts";
import { around, linesIn, placesIn, wordsIn } from "../../recall/places.ts";
import type { LinePattern, Quote, ToolAnswer } from "../contract.ts";
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

/** What of a text's lines is found. */
type FindLines = (lines: readonly string[]) => Promise<readonly FoundLine[]>;

interface FoundLine extends Pick<Hit, "held"> {
  readonly at: number;
}

export async function grep(dag: Dag, given: ToolArguments, reading: BoundedSources): Promise<ToolAnswer> {
  const { id, hits: most = GREP_HITS } = given;
  const leaves = leavesOf(dag, id);
  if (leaves === undefined) return refused("no record has this id");
  const find = await finderOf(given, reading);
  if (typeof find === "string") return refused(find);
  const hits: Hit[] = [];
  let read = 0;
  for await (const { leaf, text } of originalsOf(leaves, reading)) {
    read++;
    if (text !== undefined) hits.push(...(await hitsIn(text, find, leaf)));
  }
  const unread = read < leaves.length ? `${leaves.length - read} older records were not searched` : "";
  if (hits.length === 0)
    return refused(unread === "" ? "nothing that was removed contains it" : `${unread}; the others do not hold it`);
  return answerOf(hits, most, { unread, tokensMax: reading.tokensMax });
}

/** The leaves under a record, or all of them, the newest first. */
export function leavesOf(dag: Dag, id: string | undefined): readonly DagNode[] | undefined {
  const node = id === undefined ? undefined : nodeOf(dag, id);
  if (id !== undefined && node === undefined) return undefined;
  const tops = node === undefined ? dag.roots : [node];
  return tops.flatMap((top) => under(dag, top, Infinity)).toReversed();
}

/** The originals of leaves, as many as are read and as far as there is time. */
export async function* originalsOf(leaves: readonly DagNode[], { original, isLate }: BoundedSources) {
  for (const leaf of leaves.slice(0, READS_MAX)) {
    if (isLate?.() === true) return;
    const text = await original(leaf.id);
    yield { leaf, text: text?.slice(0, ORIGINAL_CHARS_MAX) };
  }
}

/** Or what is wrong with what was asked for. */
async function finderOf({ words = "", mode }: ToolArguments, { pattern }: BoundedSources): Promise<FindLines | string> {
  if (mode !== "regex") return wordFinder(wordsIn(words));
  if (pattern === undefined) return "regular expressions cannot be searched for here: use words";
  const compiled = await pattern(words);
  return "fault" in compiled ? `the regular expression cannot be used: ${compiled.fault}` : patternFinder(compiled);
}

function wordFinder(words: readonly string[]): FindLines {
  const heldIn = (line: string): number => words.filter((word) => line.includes(word)).length;
  return (lines) =>
    Promise.resolve(placesIn(lines, words).map((at) => ({ at, held: heldIn(lines[at]!.toLowerCase()) })));
}

function patternFinder({ matching }: LinePattern): FindLines {
  return async (lines) => (await matching(lines)).map((at) => ({ at, held: 1 }));
}

interface Ending {
  readonly unread: string;
  readonly tokensMax: number;
}

function answerOf(hits: readonly Hit[], most: number, { unread, tokensMax }: Ending): ToolAnswer {
  const best = hits.toSorted((a, b) => b.held - a.held).slice(0, most);
  const body = best.map(({ leaf, text }) => `── ${leaf.id}, of messages ${leaf.from + 1} to ${leaf.until}\n${text}`);
  const rest = (shown: number): string => {
    const left = hits.length - shown;
    const more = left === 0 ? "" : `${left} more places: ask for more hits or tokens, or search for something rarer`;
    const notes = [more, unread].filter((note) => note !== "");
    return notes.length === 0 ? "" : `(${notes.join("; ")})`;
  };
  const text = written({ head: "", body, rest }, tokensMax);
  const shown = best.filter((_, at) => text.includes(body[at]!));
  return { text, quotes: shown.flatMap(quotesOf) };
}

async function hitsIn(text: string, find: FindLines, leaf: DagNode): Promise<readonly Hit[]> {
  const lines = linesIn(text, LINE_CHARS_MAX);
  const found: Hit[] = [];
  let last = -Infinity;
  for (const { at, held } of await find(lines)) {
    if (at - last <= NEAR_LINES) continue;
    last = at;
    found.push({ leaf, text: around(lines, at), held });
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
