/**
 * Secrets named by what comes before them: environment assignments, JSON, YAML and XML fields, query parameters and
 * form fields. The scan stops at each `:`, `=` and `<`; the name is read backwards, the value forwards.
 */
import { findHeader } from "./headers.ts";
import { findLiteral } from "./literals.ts";
import { MARKER, type Span, valueSpan } from "./mask.ts";
import { maySuggestSecret, NAME_CHARS_MAX, nameStrength, type NameStrength } from "./names.ts";
import { matchAt, type Stop, type Word } from "./reading.ts";
import { isMadeByMachine, isSecretValue } from "./values.ts";

const COLON = 58;
const EQUALS = 61;
/** Between a name and its sign: a closing quote, a space, the mark of an optional field, half of `:=`. */
const GAP = /^[ \t"'`\\\]?:]*$/;
const GAP_CHARS_MAX = 66;
const STRING_TYPES = new Set("str string String byte SecretStr None null undefined".split(" "));
/** What a list of settings calls the value whose name is next to it. */
const PAIRED = new Set(["value", "Value"]);
/** Types that may be between a name and its value: `password: str = "..."`. */
const TYPED = /([\w-]{1,64})\??: ?(?:str|string|String|\[\]byte|SecretStr)(?: ?\| ?(?:None|null|undefined))? ?$/;
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
const PAIR_NAME = /(?:name|key|Name|Key)["']? {0,2}[:=] {0,2}["']?([\w.:-]{2,64})["']?[\s,]{0,40}["']?$/;
const PAIR_CHARS_MAX = 256;

function pairedStrength(text: string, word: Word, name: string): NameStrength | undefined {
  if (!PAIRED.has(name)) return undefined;
  const before = text.slice(Math.max(0, word.start - PAIR_CHARS_MAX), word.start);
  const paired = PAIR_NAME.exec(before.replace(/(?<!\\)\\+[nrt]/g, " ").replaceAll("\\", ""))?.[1];
  return paired === undefined ? undefined : nameStrength(paired);
}

const ELEMENT = /<([\w:.-]{2,64})>([^<>\s]{4,4096})<\//y;

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
