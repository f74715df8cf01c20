/**
 * A text in as much room as it gets: its head and its tail in whole lines and sentences, or nothing. A lead-in without
 * what it leads in to, and a heading without its text, are not kept.
 */
import { oneLine } from "../../digest/cut.ts";
import { MARKS_ONLY, saysLittle, sentencesOf } from "../../events/text.ts";
import { valuesIn } from "../../events/things.ts";
import { clipped } from "../items.ts";
import { keptByText, keptWith } from "../../kept.ts";
import { GAP, HEADING, leadsOf, unitsOf } from "./list-lead.ts";

/** Something that can be told in more or fewer characters. */
export interface Body {
  /** Of the whole. */
  readonly chars: number;
  /** At most that many characters; empty where nothing worth reading fits. */
  readonly within: (charsMax: number) => string;
}

/** Less of a text is a stub. */
export const PROSE_CHARS_MIN = 60;
const HEAD_SHARE = 0.6;
const LONG_LINE_CHARS = 160;
const LEADS_IN = /[:：]\s*(?:\**|\d{1,3}[.)])$/;
const NUMBER_ONLY = /^\d{1,3}[.)]$/;

/** What lines are worth where not all of them fit. */
export interface LineWorth {
  /** Stays before others. */
  readonly isMore?: (line: string) => boolean;
  /** Where not all of its pieces may be told, those that may. */
  readonly pieces?: () => readonly string[];
  /** Whether the end of the text counts as its beginning does. */
  readonly hasEnd?: boolean;
}

/** Text as it was written. `prepare` takes secrets out of it, when it is told at all. */
export function proseBody(
  text: string,
  prepare: (text: string) => string = unchanged,
  { isMore, pieces: told, hasEnd = true }: LineWorth = {},
): Body {
  let prose: Prose | undefined;
  let pieces: readonly string[] | undefined;
  return {
    chars: text.length,
    within: (charsMax) => {
      const { whole } = (prose ??= proseOf(prepare(text).trim()));
      if (whole.length <= charsMax || text.length <= charsMax) return whole;
      pieces ??= (told ?? prose.piecesOfAll)();
      const counting = isMore === undefined ? [] : countingWith(isMore)(pieces);
      return headAndTail(pieces, charsMax, { counting, hasEnd });
    },
  };
}

/** A text taken apart. */
interface Prose {
  readonly whole: string;
  readonly piecesOfAll: () => readonly string[];
  readonly piecesWithout: (isLess: (line: string) => boolean, isMarked: boolean) => () => readonly string[];
}

/** The pieces of a text without lines that go before all others, which are asked for without the space around them; the same function for the same pieces. */
export function piecesWithout(
  text: string,
  prepare: (text: string) => string,
  isLess: (line: string) => boolean,
  isMarked = false,
): () => readonly string[] {
  return proseOf(prepare(text).trim()).piecesWithout(isLess, isMarked);
}

/** Characters of the texts that are remembered: most of what is told was told at the compaction before. */
const REMEMBERED_CHARS_MAX = 2_000_000;

const proseOf = keptByText((text): Prose => {
  const values = flatData(text);
  if (values !== undefined) {
    const piecesOfAll = (): readonly string[] => values;
    return { whole: values.join(""), piecesOfAll, piecesWithout: () => piecesOfAll };
  }
  let lines: readonly { readonly line: string; readonly bare: string }[] | undefined;
  let left: { readonly lines: readonly string[]; readonly pieces: () => readonly string[] } | undefined;
  return {
    whole: text,
    piecesOfAll: once(() => piecesOf(text)),
    piecesWithout: (isLess, isMarked) => {
      lines ??= text.split("\n").flatMap((line) => (line.trim() === "" ? [] : { line, bare: line.trim() }));
      const now: string[] = [];
      for (const { line, bare } of lines)
        if (!isLess(bare)) now.push(line);
        else if (isMarked && now.at(-1) !== GAP && !MARKS_ONLY.test(bare)) now.push(GAP);
      if (left?.lines.length !== now.length || !left.lines.every((line, at) => line === now[at]))
        left = { lines: now, pieces: once(() => piecesOf(now.join("\n"))) };
      return left.pieces;
    },
  };
}, REMEMBERED_CHARS_MAX);

const countingWith = keptWith((isMore: (line: string) => boolean) =>
  keptWith((pieces: readonly string[]) => [...pieces.keys()].filter((at) => isMore(pieces[at]!.trimEnd()))),
);

function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}

/** Whether a text is written in sentences, and not a page, a list or a log. */
export function isInSentences(text: string): boolean {
  let inSentences = 0;
  for (const match of text.matchAll(SENTENCE_LINE)) inSentences += match[0].length;
  return inSentences >= text.length / 2;
}

/** A line that ends as a sentence does and is long enough for one. */
const SENTENCE_LINE = /^.{20,}[.!?:。！？：][)*_"'”’」]*[ \t]*$/gmu;

function unchanged(text: string): string {
  return text;
}

/** Data in JSON below at most a line of words, value by value: braces and margins say nothing. */
function flatData(text: string): readonly string[] | undefined {
  if (!text.endsWith("}")) return undefined;
  const start = text.indexOf("{");
  if (start < 0 || start > LONG_LINE_CHARS) return undefined;
  const values = valuesIn(text.slice(start));
  return values === undefined
    ? undefined
    : [text.slice(0, start), ...values.split(/(?<=, )/)].filter((piece) => piece !== "");
}

/** Lines, the sentences of long ones, and blocks of code; together they are the text. */
function piecesOf(text: string): readonly string[] {
  const lines = text.split(/(?<=\n)/);
  return unitsOf(lines)
    .flatMap(({ start, end }) => {
      const piece = lines.slice(start, end).join("");
      return end - start === 1 && piece.length > LONG_LINE_CHARS ? sentencesOf(piece) : piece;
    })
    .filter((piece) => piece !== "");
}

/** Of the room, what lines that count may take from head and tail; one of them may take all of it. */
const COUNTING_SHARE = 0.5;

/** The first and the last sentences of a text, or where none fits its first words. */
export function sentencesWithin(text: string, charsMax: number): string {
  const whole = text.trim();
  if (whole.length <= charsMax) return whole;
  // What is further from both ends does not fit, and neither do sentences that are torn here.
  const ends = whole.length <= charsMax * 2 ? [whole] : [whole.slice(0, charsMax), whole.slice(-charsMax)];
  const sentences = ends.flatMap((end) => end.split(/(?<=\n)/)).flatMap(sentencesOf);
  return headAndTail(sentences, charsMax, { counting: [], hasEnd: true }) || clipped(whole, charsMax);
}

interface Keeping {
  /** Pieces that stay before others. */
  readonly counting: readonly number[];
  readonly hasEnd: boolean;
}

function headAndTail(pieces: readonly string[], charsMax: number, { counting, hasEnd }: Keeping): string {
  const middle: number[] = [];
  let room = charsMax - GAP.length - 2;
  const counted = room * COUNTING_SHARE;
  let taken = 0;
  for (const at of counting) {
    const chars = pieces[at]!.length + GAP.length + 1;
    if (taken + chars > (taken === 0 ? room : counted)) break;
    taken += chars;
    middle.push(at);
  }
  room -= taken;
  let head = 0;
  let used = 0;
  // A text opens with what it is about: its first piece may take all of the room. Beside it, the last piece comes before all others.
  const first = pieces[0]?.length ?? 0;
  const last = hasEnd ? (pieces.at(-1)?.length ?? 0) : 0;
  const shareOfHead = hasEnd ? Math.min(room * HEAD_SHARE, Math.max(first, room - last)) : room;
  const headRoom = Math.max(shareOfHead, Math.min(room, first));
  const tailRoom = hasEnd ? room : 0;
  while (head < pieces.length && used + pieces[head]!.length <= headRoom) used += pieces[head++]!.length;
  let tail = pieces.length;
  while (tail > head && used + pieces[tail - 1]!.length <= tailRoom) used += pieces[--tail]!.length;
  // What the tail could not use is for the head.
  while (head < tail && used + pieces[head]!.length <= room) used += pieces[head++]!.length;
  while (head > 1 && isDangling(pieces[head - 1]!)) head--;
  const under = underItsLead(pieces, { head, tail, room: room - used });
  tail = under.tail;
  // What an answer opens with may take back or refuse: its end is told with it alone, and then it stays also where it leads in.
  if (head === 1 && tail === pieces.length && isDangling(pieces[0]!)) head = 0;
  const inside = middle.filter((at) => at >= head && at < tail);
  if (head === 0 && inside.length === 0) return "";
  const between = [...new Set([...inside, ...under.leads])].toSorted((a, b) => a - b);
  const known = cutsOf(pieces);
  const key = `${head} ${tail} ${between.join(" ")}`;
  let text = known.get(key);
  if (text === undefined) {
    text = joined(pieces, { head, tail, between, leads: under.leads });
    if (known.size >= CUTS_MAX) known.clear();
    known.set(key, text);
  }
  return text;
}

/** Where a tail can begin: not within a list whose headings are left out. They come with as many of the last items as fit below them. */
function underItsLead(
  pieces: readonly string[],
  { head, tail: start, room }: { readonly head: number; readonly tail: number; readonly room: number },
): { readonly tail: number; readonly leads: readonly number[] } {
  let left = room;
  for (let tail = start; tail < pieces.length; left += pieces[tail++]!.length) {
    const leads = leadsOf(pieces, tail).filter((at) => at >= head);
    const chars = leads.reduce((sum, at) => sum + pieces[at]!.length + GAP.length + 1, 0);
    if (chars <= left) return { tail, leads };
  }
  return { tail: pieces.length, leads: [] };
}

/** One search tries a dozen lengths, and many come to the same. */
const CUTS_MAX = 32;
/** The texts that pieces were cut to. */
const cutsOf = keptWith((_pieces: readonly string[]) => new Map<string, string>());

interface CutPlaces {
  readonly head: number;
  readonly tail: number;
  readonly between: readonly number[];
  /** Of these, what the tail stands under. */
  readonly leads: readonly number[];
}

interface Run {
  readonly start: number;
  end: number;
}

function joined(pieces: readonly string[], { head, tail, between, leads }: CutPlaces): string {
  const runs: Run[] = [{ start: 0, end: head }];
  for (const at of [...between, tail]) {
    const end = at === tail ? pieces.length : at + 1;
    if (runs.at(-1)!.end === at) runs.at(-1)!.end = end;
    else runs.push({ start: at, end });
  }
  const endOf = (run: Run): number => (leads.includes(run.end - 1) ? run.end : endWithoutLead(pieces, run));
  const texts = runs.map((run) => pieces.slice(run.start, endOf(run)).join(""));
  if (saysLittle(texts.join(""))) return "";
  const told = texts.map((text, at) => (at === 0 ? text.trimEnd() : text.trim()));
  return told
    .flatMap((text, at) => [...(at === 0 ? [] : [GAP]), ...(text === "" ? [] : [text])])
    .join("\n")
    .replace(TWO_GAPS, GAP);
}

/** Where a run of pieces ends without a lead-in to what is left out. What a text opens with stays. */
function endWithoutLead(pieces: readonly string[], { start, end }: Run): number {
  let last = end;
  while (end < pieces.length && last > Math.max(1, start) && isDangling(pieces[last - 1]!)) last--;
  return last;
}

const TWO_GAPS = /\[…\](?:\n\[…\])+(?![^\n])/g;

function isDangling(piece: string): boolean {
  const text = piece.trim();
  return MARKS_ONLY.test(text) || LEADS_IN.test(text) || HEADING.test(text) || NUMBER_ONLY.test(text);
}

/** A text of sections, as a summary is: each in as much room as the others, the most with which all fit. */
export function sectionsBody(text: string, prepare: (text: string) => string = unchanged): Body {
  const all = proseBody(text, prepare);
  let sections: readonly Body[] | undefined;
  return {
    chars: all.chars,
    within: (charsMax) => {
      if (charsMax >= all.chars) return all.within(charsMax);
      sections ??= all
        .within(Infinity)
        .split(BETWEEN_SECTIONS)
        .map((section) => proseBody(section));
      const told = (chars: number): string =>
        sections!.map(({ within }) => within(chars) || clipped(within(Infinity), chars)).join("\n\n");
      let [fits, tooMany] = [PROSE_CHARS_MIN, charsMax];
      while (tooMany - fits > SECTION_CHARS_STEP) {
        const middle = (fits + tooMany) >> 1;
        if (told(middle).length <= charsMax) fits = middle;
        else tooMany = middle;
      }
      const shared = told(fits);
      return shared === "" || shared.length > charsMax ? all.within(charsMax) : shared;
    },
  };
}

const BETWEEN_SECTIONS = /\n(?:[ \t]*\n)+/;
/** So near to the most it need not be. */
const SECTION_CHARS_STEP = 8;

/** Lines that mean something one by one: as many whole ones as fit, the first first, and a mark where there are more, here or in `count`. */
export function linesBody(lines: readonly string[], count: number = lines.length): Body {
  const all = lines.map((line) => `${LINE_LEAD}${narrow(line)}`);
  const more = count > lines.length ? [LEFT_OUT] : [];
  const chars = [...all, ...more].reduce((sum, line) => sum + line.length + 1, 0);
  return {
    chars,
    within: (charsMax) => {
      if (chars <= charsMax) return [...all, ...more].join("\n");
      const kept: string[] = [];
      let left = charsMax - LEFT_OUT.length;
      for (const line of all) {
        if (line.length + 1 > left) break;
        left -= line.length + 1;
        kept.push(line);
      }
      return kept.length === 0 ? "" : [...kept, LEFT_OUT].join("\n");
    },
  };
}

const LINE_LEAD = "  + ";
const LEFT_OUT = `${LINE_LEAD}${GAP}`;

const narrow = keptByText((text) => {
  const words = text.trimStart();
  const depth = text.slice(0, text.length - words.length).replaceAll("\t", "    ").length;
  return `${" ".repeat(Math.min(6, Math.floor(depth / 4)))}${oneLine(words, 220)}`;
}, REMEMBERED_CHARS_MAX);
