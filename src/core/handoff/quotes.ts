/**
 * Lines of results, word for word, for the exact names and figures that no sentence tells: chosen by how many such names a line has
 * that are rare, recent, came up again, and stand nowhere else in the handoff. It reads no language.
 */
import { oneLine } from "../digest/cut.ts";
import { withoutGutter } from "../digest/numbered-lines.ts";
import type { Events } from "../events/events.ts";
import { changedAfter } from "../events/files.ts";
import type { Measure } from "../transcript/measure.ts";
import { wholeWords } from "../events/text.ts";
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

interface Source {
  readonly message: number;
  readonly label: string;
  readonly text: string;
}

/** A line that may be quoted, with the names and figures in it. */
interface Candidate {
  readonly source: Source;
  readonly at: number;
  readonly text: string;
  readonly names: readonly string[];
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
/**
 * Names of code and paths, words with figures in them, and figures, in the group. Plain words are matched first, without it: they are
 * most of a text, and looking for a name at each of their letters takes several times as long. Neither begins within a word.
 */
const NAME_OR_WORD =
  /(?<![\p{L}_])(?:\p{Lu}*[\p{Ll}\p{Lo}\p{Lm}\p{Lt}]+|\p{Lu}+)(?![\p{L}\p{N}_]|[._/:-][\p{L}\p{N}_])|((?<![\p{L}_])(?:[\p{L}_][\p{L}\p{N}_]*(?:[._/:-][\p{L}\p{N}_]+)+|[\p{L}_]*(?:\p{Ll}\p{Lu}|_|\p{L}\p{N}|\p{N}\p{L})[\p{L}\p{N}_]*)|\d[\d.,:]*\d)/gu;
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
      const age = (source.message - request.from) / Math.max(1, request.until - request.from);
      let gain = 0;
      for (const name of names) if (!covered.has(name)) gain += weight(counts.get(name) ?? 1);
      return gain * (OLDEST_SHARE + (1 - OLDEST_SHARE) * age);
    };
    const cost = (one: Candidate): number => request.measure.text(`${one.text}\n`) + 1;
    const ordered = candidates
      .map((one) => ({ one, density: weightOf(one) / cost(one) }))
      .filter(({ density }) => density >= GAIN_A_TOKEN_MIN)
      .toSorted((a, b) => b.density - a.density);
    const chosen: Candidate[] = [];
    let left = tokensMax;
    for (const { one, density } of ordered) {
      const tokens = cost(one);
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
  const isOld = changedAfter(events.files);
  const inside = events.all.filter(({ message }) => message >= from && message < until);
  return inside.toReversed().flatMap((event): readonly Source[] => {
    const isSaid = event.kind === "said";
    if (!isSaid && (event.kind !== "call" || event.result === undefined || event.result >= until)) return [];
    if (!isSaid && event.summary.action === "read" && isOld(event)) return [];
    const text = wholeWords(isSaid ? event.text : withoutGutter(event.text), CHARS_READ_MAX);
    if (isSaid) return [{ message: event.message, label: "Agent", text }];
    return [{ message: event.message, label: `${event.summary.tool} ${targetText(event, redact)}`, text }];
  });
}

function candidatesIn(request: QuoteRequest): readonly Candidate[] {
  const seen = new Set<string>();
  const isGone = removedLater(request.events.all.filter((event) => event.kind === "call"));
  return sourcesIn(request).flatMap((source) =>
    request
      .redact(source.text)
      .split("\n")
      .flatMap((line, at): readonly Candidate[] => {
        const text = line.trim();
        if (text.length < LINE_CHARS_MIN || text.length > LINE_CHARS_MAX || seen.has(text)) return [];
        seen.add(text);
        if (isGone(text, source.message) || isPiece(text, source.text)) return [];
        const names = namesIn(text.replace(JSON_KEY, ""));
        return names.length === 0 || (text.match(WORD) ?? []).length < WORDS_MIN ? [] : [{ source, at, text, names }];
      }),
  );
}

/** Whether a line means nothing alone: it opens what stands below it, or is one field of data in a text of another kind. */
function isPiece(line: string, text: string): boolean {
  return OPENS.test(line) || (JSON_KEY.test(line) && !DATA.test(text));
}

const OPENS = /[([{]$/;
const DATA = /^\s*[[{]/;

export function namesIn(text: string): readonly string[] {
  const names = new Set<string>();
  for (const [, name = ""] of text.matchAll(NAME_OR_WORD)) if (name.length >= NAME_CHARS_MIN) names.add(name);
  return [...names];
}

/** In how many results, calls and words of the agent each name stands. */
function countsOf(candidates: readonly Candidate[], { all }: Events): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (names: Iterable<string>): void => {
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  for (const own of Map.groupBy(candidates, ({ source }) => source).values())
    count(new Set(own.flatMap(({ names }) => names)));
  for (const event of all) if (event.kind === "call") count(namesIn(event.call.arguments.slice(0, CHARS_READ_MAX)));
  return counts;
}

function labelOf({ label, message }: Source): string {
  return `[${message + 1}] ${oneLine(label, LABEL_CHARS_MAX)}`;
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
