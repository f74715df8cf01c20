/** Which names announce a secret, and how sure they are. Names are read as words: `dbPassword`, `DB_PASSWORD`, `db-password`. */

/**
 * `password`: whatever a person chose comes after it. `key`: something a machine made.
 * `weak`: often something else, so the value has to look like a secret by itself.
 */
export type NameStrength = "password" | "key" | "weak";

const SUSPICIOUS =
  /key|token|secret|pass|pwd|cred|auth|cookie|jwt|sig|session|sid$|otp|code|hmac|ticket|salt|pw$|mnemonic|phrase|psk|saml/i;

/** A cheap look before a name is taken apart. */
export function maySuggestSecret(name: string): boolean {
  return SUSPICIOUS.test(name);
}

const PASSWORD_END =
  /(?:password|passwd|passphrase|passcode|pwd|psk|secret|credentials?|mnemonic)$|^(?:creds?|(?:db|user|usr|root|admin|my|ftp|smtp|mail|sql|pg|redis|mongo|ldap|ssh|sudo|wifi|store|require)pass)$/;
/** Several of them are called as one is; what is called "secrets" is mostly a list of their names. */
const SEVERAL = /^(.{0,32}(?:password|passwd|passphrase|passcode|pwd|token|key|code))s$/;
/** Names whose last word is `key` or `token` and that are no secret. */
const HARMLESS_BEFORE = new Set(
  (
    "public primary foreign cache sort partition row hash routing idempotency registry storage object query map sorted react " +
    "max min next page prev previous last first end start eos bos pad unk sep cls mask stop special cancellation continuation " +
    "syntax lexer parser current per total input output prompt num unique composite index shortcut hot arrow i18n translation"
  ).split(" "),
);
const SECRET_KEY_BEFORE = new Set(
  "api access secret private auth encryption signing master account service ssh subscription client admin webhook deploy app license".split(
    " ",
  ),
);
const JOINED_KEY = /(?:api|access|secret|private|auth|account|signing|encryption)key$/;
const WEAK = new Set("token key auth jwt signature sig otp bearer".split(" "));
/** Say which one, not what. */
const QUALIFIER =
  /^(?:\d+|v\d+|prod|production|dev|development|test|live|staging|base|value|data|old|new|b64|base64|hex|str|string|default|env|confirm|confirmation|repeat|again)$/;

/** Secret only as a parameter of a URL or a form. Elsewhere they are common: an agent's log is full of session ids. */
const PARAMETER_ONLY = /^(?:code|hmac|ticket|passkey|session|sessionid|sid|id)$/;

/** Credentials and secrets in a list are mostly called by their names. */
export const NAMES_NAMES = /(?:credentials?|secrets?)$/i;

export const NAME_CHARS_MAX = 64;

/** How far `name` announces a secret. `parameter` is true behind `?` or `&`. */
export function nameStrength(name: string, parameter = false): NameStrength | undefined {
  return name.length <= NAME_CHARS_MAX && maySuggestSecret(name) ? judged(name, parameter) : undefined;
}

function judged(name: string, parameter: boolean): NameStrength | undefined {
  const words = splitWords(name);
  while (words.length > 1 && QUALIFIER.test(words.at(-1) as string)) words.pop();
  const last = (words.at(-1) ?? "").replace(SEVERAL, "$1");
  const before = words.at(-2) ?? "";
  if (parameter && PARAMETER_ONLY.test(last) && (last !== "id" || before === "session")) return "weak";
  if (PASSWORD_END.test(last) || last === "pw" || (last === "pass" && before !== "")) return "password";
  if (last === "phrase" && /^(?:seed|recovery|pass)$/.test(before)) return "password";
  if (last === "code" && /^(?:recovery|backup)$/.test(before)) return "password";
  if (HARMLESS_BEFORE.has(before)) return undefined;
  if (last === "code" && /^(?:device|auth|authorization)$/.test(before)) return "key";
  if (before === "saml" && /^(?:response|assertion)$/.test(last)) return "weak";
  if (last.endsWith("token") && (before !== "" || last.length > "token".length)) return "key";
  if (JOINED_KEY.test(last) || (last === "key" && SECRET_KEY_BEFORE.has(before))) return "key";
  if (last === "pass" || (last === "auth" && before === "bearer") || (last === "salt" && before !== "")) return "key";
  return WEAK.has(last) ? "weak" : undefined;
}

function splitWords(name: string): string[] {
  const parted = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/([A-Z])([A-Z][a-z])/g, "$1 $2");
  return parted
    .toLowerCase()
    .split(/[^a-z0-9]/)
    .filter((word) => word !== "");
}
