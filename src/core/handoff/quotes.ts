/**
 * Lines of results and of what the agent said, word for word, for what no other line tells: chosen by how many names, figures and words a
 * line has that are rare, recent, came up again, and stand nowhere else in the handoff. It reads no language.
 */
import { oneLine } from "../digest/cut.ts";
import { withoutGutter } from "../digest/numbered-lines.ts";
import type { Events, SaidEvent } from "../events/events.ts";
import { changedAfter } from "../events/files.ts";
import type { Measure } from "../transcript/measure.ts";
import { wholeWords } from "../events/text.ts";
import type { ToolCallPart } from "../transcript/message.ts";
import type { Item } from "./items.ts";
import { wordsIn } from "./turns/novelty.ts";
import { targetText } from "./turns/deeds.ts";
import { removedLater } from "./turns/overwritten.ts";

export interface QuoteRequest {
  readonly events: Events;
  readonly from: number;
  readonly until: number;
  readonly measure: Measure;
  readonly redact: (text: string) => string;
  readonly shortened: (text: string) => string;
}

/** A text that may be quoted, the newest lines of which no newer text has. */
interface Source {
  readonly message: number;
  readonly label: () => string;
  /** By the agent. */
  readonly isSaid: boolean;
  readonly lines: readonly NamedLine[];
}

/** Names and figures, and the words that are neither. */
interface Terms {
  readonly names: readonly string[];
  readonly words: readonly string[];
}

/** A line of a text, with the terms in it: worked out when they are first asked for. */
interface NamedLine {
  readonly at: number;
  readonly text: string;
  terms?: Terms;
}

/** A line that may be quoted. */
interface Candidate extends Terms {
  readonly source: Source;
  readonly at: number;
  readonly text: string;
  /** Tokens that it takes. */
  readonly tokens: number;
}

const LINE_CHARS_MIN = 20;
const LINE_CHARS_MAX = 240;
const WORDS_MIN = 3;
/** More of one text is not looked through. */
const CHARS_READ_MAX = 60_000;
const LABEL_CHARS_MAX = 80;
/** A name in more messages than this is known to everybody. */
const COMMON_MESSAGES_MIN = 12;
const AGAIN_WEIGHT = 1;
const ONCE_WEIGHT = 0.35;
const COMMON_WEIGHT = 0.15;
/** A word beside a name. */
const WORD_TIMES = 0.3;
/** What the agent said is about what it does; what a call returned may be about anything. */
const SAID_TIMES = 3;
/** What the oldest line is worth beside the newest. */
const OLDEST_SHARE = 0.4;
/** A line that brings less a token is not worth quoting. */
const GAIN_A_TOKEN_MIN = 0.02;
interface Alphabet {
  readonly lower: string;
  readonly upper: string;
  readonly letter: string;
  readonly figure: string;
}

/** Words, words that signs join, and figures, of which none begins within another; and what makes a name of one. */
function patternsOf({ lower, upper, letter, figure }: Alphabet, flags: string) {
  const word = `[${letter}${figure}_]`;
  return {
    words: new RegExp(
      `[${letter}_]${word}*(?:[._/:-]${word}+)*|[${figure}][${letter}]${word}*|\\d[\\d.,:]*\\d`,
      `g${flags}`,
    ),
    nameSign: new RegExp(`[${lower}][${upper}]|[${figure}_./:-]`, flags),
  };
}

const ANY = patternsOf({ lower: "\\p{Ll}", upper: "\\p{Lu}", letter: "\\p{L}", figure: "\\p{N}" }, "u");
/** The same in half the time: most lines have no other letters. */
const ASCII = patternsOf({ lower: "a-z", upper: "A-Z", letter: "A-Za-z", figure: "0-9" }, "");
const BEYOND_ASCII = /[\u0080-\uffff]/;
const NAME_CHARS_MIN = 3;
const FIGURE = /\d/;
/** A key says nothing that its value does not. */
const JSON_KEY = /^"[^"]{1,100}"\s*:\s*/;
const WORD = /[\p{L}\p{N}]{2,}/gu;

/** Chooses lines in at most that many tokens; `present` is what the handoff says already. */
export type Quoter = (tokensMax: number, present: string) => readonly Item[];

export function createQuoter(request: QuoteRequest): Quoter {
  let made: { readonly candidates: readonly Candidate[]; readonly counts: ReadonlyMap<string, number> } | undefined;
  return (tokensMax, present) => {
    const { candidates, counts } = (made ??= materialOf(request));
    const told = termsIn(present);
    const covered = new Set([...told.names, ...told.words]);
    const newIn = (terms: readonly string[]): number => {
      let gain = 0;
      for (const term of terms) if (!covered.has(term)) gain += weight(counts.get(term) ?? 1);
      return gain;
    };
    const weightOf = ({ names, words, source }: Candidate): number => {
      const named = newIn(names);
      // What a tool printed is quoted for a name or a figure that stands nowhere else.
      if (named === 0 && !source.isSaid) return 0;
      const gain = (named + newIn(words) * WORD_TIMES) * (source.isSaid ? SAID_TIMES : 1);
      if (gain === 0) return 0;
      const age = (source.message - request.from) / Math.max(1, request.until - request.from);
      return gain * (OLDEST_SHARE + (1 - OLDEST_SHARE) * age);
    };
    const ordered = candidates
      .map((one) => ({ one, density: weightOf(one) / one.tokens }))
      .filter(({ density }) => density >= GAIN_A_TOKEN_MIN)
      .toSorted((a, b) => b.density - a.density);
    const chosen: Candidate[] = [];
    let left = tokensMax;
    for (const { one, density } of ordered) {
      const { tokens } = one;
      // What was chosen before may have brought its names already.
      if (tokens > left || weightOf(one) / tokens < Math.max(GAIN_A_TOKEN_MIN, density / 2)) continue;
      left -= tokens + labelTokens(chosen, one, request.measure);
      for (const term of [...one.names, ...one.words]) covered.add(term);
      chosen.push(one);
    }
    return itemsOf(chosen, request);
  };
}

/** The same however much of it is asked for. */
function materialOf(request: QuoteRequest) {
  const candidates = candidatesIn(request);
  return { candidates, counts: countsOf(candidates, request.events) };
}

function weight(messages: number): number {
  if (messages <= 1) return ONCE_WEIGHT;
  return messages >= COMMON_MESSAGES_MIN ? COMMON_WEIGHT : AGAIN_WEIGHT;
}

function labelTokens(chosen: readonly Candidate[], { source }: Candidate, measure: Measure): number {
  return chosen.some((other) => other.source === source) ? 0 : measure.text(labelOf(source));
}

/** The texts that may be quoted, the newest first: what calls returned, and what the agent said. */
function sourcesIn({ events, from, until, redact }: QuoteRequest): readonly Source[] {
  const isOld = changedAfter(events);
  const inside = events.all.filter(({ message }) => message >= from && message < until);
  return inside.toReversed().flatMap((event): readonly Source[] => {
    const { message } = event;
    if (event.kind === "said")
      return [{ message, label: () => "Agent", isSaid: true, lines: linesOf(event, event.text, redact) }];
    if (event.kind !== "call" || event.result === undefined || event.result >= until) return [];
    if (event.summary.action === "read" && isOld(event)) return [];
    const label = (): string => `${event.summary.tool} ${targetText(event, redact)}`;
    return [{ message, label, isSaid: false, lines: linesOf(event.call, event.text, redact) }];
  });
}

interface ReadText extends Pick<QuoteRequest, "redact"> {
  readonly text: string;
  readonly lines: readonly NamedLine[];
}

/** By what was said or called, read once: most of a conversation was read at the compaction before. */
let readTexts = new WeakMap<SaidEvent | ToolCallPart, ReadText>();
let readChars = 0;
/** Characters of the texts that are remembered before it starts afresh: their lines take some four bytes for each. */
const REMEMBERED_CHARS_MAX = 8_000_000;

/** The lines of a text that are neither too short nor too long to be quoted, and mean something alone. */
function linesOf(key: SaidEvent | ToolCallPart, text: string, redact: QuoteRequest["redact"]): readonly NamedLine[] {
  const known = readTexts.get(key);
  if (known?.text === text && known.redact === redact) return known.lines;
  const lines: NamedLine[] = [];
  const plain = "kind" in key && key.kind === "said" ? text : withoutGutter(text);
  const all = redact(wholeWords(plain, CHARS_READ_MAX)).split("\n");
  const isData = DATA.test(plain);
  for (let at = 0; at < all.length; at++) {
    const own = all[at]!.trim();
    if (own.length < LINE_CHARS_MIN || own.length > LINE_CHARS_MAX || isPiece(own, isData)) continue;
    lines.push({ at, text: own });
  }
  readChars += Math.min(text.length, CHARS_READ_MAX);
  if (readChars > REMEMBERED_CHARS_MAX) [readTexts, readChars] = [new WeakMap(), text.length];
  readTexts.set(key, { text, redact, lines });
  return lines;
}

function candidatesIn(request: QuoteRequest): readonly Candidate[] {
  const seen = new Set<string>();
  // A figure that the agent spoke of again is told by what it said last: it may have taken it back.
  const saidAt = new Map<string, number>();
  const isGone = removedLater(request.events.all.filter((event) => event.kind === "call"));
  const candidates: Candidate[] = [];
  for (const source of sourcesIn(request))
    for (const line of source.lines) {
      const { at, text } = line;
      if (seen.has(text)) continue;
      seen.add(text);
      if (isGone(text, source.message)) continue;
      const terms = (line.terms ??= quotableTerms(text));
      if (source.isSaid && terms.names.some((name) => FIGURE.test(name) && (saidAt.get(name) ?? 0) > source.message))
        continue;
      if (source.isSaid)
        for (const name of terms.names) saidAt.set(name, Math.max(saidAt.get(name) ?? 0, source.message));
      // A sentence of the agent means something without a name; a line of a result seldom does.
      if (terms.names.length > 0 || (source.isSaid && terms.words.length > 0))
        candidates.push({ source, at, text, ...terms, tokens: request.measure.text(`${text}\n`) + 1 });
    }
  return candidates;
}

const NO_TERMS: Terms = { names: [], words: [] };

/** None where the line says too little beside them. */
function quotableTerms(text: string): Terms {
  return hasWords(text) ? termsIn(text.startsWith('"') ? text.replace(JSON_KEY, "") : text) : NO_TERMS;
}

function hasWords(text: string): boolean {
  WORD.lastIndex = 0;
  for (let words = 0; words < WORDS_MIN; words++) if (!WORD.test(text)) return false;
  return true;
}

/** Whether a line means nothing alone: it leads in to or opens what stands below it, or is one field of data in a text of another kind. */
function isPiece(line: string, isData: boolean): boolean {
  return OPENS.test(line) || (!isData && line.startsWith('"') && JSON_KEY.test(line));
}

const OPENS = /[([{:：]\**$|^#{2,6} |^\*\*[^*]+\*\*$/;
const DATA = /^\s*[[{]/;

export function namesIn(text: string): readonly string[] {
  return termsIn(text).names;
}

function termsIn(text: string): Terms {
  const isWide = BEYOND_ASCII.test(text);
  const patterns = isWide ? ANY : ASCII;
  const names = new Set<string>();
  const words = new Set<string>();
  for (const found of text.match(patterns.words) ?? [])
    if (found.length < NAME_CHARS_MIN) continue;
    else if (patterns.nameSign.test(found)) names.add(found);
    else if (isWide) for (const word of wordsIn(found)) words.add(word);
    else words.add(found.toLowerCase());
  return { names: [...names], words: [...words] };
}

/** In how many results, calls and words of the agent each term stands. */
function countsOf(candidates: readonly Candidate[], { calls }: Events): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  const lastIn = new Map<string, Source>();
  for (const { source, names, words } of candidates)
    for (const term of [...names, ...words]) {
      if (lastIn.get(term) === source) continue;
      lastIn.set(term, source);
      count(term);
    }
  for (const { call } of calls) termsOfCall(call).forEach(count);
  return counts;
}

const calledTerms = new WeakMap<ToolCallPart, readonly string[]>();

function termsOfCall(call: ToolCallPart): readonly string[] {
  let terms = calledTerms.get(call);
  if (terms === undefined) {
    const { names, words } = termsIn(call.arguments.slice(0, CHARS_READ_MAX));
    calledTerms.set(call, (terms = [...names, ...words]));
  }
  return terms;
}

function labelOf({ label, message }: Source): string {
  return `[${message + 1}] ${oneLine(label(), LABEL_CHARS_MAX)}`;
}

/** Result by result, in the order of the conversation, its lines in their order. */
function itemsOf(chosen: readonly Candidate[], { shortened }: QuoteRequest): readonly Item[] {
  const bySource = [...Map.groupBy(chosen, ({ source }) => source)].toSorted(([a], [b]) => a.message - b.message);
  return bySource.map(([source, lines], place) => {
    const ordered = lines.toSorted((a, b) => a.at - b.at).map(({ text }) => text);
    const text = [`${shortened(labelOf(source))}:`, ...ordered].join("\n");
    return { rank: 0, order: source.message, key: `quote ${source.message} ${place}`, text };
  });
}
