/**
 * Secrets named by what stands before them: environment assignments, JSON and YAML fields, headers, options, query
 * parameters and form fields. The scan stops at each `:` and `=`; the name is read backwards, the value forwards.
 */
import { hiddenSpan, MARKER, tokenSpan, type Span } from "./mask.ts";
import { nameStrength, type NameStrength } from "./names.ts";
import { hasRandomPart, isSecretValue, type ValuePlace } from "./values.ts";

/** The word before a sign, as the scan saw it. */
export interface Word {
  readonly start: number;
  readonly end: number;
}

const COLON = 58;
const EQUALS = 61;
/** Between a name and its sign: a closing quote, a space, the mark of an optional field, half of `:=`. */
const GAP = /^[ \t"'`\\\]?:]{0,6}$/;
const GAP_CHARS_MAX = 6;
/** Types that may stand between a name and its value: `password: str = "..."`. */
const TYPED = /([\w-]{1,64})\??: ?(?:str|string|String|\[\]byte|SecretStr)(?: ?\| ?(?:None|null|undefined))? ?$/;
const TYPED_CHARS_MAX = 100;

/** The secret behind the `:` or `=` at `at`, where the word before names one. */
export function findAssigned(text: string, at: number, word: Word): Span | undefined {
  if (text.startsWith(MARKER, word.start - MARKER.length)) return undefined;
  if (at - word.end > GAP_CHARS_MAX || !GAP.test(text.slice(word.end, at)) || isComparison(text, at)) return undefined;
  const name = text.slice(word.start, word.end);
  const header = findHeader(text, at, name);
  if (header !== undefined) return header;
  const before = text.charCodeAt(word.start - 1);
  const parameter = text.charCodeAt(at) === EQUALS && (before === 63 || before === 38);
  const strength = nameStrength(name, parameter) ?? spokenStrength(text, word, name) ?? typedStrength(text, at, name);
  return strength === undefined ? undefined : findValue(text, at, { name, strength, parameter });
}

function isComparison(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1);
  if (text.charCodeAt(at) === COLON) return next === EQUALS || next === COLON;
  const before = text.charCodeAt(at - 1);
  return next === EQUALS || before === EQUALS || before === 33 || before === 60 || before === 62;
}

/** "API key: …", "access token: …": the word before belongs to the name. */
function spokenStrength(text: string, word: Word, name: string): NameStrength | undefined {
  if (!/^(?:key|token|code|pass|id)$/i.test(name)) return undefined;
  const before = /([A-Za-z]{2,20}) $/.exec(text.slice(Math.max(0, word.start - 22), word.start))?.[1];
  return before === undefined ? undefined : nameStrength(`${before}_${name}`);
}

function typedStrength(text: string, at: number, name: string): NameStrength | undefined {
  if (text.charCodeAt(at) !== EQUALS || !/^(?:str|string|String|byte|SecretStr|None|null|undefined)$/.test(name))
    return undefined;
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
  OPENING.lastIndex = at + 1;
  const opening = OPENING.exec(text);
  const start = at + 1 + (opening?.[0].length ?? 0);
  const quote = opening?.[1];
  const quoted = quote === undefined ? undefined : closing(text, start, quote);
  const end = quoted ?? bareEnd(text, start, named.parameter);
  const place = placeOf(text, { at, start, end, quoted: quoted !== undefined, named });
  if (end === start || text.startsWith(MARKER, end) || isCall(text, end, place)) return undefined;
  const value = text.slice(start, end);
  if (!isSecretValue(value, named.strength, place)) return undefined;
  const kind = named.parameter ? "parameter" : "assigned secret";
  return named.strength === "password" ? hiddenSpan(start, end, kind) : tokenSpan(text, start, end, kind);
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
  const inside = QUOTED[quote] as RegExp;
  inside.lastIndex = start;
  const end = start + (inside.exec(text)?.[0].length ?? 0);
  return text.startsWith(quote, end) ? end : undefined;
}

function bareEnd(text: string, start: number, parameter: boolean): number {
  const inside = parameter ? PARAMETER : BARE;
  inside.lastIndex = start;
  const value = inside.exec(text)?.[0] ?? "";
  return start + value.replace(/[.:!?]{1,4}$/, "").length;
}

interface Place {
  readonly at: number;
  readonly start: number;
  readonly end: number;
  readonly quoted: boolean;
  readonly named: Named;
}

/** `NAME=value` without a space is a shell's or an environment file's; so is a YAML field in capitals. */
function placeOf(text: string, { at, start, quoted, named }: Place): ValuePlace {
  if (quoted) return "quoted";
  if (named.parameter) return "parameter";
  const capitals = /^[A-Z][A-Z0-9_]+$/.test(named.name);
  const tight = text.charCodeAt(at) === EQUALS ? start === at + 1 : text.charCodeAt(at - 1) !== 32;
  return capitals && tight ? "shell" : "bare";
}

/** `token = read(...)`, `key: keys[0]`, `password=form.password` are code. */
function isCall(text: string, end: number, place: ValuePlace): boolean {
  const next = text.charCodeAt(end);
  return place !== "quoted" && (next === 40 || next === 91 || next === 123);
}

const AUTHORIZATION = /^(?:proxy-)?authorization$/i;
const COOKIE = /^(?:set-)?cookie$/i;
const CREDENTIALS =
  /[ \t]{0,4}(?:\\?["'])?[ \t]{0,4}(?:(?:Bearer|Basic|Token|Digest|ApiKey|Negotiate|Bot|GoogleLogin|AWS4-HMAC-SHA256)[ \t]{1,4})?([^\s"'`<>{}()\\]{8,8192})/iy;

function findHeader(text: string, at: number, name: string): Span | undefined {
  if (AUTHORIZATION.test(name)) return findCredentials(text, at + 1);
  if (COOKIE.test(name) && text.charCodeAt(at) === COLON) return findCookies(text, at + 1);
  return undefined;
}

function findCredentials(text: string, from: number): Span | undefined {
  CREDENTIALS.lastIndex = from;
  const found = CREDENTIALS.exec(text);
  const value = found?.[1];
  if (found === null || value === undefined || value.includes(MARKER) || !/\d|[a-z][A-Z]|=$/.test(value))
    return undefined;
  const end = from + found[0].length;
  return tokenSpan(text, end - value.length, end, "authorization header");
}

const PAIRS =
  /[ \t]{0,4}(?:\\?["'])?(?:[^\s"'=;\\]{1,128}=[^\s"';\\]{0,4096}(?:;[ \t]?|$|(?=["'\s\\]))|(?:HttpOnly|Secure|Partitioned)(?:;[ \t]?)?){1,64}/iy;
const COOKIE_ATTRIBUTE = /^(?:path|domain|expires|max-age|samesite|version|priority)$/i;
const COOKIE_CHARS_MIN = 6;

/** Every value of a cookie header but its attributes, in one span. */
function findCookies(text: string, from: number): Span | undefined {
  PAIRS.lastIndex = from;
  const found = PAIRS.exec(text)?.[0];
  if (found === undefined) return undefined;
  const mask = found.replace(
    /([^\s"'=;\\]{1,128})=([^\s"';\\]{1,4096})/g,
    (pair: string, name: string, value: string) => {
      const harmless = COOKIE_ATTRIBUTE.test(name) || value.length < COOKIE_CHARS_MIN || value.includes(MARKER);
      return harmless || /\$\{|<|\{\{/.test(value) ? pair : `${name}=${MARKER}`;
    },
  );
  return mask === found ? undefined : hiddenSpan(from, from + found.length, "cookie", mask);
}

const SCHEME = /^(?:bearer|basic)$/i;
const AFTER_SCHEME = / ([\w.~+/=-]{12,8192})/y;

/** `Bearer …` and `Basic …` without their header's name. */
export function findSchemeCredentials(text: string, word: Word): Span | undefined {
  if (!SCHEME.test(text.slice(word.start, word.end))) return undefined;
  AFTER_SCHEME.lastIndex = word.end;
  const value = AFTER_SCHEME.exec(text)?.[1];
  if (value === undefined || text.startsWith(MARKER, word.end + 1 + value.length)) return undefined;
  const end = word.end + 1 + value.replace(/\.+$/, "").length;
  const random = hasRandomPart(value) || /[A-Za-z0-9]{10,}={1,2}$/.test(value);
  return random ? tokenSpan(text, word.end + 1, end, "authorization header") : undefined;
}

const AFTER_OPTION = /(?: |", ?"|', ?')([^\s"'`<>{}()[\]\\,;|-][^\s"'`<>{}()[\]\\,;|]{0,4095})/y;

/** `--password hunter2`, `["--token", "…"]`. */
export function findOptionValue(text: string, word: Word): Span | undefined {
  if (!text.startsWith("--", word.start)) return undefined;
  const strength = nameStrength(text.slice(word.start + 2, word.end));
  if (strength === undefined) return undefined;
  AFTER_OPTION.lastIndex = word.end;
  const found = AFTER_OPTION.exec(text);
  const value = found?.[1];
  if (found === null || value === undefined || text.startsWith(MARKER, word.end + found[0].length)) return undefined;
  const end = word.end + found[0].length;
  if (!isSecretValue(value, strength, "bare")) return undefined;
  return strength === "password"
    ? hiddenSpan(end - value.length, end, "option")
    : tokenSpan(text, end - value.length, end, "option");
}

const SAID = /(?:^|[\s"'(])((?:[A-Za-z]{2,16} )?[A-Za-z]{3,12}) $/;
const SAID_CHARS_MAX = 32;
const AFTER_IS = /(?:is|was|=) (?:set to |now )?(["'`]?)([^\s"'`<>{}()[\]\\,;]{6,512})/y;

/** "the password is hunter2", "API key was …". */
export function findSaid(text: string, word: Word): Span | undefined {
  const said = SAID.exec(text.slice(Math.max(0, word.start - SAID_CHARS_MAX), word.start))?.[1];
  const strength = said === undefined ? undefined : nameStrength(said.replace(" ", "_"));
  if (strength === undefined) return undefined;
  AFTER_IS.lastIndex = word.start;
  const found = AFTER_IS.exec(text);
  if (found === null || text.startsWith(MARKER, word.start + found[0].length)) return undefined;
  const value = (found[2] as string).replace(/[.:!?]{1,4}$/, "");
  const start = word.start + found[0].length - (found[2] as string).length;
  if (!isSecretValue(value, strength, "bare") || !/\d/.test(value)) return undefined;
  return hiddenSpan(start, start + value.length, "spoken secret");
}
