/**
 * What a search finds: words, the parts of camelCase and snake_case names, and pairs of neighbouring CJK characters.
 * An index of these tokens finds candidates; a candidate is a hit when it also holds the query's words literally,
 * whatever their case. Memory and databases answer alike because both decide here.
 */

const RUN = /[\p{L}\p{N}\p{M}]+/gu;
/** The same where nothing else can match, several times as fast. */
const ASCII_RUN = /[A-Za-z0-9]+/g;
const BEYOND_ASCII = /[^\0-\x7f]/;
const CJK = "\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}";
const HAS_CJK = new RegExp(`[${CJK}]`, "u");
const CJK_OR_NOT = new RegExp(`[${CJK}]+|[^${CJK}]+`, "gu");
/** `HTTPServer` is HTTP and Server. */
const NAME_PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}]+/gu;
const INNER_CAPITAL = /[^\p{Lu}]\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u;

/** Longer runs of letters and digits are data, not words. */
const WORD_CHARACTERS_MAX = 128;
/** What stands behind this much of one text is kept but not found. */
const SEARCHED_CHARACTERS_MAX = 2_000_000;
/** Of a longer line, what stands around the hit is shown. */
const LINE_CHARACTERS_MAX = 500;

/** One demand of a query on the tokens of a text: all of these, or the whole of a name that they are the parts of. */
interface Clause {
  readonly all: readonly string[];
  readonly whole?: string;
  /** A single CJK character: the beginning of a token. */
  readonly prefix?: string;
}

export interface Query {
  readonly clauses: readonly Clause[];
  /** In lower case; the text holds each of them. */
  readonly words: readonly string[];
}

/** The distinct tokens that a text is found by. */
export function tokensOf(text: string): ReadonlySet<string> {
  const tokens = new Set<string>();
  const searched = text.slice(0, SEARCHED_CHARACTERS_MAX);
  const runs = searched.match(BEYOND_ASCII.test(searched) ? RUN : ASCII_RUN) ?? [];
  // Most texts have none, and asking once is cheaper than asking for every run.
  const add = HAS_CJK.test(searched) ? addRun : addName;
  for (const run of runs) add(tokens, run);
  return tokens;
}

function addRun(tokens: Set<string>, run: string): void {
  if (!HAS_CJK.test(run)) addName(tokens, run);
  else for (const piece of run.match(CJK_OR_NOT)!) addPiece(tokens, piece);
}

function addPiece(tokens: Set<string>, piece: string): void {
  if (!HAS_CJK.test(piece)) return addName(tokens, piece);
  let previous = "";
  for (const character of piece) {
    if (previous !== "") tokens.add(previous + character);
    previous = character;
  }
  tokens.add(previous);
}

function addName(tokens: Set<string>, name: string): void {
  if (name.length > WORD_CHARACTERS_MAX) return;
  const lower = name.toLowerCase();
  tokens.add(lower);
  if (lower !== name && INNER_CAPITAL.test(name))
    for (const part of name.match(NAME_PART)!) tokens.add(part.toLowerCase());
}

/** `undefined` for a query without a letter or digit: it finds nothing. */
export function parseQuery(query: string): Query | undefined {
  const words = query.split(/\s+/).filter((word) => word.search(RUN) >= 0);
  if (words.length === 0) return undefined;
  const clauses = words.flatMap((word) =>
    [...word.matchAll(RUN)].flatMap(([run]) => [...run.matchAll(CJK_OR_NOT)].map(([piece]) => clauseOf(piece))),
  );
  return { clauses, words: words.map((word) => word.toLowerCase()) };
}

function clauseOf(piece: string): Clause {
  if (HAS_CJK.test(piece)) {
    const characters = [...piece];
    if (characters.length === 1) return { all: [], prefix: piece };
    return { all: characters.slice(1).map((character, at) => characters[at]! + character) };
  }
  const whole = piece.toLowerCase();
  if (!INNER_CAPITAL.test(piece)) return { all: [whole] };
  return { all: [...piece.matchAll(NAME_PART)].map(([part]) => part.toLowerCase()), whole };
}

/** Whether a text that an index found also holds the words literally. */
export function holdsWords(text: string, { words }: Query): boolean {
  const lower = text.slice(0, SEARCHED_CHARACTERS_MAX).toLowerCase();
  return words.every((word) => lower.includes(word));
}

/** The same decision without an index. */
export function isHit(text: string, query: Query): boolean {
  return holdsWords(text, query) && meets(tokensOf(text), query);
}

function meets(tokens: ReadonlySet<string>, { clauses }: Query): boolean {
  return clauses.every(({ all, whole, prefix }) => {
    if (prefix !== undefined) return [...tokens].some((token) => token.startsWith(prefix));
    return all.every((token) => tokens.has(token)) || (whole !== undefined && tokens.has(whole));
  });
}

/** The line that shows a hit. */
export function lineOfHit(text: string, { words }: Query): string {
  const first = words[0]!;
  let shown: string | undefined;
  for (const line of text.split("\n")) {
    const lower = line.toLowerCase();
    if (!lower.includes(first)) continue;
    shown ??= line;
    if (!words.every((word) => lower.includes(word))) continue;
    shown = line;
    break;
  }
  return around(shown ?? "", first);
}

function around(line: string, word: string): string {
  if (line.length <= LINE_CHARACTERS_MAX) return line;
  const start = Math.max(0, line.toLowerCase().indexOf(word) - LINE_CHARACTERS_MAX / 2);
  return line.slice(start, start + LINE_CHARACTERS_MAX);
}
