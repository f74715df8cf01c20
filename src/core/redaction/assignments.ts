/**
 * Secrets named by what comes before them: environment assignments, JSON, YAML and XML fields, query parameters and
 * form fields. The scan stops at each `:`, `=` and `<`; the name is read backwards, the value forwards, by its quotes or
 * without any.
 */
import { findHeader } from "./headers.ts";
import { MARKER, type Span, valueSpan, hiddenSpan } from "./mask.ts";
import { maySuggestSecret, NAME_CHARS_MAX, NAMES_NAMES, nameStrength, type NameStrength } from "./names.ts";
import { matchAt, type Stop, type Word, endOfMatch } from "./reading.ts";
import { isMadeByMachine, isSecretValue, type ValuePlace } from "./values.ts";

const COLON = 58;
const EQUALS = 61;
/** Between a name and its sign: a closing quote, a space, the mark of an optional field, half of `:=`. */
const GAP = /^[ \t"'`\\[\]?:*]*$/;
const GAP_CHARS_MAX = 66;
const STRING_TYPES = new Set("str string String byte SecretStr None null undefined".split(" "));
/** What a list of settings calls the value whose name is next to it. */
const PAIRED = new Set(["value", "Value"]);
/** Types that may be between a name and its value: `password: str = "..."`. */
const TYPED =
  /([\w-]{1,64})\??: ?(?:&?(?:'static )?str|string|String|\[\]byte|SecretStr)(?: ?\| ?(?:None|null|undefined))? ?$/;
const TYPED_CHARS_MAX = 100;

/**
 * The secret behind the `:` or `=` of `stop`, where the word before names one. In source a literal that a person typed
 * is left alone: `apiKey: "test"` is a fixture. `NAME=value` of an environment and parameters of a URL are not source.
 */
export function findAssigned(text: string, stop: Stop): Span | undefined {
  const { at, word } = stop;
  if (at - word.end > GAP_CHARS_MAX || word.end - word.start > NAME_CHARS_MAX) return undefined;
  const name = text.slice(word.start, word.end);
  const suspicious = maySuggestSecret(name);
  if (name === "name" && text.charCodeAt(at) === EQUALS) return findFormPart(text, at);
  if (!suspicious && !STRING_TYPES.has(name) && !PAIRED.has(name)) return undefined;
  if (!GAP.test(text.slice(word.end, at)) || isComparison(text, at)) return undefined;
  if (text.startsWith(MARKER, word.start - MARKER.length)) return undefined;
  return (suspicious ? findHeader(text, at, name) : undefined) ?? findNamed(text, stop);
}

function findNamed(text: string, { at, word, code }: Stop): Span | undefined {
  const name = text.slice(word.start, word.end);
  const parameter = isParameter(text, at, word);
  const strength =
    spokenStrength(text, word, name) ??
    nameStrength(name, parameter) ??
    typedStrength(text, at, name) ??
    pairedStrength(text, word, name);
  return strength === undefined ? undefined : findLiteral(text, at, { name, strength, parameter, code });
}

/** `&name=`: the next field of a form. */
const NEXT_FIELD = /=[^\s"'`<>&=\\]{1,2048}={0,2}&[\w.%-]{1,64}=/y;

/** `?name=` and `&name=` of a URL, and the first field of a form. */
function isParameter(text: string, at: number, word: Word): boolean {
  if (text.charCodeAt(at) !== EQUALS) return false;
  const before = text.charAt(word.start - 1);
  return before === "?" || before === "&" || (at === word.end && matchAt(NEXT_FIELD, text, at) !== undefined);
}

function isComparison(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1);
  if (text.charCodeAt(at) === COLON) return next === EQUALS || next === COLON;
  const before = text.charCodeAt(at - 1);
  return next === EQUALS || before === EQUALS || before === 33 || before === 60 || before === 62;
}

const SPOKEN =
  /(?:^|[^\w-])(api|access|secret|private|auth|bot|refresh|bearer|session|signing|master|service|deploy) $/i;
const SPOKEN_CHARS_MAX = 12;

/** "API key: …", "access token: …": the word before belongs to the name. */
function spokenStrength(text: string, word: Word, name: string): NameStrength | undefined {
  if (!/^(?:key|token)$/i.test(name)) return undefined;
  const before = SPOKEN.exec(text.slice(Math.max(0, word.start - SPOKEN_CHARS_MAX), word.start))?.[1];
  return before === undefined ? undefined : nameStrength(`${before}_${name}`);
}

function typedStrength(text: string, at: number, name: string): NameStrength | undefined {
  if (text.charCodeAt(at) !== EQUALS || !STRING_TYPES.has(name)) return undefined;
  const typed = TYPED.exec(text.slice(Math.max(0, at - TYPED_CHARS_MAX), at))?.[1];
  return typed === undefined ? undefined : nameStrength(typed);
}

const FORM_PART =
  /=\\{0,31}"([\w.-]{2,64})\\{0,31}"(?:\r?\n\r?\n|(?:\\{1,32}r)?\\{1,32}n(?:\\{1,32}r)?\\{1,32}n)([^\r\n\\"]{4,4096})/y;

/** The same on one line, as a label shows it. */
const FORM_PART_JOINED = /(?<=form-data; ?name)=\\{0,31}"([\w.-]{2,64})\\{0,31}" ([^\s\\"]{4,4096})/y;

/** A field of a multipart form: its name, an empty line, its value. */
function findFormPart(text: string, at: number): Span | undefined {
  const found = matchAt(FORM_PART, text, at) ?? matchAt(FORM_PART_JOINED, text, at);
  const strength = found === undefined ? undefined : nameStrength(found[1] as string, true);
  if (found === undefined || strength === undefined) return undefined;
  const value = found[2] as string;
  const end = at + found[0].length;
  if (!isSecretValue(value, strength, "parameter")) return undefined;
  return valueSpan(text, { start: end - value.length, end, kind: "parameter", strength });
}

/** The name that a list of settings writes beside its value: `- name: DB_PASSWORD` and then `value: …`. */
const PAIR_NAME = /(?:name|key|Name|Key)["']? {0,2}[:=] {0,2}["']?([\w.:/-]{2,64})["']?[\s,]{0,40}["']?$/;
const PAIR_CHARS_MAX = 256;
/** `<input type="password" value="…">`: what else a tag says of its value. */
const TAG_NAME = /(?<![\w-])(?:type|name) ?= ?\\{0,31}["']?([\w.:-]{2,64})/g;

function pairedStrength(text: string, word: Word, name: string): NameStrength | undefined {
  if (!PAIRED.has(name)) return undefined;
  const before = text.slice(Math.max(0, word.start - PAIR_CHARS_MAX), word.start);
  const tag = before.slice(before.lastIndexOf("<") + 1);
  if (tag.length < before.length && !tag.includes(">")) {
    const rest = text.slice(word.end, word.end + PAIR_CHARS_MAX).split(">", 1)[0]!;
    for (const [, other = ""] of `${tag} ${rest}`.matchAll(TAG_NAME)) {
      const strength = nameStrength(other);
      if (strength !== undefined) return strength;
    }
  }
  const paired = PAIR_NAME.exec(before.replace(/(?<!\\)\\+[nrt]/g, " ").replaceAll("\\", ""))?.[1];
  return paired === undefined ? undefined : nameStrength(paired);
}

const ELEMENT = /<([\w:.-]{2,64})(?: [^<>\n]{1,256})?>([^<>\s]{4,4096})<\//y;

/** `<password>…</password>`. */
export function findElement(text: string, { at, code }: Stop): Span | undefined {
  const found = matchAt(ELEMENT, text, at);
  const strength = found === undefined ? undefined : nameStrength(found[1] as string);
  if (found === undefined || strength === undefined) return undefined;
  const value = found[2] as string;
  const end = at + found[0].length - "</".length;
  if (!isSecretValue(value, strength, "quoted") || (code && !isMadeByMachine(value))) return undefined;
  return valueSpan(text, { start: end - value.length, end, kind: "assigned secret", strength });
}

interface Named {
  readonly name: string;
  readonly strength: NameStrength;
  readonly parameter: boolean;
  readonly code: boolean;
}

/** Three parts joined by colons at most, and the padding of base64: so a chain of fields is read once, not once per field. */
const BARE = /[^\s"'`<>(){}[\]\\,;&|:=]+(?::[^\s"'`<>(){}[\]\\,;&|:=]+){0,2}={0,2}/y;
const PARAMETER = /[^\s"'`<>(){}[\]\\&;#=]+={0,2}/y;

/** The value behind the sign at `at`, where it can be a secret of that name. */
function findLiteral(text: string, at: number, named: Named): Span | undefined {
  const [opening, quote] = matchAt(OPENING, text, at + 1)!;
  const start = at + 1 + opening.length;
  const quoted = quote === undefined ? undefined : closing(text, start, quote);
  const end = quoted ?? bareEnd(text, start, named.parameter);
  const place = classifyPlace(text, { at, start, end, quoted: quoted !== undefined, named });
  if (end === start && quoted === undefined) return findList(text, at, named);
  if (end === start || text.startsWith(MARKER, end) || isCall(text, end, place)) return undefined;
  const value = text.slice(start, end);
  // `exports.apiToken2 = apiToken2`: it is called what it is given.
  if (value === named.name || value.endsWith(`.${named.name}`)) return undefined;
  if (!isSecretValue(value, named.strength, place)) return undefined;
  if (named.code && (place === "quoted" || place === "bare") && !isMadeByMachine(value)) return undefined;
  const kind = named.parameter ? "parameter" : "assigned secret";
  // A code of OAuth is short-lived and short: half of it is too much.
  if (named.parameter && named.strength === "weak") return hiddenSpan(start, end, kind);
  return valueSpan(text, { start, end, kind, strength: named.strength });
}

/** A list on one line; under a name for several, any of them is one. */
const LIST = /[ \t]{0,8}\[ {0,4}(?:\\{0,31}["'][^"'\\\n[\]]{0,512}(?:\\{0,31}["'] {0,4}(?:, {0,4}|(?=\]|$))|$)){1,64}/y;
const LIST_VALUE = /(["'])([^"'\\\s]{4,512})(?=\\{0,31}["']|$)/g;

function findList(text: string, at: number, { name, strength, code }: Named): Span | undefined {
  const list = matchAt(LIST, text, at + 1)?.[0];
  if (list === undefined || NAMES_NAMES.test(name)) return undefined;
  const mask = list.replace(LIST_VALUE, (whole: string, quote: string, value: string) =>
    isSecretValue(value, strength, "bare") && !(code && !isMadeByMachine(value)) ? `${quote}${MARKER}` : whole,
  );
  return mask === list ? undefined : hiddenSpan(at + 1, at + 1 + list.length, "assigned secret", mask);
}

const BACKSLASH = 92;
const QUOTED_CHARS_MAX = 8_192;
/** What ends bold print, an arrow or a bracket, and spaces; then a quote, escaped or not, that a string's prefix may come before. */
const OPENING = /(?:\*\*|[>(]| \()?[ \t]{0,8}(?:[rbfu]{0,2}(\\{0,31}["'`]))?/y;
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
function classifyPlace(text: string, { at, start, quoted, named }: LiteralPosition): ValuePlace {
  if (named.parameter) return "parameter";
  const tight =
    text.charCodeAt(at) === EQUALS ? !/\s/.test(text.slice(at + 1, start)) : named.strength === "password" && !quoted;
  if (tight && /^[A-Z][A-Z0-9_]+$/.test(named.name)) return "shell";
  // A name with a dash is no variable of a program: what a colon gives it is itself.
  if (!quoted && text.charCodeAt(at) === COLON && HEADER_NAME.test(named.name)) return "header";
  return quoted ? "quoted" : "bare";
}

const HEADER_NAME = /^[A-Za-z]\w*(?:-\w+)+$/;

/** `token = read(...)`, `key: keys[0]`, `password=form.password` are code. */
function isCall(text: string, end: number, place: ValuePlace): boolean {
  const next = text.charCodeAt(end);
  return place !== "quoted" && (next === 40 || next === 91 || next === 123);
}
