/**
 * Takes secrets out of a text: what the scan finds in it as it is and as it displays, and what finders from
 * outside the core add (further rules, a person's own patterns).
 */
import { findStatements } from "./statements.ts";
import { findInBlocks } from "./blocks.ts";
import { hiddenSpan, type Span, MARKER, PRIVATE_KEY_MARKER } from "./mask.ts";
import { readingsOf } from "./displayed.ts";
import { scan } from "./scan.ts";
import { findBeside } from "./unnamed.ts";
import { isSecretValue, looksChosenInProse } from "./values.ts";

export interface Redaction {
  readonly text: string;
  readonly count: number;
  /** Which kinds, each once, in order of appearance. */
  readonly kinds: readonly string[];
}

/** A rule of its own: where secrets are in a text, in any order. Has to be linear in the text. */
export type Finder = (text: string) => readonly Finding[];

export interface RedactOptions {
  /**
   * Spares source code: what a program assigns (`apiKey: "test"`, `"password": "hunter2"`) stays unless a machine made
   * it. Vendor tokens, headers, URLs, keys and `NAME=value` of an environment are masked all the same (Zhang 2026,
   * section 18).
   */
  readonly code?: boolean;
  readonly finders?: readonly Finder[];
}

/** A mask changes what its neighbours look like to the rules, so what was masked is looked over again; almost always once. */
const PASSES_MAX = 8;

/**
 * `text` with every recognised secret masked (Zhang 2026, section 18, lists the shapes). Long machine-made tokens keep
 * four characters at each end; passwords, keys and identifiers keep none. Pure, linear, and idempotent.
 */
export function redact(text: string, options: RedactOptions = {}): Redaction {
  let spans = findSpans(text, options);
  if (spans.length === 0) return { text, count: 0, kinds: [] };
  const kinds: string[] = [];
  let current = text;
  for (let pass = 0; pass < PASSES_MAX && spans.length > 0; pass++) {
    for (const span of spans) kinds.push(span.kind);
    current = masked(current, spans);
    spans = findSpans(current, options);
  }
  return { text: current, count: kinds.length, kinds: [...new Set(kinds)] };
}

/** The secrets of a text as they are in it, by our own rules. */
export function secretsIn(text: string): readonly string[] {
  return findSpans(text, {}).map(({ start, end }) => text.slice(start, end));
}

/** Finders look when our own rules are done, so that they see what is left. */
function findSpans(text: string, { code = false, finders = [] }: RedactOptions): readonly Span[] {
  const plain = scan(text, code);
  const stated = [
    ...findStatements(text),
    ...findInBlocks(text, code),
    ...findAnnouncedPasswords(text),
    ...findBeside(text, code),
  ];
  const readings = plain.veils.length > 0 ? readingsOf(text, plain) : [];
  const more = readings.flatMap((reading) => scan(reading.text, code).spans.map(reading.origin));
  const extra = [...more, ...stated.filter((one) => isClear(text, one))];
  const own = extra.length === 0 ? plain.spans : merged([...plain.spans, ...extra]);
  if (own.length > 0 || finders.length === 0) return own;
  const texts = [{ text, origin: (span: Span): Span => span }, ...readings];
  const found = texts.flatMap((reading) =>
    finders.flatMap((find) =>
      find(reading.text)
        .flatMap((one) => clear(reading.text, one))
        .map(({ start, end, kind }) => reading.origin(hiddenSpan(start, end, kind))),
    ),
  );
  return merged(found);
}

/** No marker is in it, or around one of its ends. */
function isClear(text: string, span: Span): boolean {
  const [part, ...more] = clear(text, span);
  return more.length === 0 && part?.start === span.start && part.end === span.end;
}

function masked(text: string, spans: readonly Span[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const span of spans) {
    pieces.push(text.slice(from, span.start), span.mask);
    from = span.end;
  }
  pieces.push(text.slice(from));
  return pieces.join("");
}

/** A part of a text that a rule takes for a secret, by its place. */
export interface Finding {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

/** The parts of a finding that no marker covers: a pattern that matches a marker finds nothing there. */
function clear(text: string, found: Finding): readonly Finding[] {
  const parts: Finding[] = [];
  let from = found.start;
  for (const marker of markersIn(text.slice(found.start, found.end))) {
    parts.push({ ...found, start: from, end: found.start + marker.start });
    from = found.start + marker.end;
  }
  parts.push({ ...found, start: from });
  return parts.map((part) => outsideMarker(text, part)).filter(({ start, end }) => end > start);
}

const MARKERS = /\[redacted\]|\[private key redacted\]/g;

function markersIn(text: string): readonly { readonly start: number; readonly end: number }[] {
  return Array.from(text.matchAll(MARKERS), ({ 0: marker, index }) => ({ start: index, end: index + marker.length }));
}

/** A finding that begins or ends within a marker keeps clear of it. */
function outsideMarker(text: string, { start, end, kind }: Finding): Finding {
  return { start: markerAround(text, start)?.end ?? start, end: markerAround(text, end)?.start ?? end, kind };
}

function markerAround(text: string, at: number): { readonly start: number; readonly end: number } | undefined {
  for (const marker of [MARKER, PRIVATE_KEY_MARKER]) {
    const from = Math.max(0, at - marker.length + 1);
    const start = text.slice(from, at + marker.length - 1).indexOf(marker);
    if (start >= 0 && from + start < at) return { start: from + start, end: from + start + marker.length };
  }
  return undefined;
}

/** In order of place, those that overlap as one; the first of them says what is there instead. */
function merged(spans: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last === undefined || span.start >= last.end) result.push(span);
    else if (span.end > last.end)
      result[result.length - 1] = { ...last, end: span.end, mask: last.mask === span.mask ? last.mask : MARKER };
  }
  return result;
}

// Passwords that a sentence gives, in the languages that people write most: "Das Passwort lautet …", "密码：…", "the password for staging is …".

/** What a password is called, by language: stems, as many languages add endings. Some write no spaces. */
const PASSWORD_WORDS =
  "password|passphrase|passcode|passwort|kennwort|mot[ _-]de[ _-]passe|contraseña|clave|senha|palavra-passe|парол|密码|密碼|口令|パスワード|비밀번호|암호|hasł|wachtwoord|lösenord|şifre|parol|hesl|salasana|adgangskode|passord|jelsz|mật khẩu|kata sandi|รหัสผ่าน|κωδικ|كلمة المرور|رمز عبور|סיסמ|पासवर्ड|密钥|密鑰|api-schlüssel|apiキー|токен";
const UNSPACED = /[\p{sc=Han}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Hebrew}]/u;
const IS =
  "(?:is|was|ist|lautet|war|heißt|est|es|é|è|era|to|jest|je|är|er|on|este|là|adalah|είναι|هي|هو|היא|है|คือ|это|:|：|=|は|是|为|為|은|는|—|–|-)";
/** A user may come before it, and a line may end behind the announcement of a value that is alone on the next one. */
const USER = "(?:[\\p{L}\\p{N}.@_-]{2,64}(?: / |[:/]))?";
const GAP =
  '(?:[ ]{0,2}|[ \\t]{0,4}(?:\\r?\\n|\\\\{1,4}n){1,2}[ \\t]{0,8}(?=[^\\s"\\\\]{6,512}[ \\t]{0,8}(?:[\\r\\n"\\\\]|$)))';
const VALUE = "(?:\\\\{0,4}[\"'«„“`「『])?(?<value>[^\\s\"'`<>{}()\\[\\]\\\\,;«»„“”「」『』。，、]{6,512})";
const [unspaced, spaced] = ["true", "false"].map((is) =>
  PASSWORD_WORDS.split("|")
    .filter((word) => String(UNSPACED.test(word)) === is)
    .join("|"),
);
const WORD = `(?:(?<![\\p{L}\\p{N}_-])(?:${spaced})|${unspaced})\\p{L}{0,4}`;
/** A few words may say which one it is: "for staging", "für den Server". */
const ANNOUNCED = new RegExp(
  `${WORD}(?:(?: [\\p{L}\\p{N}._-]{1,24}){0,5}(?: ${IS}|[:：])|\\\\{0,4}["'\`]?[ ]?(?:[:：=はが是為为은는]|คือ))${GAP}(?:set to |now |gleich )?${USER}${VALUE}`,
  "dgiu",
);
/** "Log in with the password …": nothing between them says so. */
const BESIDE = new RegExp(`${WORD} ?${VALUE}`, "dgiu");
/** "Log in with admin / …": the name of a user comes before. */
const LOGIN = new RegExp(
  `(?<![\\p{L}\\p{N}_-])(?:(?:log(?:ged)? ?in|sign ?in|anmelden)(?: \\p{L}{2,12}){0,2} (?:with|as|using|mit|als)|(?:login|creds?|credentials|zugangsdaten)(?: \\p{L}{2,12}){0,3}:) \\\\{0,4}["'\`]?[\\p{L}\\p{N}.@_-]{2,64} / ${VALUE}`,
  "dgiu",
);
const LOGIN_SIGN = /[\w.@-] \/ ["'`]?\S{0,62}\d/;
const PASSWORD_SIGN = new RegExp(PASSWORD_WORDS, "i");

function findAnnouncedPasswords(text: string): readonly Span[] {
  const logins = LOGIN_SIGN.test(text) ? announced(text, LOGIN, () => true) : [];
  if (!PASSWORD_SIGN.test(text)) return logins;
  return [...logins, ...announced(text, ANNOUNCED, () => true), ...announced(text, BESIDE, looksChosenInProse)];
}

function announced(text: string, pattern: RegExp, isMeant: (value: string) => boolean): readonly Span[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const value = withoutSentence(match.groups!["value"]!.replace(/[.:!?]{1,4}$/, ""));
    const [start] = match.indices!.groups!["value"]!;
    const end = start + value.length;
    // What a program or a file assigns is for other rules.
    if (/^password["'`]? ?[:=]/i.test(match[0]) || !isMeant(value)) return [];
    const plain =
      !/\p{Nd}/u.test(value) || value.includes(MARKER) || text.startsWith(MARKER, end) || /[(]/.test(text.charAt(end));
    return plain || !isSecretValue(value, "password", "bare") ? [] : [hiddenSpan(start, end, "spoken secret")];
  });
}

/** Where no space ends a value of the same script, the sentence goes on behind its last digit; and what begins with one is a figure. */
function withoutSentence(value: string): string {
  if (!UNSPACED.test(value)) return value;
  return /^\p{Nd}/u.test(value) ? "" : value.replace(/(?<=\p{Nd})[^\p{Nd}]{1,64}$/u, "");
}
