/**
 * Where the secrets of a text are. The scan walks over words (letters, digits, `_`, `-`) and stops where a rule could
 * begin: after a word that is long enough or names a scheme, at `:` and `=`, at `+` and at `<`. Each rule looks only a
 * bounded way around its place, so the cost stays linear and an unbroken run is one word.
 */
import { findAssigned, findElement } from "./assignments.ts";
import { findLoginPassword, findOptionValue, findSetValue } from "./command-lines.ts";
import { findSchemeCredentials } from "./headers.ts";
import { findMention, findPhoneNumber } from "./identifiers.ts";
import { type Span, MARKER, valueSpan } from "./mask.ts";
import { findPrivateKey } from "./private-keys.ts";
import { endOfMatch, lengthsByFirst, mayBeOneOf, type Stop, type Word, matchAt } from "./reading.ts";
import type { Scanned } from "./readings.ts";
import { findToken, TOKEN_WORD_CHARS_MIN } from "./tokens.ts";
import { findAnnounced, findUnnamedKey, UNNAMED_WORD_CHARS_MIN } from "./unnamed.ts";
import { findInUrl } from "./urls.ts";
import { codeAt } from "../transcript/code-units.ts";
import { UNSEEN, invisibleCharacterAt } from "./invisible-characters.ts";
import { nameStrength } from "./names.ts";
import { isSecretValue } from "./values.ts";

/** Secrets that a sentence states: "the password is hunter2". */
const SAID = /(?:^|[\s"'(])((?:[A-Za-z]{2,16} )?[A-Za-z]{3,12}) $/;
const SAID_CHARS_MAX = 32;
const AFTER_IS = /(?:is|was) (?:set to |now )?["'`]?([^\s"'`<>{}()[\]\\,;]{6,512})/y;

/** "the password is hunter2", "API key was …": `word` is the verb. */
function findSaid(text: string, word: Word): Span | undefined {
  const said = SAID.exec(text.slice(Math.max(0, word.start - SAID_CHARS_MAX), word.start))?.[1];
  const strength = said === undefined ? undefined : nameStrength(said.replace(" ", "_"));
  const found = strength === undefined ? undefined : matchAt(AFTER_IS, text, word.start);
  if (strength === undefined || found === undefined) return undefined;
  const end = word.start + found[0].length;
  const start = end - (found[1] as string).length;
  const value = (found[1] as string).replace(/[.:!?]{1,4}$/, "");
  if (text.startsWith(MARKER, end) || !/\d/.test(value) || !isSecretValue(value, strength, "bare")) return undefined;
  return valueSpan(text, { start, end: start + value.length, kind: "spoken secret", strength });
}

const WORD = 1;
const SIGN = 2;
const PLUS = 3;
const LESS = 4;
const ESCAPE = 5;
const SLASH = 6;
const UNSEEN_CHARACTER = 7;
const CLASS_OF = classTable();

function classTable(): Uint8Array {
  const table = UNSEEN.map((unseen) => unseen * UNSEEN_CHARACTER);
  const each = (characters: string, value: number): void => {
    for (const character of characters) table[character.charCodeAt(0)] = value;
  };
  each("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", WORD);
  each(":=", SIGN);
  each("+", PLUS);
  each("<", LESS);
  each("/", SLASH);
  each("\\%\u001b", ESCAPE);
  return table;
}

/** `code`: source is spared what it assigns (see `findAssigned`). */
export function scan(text: string, code: boolean): Scanned {
  const spans: Span[] = [];
  const veils: number[] = [];
  const { length } = text;
  // One word and one stop for the whole walk: rules look at them and keep nothing, and most words interest no rule.
  const word = { start: 0, end: 0 };
  const stop = { at: 0, word, code };
  for (let at = 0; at < length;) {
    const first = codeAt(text, at);
    let kind = CLASS_OF[first]!;
    if (kind === 0) {
      at++;
      continue;
    }
    let span: Span | undefined;
    if (kind === WORD) {
      word.start = at;
      do at++;
      while (at < length && (kind = CLASS_OF[codeAt(text, at)]!) === WORD);
      word.end = at;
      if (at - word.start >= TOKEN_WORD_CHARS_MIN || mayBeOneOf(SHORT_WORDS, first, at - word.start))
        span = findAtWord(text, word);
    }
    if (span === undefined && kind > WORD) {
      stop.at = at;
      span = findAtSign(text, kind, stop);
    }
    if (span === undefined) {
      if (kind >= ESCAPE && isVeil(text, at)) veils.push(at);
      at += kind === ESCAPE ? escapeLength(text, at) : 1;
      continue;
    }
    const done = spans.at(-1)?.end ?? 0;
    spans.push(span.start < done ? { ...span, start: done } : span);
    for (let inside = at; inside < span.end; inside++) if (isVeil(text, inside)) veils.push(inside);
    word.start = word.end = at = span.end;
  }
  return { spans, veils };
}

function isVeil(text: string, at: number): boolean {
  const kind = CLASS_OF[text.charCodeAt(at)];
  return kind === UNSEEN_CHARACTER || (kind === ESCAPE && invisibleCharacterAt(text, at) !== undefined);
}

const DASH = 45;
const BEGIN = "-----BEGIN";
/** The short words that a rule begins with; of options, any length. */
const SHORT_WORDS = lengthsByFirst("is was set setx setenv ENV basic Basic bearer Bearer password".split(" "));
SHORT_WORDS[DASH] = 0xffff;

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
      return text.startsWith("is ", start) || text.startsWith("was ", start)
        ? findSaid(text, word)
        : findSetValue(text, word);
    case "setx".length:
      return findSetValue(text, word);
    case "basic".length:
    case "bearer".length:
      return findSchemeCredentials(text, word) ?? findSetValue(text, word);
    case "password".length:
      return text.startsWith("password ", start) ? findLoginPassword(text, word) : undefined;
    default:
      return end - start >= UNNAMED_WORD_CHARS_MIN ? findAnnounced(text, word) : undefined;
  }
}

function findAtSign(text: string, kind: number, stop: Stop): Span | undefined {
  switch (kind) {
    case SIGN:
      return findAssigned(text, stop) ?? findInUrl(text, stop);
    case PLUS:
      return findPhoneNumber(text, stop.at) ?? findUnnamedKey(text, stop);
    case LESS:
      return findMention(text, stop.at) ?? findElement(text, stop);
    case SLASH:
      return findUnnamedKey(text, stop);
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
