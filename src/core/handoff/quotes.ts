/**
 * Lines of results and of what the agent said, word for word, for what no other line tells: chosen by how many names, figures and words a
 * line has that are rare, recent, came up again, and stand nowhere else in the handoff. It reads no language.
 */
import { oneLine } from "../digest/cut.ts";
import { isErrorLine } from "../digest/error-line.ts";
import { withoutGutter, withoutLineNumber } from "../digest/numbered-lines.ts";
import type { Events, SaidEvent } from "../events/events.ts";
import { onlyLine } from "../events/endings.ts";
import { changedAfter } from "../events/files.ts";
import type { Measure } from "../transcript/measure.ts";
import { wholeWords } from "../events/text.ts";
import { keptByText } from "../kept.ts";
import type { ToolCallPart } from "../transcript/message.ts";
import type { Item } from "./items.ts";
import { createVocabulary, type Terms } from "./terms.ts";
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

/** A line of a text, with what is worked out of it when it is first asked for. */
interface NamedLine {
  readonly at: number;
  readonly text: string;
  bare?: string;
  terms?: Terms;
  shape?: string;
  isError?: boolean;
  tokens?: number | undefined;
}

/** A line that may be quoted. */
interface Candidate {
  readonly source: Source;
  readonly at: number;
  readonly text: string;
  readonly terms: Terms;
  /** What its terms are worth, beside those of other lines. */
  readonly times: number;
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
const ERROR_TIMES = 3;
/** What the oldest line is worth beside the newest. */
const OLDEST_SHARE = 0.4;
/** A line that brings less a token is not worth quoting. */
const GAIN_A_TOKEN_MIN = 0.02;
/** A key says nothing that its value does not. */
const JSON_KEY = /^"[^"]{1,100}"\s*:\s*/;
const WORD = /[\p{L}\p{N}]{2,}/gu;

/** Chooses lines in at most that many tokens; `present` is what the handoff says already. */
export type Quoter = (tokensMax: number, present: string) => readonly Item[];

export function createQuoter(request: QuoteRequest): Quoter {
  let made: { readonly candidates: readonly Candidate[]; readonly weights: Float64Array } | undefined;
  return (tokensMax, present) => {
    const { candidates, weights } = (made ??= materialOf(request));
    // What a term brings that stands nowhere else in the handoff.
    const gains = weights.slice();
    for (const line of present.split("\n")) {
      const { names, words } = known.termsOfLine(line);
      for (const term of names) gains[term] = 0;
      for (const term of words) gains[term] = 0;
    }
    const gainIn = (terms: readonly number[]): number => {
      let gain = 0;
      for (const term of terms) gain += gains[term]!;
      return gain;
    };
    const weightOf = ({ terms: { names, words }, source, times }: Candidate): number => {
      const gain = (gainIn(names) + gainIn(words) * WORD_TIMES) * times;
      if (gain === 0) return 0;
      const age = (source.message - request.from) / Math.max(1, request.until - request.from);
      return gain * (OLDEST_SHARE + (1 - OLDEST_SHARE) * age);
    };
    const ordered = candidates
      .map((one) => ({ one, density: weightOf(one) / one.tokens }))
      .filter(({ density }) => density >= GAIN_A_TOKEN_MIN)
      .toSorted((a, b) => b.density - a.density);
    const chosen: Candidate[] = [];
    const quoted = new Set<Source>();
    let left = tokensMax;
    for (const { one, density } of ordered) {
      const { tokens, source, terms } = one;
      // What was chosen before may have brought its names already.
      if (tokens > left || weightOf(one) / tokens < Math.max(GAIN_A_TOKEN_MIN, density / 2)) continue;
      left -= tokens + (quoted.has(source) ? 0 : request.measure.text(labelOf(source)));
      for (const term of terms.names) gains[term] = 0;
      for (const term of terms.words) gains[term] = 0;
      quoted.add(source);
      chosen.push(one);
    }
    return itemsOf(chosen, request);
  };
}

/** The same however much of it is asked for. */
function materialOf(request: QuoteRequest) {
  if (known.chars > REMEMBERED_CHARS_MAX) known = nothingRead();
  const candidates = candidatesIn(request);
  return { candidates, weights: weightsOf(candidates, request.events) };
}

function weight(messages: number): number {
  if (messages <= 1) return ONCE_WEIGHT;
  return messages >= COMMON_MESSAGES_MIN ? COMMON_WEIGHT : AGAIN_WEIGHT;
}

/** The texts that may be quoted, the newest first: what calls returned, and what the agent said. */
function sourcesIn(request: QuoteRequest): readonly Source[] {
  const { events, from, until, redact } = request;
  const isOld = changedAfter(events);
  const inside = events.all.filter(({ message }) => message >= from && message < until);
  return inside.toReversed().flatMap((event): readonly Source[] => {
    const { message } = event;
    if (event.kind === "said")
      return [{ message, label: () => "Agent", isSaid: true, lines: linesOf(event, event.text, request) }];
    if (event.kind !== "call" || event.result === undefined || event.result >= until) return [];
    const { summary, ending } = event;
    if ((summary.action === "read" && isOld(event)) || ending.status === "declined") return [];
    // That a file was written is told as a deed.
    if ((summary.action === "write" || summary.action === "edit") && onlyLine(event.text) !== undefined) return [];
    const label = (): string => `${summary.tool} ${targetText(event, redact)}`;
    return [{ message, label, isSaid: false, lines: linesOf(event.call, event.text, request) }];
  });
}

interface ReadText extends Pick<QuoteRequest, "redact"> {
  readonly text: string;
  readonly lines: readonly NamedLine[];
  /** What the lines were weighed with. */
  measure: Measure;
}

/** Characters of the texts that are remembered before it starts afresh: their lines take some four bytes for each. */
const REMEMBERED_CHARS_MAX = 4_000_000;

/** Characters of the lines of handoffs whose terms are remembered. */
const HANDOFF_CHARS_MAX = 1_000_000;

/** What was said or called, read once: most of a conversation was read at the compaction before. */
let known = nothingRead();

function nothingRead() {
  const vocabulary = createVocabulary();
  return {
    vocabulary,
    termsOfLine: keptByText(vocabulary.termsIn, HANDOFF_CHARS_MAX),
    texts: new WeakMap<SaidEvent | ToolCallPart, ReadText>(),
    calls: new WeakMap<ToolCallPart, Terms>(),
    chars: 0,
  };
}

/** The lines of a text that are neither too short nor too long to be quoted, and mean something alone. */
function linesOf(
  key: SaidEvent | ToolCallPart,
  text: string,
  { redact, measure }: Pick<QuoteRequest, "redact" | "measure">,
): readonly NamedLine[] {
  const read = known.texts.get(key);
  if (read?.text === text && read.redact === redact) return linesFor(measure, read);
  const lines: NamedLine[] = [];
  const plain = "kind" in key && key.kind === "said" ? text : withoutGutter(text);
  const all = redact(wholeWords(plain, CHARS_READ_MAX)).split("\n");
  const isData = DATA.test(plain);
  for (let at = 0; at < all.length; at++) {
    const own = all[at]!.trim();
    if (own.length < LINE_CHARS_MIN || own.length > LINE_CHARS_MAX || isPiece(own, isData)) continue;
    lines.push({ at, text: own });
  }
  known.chars += Math.min(text.length, CHARS_READ_MAX);
  known.texts.set(key, { text, redact, measure, lines });
  return lines;
}

function linesFor(measure: Measure, read: ReadText): readonly NamedLine[] {
  if (read.measure !== measure) for (const line of read.lines) line.tokens = undefined;
  read.measure = measure;
  return read.lines;
}

function candidatesIn(request: QuoteRequest): readonly Candidate[] {
  const seen = new Set<string>();
  // A figure that the agent spoke of again is told by what it said last: it may have taken it back.
  const saidAt = new Map<number, number>();
  const isGone = removedLater(request.events.all.filter((event) => event.kind === "call"));
  const candidates: Candidate[] = [];
  const { isFigure } = known.vocabulary;
  for (const source of sourcesIn(request)) {
    const own: (Omit<Candidate, "times"> & { readonly line: NamedLine })[] = [];
    const alike = new Map<string, number>();
    for (const line of source.lines) {
      const { at, text } = line;
      if (seen.has(text)) continue;
      seen.add(text);
      if (isGone((line.bare ??= withoutLineNumber(text).trim()), source.message)) continue;
      const terms = (line.terms ??= quotableTerms(text));
      if (source.isSaid && terms.names.some((name) => isFigure(name) && (saidAt.get(name) ?? 0) > source.message))
        continue;
      if (source.isSaid)
        for (const name of terms.names) saidAt.set(name, Math.max(saidAt.get(name) ?? 0, source.message));
      const shape = (line.shape ??= shapeOf(terms));
      alike.set(shape, (alike.get(shape) ?? 0) + 1);
      // A sentence of the agent means something without a name; a line of a result seldom does.
      if (terms.names.length === 0 && !(source.isSaid && terms.words.length > 0)) continue;
      own.push({ source, at, text, terms, line, tokens: (line.tokens ??= request.measure.text(`${text}\n`) + 1) });
    }
    for (const { line, ...one } of own)
      candidates.push({ ...one, times: timesOf(source, line, alike.get(line.shape!)!) });
  }
  return candidates;
}

/** One of many lines that differ in their figures alone says little; an error among them is what they are looked through for. */
function timesOf({ isSaid }: Source, line: NamedLine, alike: number): number {
  if (isSaid) return SAID_TIMES;
  line.isError ??= isErrorLine(line.text);
  return (line.isError ? ERROR_TIMES : 1) / alike;
}

/** A line without its figures. */
function shapeOf({ names, words }: Terms): string {
  return [...words, ...names.filter((name) => !known.vocabulary.isFigure(name))].join(" ");
}

const NO_TERMS: Terms = { names: [], words: [] };

/** None where the line says too little beside them. */
function quotableTerms(text: string): Terms {
  return hasWords(text) ? known.vocabulary.termsIn(text) : NO_TERMS;
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

/** What each term is worth by the results, calls and words of the agent that it stands in. */
function weightsOf(candidates: readonly Candidate[], { calls }: Events): Float64Array {
  const ofCalls = calls.map(({ call }) => termsOfCall(call));
  const size = known.vocabulary.size();
  const counts = new Uint32Array(size);
  /** Of each term, the number of the last text that had it. */
  const lastIn = new Uint32Array(size);
  let texts = 0;
  const countIn = (terms: readonly number[]): void => {
    for (const term of terms) {
      if (lastIn[term] === texts) continue;
      lastIn[term] = texts;
      counts[term]! += 1;
    }
  };
  let last: Source | undefined;
  for (const { source, terms } of candidates) {
    if (source !== last) texts += 1;
    last = source;
    countIn(terms.names);
    countIn(terms.words);
  }
  for (const { names, words } of ofCalls) {
    texts += 1;
    countIn(names);
    countIn(words);
  }
  const weights = new Float64Array(size);
  for (let term = 0; term < size; term++) weights[term] = weight(counts[term]!);
  return weights;
}

function termsOfCall(call: ToolCallPart): Terms {
  let terms = known.calls.get(call);
  if (terms === undefined)
    known.calls.set(call, (terms = known.vocabulary.termsIn(call.arguments.slice(0, CHARS_READ_MAX))));
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
