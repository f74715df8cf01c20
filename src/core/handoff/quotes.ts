/**
 * Lines of results, word for word, for the exact names and figures that no sentence tells: chosen by how many such names a line has
 * that are rare, recent, came up again, and stand nowhere else in the handoff. It reads no language.
 */
import { oneLine } from "../digest/cut.ts";
import { withoutGutter } from "../digest/numbered-lines.ts";
import type { Events, SaidEvent } from "../events/events.ts";
import { changedAfter } from "../events/files.ts";
import type { Measure } from "../transcript/measure.ts";
import { wholeWords } from "../events/text.ts";
import type { ToolCallPart } from "../transcript/message.ts";
import type { Item } from "./items.ts";
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
  readonly lines: readonly NamedLine[];
}

/** A line of a text, with the names and figures in it: worked out when they are first asked for. */
interface NamedLine {
  readonly at: number;
  readonly text: string;
  names?: readonly string[];
}

/** A line that may be quoted. */
interface Candidate {
  readonly source: Source;
  readonly at: number;
  readonly text: string;
  readonly names: readonly string[];
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
/** A key says nothing that its value does not. */
const JSON_KEY = /^"[^"]{1,100}"\s*:\s*/;
const WORD = /[\p{L}\p{N}]{2,}/gu;

/** Chooses lines in at most that many tokens; `present` is what the handoff says already. */
export type Quoter = (tokensMax: number, present: string) => readonly Item[];

export function createQuoter(request: QuoteRequest): Quoter {
  let made: { readonly candidates: readonly Candidate[]; readonly counts: ReadonlyMap<string, number> } | undefined;
  return (tokensMax, present) => {
    const { candidates, counts } = (made ??= materialOf(request));
    const covered = new Set(namesIn(present));
    const weightOf = ({ names, source }: Candidate): number => {
      let gain = 0;
      for (const name of names) if (!covered.has(name)) gain += weight(counts.get(name) ?? 1);
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
      for (const name of one.names) covered.add(name);
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
    if (event.kind === "said") return [{ message, label: () => "Agent", lines: linesOf(event, event.text, redact) }];
    if (event.kind !== "call" || event.result === undefined || event.result >= until) return [];
    if (event.summary.action === "read" && isOld(event)) return [];
    const label = (): string => `${event.summary.tool} ${targetText(event, redact)}`;
    return [{ message, label, lines: linesOf(event.call, event.text, redact) }];
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
  const isGone = removedLater(request.events.all.filter((event) => event.kind === "call"));
  const candidates: Candidate[] = [];
  for (const source of sourcesIn(request))
    for (const line of source.lines) {
      const { at, text } = line;
      if (seen.has(text)) continue;
      seen.add(text);
      if (isGone(text, source.message)) continue;
      const names = (line.names ??= quotableNames(text));
      if (names.length > 0) candidates.push({ source, at, text, names, tokens: request.measure.text(`${text}\n`) + 1 });
    }
  return candidates;
}

/** None where it says too little beside them. */
function quotableNames(text: string): readonly string[] {
  const names = namesIn(text.startsWith('"') ? text.replace(JSON_KEY, "") : text);
  return names.length > 0 && hasWords(text) ? names : [];
}

function hasWords(text: string): boolean {
  WORD.lastIndex = 0;
  for (let words = 0; words < WORDS_MIN; words++) if (!WORD.test(text)) return false;
  return true;
}

/** Whether a line means nothing alone: it opens what stands below it, or is one field of data in a text of another kind. */
function isPiece(line: string, isData: boolean): boolean {
  return OPENS.test(line) || (!isData && line.startsWith('"') && JSON_KEY.test(line));
}

const OPENS = /[([{]$/;
const DATA = /^\s*[[{]/;

export function namesIn(text: string): readonly string[] {
  const { words, nameSign } = BEYOND_ASCII.test(text) ? ANY : ASCII;
  const names = new Set<string>();
  for (const found of text.match(words) ?? [])
    if (found.length >= NAME_CHARS_MIN && nameSign.test(found)) names.add(found);
  return [...names];
}

/** In how many results, calls and words of the agent each name stands. */
function countsOf(candidates: readonly Candidate[], { calls }: Events): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  const lastIn = new Map<string, Source>();
  for (const { source, names } of candidates)
    for (const name of names) {
      if (lastIn.get(name) === source) continue;
      lastIn.set(name, source);
      count(name);
    }
  for (const { call } of calls) namesOfCall(call).forEach(count);
  return counts;
}

const calledNames = new WeakMap<ToolCallPart, readonly string[]>();

function namesOfCall(call: ToolCallPart): readonly string[] {
  let names = calledNames.get(call);
  if (names === undefined) calledNames.set(call, (names = namesIn(call.arguments.slice(0, CHARS_READ_MAX))));
  return names;
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
