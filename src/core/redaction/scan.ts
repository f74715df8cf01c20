/**
 * Where the secrets of a text are. The scan walks over words (letters, digits, `_`, `-`) and stops where a rule could
 * begin: after a word that is long enough or names a scheme, at `:` and `=`, at `+` and at `<`. Each rule looks only a
 * bounded way around its place, so the cost stays linear and an unbroken run is one word. Rules that belong nowhere else are
 * below: sentences, mentions and telephone numbers, private keys.
 */
import { ownLineStart } from "../digest/numbered-lines.ts";
import { findAssigned, findElement } from "./assignments.ts";
import { findOptionValue, findSetValue } from "./command-lines.ts";
import { findSchemeCredentials, findInUrl } from "./headers.ts";
import { type Span, MARKER, valueSpan, hiddenSpan, PRIVATE_KEY_MARKER } from "./mask.ts";
import { endOfMatch, type Stop, type Word, matchAt } from "./reading.ts";
import { type Scanned, invisibleCharacterAt, passesInName, LOOKALIKE, UNSEEN } from "./displayed.ts";
import { findToken, TOKEN_WORD_CHARS_MIN } from "./tokens.ts";
import { findAnnounced, findUnnamedKey, UNNAMED_WORD_CHARS_MIN } from "./unnamed.ts";
import { nameStrength } from "./names.ts";
import { isSecretValue } from "./values.ts";

/** Secrets that a sentence states: "the password is hunter2". */
const SAID =
  /(?:^|[\s"'(])((?:[A-Za-z]{2,16} )?[A-Za-z]{2,12})(?: (?:for|of|to|from|on|in|at|by)(?: [\w.'-]{1,24}){1,3})? $/;
const SAID_CHARS_MAX = 112;
const AFTER_IS = /(?:is|was) (?:set to |now )?["'`]?(?:[A-Z][A-Z0-9_]{1,63}=)?([^\s"'`<>{}()[\]\\,;]{6,512})/y;

/** "the password is hunter2", "API key for mail was …": `word` is the verb. */
function findSaid(text: string, word: Word): Span | undefined {
  const found = matchAt(AFTER_IS, text, word.start);
  const value = found?.[1]!.replace(/[.:!?]{1,4}$/, "") ?? "";
  // Most sentences go on with a word: what comes before is looked at only where no word comes after.
  if (found === undefined || !/\d/.test(value)) return undefined;
  const said = SAID.exec(text.slice(Math.max(0, word.start - SAID_CHARS_MAX), word.start))?.[1];
  const strength = said === undefined ? undefined : nameStrength(said.replace(" ", "_"));
  const end = word.start + found[0].length;
  const start = end - found[1]!.length;
  if (strength === undefined || text.startsWith(MARKER, end) || !isSecretValue(value, strength, "bare"))
    return undefined;
  return valueSpan(text, { start, end: start + value.length, kind: "spoken secret", strength });
}

const WORD = 1;
const SIGN = 2;
const PLUS = 3;
const LESS = 4;
const ESCAPE = 5;
const SLASH = 6;
const UNSEEN_CHARACTER = 7;
const LOOKALIKE_LETTER = 8;
const CLASS_OF = classTable();

function classTable(): Uint8Array {
  const table = UNSEEN.map((unseen, code) => unseen * UNSEEN_CHARACTER + LOOKALIKE[code]! * LOOKALIKE_LETTER);
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
    const first = text.charCodeAt(at);
    let kind = CLASS_OF[first]!;
    if (kind === 0 || (kind === LOOKALIKE_LETTER && !passesInName(text, at))) {
      at++;
      continue;
    }
    let span: Span | undefined;
    if (kind === WORD) {
      word.start = at;
      do at++;
      while (at < length && (kind = CLASS_OF[text.charCodeAt(at)]!) === WORD);
      word.end = at;
      if (at - word.start >= TOKEN_WORD_CHARS_MIN || first === DASH || isShortWord(text, word))
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
  if (kind === LOOKALIKE_LETTER) return passesInName(text, at);
  return kind === UNSEEN_CHARACTER || (kind === ESCAPE && invisibleCharacterAt(text, at) !== undefined);
}

const DASH = 45;
const BEGIN = "-----BEGIN";
/** The short words that a rule begins with; of options, any length. */
const SHORT_WORDS = new Set("is was set setx setenv env basic bearer".split(" "));
const SHORT_CHARS_MAX = 6;
const BEGINS_SHORT_WORD: readonly boolean[] = Array.from({ length: 128 }, (_, code) =>
  [...SHORT_WORDS].some((word) => word.startsWith(String.fromCharCode(code).toLowerCase())),
);

function isShortWord(text: string, { start, end }: Word): boolean {
  if (end - start > SHORT_CHARS_MAX || !BEGINS_SHORT_WORD[text.charCodeAt(start)]) return false;
  return SHORT_WORDS.has(text.slice(start, end).toLowerCase());
}

function findAtWord(text: string, word: Word): Span | undefined {
  const { start, end } = word;
  if (end - start >= TOKEN_WORD_CHARS_MIN) {
    const token = findToken(text, start, end);
    if (token !== undefined) return token;
  }
  if (text.charCodeAt(start) === DASH) {
    // A line that a diff took away has one dash more.
    const begin = text.startsWith(`-${BEGIN}`, start) ? start + 1 : start;
    return text.startsWith(BEGIN, begin) ? findPrivateKey(text, begin) : findOptionValue(text, word);
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

/** `<@123…>`, `<@!123…>`, `<@&123…>`. */
const MENTION = /<@[!&]?(\d{15,21})>/y;

function findMention(text: string, at: number): Span | undefined {
  const found = matchAt(MENTION, text, at);
  if (found === undefined) return undefined;
  const end = at + found[0].length - 1;
  return hiddenSpan(end - (found[1] as string).length, end, "mention");
}

const NUMBER = /\+([1-9]\d{7,14})(?![\w.])/y;
const NUMBER_AT_LINE_START = /\+([1-9]\d{10,14})(?![\w.])/y;
/** `+49 (0)30 901820`, `+1-415-555-0123`, `+33.1.23.45.67.89`: a country, an area that may be in brackets, groups. */
const SPACED =
  /\+([1-9]\d{0,2}(?:[ \u00a0.-]?\(\d{1,5}\)[ \u00a0.-]?\d{1,8})?(?:[ \u00a0.-]\d{1,11}){0,6})(?!\d|[.,:]\d|[\w%])/y;
const SPACED_DIGITS_MIN = 10;
const SPACED_DIGITS_AT_LINE_START_MIN = 11;
const E164_DIGITS_MAX = 15;
const GROUP_DIGITS_MIN = 2;
/** Fewer digits in one piece behind a small number are an amount. */
const LONE_GROUP_DIGITS_MIN = 9;
/** An address of the internet, and a row of numbers that a diff adds. */
const ADDRESS = /^(?:(?:1?\d?\d|2[0-4]\d|25[0-5])(?:\.|$)){4}$/;
const ROW = /^\d\d(?:[ .]\d\d)+$/;
/** A sum, an exponent, an offset or an escaped space: not the start of a number. */
const BEFORE = /[\w+)\]}.%]/;

/** At the start of a line only in full length: a diff adds lines of numbers too. */
function findPhoneNumber(text: string, plus: number): Span | undefined {
  const before = text.charAt(plus - 1);
  if (before !== "" && BEFORE.test(before)) return undefined;
  const atLineStart = before === "" || before === "\n";
  const plain = matchAt(atLineStart ? NUMBER_AT_LINE_START : NUMBER, text, plus)?.[1];
  const number = plain ?? spacedNumber(text, plus, atLineStart);
  return number === undefined ? undefined : hiddenSpan(plus + 1, plus + 1 + number.length, "phone number", MARKER);
}

/** Groups of one digit only as the trunk prefix; a date or a row of a table has other groups. */
function spacedNumber(text: string, plus: number, atLineStart: boolean): string | undefined {
  const number = matchAt(SPACED, text, plus)?.[1];
  if (number === undefined) return undefined;
  const groups = number.split(/\D+/).filter((group) => group !== "");
  const digits = groups.join("").length;
  const least = atLineStart ? SPACED_DIGITS_AT_LINE_START_MIN : SPACED_DIGITS_MIN;
  if (digits < least || digits > E164_DIGITS_MAX) return undefined;
  const [, ...local] = groups;
  if (local.length === 1 && local[0]!.length < LONE_GROUP_DIGITS_MIN) return undefined;
  const short = local.filter((group) => group.length < GROUP_DIGITS_MIN).length;
  return short > 1 || ADDRESS.test(number) || (atLineStart && ROW.test(number)) ? undefined : number;
}

const HEADER = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
const FOOTER = /-{5,6}END (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
/** A line of the block: its own headers, or base64. Between lines: breaks, escaped breaks, quotes and signs of joined strings. */
const FIELD = /(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\]{0,120}/y;
const BASE64 = /[A-Za-z0-9+/=]+/y;
const BETWEEN = /(?:\\+[rn]|[\s"'`,;>+|])+/y;
/** Shorter than this it is a code that names the markers, not a key. */
const KEY_CHARS_MIN = 32;
const LINE_CHARS_MIN = 16;

/** The block whose word `-----BEGIN` starts at `start`. */
function findPrivateKey(text: string, start: number): Span | undefined {
  const body = endOfMatch(HEADER, text, start);
  if (body === undefined) return undefined;
  let end = body;
  let keyChars = 0;
  for (let at = body; ;) {
    const line = keyLineStart(text, endOfMatch(BETWEEN, text, at) ?? at);
    const footer = endOfMatch(FOOTER, text, line);
    if (footer !== undefined)
      return keyChars < KEY_CHARS_MIN ? undefined : hiddenSpan(start, footer, "private key", PRIVATE_KEY_MARKER);
    const next = endOfMatch(FIELD, text, line) ?? endOfMatch(BASE64, text, line);
    if (next === undefined || !isKeyLine(text, line, next)) break;
    keyChars += next - line;
    end = next;
    at = next;
  }
  return keyChars < KEY_CHARS_MIN ? undefined : hiddenSpan(start, end, "private key", PRIVATE_KEY_MARKER);
}

/** Where the key's own characters begin in a line that a tool may have printed with something in front. */
function keyLineStart(text: string, start: number): number {
  const own = ownLineStart(text, start);
  const line = endOfMatch(BASE64, text, own);
  const isOfKey = endOfMatch(FOOTER, text, own) !== undefined || (line !== undefined && isKeyLine(text, own, line));
  return isOfKey ? own : start;
}

/** Prose is made of short words; a key's last line may be short, but then its footer follows. */
function isKeyLine(text: string, start: number, end: number): boolean {
  if (end - start >= LINE_CHARS_MIN) return true;
  const next = endOfMatch(BETWEEN, text, end) ?? end;
  return [next, ownLineStart(text, next)].some((at) => endOfMatch(FOOTER, text, at) !== undefined);
}
