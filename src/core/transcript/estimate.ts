/**
 * Tokens of a text, estimated: one walk over its UTF-16 code units through an automaton of token pieces, adding a
 * fitted weight at each step. No look-ahead: a million characters without a break cost what a million
 * characters of prose cost. Error per kind of text: docs/estimates.md.
 */
import { WEIGHTS, COMMON_HAN, COMMON_HANGUL, COMMON_SYMBOLS } from "./estimate-weights.ts";

const MILLITOKENS = 1000;

interface Automaton extends Pick<Pieces, "classOf" | "next"> {
  /** Thousandths of a token per step, addressed like `next`. None is negative, so a longer text never weighs less. */
  readonly weight: Uint16Array;
}

let known: Automaton | undefined;

function createAutomaton(): Automaton {
  const { classOf, next, states } = createPieces();
  const rows = new Map(
    WEIGHTS.trim()
      .split("\n")
      .map((row) => row.split(": ") as [state: string, weights: string]),
  );
  const weights = states.flatMap((state) => (rows.get(state) ?? "").split(" ").map(Number));
  if (weights.length !== states.length << CLASS_BITS)
    throw new Error("estimate-weights.ts is stale: npm run fit:estimator");
  return { classOf, next, weight: Uint16Array.from(weights) };
}

/**
 * Tokens of `text` in o200k (OpenAI's current encoding): a whole number, 0 only for the empty text. Lone surrogates count like any symbol.
 * Other models are reached by the factor of `createMeasure`.
 */
export function estimateText(text: string): number {
  const { classOf, next, weight } = (known ??= createAutomaton());
  let state = 0;
  let milli = 0;
  for (let at = 0; at < text.length; at++) {
    const step = state | classOf[text.charCodeAt(at)]!;
    milli += weight[step]!;
    state = next[step]!;
  }
  return text === "" ? 0 : Math.max(1, Math.round(milli / MILLITOKENS));
}

// The automaton behind the estimate: classes of code units, and states that follow the pieces a BPE tokenizer cuts
// a text into (a word with its length and last letter, a run of capitals, up to three digits, a run of one
// punctuation mark, a run of one script). What a step between two of them costs is fitted, in estimate-weights.ts.

/** Lower-case letters in five groups by how freely they combine: a pair of groups says how usual a word looks. */
const LETTER_GROUPS = ["aeo", "iu", "nrstl", "bcdfghmpy", "jkqvwxz"] as const;
const LETTERS = ["letter-a", "letter-b", "letter-c", "letter-d", "letter-e"] as const;
const PUNCTUATION = ["dot", "mark", "underscore", "rule", "slash", "quote", "bracket", "odd"] as const;
/** `-1` is a code unit that is a token by itself, `-2` one that is not. */
const SCRIPTS = ["latin-1", "latin-2", "cyrillic", "script-1", "script-2", "kana"] as const;
const SYLLABLES = ["han-1", "han-2", "hangul-1", "hangul-2"] as const;
const SYMBOLS = ["symbol-1", "symbol-2", "emoji", "surrogate"] as const;
const BLANKS = ["newline", "space", "tab"] as const;

/** At most 32: a step is addressed by state × 32 + class. */
export const CLASSES = [
  ...BLANKS,
  ...LETTERS,
  "capital",
  "digit",
  ...PUNCTUATION,
  ...SCRIPTS,
  ...SYLLABLES,
  ...SYMBOLS,
] as const;
type Class = (typeof CLASSES)[number];

export const CLASS_BITS = 5;
const CODE_UNITS = 65_536;

export interface Pieces {
  /** Class of each UTF-16 code unit. */
  readonly classOf: Uint8Array;
  /** Every state that can be reached, by name; the first is the start of a text, which stands like the start of a line. */
  readonly states: readonly string[];
  /** `next[state << CLASS_BITS | class]` is the following state, shifted already. */
  readonly next: Uint16Array;
}

/** Made where the first text is estimated: it takes a few milliseconds, which an import should not. */
export function createPieces(): Pieces {
  return { classOf: classTable(), ...reachable({ kind: "newline", length: 1, last: "" }) };
}

function classTable(): Uint8Array {
  const table = new Uint8Array(CODE_UNITS);
  const range = (first: number, last: number, name: Class): unknown =>
    table.fill(CLASSES.indexOf(name), first, last + 1);
  const each = (characters: string, name: Class): void => {
    for (let at = 0; at < characters.length; at++) range(characters.charCodeAt(at), characters.charCodeAt(at), name);
  };
  range(0x0000, 0xffff, "symbol-2");
  range(0x0021, 0x007e, "odd");
  range(0x0041, 0x005a, "capital");
  range(0x0030, 0x0039, "digit");
  LETTER_GROUPS.forEach((letters, group) => each(letters, LETTERS[group] as Class));
  each(".", "dot");
  each(",:;!?", "mark");
  each("_", "underscore");
  each("-=*#~+", "rule");
  each("/\\", "slash");
  each("\"'`", "quote");
  each("()[]{}<>", "bracket");
  range(0x00c0, 0x00ff, "latin-1");
  range(0x0100, 0x036f, "latin-2");
  range(0x0370, 0x0fff, "script-1");
  range(0x0400, 0x052f, "cyrillic");
  range(0x1000, 0x1fff, "script-2");
  range(0x1e00, 0x1eff, "latin-2");
  range(0x2c00, 0x2e7f, "script-2");
  range(0x3040, 0x30ff, "kana");
  range(0x3400, 0x9fff, "han-2");
  range(0xa000, 0xabff, "script-2");
  range(0xac00, 0xd7af, "hangul-2");
  range(0xd800, 0xdfff, "surrogate");
  range(0xd83c, 0xd83e, "emoji");
  range(0xf900, 0xfaff, "han-2");
  each(COMMON_HAN, "han-1");
  each(COMMON_HANGUL, "hangul-1");
  each(COMMON_SYMBOLS, "symbol-1");
  each("\t\v\f", "tab");
  each("\n\r", "newline");
  each(" ", "space");
  return table;
}

/** Where the walk is. `last` is the letter group of the last letter of a word, `length` saturates. */
interface State {
  readonly kind: string;
  readonly length: number;
  readonly last: string;
}

/** Length from which a run of each kind is as good as endless; two where not named. */
const LONGEST: Readonly<Record<string, number>> = {
  word: 16,
  title: 3,
  capital: 5,
  script: 8,
  cyrillic: 8,
  space: 3,
  dot: 4,
};

function after(state: State, name: Class): State {
  const punctuation: readonly string[] = PUNCTUATION;
  if (name.startsWith("letter-") || name.startsWith("latin-"))
    return afterLetter(state, name.startsWith("latin-") ? "x" : name.slice(-1));
  if (name === "digit") return { kind: name, length: state.kind === name ? (state.length % 3) + 1 : 1, last: "" };
  if (punctuation.includes(name) && punctuation.includes(state.kind) && state.kind !== name)
    return { kind: name, length: 0, last: "" };
  if (name.startsWith("han-")) return { ...run(state, "han"), last: name.slice(-1) };
  return run(state, name.startsWith("script-") ? "script" : name);
}

/** A lower-case letter goes on with a word, or gives capitals their word: after "HTTPSe" the next letter is its second. */
function afterLetter(state: State, last: string): State {
  if (state.kind === "capital") return { kind: "title", length: Math.min(state.length, longest("title")), last };
  return state.kind === "title" ? { kind: "word", length: 2, last } : { ...run(state, "word"), last };
}

function run(state: State, kind: string): State {
  return { kind, length: state.kind === kind ? Math.min(state.length + 1, longest(kind)) : 1, last: "" };
}

function longest(kind: string): number {
  const punctuation: readonly string[] = PUNCTUATION;
  return LONGEST[punctuation.includes(kind) ? "dot" : kind] ?? 2;
}

function formatState(state: State): string {
  return `${state.kind} ${state.length} ${state.last}`.trim();
}

function reachable(start: State): Omit<Pieces, "classOf"> {
  const states = [start];
  const numbers = new Map([[formatState(start), 0]]);
  const steps: number[] = [];
  for (let from = 0; from < states.length; from++) {
    for (const [index, name] of CLASSES.entries()) {
      const to = after(states[from] as State, name);
      let number = numbers.get(formatState(to));
      if (number === undefined) {
        number = states.push(to) - 1;
        numbers.set(formatState(to), number);
      }
      steps[(from << CLASS_BITS) | index] = number << CLASS_BITS;
    }
  }
  return { states: [...numbers.keys()], next: Uint16Array.from(steps) };
}
