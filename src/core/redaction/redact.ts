/**
 * Takes secrets out of a text. The scan walks over words (letters, digits, `_`, `-`) and stops where a
 * rule could begin: after a word that is long enough or names a scheme, at `:` and `=`, at `+` and at `<`. Each rule
 * looks only a bounded way around its place, so the cost stays linear and an unbroken run is one word.
 */
import { findAssigned, findElement, findSaid } from "./assignments.ts";
import { findLoginPassword, findOptionValue } from "./command-lines.ts";
import { findSchemeCredentials } from "./headers.ts";
import { findMention, findPhoneNumber } from "./identifiers.ts";
import type { Span } from "./mask.ts";
import { findPrivateKey } from "./private-keys.ts";
import { endOfMatch, type Word } from "./reading.ts";
import { findToken, TOKEN_WORD_CHARS_MIN } from "./tokens.ts";
import { findInUrl } from "./urls.ts";

export interface Redaction {
  readonly text: string;
  /** How many secrets were masked. */
  readonly count: number;
  /** Which kinds, each once, in order of appearance. */
  readonly kinds: readonly string[];
}

/** A mask changes what its neighbours look like to the rules, so what was masked is looked over again; almost always once. */
const PASSES_MAX = 8;

/**
 * `text` with every recognised secret masked (reference/002 §18 lists the shapes). Long machine-made tokens keep
 * four characters at each end; passwords, keys and identifiers keep none. Pure, linear, and idempotent.
 */
export function redact(text: string): Redaction {
  const kinds: string[] = [];
  let current = text;
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const spans = scan(current);
    if (spans.length === 0) break;
    for (const span of spans) kinds.push(span.kind);
    current = masked(current, spans);
  }
  return { text: current, count: kinds.length, kinds: [...new Set(kinds)] };
}

function masked(text: string, spans: readonly Span[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const span of spans) {
    pieces.push(text.slice(from, span.start), span.mask);
    from = span.end;
  }
  pieces.push(text.slice(from));
  return pieces.join("");
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
      if (at - start >= TOKEN_WORD_CHARS_MIN || MAY_START[text.charCodeAt(start)] === 1) span = findAtWord(text, word);
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

const DASH = 45;
const BEGIN = "-----BEGIN";
/** First letters of the short words that a rule begins with: options, "is" and "was", "Bearer" and "Basic", "password". */
const MAY_START = Uint8Array.from({ length: 128 }, (_, code) => ("-iwbBp".includes(String.fromCharCode(code)) ? 1 : 0));

function findAtWord(text: string, word: Word): Span | undefined {
  const { start, end } = word;
  if (end - start >= TOKEN_WORD_CHARS_MIN) {
    const token = findToken(text, start, end);
    if (token !== undefined) return token;
  }
  if (text.charCodeAt(start) === DASH) {
    return text.startsWith(BEGIN, start) ? findPrivateKey(text, start) : findOptionValue(text, word);
  }
  switch (end - start) {
    case "is".length:
    case "was".length:
      return text.startsWith("is ", start) || text.startsWith("was ", start) ? findSaid(text, word) : undefined;
    case "basic".length:
    case "bearer".length:
      return findSchemeCredentials(text, word);
    case "password".length:
      return text.startsWith("password ", start) ? findLoginPassword(text, word) : undefined;
    default:
      return undefined;
  }
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
      return findMention(text, at) ?? findElement(text, at);
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
      return lengthAt(HEX_PAIR, text, at);
    default:
      return lengthAt(COLOUR, text, at);
  }
}

function lengthAt(pattern: RegExp, text: string, at: number): number {
  return (endOfMatch(pattern, text, at) ?? at + 1) - at;
}
