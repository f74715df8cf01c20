/** Which values can be a secret: neither a placeholder, nor an expression, nor a word of a schema or a form. */
import { MARKER } from "./mask.ts";
import type { NameStrength } from "./names.ts";

/** Filled in elsewhere: `${TOKEN}`, `{{ token }}`, `<your key>`, `$(pass show)`, `%s`, `sk-...`, `****`, `xxxx`. */
const FILLED_IN = /\$\{|\$\(|\{\{|<|>|^\$|^%\w*%$|^%[sdv(]|^0x[\dA-Fa-f]{1,16}$|\.\.\.|…|^[*•.#_-]*$|\*{3}|x{4}|X{4}/;
/** A single word in small letters, under a name that says that it is a key. */
const PLAIN_KEY = /^[a-z]{8,}$/;
/** Written to be replaced, or for a test. Counts only for values without a digit. */
const PLACEHOLDER =
  /^(?:your|the|some|an?)[-_ ]|^my[-_]|(?:here|goes)$|(?:^|[-_])(?:your|test|fake|dummy|mock|sample|example|placeholder|change|changeme|replace|insert|enter|todo|fixme|redacted|hidden|masked|removed)(?:[-_]|$)/i;
const CAMEL_PLACEHOLDER = /^(?:your|my)[A-Z]/;
const SCHEMA_WORDS = new Set(
  (
    "string str text password passwd pwd secret token key apikey api_key number int integer float bool boolean true false null nil none " +
    "undefined any unknown object array optional required hidden input value env default never void bytes auto basic bearer oauth " +
    "oauth2 jwt test testing admin root user username email name type field public private include omit same-origin"
  ).split(" "),
);
/** `config.api.token`, `process.env.KEY`: an expression, not a literal. */
const MEMBER_ACCESS = /^[A-Za-z_$][A-Za-z_$]*(?:\.[A-Za-z_$][\w$]*)+$/;
const PATH_OR_URL = /^(?:[.~]{0,2}\/|[A-Za-z]:\\|[a-z][a-z+.-]{1,15}:\/\/|[\w.@-]+(?:\/[\w.@-]+)+\.[a-z]{1,5}$)/;
const LABEL = /^\p{Lu}\p{Ll}+[:.!?]?$/u;

const PASSWORD_CHARS_MIN = 6;
const SHELL_CHARS_MIN = 4;
const KEY_CHARS_MIN = 8;
const RANDOM_PART_CHARS_MIN = 8;
const KEY_PART_CHARS_MIN = 6;
const VALUE_CHARS_MAX = 4096;

/** Where a value is: quoted text is a literal; a shell assignment and a header too; after a colon or in code it may be a name. */
export type ValuePlace = "quoted" | "shell" | "parameter" | "header" | "bare";

export function isSecretValue(value: string, strength: NameStrength, place: ValuePlace): boolean {
  if (value.length > VALUE_CHARS_MAX) return hasRandomPart(value.slice(0, VALUE_CHARS_MAX));
  if (value.includes(MARKER) || isPlaceholder(value)) return false;
  if (place !== "shell" && /\s/.test(value))
    return place === "quoted" && strength === "password" && isPassphrase(value);
  switch (strength) {
    case "password":
      return isPassword(value, place);
    case "key":
      return isKey(value, place);
    case "weak":
      return hasRandomPart(value) || (place === "parameter" && isOdd(value));
  }
}

function isPassword(value: string, place: ValuePlace): boolean {
  if (place === "bare") return value.length >= PASSWORD_CHARS_MIN && hasMark(value);
  // `DB_PASSWORD=from the vault` says where it is.
  if (place === "shell") return value.length >= SHELL_CHARS_MIN && !SAID_IN_FORMS.has(value);
  return value.length >= PASSWORD_CHARS_MIN || (value.length >= SHELL_CHARS_MIN && hasMark(value));
}

const ODD_CHARS_MIN = 16;

/** Long, and with a digit or capitals where no word has them. */
function isOdd(value: string): boolean {
  return value.length >= ODD_CHARS_MIN && (hasMixedPart(value, ODD_CHARS_MIN) || isShuffledCase(value));
}

function isKey(value: string, place: ValuePlace): boolean {
  if (hasRandomPart(value) || isJumbled(value)) return true;
  switch (place) {
    case "bare":
      return false;
    case "header":
      return hasMixedPart(value);
    case "quoted":
      return hasMixedPart(value, KEY_PART_CHARS_MIN) || isShuffledCase(value) || PLAIN_KEY.test(value);
    default:
      return value.length >= KEY_CHARS_MIN;
  }
}

const PASSPHRASE_WORDS_MAX = 16;
const PASSPHRASE_CHARS_MAX = 160;
const PASSPHRASE_PLAIN_WORDS_MIN = 3;
/** Words of labels and messages: a form says them, a passphrase hardly ever does. */
const SAID_IN_FORMS = new Set(
  (
    "a an the is are was be been must should can cannot could will would has have had not no do does did to at of for from or and in on as by " +
    "with if your you my our their it this that these please enter type choose set reset forgot forgotten new old current change confirm " +
    "repeat show hide invalid wrong incorrect required missing optional expired weak strong too short long least most characters " +
    "letters digits password passwords passwd passphrase passcode secret token key keys field user username email account login sign " +
    "name value string default error failed"
  ).split(" "),
);

/** Several words between quotes: "correct horse battery staple", but not "Your password is too short". */
function isPassphrase(value: string): boolean {
  if (value.length > PASSPHRASE_CHARS_MAX || value !== value.trim() || /[\\{}<>$()]/.test(value)) return false;
  const words = value.split(/\s+/);
  if (words.length > PASSPHRASE_WORDS_MAX) return false;
  if (words.some((word) => SAID_IN_FORMS.has(word.toLowerCase().replace(/[^a-z]/g, "")))) return false;
  return (
    words.some(hasMark) || (words.length >= PASSPHRASE_PLAIN_WORDS_MIN && words.every((word) => /^[a-z]+$/.test(word)))
  );
}

/** A digit beside letters of any script, or a sign no identifier has. */
function hasMark(value: string): boolean {
  return (/\p{Nd}/u.test(value) && /\p{L}/u.test(value)) || /[!@#$%^*+/=~]/.test(value);
}

const JUMBLED_CHARS = 32;
const JUMBLED_CHARS_MIN = 16;
const JUMBLED_TURNS_SHARE_MIN = 0.5;
/** Signs that stand in no name, path, version or number. */
const UNNAMELY = /[!@#$%^&*=?~]/g;
const UNNAMELY_MIN = 2;

/** Letters, digits and signs in turn, at one end of it at least: what sits between the signs is too short to be judged by itself. */
function isJumbled(value: string): boolean {
  if (value.length < JUMBLED_CHARS_MIN || countMatches(value, UNNAMELY) < UNNAMELY_MIN) return false;
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value)) return false;
  return [value.slice(0, JUMBLED_CHARS), value.slice(-JUMBLED_CHARS)].some(
    (part) => turnsShare(part) >= JUMBLED_TURNS_SHARE_MIN,
  );
}

const CHOSEN_CHARS_MIN = 8;
const CHOSEN_CHARS_MAX = 512;
/** A version, a date, the name of a file, a short hash. */
const NAMES_A_THING = /^v?\d+(?:[.-]\d+)|\.[A-Za-z]\w{0,4}$|^[0-9a-f]{1,31}$/;

/** Like a password that a person chose, or more random: with a digit, and a capital beside small letters, a sign, or digits all over. Needs a name beside it. */
export function looksChosen(value: string): boolean {
  if (value.length < CHOSEN_CHARS_MIN || value.length > CHOSEN_CHARS_MAX || NAMES_A_THING.test(value)) return false;
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value) || isPlaceholder(value) || value.includes(MARKER)) return false;
  return hasRandomPart(value) || (/[a-z]/.test(value) && /[A-Z]/.test(value)) || /[!@#$%^&*+=~?]/.test(value);
}

/** The same in prose, where names such as `Argon2id` stand beside the word: with a sign, or digits all over. */
export function looksChosenInProse(value: string): boolean {
  return looksChosen(value) && (hasRandomPart(value) || /[!@#$%^&*+=~?]/.test(value));
}

function isPlaceholder(value: string): boolean {
  if (SCHEMA_WORDS.has(value.toLowerCase()) || FILLED_IN.test(value) || MEMBER_ACCESS.test(value)) return true;
  return PATH_OR_URL.test(value) || LABEL.test(value) || isToBeReplaced(value);
}

function isToBeReplaced(value: string): boolean {
  return !/\d/.test(value) && (PLACEHOLDER.test(value) || CAMEL_PLACEHOLDER.test(value));
}

/** True where one part between separators mixes letters and digits for long enough to be no version or unit. */
export function hasMixedPart(value: string, length = RANDOM_PART_CHARS_MIN): boolean {
  return splitParts(value).some((part) => isMixed(part, length));
}

/** Mixed, and with digits all over it: `Base64URLString` and `sha256sum` are words. */
export function hasRandomPart(value: string): boolean {
  const random = splitParts(value).some((part) => isMixed(part, RANDOM_PART_CHARS_MIN) && DIGITS_ALL_OVER.test(part));
  return random || (value.length >= BASE64_CHARS_MIN && BASE64.test(value));
}

const DIGITS_ALL_OVER = /(?:\d[^\d]*){4}|\d[^\d]+\d/;

function splitParts(value: string): readonly string[] {
  return value.split(/[^A-Za-z0-9]+/);
}

function isMixed(part: string, least: number): boolean {
  return part.length >= least && /\d/.test(part) && /[A-Za-z]/.test(part);
}

/** With a digit, both cases and a sign of base64: an AWS secret, whose parts may each be short. */
const BASE64_CHARS_MIN = 20;
const BASE64 = /^(?=[^\d]*\d)(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])(?=[^+/]*[+/])[A-Za-z0-9+/]{20,}={0,2}$/;
const SHUFFLED_CHARS_MIN = 12;

/** Letters only, but capitals where no word has them. */
function isShuffledCase(value: string): boolean {
  const capitals = countMatches(value, /[A-Z]/g) / value.length;
  return value.length >= SHUFFLED_CHARS_MIN && /^[A-Za-z+/=]+$/.test(value) && capitals > 0.25 && capitals < 0.75;
}

const MADE_CHARS_MIN = 16;

/** Random enough that no person typed it as an example. */
export function isMadeByMachine(value: string): boolean {
  return value.length >= MADE_CHARS_MIN && hasRandomPart(value);
}

/** Random text takes turns between small and large letters and digits at two places of three; names at one of eight. */
export const RANDOM_TURNS_SHARE_MIN = 0.36;

/** How often letters small and large, digits and signs take turns, as a share of the length: random text has about two thirds. */
export function turnsShare(value: string): number {
  let turns = 0;
  for (let at = 1; at < value.length; at++)
    if (classifyCode(value.charCodeAt(at)) !== classifyCode(value.charCodeAt(at - 1))) turns++;
  return turns / value.length;
}

/** 0 for a small letter, 1 for a large one, 2 for a digit, 3 for anything else. */
function classifyCode(code: number): number {
  return code >= 97 && code <= 122 ? 0 : code >= 65 && code <= 90 ? 1 : code >= 48 && code <= 57 ? 2 : 3;
}

function countMatches(value: string, pattern: RegExp): number {
  return value.match(pattern)?.length ?? 0;
}
