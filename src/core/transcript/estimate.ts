/**
 * Tokens of a text, estimated: one walk over its UTF-16 code units through an automaton of token pieces, adding a
 * fitted weight at each step. No look-ahead: a million characters without a break cost what a million
 * characters of prose cost. Error per kind of text: docs/estimates.md.
 */
import { codeAt } from "./code-units.ts";
import { CLASS_BITS, createPieces, type Pieces } from "./estimate-pieces.ts";
import { WEIGHTS } from "./estimate-weights.ts";

/**
 * The bytes of a text, as long as it is ASCII: copied in one go, and read half again as fast as a string is, which asks
 * at every place how it is stored. Most of what agents send is ASCII.
 */
const encoder = new TextEncoder();

/** Shorter texts are read as they are before they could be copied. */
const ASCII_CHARS_MIN = 64;

/** Writes a text into `bytes`, which is no shorter; false where it is not ASCII alone, and what was written means nothing. */
function asciiInto(text: string, bytes: Uint8Array<ArrayBuffer>): boolean {
  const { read, written } = encoder.encodeInto(text, bytes);
  // Nothing else takes a byte a unit.
  return read === text.length && written === text.length;
}

const MILLITOKENS = 1000;

interface Automaton extends Pick<Pieces, "classOf" | "next"> {
  /** Thousandths of a token per step, addressed like `next`. None is negative, so a longer text never weighs less. */
  readonly weight: Uint16Array;
  /** Beyond every state: where a walk ends and what it weighs are one number, the weight this many times. */
  readonly statesEnd: number;
}

let known: Automaton | undefined;

function createAutomaton(): Automaton {
  const { classOf, next, states } = createPieces();
  const rows = new Map(
    WEIGHTS.trim()
      .split("\n")
      .map((row) => row.split(": ") as [state: string, weights: string]),
  );
  const table = states.flatMap((state) => (rows.get(state) ?? "").split(" ").map(Number));
  const statesEnd = states.length << CLASS_BITS;
  if (table.length !== statesEnd) throw new Error("estimate-weights.ts is stale: npm run fit:estimator");
  return { classOf, next, weight: Uint16Array.from(table), statesEnd };
}

/** Texts are read in pieces of that many UTF-16 code units: as bytes up to the first that is not ASCII, and the rest as it is. */
const PIECE_CHARS = 1024;
const piece = new Uint8Array(PIECE_CHARS);

/**
 * Tokens of `text` in o200k (OpenAI's current encoding): a whole number, 0 only for the empty text. Lone surrogates count like any symbol.
 * Other models are reached by the factor of `createMeasure`.
 */
export function estimateText(text: string): number {
  const { length } = text;
  const automaton = (known ??= createAutomaton());
  const { statesEnd } = automaton;
  let state = 0;
  let milli = 0;
  let ascii = true;
  for (let from = 0; from < length; from += PIECE_CHARS) {
    const until = Math.min(length, from + PIECE_CHARS);
    ascii &&= until - from >= ASCII_CHARS_MIN && asciiInto(text.slice(from, until), piece);
    const walked = ascii
      ? walkBytes(automaton, until - from, state)
      : walkUnits(automaton, { text, from, until }, state);
    state = walked % statesEnd;
    milli += (walked - state) / statesEnd;
  }
  return length === 0 ? 0 : Math.max(1, Math.round(milli / MILLITOKENS));
}

function walkBytes({ classOf, next, weight, statesEnd }: Automaton, length: number, start: number): number {
  let state = start;
  let milli = 0;
  for (let at = 0; at < length; at++) {
    const step = state | (classOf[piece[at] as number] as number);
    milli += weight[step] as number;
    state = next[step] as number;
  }
  return milli * statesEnd + state;
}

interface Units {
  readonly text: string;
  readonly from: number;
  readonly until: number;
}

function walkUnits(
  { classOf, next, weight, statesEnd }: Automaton,
  { text, from, until }: Units,
  start: number,
): number {
  let state = start;
  let milli = 0;
  for (let at = from; at < until; at++) {
    const step = state | (classOf[codeAt(text, at)] as number);
    milli += weight[step] as number;
    state = next[step] as number;
  }
  return milli * statesEnd + state;
}
