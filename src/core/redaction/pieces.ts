/**
 * Pieces of secrets. What is cut out of a text (a path, a number, the beginning of a command) can be a part of a secret
 * that only its surroundings give away. So the secrets of all that was said are known, and what we write is held
 * against them.
 */
import { MARKER } from "./mask.ts";
import type { Redactor } from "./redactor.ts";
import { hasMixedPart, turnsShare } from "./values.ts";

/** Runs of letters, digits and the signs of base64; the marks of a cut are not part of them. */
const RUN = /[\w+/=-]{8,}/g;
const DIGIT = /\d/;
/** A digit, or a capital behind a small letter: a plain word may mean itself. */
const NO_WORD = /\d|[a-z][A-Z]/;
const MIXED_CHARS_MIN = 6;
const NUMBER = /\d{8}/;
/** Capitals inside words make fewer turns than this. */
const TURNS_SHARE_MIN = 0.3;

/** Pieces are looked for in this much of secrets; a conversation with more holds a table that a rule mistakes. */
const SECRETS_CHARS_MAX = 65_536;
const GRAM_CHARS = 8;

/** Hides in a text of ours the secrets of what it was made from, and pieces of them that are no plain words. */
export function createPieceHider(secretsOf: () => Iterable<string>): Redactor {
  let isPiece: ((run: string) => boolean) | undefined;
  return (text) => {
    isPiece ??= createPieceTest(new Set(secretsOf()));
    return text.replace(RUN, (run) => (NO_WORD.test(run) && isPiece!(run) ? MARKER : run));
  };
}

function createPieceTest(secrets: ReadonlySet<string>): (run: string) => boolean {
  if (secrets.size === 0) return () => false;
  const whole = new Set([...secrets].filter(looksRandom));
  const joined = [...secrets].join("\n").slice(0, SECRETS_CHARS_MAX);
  const grams = new Set<string>();
  for (let at = 0; at + GRAM_CHARS <= joined.length; at++) grams.add(joined.slice(at, at + GRAM_CHARS));
  return (run) =>
    whole.has(run) || containsGram(run, grams) || (grams.has(run.slice(0, GRAM_CHARS)) && joined.includes(run));
}

/** Eight characters in a row with a digit among them: a piece with something else before it. */
function containsGram(run: string, grams: ReadonlySet<string>): boolean {
  for (let at = 0; at + GRAM_CHARS <= run.length; at++) {
    const gram = run.slice(at, at + GRAM_CHARS);
    if (grams.has(gram) && DIGIT.test(gram)) return true;
  }
  return false;
}

/** A word that a person chose may be anywhere; what a machine made stands for itself. */
function looksRandom(run: string): boolean {
  if (hasMixedPart(run, MIXED_CHARS_MIN) || NUMBER.test(run)) return true;
  return run.length >= MIXED_CHARS_MIN && /[a-z]/.test(run) && /[A-Z]/.test(run) && turnsShare(run) >= TURNS_SHARE_MIN;
}
