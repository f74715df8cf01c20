/** Which values can be a secret: neither a placeholder, nor an expression, nor a word of a schema or a form. */
import { MARKER } from "./mask.ts";
import type { NameStrength } from "./names.ts";

/** Filled in elsewhere: `${TOKEN}`, `{{ token }}`, `<your key>`, `$(pass show)`, `%s`, `sk-...`, `****`, `xxxx`. */
const FILLED_IN = /\$\{|\$\(|\{\{|<|>|^\$|^%|\.\.\.|…|^[*•.#_-]*$|\*{3}|x{4}|X{4}/;
const PLACEHOLDER =
  /^(?:your|my|the|some|an?)[-_ ]|^(?:your|my)[A-Z]|(?:here|goes|placeholder)$|^(?:change|replace|insert|enter|todo|fixme|example|dummy|fake|sample|redacted|hidden|masked|removed)/i;
const SCHEMA_WORDS = new Set(
  (
    "string str text password passwd pwd secret token key apikey api_key number int integer float bool boolean true false null nil none " +
    "undefined any unknown object array optional required hidden input value env default never void bytes auto basic bearer oauth " +
    "oauth2 jwt test testing admin root user username email name type field public private"
  ).split(" "),
);
/** `config.api.token`, `process.env.KEY`: an expression, not a literal. */
const MEMBER_ACCESS = /^[A-Za-z_$][A-Za-z_$]*(?:\.[A-Za-z_$][\w$]*)+$/;
const PATH_OR_URL = /^(?:[.~]{0,2}\/|[A-Za-z]:\\|[a-z][a-z+.-]{1,15}:\/\/)/;
const LABEL = /^\p{Lu}\p{Ll}+[:.!?]?$/u;

const PASSWORD_CHARS_MIN = 6;
const KEY_CHARS_MIN = 8;
const RANDOM_PART_CHARS_MIN = 8;
const WORDLESS_KEY_CHARS_MIN = 16;
const VALUE_CHARS_MAX = 4096;

/** Where a value stands: quoted text is a literal; a shell assignment too; after a colon or in code it may be a name. */
export type ValuePlace = "quoted" | "shell" | "parameter" | "bare";

export function isSecretValue(value: string, strength: NameStrength, place: ValuePlace): boolean {
  if (value.length > VALUE_CHARS_MAX) return hasRandomPart(value.slice(0, VALUE_CHARS_MAX));
  if (/\s/.test(value) || value.includes(MARKER) || isPlaceholder(value)) return false;
  switch (strength) {
    case "password":
      return isPassword(value, place);
    case "key":
      return isKey(value, place);
    case "weak":
      return hasRandomPart(value);
  }
}

function isPassword(value: string, place: ValuePlace): boolean {
  if (place === "bare") return value.length >= PASSWORD_CHARS_MIN && hasMark(value);
  return value.length >= PASSWORD_CHARS_MIN || (value.length >= 4 && hasMark(value));
}

function isKey(value: string, place: ValuePlace): boolean {
  if (hasRandomPart(value)) return true;
  if (place === "bare") return false;
  const wordless =
    value.length >= WORDLESS_KEY_CHARS_MIN && !/[-_. ]/.test(value) && !/^[a-z]+(?:[A-Z][a-z]+)+$/.test(value);
  return place === "quoted" ? wordless : value.length >= KEY_CHARS_MIN;
}

/** A digit beside letters, or a sign no identifier has. */
function hasMark(value: string): boolean {
  return (/\d/.test(value) && /[A-Za-z]/.test(value)) || /[!@#$%^*+/=~]/.test(value);
}

function isPlaceholder(value: string): boolean {
  if (SCHEMA_WORDS.has(value.toLowerCase()) || FILLED_IN.test(value) || MEMBER_ACCESS.test(value)) return true;
  return PATH_OR_URL.test(value) || LABEL.test(value) || (!/\d/.test(value) && PLACEHOLDER.test(value));
}

/** True where one part between separators mixes letters and digits for long enough to be no word, version or unit. */
export function hasRandomPart(value: string): boolean {
  return value
    .split(/[^A-Za-z0-9]/)
    .some((part) => part.length >= RANDOM_PART_CHARS_MIN && /\d/.test(part) && /[A-Za-z]/.test(part));
}
