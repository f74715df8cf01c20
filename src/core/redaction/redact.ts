/**
 * Takes secrets out of a text in one pass. The scan walks over words (letters, digits, `_`, `-`) and stops where a
 * rule could begin: after a word that is long enough or names a scheme, at `:` and `=`, at `+` and at `<`. Each rule
 * looks only a bounded way around its place, so the cost stays linear and an unbroken run is one word.
 */
import { findAssigned, findOptionValue, findSaid, findSchemeCredentials, type Word } from "./assignments.ts";
import { findMention, findPhoneNumber } from "./identifiers.ts";
import type { Span } from "./mask.ts";
import { findPrivateKey } from "./private-keys.ts";
import { findToken, TOKEN_WORD_CHARS_MIN } from "./tokens.ts";
import { findInUrl } from "./urls.ts";

export interface Redaction {
  readonly text: string;
  /** How many secrets were masked. */
  readonly count: number;
  /** Which kinds, each once, in order of appearance. */
  readonly kinds: readonly string[];
}

/**
 * `text` with every recognised secret masked (reference/002 §18 lists the shapes). Long machine-made tokens keep
 * four characters at each end; passwords, keys and identifiers keep none. Pure, linear, and idempotent.
 */
export function redact(text: string): Redaction {
  const spans = scan(text);
  if (spans.length === 0) return { text, count: 0, kinds: [] };
  const pieces: string[] = [];
  let from = 0;
  for (const span of spans) {
    pieces.push(text.slice(from, span.start), span.mask);
    from = span.end;
  }
  pieces.push(text.slice(from));
  return { text: pieces.join(""), count: spans.length, kinds: [...new Set(spans.map((span) => span.kind))] };
}

const CODE_UNITS = 65_536;
const WORD = 1;
const SIGN = 2;
const PLUS = 3;
const LESS = 4;
const ESCAPE = 5;
const CLASS_OF = classTable();

function classTable(): Uint8Array {
  const table = new Uint8Array(CODE_UNITS);
  const each = (characters: string, value: number): void => {
    for (const character of characters) table[character.charCodeAt(0)] = value;
  };
  each("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", WORD);
  each(":=", SIGN);
  each("+", PLUS);
  each("<", LESS);
  each("\\%\u001b", ESCAPE);
  return table;
}

function scan(text: string): readonly Span[] {
  const spans: Span[] = [];
  let word: Word = { start: 0, end: 0 };
  for (let at = 0; at < text.length;) {
    const start = at;
    while (at < text.length && CLASS_OF[text.charCodeAt(at)] === WORD) at++;
    let span: Span | undefined;
    if (at > start) {
      word = { start, end: at };
      span = findAtWord(text, word);
    }
    const kind = span === undefined && at < text.length ? (CLASS_OF[text.charCodeAt(at)] as number) : 0;
    if (kind > WORD) span = findAtSign(text, { at, kind, word });
    if (span === undefined) {
      at += kind === ESCAPE ? escapeLength(text, at) : 1;
      continue;
    }
    const done = spans.at(-1)?.end ?? 0;
    spans.push(span.start < done ? { ...span, start: done } : span);
    at = span.end;
    word = { start: at, end: at };
  }
  return spans;
}

const CHAR_LOWER_BIT = 32;
const DASH = 45;
const LETTER_B = 98;
const SCHEME_CHARS: readonly number[] = ["Bearer".length, "Basic".length];
const BEGIN = "-----BEGIN";

function findAtWord(text: string, word: Word): Span | undefined {
  const length = word.end - word.start;
  const first = text.charCodeAt(word.start);
  if (length >= TOKEN_WORD_CHARS_MIN) {
    const token = findToken(text, word.start, word.end);
    if (token !== undefined) return token;
  }
  if (first === DASH) {
    if (text.startsWith(BEGIN, word.start)) return findPrivateKey(text, word.start);
    return findOptionValue(text, word);
  }
  if (length === 2 || length === 3) return isBe(text, word) ? findSaid(text, word) : undefined;
  const scheme = (first | CHAR_LOWER_BIT) === LETTER_B && SCHEME_CHARS.includes(length);
  return scheme ? findSchemeCredentials(text, word) : undefined;
}

function isBe(text: string, word: Word): boolean {
  return text.startsWith("is ", word.start) || text.startsWith("was ", word.start);
}

interface Stop {
  readonly at: number;
  readonly kind: number;
  readonly word: Word;
}

function findAtSign(text: string, { at, kind, word }: Stop): Span | undefined {
  switch (kind) {
    case SIGN:
      return findAssigned(text, at, word) ?? findInUrl(text, at);
    case PLUS:
      return findPhoneNumber(text, at);
    case LESS:
      return findMention(text, at);
    default:
      return undefined;
  }
}

const HEX_PAIR = /%[0-9A-Fa-f]{2}/y;
const COLOUR = /\u001b\[[\d;]{0,16}m/y;
const UNICODE_ESCAPE_CHARS = 6;

/** What an escape spans, so that a word behind `\n`, `%3D` or a colour begins at its own first letter. */
function escapeLength(text: string, at: number): number {
  const next = text.charAt(at + 1);
  switch (text.charAt(at)) {
    case "\\":
      return next === "u" ? UNICODE_ESCAPE_CHARS : "nrtbf".includes(next) ? 2 : 1;
    case "%":
      return matchLength(HEX_PAIR, text, at);
    default:
      return matchLength(COLOUR, text, at);
  }
}

function matchLength(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 1;
}
