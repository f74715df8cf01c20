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
/** What is left of a colour before a word when its escape character is gone. */
const COLOUR = /^[0-9]{1,3}m(?=.{6})/;
/** A digit, or a capital behind a small letter: a plain word may mean itself. */
const NO_WORD = /\d|[a-z][A-Z]/;
const MIXED_CHARS_MIN = 6;
const NUMBER = /\d{8}/;
/** Capitals inside words make fewer turns than this. */
const TURNS_SHARE_MIN = 0.3;

/** Hides in a text of ours the secrets of what it was made from, and pieces of them that are no plain words. */
export function createPieceHider(secretsOf: () => Iterable<string>): Redactor {
  let joined: string | undefined;
  let literal: readonly string[] = [];
  return (text) => {
    if (joined === undefined) {
      const secrets = [...new Set(secretsOf())];
      joined = secrets.join("\n");
      literal = secrets.filter(looksRandom);
    }
    if (joined === "") return text;
    const whole = literal.reduce((safe, secret) => safe.replaceAll(secret, MARKER), text);
    return whole.replace(RUN, (run) => (NO_WORD.test(run) && joined!.includes(run.replace(COLOUR, "")) ? MARKER : run));
  };
}

/** A word that a person chose may stand anywhere; what a machine made stands for itself. */
function looksRandom(run: string): boolean {
  if (hasMixedPart(run, MIXED_CHARS_MIN) || NUMBER.test(run)) return true;
  return run.length >= MIXED_CHARS_MIN && /[a-z]/.test(run) && /[A-Z]/.test(run) && turnsShare(run) >= TURNS_SHARE_MIN;
}
