/** The value behind a name: where it begins and ends, by its quotes or without any. */
import { hiddenSpan, MARKER, type Span, valueSpan } from "./mask.ts";
import type { NameStrength } from "./names.ts";
import { endOfMatch, matchAt } from "./reading.ts";
import { isMadeByMachine, isSecretValue, type ValuePlace } from "./values.ts";

const EQUALS = 61;

export interface Named {
  readonly name: string;
  readonly strength: NameStrength;
  readonly parameter: boolean;
  readonly code: boolean;
}

/** Three parts joined by colons at most, and the padding of base64: so a chain of fields is read once, not once per field. */
const BARE = /[^\s"'`<>(){}[\]\\,;&|:=]+(?::[^\s"'`<>(){}[\]\\,;&|:=]+){0,2}={0,2}/y;
const PARAMETER = /[^\s"'`<>(){}[\]\\&;#=]+={0,2}/y;

/** The value behind the sign at `at`, where it can be a secret of that name. */
export function findLiteral(text: string, at: number, named: Named): Span | undefined {
  const [opening, quote] = matchAt(OPENING, text, at + 1)!;
  const start = at + 1 + opening.length;
  const quoted = quote === undefined ? undefined : closing(text, start, quote);
  const end = quoted ?? bareEnd(text, start, named.parameter);
  const place = placeOf(text, { at, start, end, quoted: quoted !== undefined, named });
  if (end === start || text.startsWith(MARKER, end) || isCall(text, end, place)) return undefined;
  const value = text.slice(start, end);
  if (!isSecretValue(value, named.strength, place)) return undefined;
  if (named.code && (place === "quoted" || place === "bare") && !isMadeByMachine(value)) return undefined;
  const kind = named.parameter ? "parameter" : "assigned secret";
  // A code of OAuth is short-lived and short: half of it is too much.
  if (named.parameter && named.strength === "weak") return hiddenSpan(start, end, kind);
  return valueSpan(text, { start, end, kind, strength: named.strength });
}

const BACKSLASH = 92;
const QUOTED_CHARS_MAX = 8_192;
/** An optional arrow or bracket and spaces; then a quote, escaped or not, that a string's prefix may come before. */
const OPENING = /(?:[>(]| \()?[ \t]{0,8}(?:[rbfu]{0,2}(\\{0,31}["'`]))?/y;
/** What may be between quotes: characters and escapes on one line. */
const CLOSING: Readonly<Record<string, RegExp>> = {
  '"': /(?:[^"\\\n]|\\.){0,8192}"/y,
  "'": /(?:[^'\\\n]|\\.){0,8192}'/y,
  "`": /(?:[^`\\\n]|\\.){0,8192}`/y,
};

/** Where the string ends that began with `quote`, if it does. */
function closing(text: string, start: number, quote: string): number | undefined {
  if (quote.length > 1) return closingWithin(text, start, quote);
  const end = endOfMatch(CLOSING[quote]!, text, start);
  return end === undefined ? undefined : end - 1;
}

/** The end of a line: what was cut off there has no closing quote of its own. */
const BREAK = /\n|\\[nr]/;

/** In a string inside a string the quote has backslashes; a quote with more of them belongs to the value. */
function closingWithin(text: string, start: number, quote: string): number | undefined {
  const within = text.slice(start, start + QUOTED_CHARS_MAX);
  const mark = quote.slice(-1);
  for (let at = within.indexOf(mark); at >= 0; at = within.indexOf(mark, at + 1)) {
    let first = at;
    while (first > 0 && within.charCodeAt(first - 1) === BACKSLASH) first--;
    if (at - first < quote.length) return BREAK.test(within.slice(0, first)) ? undefined : start + first;
  }
  return undefined;
}

function bareEnd(text: string, start: number, parameter: boolean): number {
  const value = matchAt(parameter ? PARAMETER : BARE, text, start)?.[0] ?? "";
  return start + value.replace(/[.:!?]{1,4}$/, "").length;
}

interface LiteralPosition {
  readonly at: number;
  readonly start: number;
  readonly end: number;
  readonly quoted: boolean;
  readonly named: Named;
}

/** `NAME=value` without a space is a shell's or an environment file's; so is a password's field in capitals. */
function placeOf(text: string, { at, start, quoted, named }: LiteralPosition): ValuePlace {
  if (named.parameter) return "parameter";
  const tight =
    text.charCodeAt(at) === EQUALS ? !/\s/.test(text.slice(at + 1, start)) : named.strength === "password" && !quoted;
  if (tight && /^[A-Z][A-Z0-9_]+$/.test(named.name)) return "shell";
  return quoted ? "quoted" : "bare";
}

/** `token = read(...)`, `key: keys[0]`, `password=form.password` are code. */
function isCall(text: string, end: number, place: ValuePlace): boolean {
  const next = text.charCodeAt(end);
  return place !== "quoted" && (next === 40 || next === 91 || next === 123);
}
