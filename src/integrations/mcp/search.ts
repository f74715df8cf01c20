/** `search`: words to the places that hold them, each with the lines around it, so that one call often is enough. */
import { spanText } from "../../session/span-text.ts";
import { oneLine, type Answer } from "../../core/recall/pages.ts";
import type { Desk, Hit } from "./contract.ts";
import { messageText } from "./conversation.ts";
import { originalOf, sessionOf } from "./scope.ts";

export interface SearchArguments {
  readonly words: string;
  readonly session?: string | undefined;
  readonly hits?: number | undefined;
}

/** Lines before and after the one that holds the words. */
const CONTEXT_LINES = 2;
/** Of one message or original, so many places are shown. */
const PLACES_PER_HIT = 3;
const LINE_CHARS_MAX = 400;
const LABEL_CHARS_MAX = 100;
/** Conversations that are read for the lines around a hit; further hits show the line alone. */
const CONVERSATIONS_READ_MAX = 4;
/** Where no place holds all words, so many are looked for one by one, and so many hits of each are counted. */
const SINGLE_WORDS_MAX = 8;
const SINGLE_HITS_MAX = 100;

export async function search(desk: Desk, { words, session, hits }: SearchArguments): Promise<Answer> {
  const limit = hits ?? desk.limits.hits;
  // One session is all that may be seen, or the one that was asked for.
  const only = session === undefined && desk.session === undefined ? undefined : (await sessionOf(desk, session)).id;
  const found = await placesOf(desk, { words, only, limit });
  const name = JSON.stringify(oneLine(words, LABEL_CHARS_MAX));
  if (found.hits.length === 0)
    return { head: `Nothing holds ${name}. Fewer or other words may.`, body: [], rest: () => "" };
  const around = createSurroundings(desk, found.words, only);
  const body: string[] = [];
  for (const hit of found.hits) body.push(await described(hit, only, around));
  const some = found.all ? "" : `No place holds all of ${name}; these hold ${found.words.join(", ")}.`;
  return {
    head: some,
    body,
    rest: (shown) => {
      const left = body.length - shown;
      return left === 0 ? "" : `(${left} more that did not fit: ask for more tokens, or use other words)`;
    },
  };
}

interface Places {
  readonly hits: readonly Hit[];
  /** The words that they hold. */
  readonly words: readonly string[];
  readonly all: boolean;
}

interface Wanted {
  readonly words: string;
  readonly only: string | undefined;
  readonly limit: number;
}

async function placesOf({ archive, tenant }: Desk, { words, only, limit }: Wanted): Promise<Places> {
  const scope = { tenant, ...(only === undefined ? {} : { session: only }) };
  const each = words.split(/\s+/).filter((word) => word !== "");
  const hits = await archive.search({ ...scope, words, limit });
  if (hits.length > 0 || each.length < 2) return { hits, words: each, all: true };
  const counted = new Map<string, { hit: Hit; words: string[] }>();
  const telling = each.toSorted((a, b) => tellingOf(b) - tellingOf(a)).slice(0, SINGLE_WORDS_MAX);
  for (const word of telling) {
    for (const hit of await archive.search({ ...scope, words: word, limit: SINGLE_HITS_MAX })) {
      const key = hit.kind === "original" ? hit.id : `${hit.session}\n${hit.number}`;
      const known = counted.get(key);
      if (known === undefined) counted.set(key, { hit, words: [word] });
      else known.words.push(word);
    }
  }
  const best = [...counted.values()].toSorted((a, b) => b.words.length - a.words.length);
  const most = best[0]?.words ?? [];
  const alike = best.filter((one) => one.words.join("\n") === most.join("\n"));
  return { hits: alike.slice(0, limit).map(({ hit }) => hit), words: most, all: false };
}

/** Long words say more than short ones, and numbers more than words. */
function tellingOf(word: string): number {
  return word.length + (/\d/.test(word) ? DIGITS_WORTH_CHARS : 0);
}

const DIGITS_WORTH_CHARS = 10;

type Surroundings = (hit: Hit) => Promise<string>;

async function described(hit: Hit, only: string | undefined, around: Surroundings): Promise<string> {
  const lines = await around(hit);
  if (hit.kind === "original") return `── ${hit.id} (${oneLine(hit.label, LABEL_CHARS_MAX)})\n${lines}`;
  // What two sessions begin with may be found under the other one's name.
  return `── session ${only ?? hit.session}, message ${hit.number}, ${hit.role}\n${lines}`;
}

/** The line of a hit with its neighbours; the line alone where they cannot be had. */
function createSurroundings(desk: Desk, words: readonly string[], only: string | undefined): Surroundings {
  const conversations = new Map<string, ReturnType<Desk["archive"]["messages"]>>();
  const conversation = (id: string): ReturnType<Desk["archive"]["messages"]> | undefined => {
    const known = conversations.get(id);
    if (known !== undefined || conversations.size >= CONVERSATIONS_READ_MAX) return known;
    const read = desk.archive.messages({ tenant: desk.tenant, id });
    conversations.set(id, read);
    return read;
  };
  const textOf = async (hit: Hit): Promise<string> => {
    if (hit.kind === "original") {
      const { kind, text } = await originalOf(desk, hit.id);
      return desk.redact((kind === "span" ? spanText(text) : text).slice(0, desk.limits.originalChars));
    }
    const message = (await conversation(only ?? hit.session))?.[hit.number - 1];
    return message === undefined ? "" : messageText(message, desk);
  };
  const shown = new Set<string>();
  return async (hit) => {
    const lines = (await textOf(hit)).split("\n");
    const places = bestLines(lines, words).map((at) =>
      lines
        .slice(Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1)
        .map((line) => clipped(line, words))
        .join("\n"),
    );
    const text = places.length === 0 ? clipped(hit.line, words) : places.join("\n⋯\n");
    // A message is found again in the original that it is a part of.
    if (shown.has(text)) return SAME;
    shown.add(text);
    return text;
  };
}

const SAME = "(the same lines)";

/** The lines that hold the most of the words, as whole words before parts of others; in order, not near one another. */
function bestLines(lines: readonly string[], words: readonly string[]): readonly number[] {
  const wanted = words.map((word) => word.toLowerCase());
  const weighed = lines.map((line, at) => ({ at, weight: weightOf(line.toLowerCase(), wanted) }));
  const most = weighed.reduce((one, { weight }) => Math.max(one, weight), 0);
  const best: number[] = [];
  for (const { at, weight } of weighed) {
    if (best.length >= PLACES_PER_HIT) break;
    if (most > 0 && weight === most && at > (best.at(-1) ?? -Infinity) + 2 * CONTEXT_LINES) best.push(at);
  }
  return best;
}

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** One word more counts more than any number of whole ones. */
function weightOf(line: string, words: readonly string[]): number {
  const held = words.filter((word) => line.includes(word));
  return held.length * (words.length + 1) + held.filter((word) => holdsWhole(line, word)).length;
}

function holdsWhole(line: string, word: string): boolean {
  for (let at = line.indexOf(word); at >= 0; at = line.indexOf(word, at + word.length)) {
    const around = (line[at - 1] ?? " ") + (line[at + word.length] ?? " ");
    if (!LETTER_OR_DIGIT.test(around)) return true;
  }
  return false;
}

/** Of a long line, what stands around the first word that it holds. */
function clipped(line: string, words: readonly string[]): string {
  if (line.length <= LINE_CHARS_MAX) return line;
  const lower = line.toLowerCase();
  const places = words.map((word) => lower.indexOf(word.toLowerCase())).filter((at) => at >= 0);
  const start = Math.max(0, (places.length === 0 ? 0 : Math.min(...places)) - LINE_CHARS_MAX / 4);
  return `${start > 0 ? "…" : ""}${line.slice(start, start + LINE_CHARS_MAX).toWellFormed()}…`;
}
