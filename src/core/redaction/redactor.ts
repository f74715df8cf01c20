/** Redaction that remembers: a growing session shows mostly the same lines in one handoff after another. */
import { redact, type RedactOptions } from "./redact.ts";
import { parseJson } from "../nesting.ts";
import { MARKER } from "./mask.ts";
import { hasMixedPart, turnsShare } from "./values.ts";

/** A text without its secrets. Pure: the same text gives the same answer, and an answer gives itself. */
export type Redactor = (text: string) => string;

/** Characters of the texts that are remembered before it starts afresh. */
const CHARS_MAX = 4_000_000;
/** A longer text is not worth its memory. */
const TEXT_CHARS_MAX = 64_000;
/** What a text takes beside its characters. */
const TEXT_CHARS = 100;

/** Answers like `redact(text, options).text`. */
export function createRedactor(options: RedactOptions = {}): Redactor {
  let known = new Map<string, string>();
  let held = 0;
  return (text) => {
    if (text.length > TEXT_CHARS_MAX) return redact(text, options).text;
    let safe = known.get(text);
    if (safe === undefined) {
      safe = redact(text, options).text;
      if (held > CHARS_MAX) [known, held] = [new Map(), 0];
      held += text.length + TEXT_CHARS;
      known.set(text, safe);
    }
    return safe;
  };
}

const NO_OPTIONS: RedactOptions = {};
const redactors = new WeakMap<RedactOptions, Redactor>();

/** One redactor for each set of options, because it remembers its answers. */
export function redactorFor(options: RedactOptions = NO_OPTIONS): Redactor {
  let redactor = redactors.get(options);
  if (redactor === undefined) redactors.set(options, (redactor = createRedactor(options)));
  return redactor;
}

/**
 * JSON is redacted as a whole, because the name of a field is what gives many a secret away. Where a mask would break
 * it, each of its strings is redacted by itself. Text that was no JSON is redacted as text.
 */
export function redactJson(text: string, hide: Redactor): string {
  const safe = hide(text);
  if (safe === text || parseValue(safe) !== undefined) return safe;
  const original = parseValue(text);
  return original === undefined ? safe : JSON.stringify(mapStrings(original.json, hide));
}

/** Wrapped, because `null` is a value. */
function parseValue(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: parseJson(text) };
  } catch {
    return undefined;
  }
}

function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => mapStrings(one, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapStrings(one, change)]));
}

// Pieces of secrets. What is cut out of a text (a path, a number, the beginning of a command) can be a part of a secret
// that only its surroundings give away. So the secrets of all that was said are known, and what we write is held
// against them.

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
