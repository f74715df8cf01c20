/** `lcm_grep`: words, or a pattern, to the lines of the originals that hold them. */
import { written } from "../../recall/pages.ts";
import { around, linesIn, wordsIn } from "../../recall/places.ts";
import type { LinePattern, Quote, ToolAnswer } from "../contract.ts";
import type { Dag } from "./dag.ts";
import {
  nearestPlaces,
  headingOf,
  leavesOf,
  messagesOf,
  originalsOf,
  type FoundOriginal,
  type OriginalMessage,
  misused,
  noRecord,
  refused,
  type ToolArguments,
  type BoundedSources,
} from "./originals.ts";

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

/** Lines that hold every word. */
function wordFinder(words: readonly string[]): FindLines {
  return (lines) =>
    Promise.resolve(
      lines.flatMap((line, at) => {
        const lower = line.toLowerCase();
        return words.length > 0 && words.every((word) => lower.includes(word)) ? at : [];
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
