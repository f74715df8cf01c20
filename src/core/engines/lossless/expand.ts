/** `lcm_expand`: the originals behind a node, from its oldest leaf on, page by page. */
import { pageOf, written } from "../../recall/pages.ts";
import { estimateText } from "../../transcript/estimate.ts";
import type { Quote, ToolAnswer, LinePattern } from "../contract.ts";
import {
  nodeOf,
  under,
  type Dag,
  type DagNode,
  messagesOf,
  misused,
  noRecord,
  refused,
  type ToolArguments,
  type BoundedSources,
  nearestPlaces,
  headingOf,
  leavesOf,
  originalsOf,
  type FoundOriginal,
  type OriginalMessage,
} from "./originals.ts";
import { folded } from "../../recall/words.ts";
import { rangesText, type MessageRange } from "../../recall/messages.ts";
import { isRecallId } from "../../transcript/links.ts";

/** Levels that an expansion goes down: lossless-claw's. */
export const EXPAND_DEPTH = 3;
export const EXPAND_DEPTH_MAX = 12;
/** What the words around the pages take. */
const FRAME_TOKENS = 130;
/** With less room left no further page is begun. */
const PAGE_TOKENS_MIN = 40;
/** Of what is left over, that many ids are named. */
const NAMED_MAX = 6;

interface Pages {
  readonly body: readonly string[];
  readonly quotes: readonly Quote[];
  readonly next?: { readonly id: string; readonly offset: number };
  /** Ids that were not come to. */
  readonly left: readonly string[];
}

export async function expand(dag: Dag, given: ToolArguments, reading: BoundedSources): Promise<ToolAnswer> {
  const { id, messages, depth = EXPAND_DEPTH, offset = 0 } = given;
  if (id === undefined && messages === undefined) return misused("lcm_expand takes an `id`, or `messages`, or both");
  const node = id === undefined ? undefined : nodeOf(dag, id);
  if (id !== undefined && node === undefined && !isRecallId(id)) return noRecord(id);
  if (messages !== undefined && (node !== undefined || id === undefined))
    return expandMessages(dag, node, { messages, offset }, reading);
  const below = node === undefined ? [] : under(dag, node, depth);
  const leaves = node === undefined ? [{ id: id! }] : below.filter((one) => one.depth === 0);
  const closed = below.filter((one) => one.depth > 0);
  const pages = await readPages(leaves, offset, reading);
  if (pages === undefined) return refused(`there is nothing from character ${offset} on`);
  if (pages.body.length === 0 && closed.length === 0 && pages.left.length === 0) return noRecord(id);
  const head = node === undefined ? id! : `${id}: messages ${node.from + 1} to ${node.until}`;
  const rest = (): string => [onward(pages), unopened(closed)].filter((line) => line !== "").join("\n");
  const text = written({ head, body: pages.body, rest }, reading.tokensMax);
  return { text, quotes: pages.quotes.filter((_, at) => text.includes(pages.body[at]!)) };
}

interface WantedMessages {
  readonly messages: readonly MessageRange[];
  readonly offset: number;
}

/** The messages of those numbers, of one record or wherever they are, each under its number. */
async function expandMessages(
  dag: Dag,
  node: DagNode | undefined,
  { messages, offset }: WantedMessages,
  reading: BoundedSources,
): Promise<ToolAnswer> {
  const isWanted = (number: number): boolean => messages.some(({ from, to }) => number >= from && number <= to);
  const overlaps = ({ from, until }: DagNode): boolean => messages.some((one) => one.from <= until && one.to > from);
  const leaves = (node === undefined ? dag.roots : [node]).flatMap((top) => under(dag, top, Infinity)).filter(overlaps);
  const pieces: Quote[] = [];
  for (const leaf of leaves) {
    if (reading.isLate?.() === true) break;
    const whole = await reading.original(leaf.id);
    if (whole === undefined) continue;
    for (const { number, title, text } of messagesOf(leaf, whole))
      if (number !== undefined && isWanted(number)) pieces.push({ id: leaf.id, text: `── ${title}\n${text}` });
  }
  const asked = rangesText(messages);
  if (pieces.length === 0) return refused(notThere(asked, dag, node));
  const all = pieces.map((piece) => piece.text).join("");
  if (offset > 0 && offset >= all.length) return refused(`there is nothing from character ${offset} on`);
  const { text: page, next } = pageOf(all, offset, Math.max(1, reading.tokensMax - FRAME_TOKENS));
  const rest = (): string => (next === undefined ? "" : `(more: messages ${asked}, offset ${next})`);
  const text = written({ head: "", body: [page], rest }, reading.tokensMax);
  return { text, quotes: pieces.filter((piece) => text.includes(piece.text)) };
}

function notThere(asked: string, { roots }: Dag, node: DagNode | undefined): string {
  if (node !== undefined) return `record ${node.id} has messages ${node.from + 1} to ${node.until}, and not ${asked}`;
  const end = roots.at(-1)?.until ?? 0;
  if (end === 0) return "nothing has left this conversation";
  return `messages 1 to ${end} can be read, and not ${asked}; the later ones are still in the conversation`;
}

/** Undefined where the first original ends before the offset. */
async function readPages(
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

export const GREP_HITS = 10;
export const GREP_HITS_MAX = 50;
/** A longer line is shown in pieces. */
const LINE_CHARS_MAX = 300;
/** Places this near are in one another's surroundings. */
const NEAR_LINES = 4;

interface Hit {
  readonly message: OriginalMessage;
  readonly text: string;
  /** The original that the place is in. */
  readonly original?: FoundOriginal;
  /** Words that are not there. */
  readonly missing?: readonly string[];
}

/** Indexes of the lines that are wanted. */
type FindLines = (lines: readonly string[]) => Promise<readonly number[]>;

export async function grep(dag: Dag, given: ToolArguments, reading: BoundedSources): Promise<ToolAnswer> {
  const { id, words = "", mode, hits: most = GREP_HITS } = given;
  const leaves = leavesOf(dag, id);
  if (leaves === undefined) return noRecord(id);
  const find = await chooseFinder(given, reading);
  if (typeof find === "string") return misused(find);
  const found: FoundOriginal[] = [];
  const exact: Hit[] = [];
  let read = 0;
  for await (const { leaf, text } of originalsOf(leaves, reading)) {
    read++;
    if (text === undefined) continue;
    found.push({ leaf, text });
    for (const message of messagesOf(leaf, text)) for (const each of await hitsIn(message, find)) exact.push(each);
  }
  const unread = read < leaves.length ? `${leaves.length - read} older records were not searched` : "";
  if (found.length === 0 && id !== undefined && unread === "") return noRecord(id);
  // Where no line holds all of the words, they may be on several, or in another form.
  const hits = exact.length > 0 || mode === "regex" ? exact : nearestPlaces(found, words, GREP_HITS_MAX);
  if (hits.length === 0) return refused(notFound(unread, given));
  return composeAnswer(hits, most, { unread, tokensMax: reading.tokensMax });
}

function notFound(unread: string, { mode, id }: ToolArguments): string {
  if (unread !== "") return `${unread}; the others do not hold it`;
  const where = id === undefined ? "nothing that was removed" : "nothing behind this id";
  const what = mode === "regex" ? "has a line that matches" : "contains it";
  const other = mode === "regex" ? "a looser pattern" : "another word or a part of it";
  return `${where} ${what}; try ${other}; what is still in the conversation is not searched`;
}

/** Or what is wrong with what was asked for. */
async function chooseFinder(
  { words = "", mode }: ToolArguments,
  { pattern }: BoundedSources,
): Promise<FindLines | string> {
  if (mode !== "regex") return wordFinder(wordsIn(words.replaceAll(QUOTES, " ")));
  if (pattern === undefined) return "regular expressions cannot be searched for here: use words";
  const compiled = await pattern(words);
  return "fault" in compiled ? `the regular expression cannot be used: ${compiled.fault}` : patternFinder(compiled);
}

/** Models put phrases in quotation marks. */
const QUOTES = /["“”`]/g;

function wordFinder(words: readonly string[]): FindLines {
  return (lines) =>
    Promise.resolve(
      lines.flatMap((line, at) => {
        const plain = folded(line);
        return words.length > 0 && words.every((word) => plain.includes(word)) ? at : [];
      }),
    );
}

function patternFinder({ matching }: LinePattern): FindLines {
  return matching;
}

interface Ending {
  readonly unread: string;
  readonly tokensMax: number;
}

function composeAnswer(hits: readonly Hit[], most: number, { unread, tokensMax }: Ending): ToolAnswer {
  const best = hits.slice(0, most);
  const body = best.map((hit) => `${headingOf(hit.message)}${without(hit)}\n${hit.text}`);
  const rest = (shown: number): string => {
    const left = hits.length - shown;
    const more = left === 0 ? "" : `${left} more places: ask for more hits or tokens, or search for something rarer`;
    const notes = [more, unread].filter((note) => note !== "");
    return notes.length === 0 ? "" : `(${notes.join("; ")})`;
  };
  const text = written({ head: "", body, rest }, tokensMax);
  const shown = best.filter((_, at) => text.includes(body[at]!));
  return { text, quotes: shown.flatMap(collectQuotes) };
}

function without({ missing = [] }: Hit): string {
  return missing.length === 0 ? "" : `, without ${missing.join(", ")}`;
}

async function hitsIn(message: OriginalMessage, find: FindLines): Promise<readonly Hit[]> {
  const lines = linesIn(message.text, LINE_CHARS_MAX);
  const found: Hit[] = [];
  let last = -Infinity;
  for (const at of await find(lines)) {
    if (at - last <= NEAR_LINES) continue;
    last = at;
    found.push({ message, text: around(lines, at) });
  }
  return found;
}

/** Whole lines of the original: a place may be cut at its ends. */
function collectQuotes({ message, text, original = message }: Hit): readonly Quote[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "" && original.text.includes(line))
    .map((line) => ({ id: message.leaf.id, text: line }));
}

// Where words are in a text: its lines, those that hold them, and what is around one.

/** Lines around one that holds the words. */
const CONTEXT_LINES = 2;
const WORDS_MAX = 8;

/** A longer line is in pieces, each a line of its own. */
function linesIn(text: string, charsMax: number): readonly string[] {
  return text.split("\n").flatMap((line) => piecesOf(line, charsMax));
}

function piecesOf(line: string, charsMax: number): string | readonly string[] {
  if (line.length <= charsMax) return line;
  const count = Math.ceil(line.length / charsMax);
  return Array.from({ length: count }, (_, at) => line.slice(at * charsMax, (at + 1) * charsMax));
}

function wordsIn(text: string): readonly string[] {
  return folded(text)
    .split(/\s+/, WORDS_MAX)
    .filter((word) => word !== "");
}

function around(lines: readonly string[], at: number): string {
  return lines.slice(Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1).join("\n");
}
