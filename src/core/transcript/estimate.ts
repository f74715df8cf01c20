/**
 * Tokens of a text, estimated: one walk over its UTF-16 code units through an automaton of token pieces, adding a
 * fitted weight at each step. No look-ahead: a million characters without a break cost what a million
 * characters of prose cost. Error per kind of text: docs/estimates.md.
 */
import { ASCII_CHARS_MIN, asciiInto } from "./ascii.ts";
import { CLASS_BITS, CLASS_OF, NEXT, STATES } from "./estimate-pieces.ts";
import { WEIGHTS } from "./estimate-weights.ts";

const MILLITOKENS = 1000;

/** Thousandths of a token per step, addressed like `NEXT`. None is negative, so a longer text never weighs less. */
const WEIGHT: Uint16Array = weightTable();

function weightTable(): Uint16Array {
  const rows = new Map(
    WEIGHTS.trim()
      .split("\n")
      .map((row) => row.split(": ") as [state: string, weights: string]),
  );
  const table = STATES.flatMap((state) => (rows.get(state) ?? "").split(" ").map(Number));
  if (table.length !== STATES.length << CLASS_BITS)
    throw new Error("estimate-weights.ts is stale: npm run fit:estimator");
  return Uint16Array.from(table);
}

/** Texts are read in pieces of that many UTF-16 code units, each as bytes where it is ASCII. */
const PIECE_CHARS = 4096;
const piece = new Uint8Array(PIECE_CHARS);

/**
 * Tokens of `text` in o200k (OpenAI's current encoding): a whole number, 0 only for the empty text. Lone surrogates count like any symbol.
 * Other models are reached by the factor of `createMeasure`.
 */
export function estimateText(text: string): number {
  const { length } = text;
  let state = 0;
  let milli = 0;
  for (let from = 0; from < length; from += PIECE_CHARS) {
    const until = Math.min(length, from + PIECE_CHARS);
    const ascii = until - from >= ASCII_CHARS_MIN && asciiInto(text.slice(from, until), piece);
    const walked = ascii ? walkBytes(until - from, state) : walkUnits(text, from, until, state);
    state = walked % STATES_END;
    milli += (walked - state) / STATES_END;
  }
  return length === 0 ? 0 : Math.max(1, Math.round(milli / MILLITOKENS));
}

/** Beyond every state: where a walk ends and what it weighs are one number, the weight this many times. */
const STATES_END = STATES.length << CLASS_BITS;

function walkBytes(length: number, start: number): number {
  let state = start;
  let milli = 0;
  for (let at = 0; at < length; at++) {
    const step = state | (CLASS_OF[piece[at] as number] as number);
    milli += WEIGHT[step] as number;
    state = NEXT[step] as number;
  }
  return milli * STATES_END + state;
}

function walkUnits(text: string, from: number, until: number, start: number): number {
  let state = start;
  let milli = 0;
  for (let at = from; at < until; at++) {
    const step = state | (CLASS_OF[text.charCodeAt(at)] as number);
    milli += WEIGHT[step] as number;
    state = NEXT[step] as number;
  }
  return milli * STATES_END + state;
}
