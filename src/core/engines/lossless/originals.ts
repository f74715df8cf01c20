/** The originals behind the records: leaf by leaf as far as there is time, and each as its numbered messages. */
import { isRecallId, type Chain } from "../../transcript/links.ts";
import type { MessageRange } from "../../recall/messages.ts";
import type { Sources, ToolAnswer } from "../contract.ts";
import { rankPlaces } from "../../recall/ranking.ts";
import type { Measure } from "../../transcript/measure.ts";
import { textMessage, type Message } from "../../transcript/message.ts";

/** Originals that one call reads, the newest first. */
const READS_MAX = 64;
/** Of one original, this much is looked at. */
const ORIGINAL_CHARS_MAX = 4 * 1024 * 1024;

/** What an original is read as. Something that left by itself, such as a large result, is no record and has no messages. */
export type Leaf = Pick<DagNode, "id"> & Partial<Pick<DagNode, "from" | "until">>;

/** One message of an original; the whole original where its messages are not numbered. */
export interface OriginalMessage {
  readonly leaf: Leaf;
  /** Its number and role, as the line above it says. */
  readonly title?: string;
  readonly number?: number;
  readonly text: string;
  /** Where its text begins in the original. */
  readonly start: number;
}

/** The leaves under a record, or all of them, the newest first. */
export function leavesOf(dag: Dag, id: string | undefined): readonly Leaf[] | undefined {
  const node = id === undefined ? undefined : nodeOf(dag, id);
  if (id !== undefined && node === undefined) return isRecallId(id) ? [{ id }] : undefined;
  const tops = node === undefined ? dag.roots : [node];
  return tops.flatMap((top) => under(dag, top, Infinity)).toReversed();
}

export interface FoundOriginal {
  readonly leaf: Leaf;
  readonly text: string;
}

/** Without a text where the original is gone. */
type ReadLeaf = Pick<FoundOriginal, "leaf"> & { readonly text: string | undefined };

/** The originals of leaves, as many as are read and as far as there is time. */
export async function* originalsOf(
  leaves: readonly Leaf[],
  { original, isLate }: BoundedSources,
): AsyncGenerator<ReadLeaf> {
  for (const leaf of leaves.slice(0, READS_MAX)) {
    if (isLate?.() === true) return;
    const text = await original(leaf.id);
    yield { leaf, text: text?.slice(0, ORIGINAL_CHARS_MAX) };
  }
}

/** The messages of an original: a line with the number that is next begins one, so that a quoted line begins none. */
export function messagesOf(leaf: Leaf, text: string): readonly OriginalMessage[] {
  const { from, until } = leaf;
  if (from === undefined || until === undefined) return [{ leaf, text, start: 0 }];
  const starts: number[] = [];
  for (let number = from + 1, at = 0; number <= until; number++) {
    const start = lineStarting(text, `── ${number} `, at);
    if (start === undefined) break;
    starts.push(start);
    at = start + 1;
  }
  if (starts.length === 0) return [{ leaf, text, start: 0 }];
  return starts.map((start, at) => {
    const heading = endOfLine(text, start);
    const title = text.slice(start + HEADING_MARK.length, heading);
    return { leaf, number: from + 1 + at, title, text: text.slice(heading + 1, starts[at + 1]), start: heading + 1 };
  });
}

/** The message in which a passage of an original begins, and the passage without the line that says which it is. */
function placed(passage: string, { leaf, text }: FoundOriginal): Pick<OriginalMessage, "text"> & Placed {
  const messages = messagesOf(leaf, text);
  const at = Math.max(0, text.indexOf(passage.replaceAll(CUT, "")));
  const titled = messages.find(({ title }) => title !== undefined && passage.startsWith(`${HEADING_MARK}${title}\n`));
  if (titled !== undefined) return { message: titled, text: passage.slice(endOfLine(passage, 0) + 1) };
  return { message: messages.findLast(({ start }) => start <= at) ?? messages[0]!, text: passage };
}

interface Placed {
  readonly message: OriginalMessage;
}

/** Where a passage was cut at its ends. */
const CUT = /^…|…$/g;

/** Which message a text is from, as the line above it names it. */
export function headingOf({ leaf, title }: OriginalMessage): string {
  if (title !== undefined) return `── ${leaf.id}, message ${title}`;
  return leaf.from === undefined ? `── ${leaf.id}` : `── ${leaf.id}, of messages ${leaf.from + 1} to ${leaf.until}`;
}

const HEADING_MARK = "── ";

function lineStarting(text: string, start: string, from: number): number | undefined {
  if (from === 0 && text.startsWith(start)) return 0;
  const at = text.indexOf(`\n${start}`, Math.max(0, from - 1));
  return at < 0 ? undefined : at + 1;
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at;
}

export interface ToolArguments {
  readonly words?: string;
  readonly mode?: "words" | "regex";
  readonly question?: string;
  readonly id?: string;
  readonly messages?: readonly MessageRange[];
  readonly hits?: number;
  readonly depth?: number;
  readonly offset?: number;
}

export interface BoundedSources extends Sources {
  readonly tokensMax: number;
}

export function refused(because: string): ToolAnswer {
  return failed(`Nothing was found: ${because}.`);
}

/** The call itself cannot be understood. */
export function misused(because: string): ToolAnswer {
  return failed(`The call cannot be answered: ${because}.`);
}

export function noRecord(id: string | undefined): ToolAnswer {
  return refused(`no record or original has the id ${id}; lcm_describe without an id lists the records`);
}

function failed(text: string): ToolAnswer {
  return { text, quotes: [], isError: true };
}

const PLACES_PER_ORIGINAL = 6;

interface NearestPlace {
  readonly original: FoundOriginal;
  readonly message: OriginalMessage;
  readonly text: string;
  /** Words of the query that its original does not hold. */
  readonly missing: readonly string[];
}

export function nearestPlaces(
  originals: readonly FoundOriginal[],
  words: string,
  limit: number,
): readonly NearestPlace[] {
  const candidates = originals.map((original) => ({ key: original, text: original.text }));
  return rankPlaces(candidates, words, { limit, placesPerText: PLACES_PER_ORIGINAL }).map(({ key, text, missing }) => ({
    original: key,
    ...placed(text, key),
    missing,
  }));
}

/** A node as a place: what it stands for. Plain data. */
export interface DagNode {
  readonly id: string;
  /** 0 for a leaf. */
  readonly depth: number;
  /** It stands for `messages[from .. until)`. */
  readonly from: number;
  readonly until: number;
  /** Link of the last of them: a conversation with another one there is not the one that was summarised. */
  readonly link: string;
  /** Ids of the nodes that it was made of, oldest first; a leaf is made of its messages. */
  readonly sources: readonly string[];
  /** Tokens of the messages. */
  readonly stands: number;
}

/** A node that is shown. Its text is written once, and these bytes are sent until a node above takes its place. */
export interface Root extends DagNode {
  readonly text: string;
  readonly tokens: number;
}

export interface Dag {
  readonly roots: readonly Root[];
  /** Nodes under the roots, which say in fewer words what these said. */
  readonly buried: readonly DagNode[];
}

export const NO_DAG: Dag = { roots: [], buried: [] };

/** What of a graph belongs to this conversation: the roots from the beginning on, as far as its messages are the same. */
export function ownDag({ roots, buried }: Dag, messages: readonly Message[], { chain, measure, most }: Bounds): Dag {
  const links = chain.linksOf(messages);
  const own: Root[] = [];
  for (const root of roots) {
    const follows = root.from === (own.at(-1)?.until ?? 0);
    if (!follows || root.until > most || links[root.until - 1] !== root.link) break;
    // What a session learns of its model's tokens since makes a text heavier or lighter.
    own.push({ ...root, tokens: measure.message(textMessage("user", root.text, "summary")) });
  }
  const end = own.at(-1)?.until ?? 0;
  return { roots: own, buried: buried.filter(({ until }) => until <= end) };
}

interface Bounds {
  readonly chain: Chain;
  readonly measure: Measure;
  /** No root reaches past this message. */
  readonly most: number;
}

/** Index after the last message that is summarised. */
export function endOf({ roots }: Pick<Dag, "roots">): number {
  return roots.at(-1)?.until ?? 0;
}

export function nodeOf({ roots, buried }: Dag, id: string): Root | DagNode | undefined {
  return roots.find((root) => root.id === id) ?? buried.find((place) => place.id === id);
}

/** The leaves under a node, oldest first, down to that many levels; nodes below that are answered as they are. */
export function under(dag: Dag, place: DagNode, levels: number): readonly DagNode[] {
  if (place.depth === 0 || levels === 0) return [place];
  return place.sources.flatMap((id) => {
    const source = nodeOf(dag, id);
    // A graph that was tampered with may lead in circles; depth falls, so this ends.
    return source === undefined || source.depth >= place.depth ? [] : under(dag, source, levels - 1);
  });
}
