/**
 * Secrets named by what stands before them: environment assignments, JSON, YAML and XML fields, query parameters and
 * form fields. The scan stops at each `:`, `=` and `<`; the name is read backwards, the value forwards.
 */
import { findHeader } from "./headers.ts";
import { MARKER, type Span, valueSpan } from "./mask.ts";
import { maySuggestSecret, NAME_CHARS_MAX, nameStrength, type NameStrength } from "./names.ts";
import { endOfMatch, matchAt, type Word } from "./reading.ts";
import { isSecretValue, type ValuePlace } from "./values.ts";

const COLON = 58;
const EQUALS = 61;
/** Between a name and its sign: a closing quote, a space, the mark of an optional field, half of `:=`. */
const GAP = /^[ \t"'`\\\]?:]{0,6}$/;
const GAP_CHARS_MAX = 6;
const STRING_TYPE = /^(?:str|string|String|byte|SecretStr|None|null|undefined)$/;
/** Types that may stand between a name and its value: `password: str = "..."`. */
const TYPED = /([\w-]{1,64})\??: ?(?:str|string|String|\[\]byte|SecretStr)(?: ?\| ?(?:None|null|undefined))? ?$/;
const TYPED_CHARS_MAX = 100;

/** The secret behind the `:` or `=` at `at`, where the word before names one. */
export function findAssigned(text: string, at: number, word: Word): Span | undefined {
  if (at - word.end > GAP_CHARS_MAX || word.end - word.start > NAME_CHARS_MAX) return undefined;
  const name = text.slice(word.start, word.end);
  const suspicious = maySuggestSecret(name);
  if (!suspicious && !STRING_TYPE.test(name)) return undefined;
  if (!GAP.test(text.slice(word.end, at)) || isComparison(text, at)) return undefined;
  if (text.startsWith(MARKER, word.start - MARKER.length)) return undefined;
  return (suspicious ? findHeader(text, at, name) : undefined) ?? findNamed(text, at, word);
}

function findNamed(text: string, at: number, word: Word): Span | undefined {
  const name = text.slice(word.start, word.end);
  const before = text.charAt(word.start - 1);
  const parameter = text.charCodeAt(at) === EQUALS && (before === "?" || before === "&");
  const strength = spokenStrength(text, word, name) ?? nameStrength(name, parameter) ?? typedStrength(text, at, name);
  return strength === undefined ? undefined : findValue(text, at, { name, strength, parameter });
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
  if (text.charCodeAt(at) !== EQUALS || !STRING_TYPE.test(name)) return undefined;
  const typed = TYPED.exec(text.slice(Math.max(0, at - TYPED_CHARS_MAX), at))?.[1];
  return typed === undefined ? undefined : nameStrength(typed);
}

interface Named {
  readonly name: string;
  readonly strength: NameStrength;
  readonly parameter: boolean;
}

/** An optional arrow, spaces, a string prefix, then a quote, escaped or not. */
const OPENING = /(?:>| ?\()?[ \t]{0,8}(?:[rbfu]{0,2}(\\?["'`]))?/y;
/** Three parts joined by colons at most, and the padding of base64: so a chain of fields is read once, not once per field. */
const BARE = /[^\s"'`<>(){}[\]\\,;&|:=]+(?::[^\s"'`<>(){}[\]\\,;&|:=]+){0,2}={0,2}/y;
const PARAMETER = /[^\s"'`<>(){}[\]\\&;#=]+={0,2}/y;

function findValue(text: string, at: number, named: Named): Span | undefined {
  const opening = matchAt(OPENING, text, at + 1);
  const start = at + 1 + (opening?.[0].length ?? 0);
  const quote = opening?.[1];
  const quoted = quote === undefined ? undefined : closing(text, start, quote);
  const end = quoted ?? bareEnd(text, start, named.parameter);
  const place = placeOf(text, { at, start, end, quoted: quoted !== undefined, named });
  if (end === start || text.startsWith(MARKER, end) || isCall(text, end, place)) return undefined;
  const value = text.slice(start, end);
  if (!isSecretValue(value, named.strength, place)) return undefined;
  const kind = named.parameter ? "parameter" : "assigned secret";
  return valueSpan(text, { start, end, kind, strength: named.strength });
}

const QUOTED: Readonly<Record<string, RegExp>> = {
  '"': /(?:[^"\\\n]|\\.){0,8192}/y,
  "'": /(?:[^'\\\n]|\\.){0,8192}/y,
  "`": /(?:[^`\\\n]|\\.){0,8192}/y,
  '\\"': /(?:[^"\\\n]|\\[^"]|\\\\\\"){0,8192}/y,
  "\\'": /(?:[^'\\\n]|\\[^'])*/y,
  "\\`": /(?:[^`\\\n]|\\[^`])*/y,
};

/** Where the string ends that began with `quote`, if it does. */
function closing(text: string, start: number, quote: string): number | undefined {
  const end = endOfMatch(QUOTED[quote] as RegExp, text, start) ?? start;
  return text.startsWith(quote, end) ? end : undefined;
}

function bareEnd(text: string, start: number, parameter: boolean): number {
  const value = matchAt(parameter ? PARAMETER : BARE, text, start)?.[0] ?? "";
  return start + value.replace(/[.:!?]{1,4}$/, "").length;
}

interface Place {
  readonly at: number;
  readonly start: number;
  readonly end: number;
  readonly quoted: boolean;
  readonly named: Named;
}

/** `NAME=value` without a space is a shell's or an environment file's; so is a password's field in capitals. */
function placeOf(text: string, { at, start, quoted, named }: Place): ValuePlace {
  if (named.parameter) return "parameter";
  const capitals = /^[A-Z][A-Z0-9_]+$/.test(named.name);
  const quote = quoted ? 1 : 0;
  const tight = text.charCodeAt(at) === EQUALS ? start === at + 1 + quote : named.strength === "password" && !quoted;
  if (capitals && tight) return "shell";
  return quoted ? "quoted" : "bare";
}

/** `token = read(...)`, `key: keys[0]`, `password=form.password` are code. */
function isCall(text: string, end: number, place: ValuePlace): boolean {
  const next = text.charCodeAt(end);
  return place !== "quoted" && (next === 40 || next === 91 || next === 123);
}

const ELEMENT = /<([\w:.-]{2,64})>([^<>\s]{4,4096})<\//y;

/** `<password>…</password>`. */
export function findElement(text: string, at: number): Span | undefined {
  const found = matchAt(ELEMENT, text, at);
  const strength = found === undefined ? undefined : nameStrength(found[1] as string);
  if (found === undefined || strength === undefined) return undefined;
  const value = found[2] as string;
  const end = at + found[0].length - "</".length;
  if (!isSecretValue(value, strength, "quoted")) return undefined;
  return valueSpan(text, { start: end - value.length, end, kind: "assigned secret", strength });
}

const SAID = /(?:^|[\s"'(])((?:[A-Za-z]{2,16} )?[A-Za-z]{3,12}) $/;
const SAID_CHARS_MAX = 32;
const AFTER_IS = /(?:is|was) (?:set to |now )?["'`]?([^\s"'`<>{}()[\]\\,;]{6,512})/y;

/** "the password is hunter2", "API key was …": `word` is the verb. */
export function findSaid(text: string, word: Word): Span | undefined {
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
