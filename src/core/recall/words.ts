/**
 * The words of a text and of a query: words and numbers, the parts of camelCase and snake_case names and of paths, and
 * pairs of neighbouring CJK characters. English endings do not count, nor do case and diacritics: `retries` finds `retry`, and `ozturk`
 * Öztürk. An index of the tokens finds candidates for a query; whether a text meets it is decided here alone, so that every store
 * answers alike.
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
const WORD_CHARS_MAX = 128;
/** What follows this much of one text is kept but not found. */
export const SEARCHED_CHARS_MAX = 2_000_000;
/** Further words of a query are not looked for. */
const QUERY_WORDS_MAX = 16;

/** One demand on the tokens of a text. */
export interface Clause {
  /** Any of these: the forms of one word. */
  readonly any: readonly string[];
  /** Folded; every text that meets the clause holds one of these, as part of a token. */
  readonly signs: readonly string[];
  /** Or all of these: the parts of a name. */
  readonly all?: readonly string[];
  /** A single CJK character: the beginning of a token. */
  readonly prefix?: string;
}

/** One word of a query: a text that holds it meets all clauses. */
export interface Term {
  /** As it was written, in lower case. */
  readonly word: string;
  readonly clauses: readonly Clause[];
}

export interface Query {
  readonly terms: readonly Term[];
}

/** The distinct tokens that a text is found by. */
export function tokensOf(text: string): ReadonlySet<string> {
  const tokens = new Set<string>();
  const searched = text.slice(0, SEARCHED_CHARS_MAX);
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
  if (name.length > WORD_CHARS_MAX) return;
  const lower = addWord(tokens, name);
  if (lower !== name && INNER_CAPITAL.test(name)) for (const part of name.match(NAME_PART)!) addWord(tokens, part);
}

/** As it is written too: an index that an older version wrote has nothing else. */
function addWord(tokens: Set<string>, word: string): string {
  const lower = word.toLowerCase();
  tokens.add(lower);
  if (BEYOND_ASCII.test(lower)) tokens.add(folded(lower));
  return lower;
}

const ALPHABETS = "\\p{sc=Latin}\\p{sc=Greek}\\p{sc=Cyrillic}";
/** A letter that may have a mark, and marks of their own behind any letter. */
const MARKED = new RegExp(`(?![a-z])[${ALPHABETS}]|(?<=[${ALPHABETS}]\\p{M}{0,4})\\p{M}`, "gu");
/** Letters that Unicode does not take apart, and one that it does although nobody writes it without its mark. */
const PLAIN = new Map(
  Object.entries({ ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i", ς: "σ", й: "й" }),
);

/** A text in lower case without the marks of Latin, Greek and Cyrillic letters. */
export function folded(text: string): string {
  const lower = text.toLowerCase();
  if (!BEYOND_ASCII.test(lower)) return lower;
  return lower.replace(MARKED, (letter) => {
    let plain = PLAIN.get(letter);
    if (plain === undefined) PLAIN.set(letter, (plain = letter.normalize("NFD").replaceAll(/\p{M}/gu, "")));
    return plain;
  });
}

/** Words that say nothing beside others. */
const STOP_WORDS = new Set(
  (
    "a an and are as at be by did do does for from had has have how i in into is it its of on or our that the their them " +
    "they this to was we were what when where which who why with you your"
  ).split(" "),
);

/** `undefined` for a query without a letter or digit: it finds nothing. */
export function parseQuery(query: string): Query | undefined {
  const written = query.split(/\s+/).filter((word) => word.search(RUN) >= 0);
  const distinct = [...new Map(written.map((word) => [word.toLowerCase(), word])).values()];
  const telling = distinct.filter((word) => !STOP_WORDS.has(word.toLowerCase().replaceAll(/[^a-z]/g, "")));
  const words = (telling.length > 0 ? telling : distinct).slice(0, QUERY_WORDS_MAX);
  if (words.length === 0) return undefined;
  return { terms: words.map((word) => ({ word: trimmed(word), clauses: clausesOf(word) })) };
}

/** Without the quotes and the punctuation around it. */
function trimmed(word: string): string {
  return word.toLowerCase().replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
}

function clausesOf(word: string): readonly Clause[] {
  return [...word.matchAll(RUN)].flatMap(([run]) => [...run.matchAll(CJK_OR_NOT)].map(([piece]) => clauseOf(piece)));
}

function clauseOf(piece: string): Clause {
  if (HAS_CJK.test(piece)) {
    const characters = [...piece];
    if (characters.length === 1) return { any: [], signs: [piece], prefix: piece };
    return { any: [], signs: [piece], all: characters.slice(1).map((character, at) => characters[at]! + character) };
  }
  const stem = stemOf(folded(piece));
  const any = [...new Set([...formsOf(stem), piece.toLowerCase()])];
  if (!INNER_CAPITAL.test(piece)) return { any, signs: [stem] };
  const parts = [...piece.matchAll(NAME_PART)].map(([part]) => part.toLowerCase());
  return { any, signs: [stem, folded(parts[0]!)], all: parts };
}

/** Whether these tokens hold a word of a query. */
export function holdsTerm(tokens: ReadonlySet<string>, { clauses }: Term): boolean {
  return clauses.every(({ any, all, prefix }) => {
    if (prefix !== undefined) return [...tokens].some((token) => token.startsWith(prefix));
    return any.some((token) => tokens.has(token)) || (all?.every((token) => tokens.has(token)) ?? false);
  });
}

/** A quick look at a folded text that spares the tokens of most. */
export function mayHoldTerm(text: string, { clauses }: Term): boolean {
  return clauses.every(({ signs }) => signs.some((sign) => text.includes(sign)));
}

/** English endings, the longest first, each with what has to be left of the word. */
const ENDINGS: readonly (readonly [ending: string, stemCharsMin: number])[] = [
  ["ations", 4],
  ["ation", 4],
  ["ating", 4],
  ["ated", 4],
  ["ates", 4],
  ["ying", 3],
  ["ings", 3],
  ["ions", 4],
  ["ate", 4],
  ["ing", 3],
  ["ion", 4],
  ["ied", 3],
  ["ies", 3],
  ["ed", 3],
  ["es", 3],
  ["s", 3],
  ["e", 3],
  ["y", 3],
];
const LATIN_WORD = /^[a-z]{4,}$/;
const DOUBLED = /([bdfgmnprt])\1$/;

/** What is left without an English ending: always the beginning of the word, so that its forms can be told from it. */
export function stemOf(word: string): string {
  if (!LATIN_WORD.test(word)) return word;
  for (const [ending, stemCharsMin] of ENDINGS) {
    const rest = word.slice(0, -ending.length);
    if (word.endsWith(ending) && rest.length >= stemCharsMin && drops(rest, ending)) {
      return DOUBLED.test(rest) && (ending === "ing" || ending === "ed") ? rest.slice(0, -1) : rest;
    }
  }
  return word;
}

/** Whether an ending is one: `string` and `speed` have none. */
function drops(rest: string, ending: string): boolean {
  switch (ending) {
    case "s":
      return !/[sui]$/.test(rest);
    case "y":
      return !/[aeiou]$/.test(rest);
    case "ed":
      return /[aeiouy]/.test(rest) && !rest.endsWith("e");
    case "ing":
    case "ings":
      return /[aeiouy]/.test(rest);
    case "ion":
    case "ions":
      return /[st]$/.test(rest);
    default:
      return true;
  }
}

/** Every word with this stem is one of these. */
function formsOf(stem: string): readonly string[] {
  const doubled = /[bdfgmnprt]$/.test(stem) ? [`${stem}${stem.at(-1)}ing`, `${stem}${stem.at(-1)}ed`] : [];
  const forms = ["", ...ENDINGS.map(([ending]) => ending)].map((ending) => stem + ending);
  return [...forms, ...doubled].filter((form) => form === stem || stemOf(form) === stem);
}
