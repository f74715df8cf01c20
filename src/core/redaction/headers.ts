/** Secrets of HTTP: credentials after their scheme, the values of cookies, the password in a URL, and webhook addresses, which are passwords as a whole. */
import { hiddenSpan, MARKER, tokenSpan, type Span } from "./mask.ts";
import { matchAt, type Word, type Stop } from "./reading.ts";
import { hasRandomPart, RANDOM_TURNS_SHARE_MIN, turnsShare } from "./values.ts";

const AUTHORIZATION = /^(?:proxy-)?authorization$/i;
const COOKIE = /^(?:set-)?cookie$/i;
const COLON = 58;

export function findHeader(text: string, at: number, name: string): Span | undefined {
  if (AUTHORIZATION.test(name)) return findCredentials(text, at + 1);
  if (COOKIE.test(name) && text.charCodeAt(at) === COLON) return findCookies(text, at + 1);
  return undefined;
}

const CREDENTIALS =
  />?[ \t]{0,4}(?:\\?["'])?[ \t]{0,4}(?:(?:Bearer|Basic|Token|Digest|ApiKey|Negotiate|Bot|OAuth|SSWS|GenieKey|Splunk|Key|GoogleLogin|AWS4-HMAC-SHA256)[ \t]{1,4})?([^\s"'`<>{}()\\]{6,8192})/iy;
/** `Digest username="…", response="…"`: behind a scheme, what proves who asks is given by name. */
const PARAMETERS =
  /[ \t]{0,4}(?:\\?["'])?[ \t]{0,4}[A-Za-z][\w-]{2,31} ([\w-]{1,64}=(?:\\{0,31}"[^"\\\n]{0,4096}(?:\\{0,31}"|$)|[^\s"',;<>\\]{1,4096})(?:, {0,4}[\w-]{1,64}=(?:\\{0,31}"[^"\\\n]{0,4096}(?:\\{0,31}"|$)|[^\s"',;<>\\]{1,4096})){1,32})/y;
const PARAMETER_FILLED_IN = /\$\{|\{\{|=\\{0,31}"?[<$]/;
/** A name or a type has no digit and no padding, and few capitals inside. */
const NOT_A_WORD = /\d|=$/;

/** Behind a scheme anything may be a credential, but what only says what would be there. */
const WITH_SCHEME = /\b(?:Bearer|Basic|Token)[ \t]/i;
const CHOSEN_CHARS_MIN = 6;
const NAMES_ITSELF =
  /^(?:(?:your|the|some)[-_]|\$|%|(?:access|api|auth|bearer|id|user)?[-_]?(?:token|key|jwt|credentials?)$)|here$|example|x{4}/i;

function findCredentials(text: string, from: number): Span | undefined {
  const [all = "", parameters = ""] = matchAt(PARAMETERS, text, from) ?? [];
  if (parameters !== "") {
    if (PARAMETER_FILLED_IN.test(parameters)) return undefined;
    return hiddenSpan(from + all.length - parameters.length, from + all.length, "authorization header");
  }
  const found = matchAt(CREDENTIALS, text, from);
  if (found === undefined) return undefined;
  const value = found[1] as string;
  const isChosen = WITH_SCHEME.test(found[0]) && value.length >= CHOSEN_CHARS_MIN && !NAMES_ITSELF.test(value);
  if (value.includes(MARKER) || !(NOT_A_WORD.test(value) || isChosen || turnsShare(value) >= RANDOM_TURNS_SHARE_MIN))
    return undefined;
  const end = from + found[0].length;
  return tokenSpan(text, end - value.length, end, "authorization header");
}

const PAIRS =
  /[ \t]{0,4}(?:\\?["'])?(?:[\w.$!#%&*+^|~-]{1,128}=[^\s"',;<>\\]{0,4096}(?:;[ \t]?|$|(?=["',<\s\\]))|(?:HttpOnly|Secure|Partitioned)(?:;[ \t]?)?){1,64}/iy;
const PAIR = /([\w.$!#%&*+^|~-]{1,128})=([^\s"',;<>\\]{1,4096})/g;
const COOKIE_ATTRIBUTE = /^(?:path|domain|expires|max-age|samesite|version|priority)$/i;
const COOKIE_CHARS_MIN = 6;
const FILLED_IN = /^(?:\$\{[^}]*\}|\{\{[^}]*\}\})$/;

/** Every value of a cookie header, or of an option of curl, but its attributes, in one span. */
export function findCookies(text: string, from: number): Span | undefined {
  const found = matchAt(PAIRS, text, from)?.[0];
  if (found === undefined) return undefined;
  const mask = found.replace(PAIR, (pair: string, name: string, value: string) => {
    const harmless = COOKIE_ATTRIBUTE.test(name) || value.length < COOKIE_CHARS_MIN || value.includes(MARKER);
    return harmless || FILLED_IN.test(value) ? pair : `${name}=${MARKER}`;
  });
  return mask === found ? undefined : hiddenSpan(from, from + found.length, "cookie", mask);
}

const SCHEME = /^(?:bearer|basic)$/i;
const AFTER_SCHEME = / ([\w.~+/=-]{12,8192})/y;
const PADDED = /(?<![A-Za-z0-9])[A-Za-z0-9]{10,}={1,2}$/;

/** `Bearer …` and `Basic …` without their header's name: `word` is the scheme. */
export function findSchemeCredentials(text: string, word: Word): Span | undefined {
  if (!SCHEME.test(text.slice(word.start, word.end))) return undefined;
  const value = matchAt(AFTER_SCHEME, text, word.end)?.[1];
  if (value === undefined || text.startsWith(MARKER, word.end + 1 + value.length)) return undefined;
  const end = word.end + 1 + value.replace(/\.{1,4}$/, "").length;
  const random = hasRandomPart(value) || PADDED.test(value);
  return random ? tokenSpan(text, word.end + 1, end, "authorization header") : undefined;
}

/** `//user:password@`; an `@` inside the password is taken with it. */
const USERINFO = /\/\/([^\s/:@"'`<>?#\\]{0,256}):([^\s/"'`<>?#\\]{1,512})@/y;
const TOKEN_USER = /\/\/([^\s/:@"'`<>?#\\]{20,256})(?::x-oauth-basic)?@/y;
const WEBHOOK =
  /\/\/(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/|(?:\w{1,16}\.)?discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{10,24}\/|[\w-]{1,64}\.webhook\.office\.com\/webhookb2\/)([\w/@-]{16,256})/y;
const SPACE = 32;
const URL_FILLED_IN = /\$\{|\$\(|\{\{|\*{3}|^%\w+%$|^\$\w/;

/** `user:password@tcp(host:port)/name`: how a Go program writes a data source. */
const DATA_SOURCE = /:([^\s:"'`<>()[\]{}\\]{1,256})@(?:tcp|unix)\(/y;

export function findInUrl(text: string, { at: colon }: Stop): Span | undefined {
  const at = colon + 1;
  if (!text.startsWith("//", at)) return findInDataSource(text, colon);
  const password = matchAt(USERINFO, text, at);
  if (password !== undefined) {
    const secret = password[2] as string;
    if (secret.includes(MARKER) || URL_FILLED_IN.test(secret)) return undefined;
    const end = at + password[0].length - 1;
    return hiddenSpan(end - secret.length, end, "URL credentials");
  }
  const user = matchAt(TOKEN_USER, text, at)?.[1];
  if (user !== undefined && hasRandomPart(user))
    return tokenSpan(text, at + 2, at + 2 + user.length, "URL credentials");
  const webhook = matchAt(WEBHOOK, text, at);
  if (webhook === undefined) return undefined;
  const end = at + webhook[0].length;
  return hiddenSpan(end - (webhook[1] as string).length, end, "webhook");
}

function findInDataSource(text: string, colon: number): Span | undefined {
  if (text.charCodeAt(colon) !== COLON || text.charCodeAt(colon + 1) === SPACE) return undefined;
  const found = matchAt(DATA_SOURCE, text, colon);
  const secret = found?.[1] ?? "";
  if (secret === "" || secret.includes(MARKER) || URL_FILLED_IN.test(secret)) return undefined;
  return hiddenSpan(colon + 1, colon + 1 + secret.length, "URL credentials");
}
