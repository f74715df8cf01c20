/**
 * Tokens of a text, estimated: one walk over its UTF-16 code units through an automaton of token pieces, adding a
 * fitted weight at each step. No look-ahead: a million characters without a break cost what a million
 * characters of prose cost. Error per kind of text: docs/estimates.md.
 */
import { CLASS_BITS, createPieces, type Pieces } from "./estimate-pieces.ts";
import { WEIGHTS } from "./estimate-weights.ts";

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
