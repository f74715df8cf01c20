/**
 * A text as it displays: without what nobody sees, with what was escaped spelled out. A secret that such characters
 * cut in two is whole again in one of these readings.
 */
import type { Span } from "./mask.ts";
import { maySuggestSecret } from "./names.ts";
import { matchAt } from "./reading.ts";

/** What a first scan found: secrets, and places where the text is not as it displays; both in order. */
export interface Scanned {
  readonly spans: readonly Span[];
  readonly veils: readonly number[];
}

/** `origin` says where a span of the reading is in the text it was made from. */
interface DecodedReading {
  readonly text: string;
  readonly origin: (span: Span) => Span;
}

/** What a veil may hide begins at most this far before it and ends at most this far behind it: the rest of a key block. */
const BEFORE_CHARS = 512;
const BEHIND_CHARS = 4_096;

/**
 * The readings of the stretches around each veil; a stretch takes in what the plain scan found beside it, so that a key
 * block that was found in part is read whole. Two of a stretch where a backspace may have taken a character back.
 */
export function readingsOf(text: string, { spans, veils }: Scanned): readonly DecodedReading[] {
  const readings: DecodedReading[] = [];
  let span = 0;
  for (let next = 0; next < veils.length;) {
    const first = veils[next]!;
    let end = first;
    while (next < veils.length && veils[next]! <= end) end = Math.min(text.length, veils[next++]! + BEHIND_CHARS);
    const before = Math.max(0, first - BEFORE_CHARS);
    while (span < spans.length && spans[span]!.end < before) span++;
    const start = Math.min(before, spans[span]?.start ?? before);
    const still = unveil(text, { start, end, erasing: false });
    readings.push(still.reading);
    if (still.erases) readings.push(unveil(text, { start, end, erasing: true }).reading);
  }
  return readings;
}

interface DecodedRange {
  readonly start: number;
  readonly end: number;
  /** A backspace takes the character before it along, as on a terminal. */
  readonly erasing: boolean;
}

function unveil(text: string, stretch: DecodedRange): { readonly reading: DecodedReading; readonly erases: boolean } {
  const codes = new Uint16Array(stretch.end - stretch.start);
  const starts = new Int32Array(codes.length);
  const ends = new Int32Array(codes.length);
  let length = 0;
  let erases = false;
  for (let at = stretch.start; at < stretch.end;) {
    const code = text.charCodeAt(at);
    const veil = MAY_BEGIN[code] === 1 ? invisibleCharacterAt(text, at) : undefined;
    const end = at + (veil?.length ?? 1);
    if (veil === undefined || veil.kind === "character") {
      codes[length] = veil?.code ?? code;
      starts[length] = at;
      ends[length++] = end;
    } else if (veil.kind === "backspace") {
      erases = true;
      if (stretch.erasing && length > 0 && codes[length - 1] !== NEWLINE) length--;
    }
    at = end;
  }
  const origin = (span: Span): Span => ({ ...span, start: starts[span.start]!, end: ends[span.end - 1]! });
  return { reading: { text: decodeText(codes.subarray(0, length)), origin }, erases };
}

/** As many as a call takes arguments without harm. */
const CODES_A_CALL = 8_192;

function decodeText(codes: Uint16Array): string {
  let text = "";
  // `apply` takes the array as it is; spread would make an object for each code.
  for (let at = 0; at < codes.length; at += CODES_A_CALL)
    text += Reflect.apply(String.fromCharCode, undefined, codes.subarray(at, at + CODES_A_CALL));
  return text;
}

/**
 * What nobody sees, in hexadecimal: controls without tab, line breaks and escape; soft hyphen, joiners, marks of
 * direction, fillers, variation selectors, and the high half of the tags U+E0000 to U+E007F.
 */
const UNSEEN_RANGES =
  "0-8 b-c e-1a 1c-1f 7f-9f ad-ad 34f-34f 61c-61c 115f-1160 17b4-17b5 180b-180f 200b-200f 202a-202e 2060-206f 3164-3164 " +
  "fe00-fe0f feff-feff ffa0-ffa0 fff9-fffb db40-db40";
const CODE_UNITS = 65_536;

/** 1 for each code unit that displays as nothing. */
export const UNSEEN = unseenTable();

function unseenTable(): Uint8Array {
  const table = new Uint8Array(CODE_UNITS);
  for (const range of UNSEEN_RANGES.split(" ")) {
    const [first, last] = range.split("-").map((code) => Number.parseInt(code, 16));
    table.fill(1, first, last! + 1);
  }
  return table;
}

/** Letters of other scripts that display as one of ASCII's: Cyrillic, Greek, Armenian. Full-width ones have a rule of their own. */
const LOOKALIKES =
  "аa еe оo рp сc уy хx ѕs іi јj ԁd ԝw һh ԛq ҡk кk тt пn мm вb АA ВB ЕE КK МM НH ОO РP СC ТT УY ХX ЅS ІI ЈJ ԌG ԜW " +
  "οo αa ρp νv ιi κk τt υu ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX օo սu ոn հh";
const [FULL_WIDTH_FIRST, FULL_WIDTH_LAST, FULL_WIDTH_OFFSET] = [0xff01, 0xff5e, 0xfee0];

/** The code of the letter or sign that a code unit displays as; 0 where it is itself. */
const SHOWN_AS = shownAsTable();

function shownAsTable(): Uint8Array {
  const table = new Uint8Array(CODE_UNITS);
  for (const [from, to] of LOOKALIKES.split(" ")) table[from!.charCodeAt(0)] = to!.charCodeAt(0);
  for (let code = FULL_WIDTH_FIRST; code <= FULL_WIDTH_LAST; code++) table[code] = code - FULL_WIDTH_OFFSET;
  return table;
}

/** 1 for each letter that displays as another one. */
export const LOOKALIKE = SHOWN_AS.map((code) => (isLetter(code) ? 1 : 0));

function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

const [NAME_CHARS_MIN, NAME_CHARS] = [3, 32];

/** Whether the letter at `at` passes for one of a word that may name a secret. A word of one script is what it is. */
export function passesInName(text: string, at: number): boolean {
  const isWide = text.charCodeAt(at) >= FULL_WIDTH_FIRST;
  if (!isWide && !isLetter(text.charCodeAt(at - 1)) && !isLetter(text.charCodeAt(at + 1))) return false;
  let [start, end] = [at, at + 1];
  while (at - start < NAME_CHARS && isInName(text.charCodeAt(start - 1))) start--;
  while (end - at < NAME_CHARS && isInName(text.charCodeAt(end))) end++;
  if (end - start < NAME_CHARS_MIN) return false;
  let name = "";
  for (let each = start; each < end; each++)
    name += String.fromCharCode(SHOWN_AS[text.charCodeAt(each)]! || text.charCodeAt(each));
  return maySuggestSecret(name);
}

function isInName(code: number): boolean {
  return isLetter(code) || code === UNDERSCORE || LOOKALIKE[code] === 1;
}

const UNDERSCORE = 95;

/** Where a veil may begin. */
const MAY_BEGIN = UNSEEN.map((unseen, code) => unseen | (SHOWN_AS[code]! > 0 ? 1 : 0));
for (const sign of "\\%\u001b") MAY_BEGIN[sign.charCodeAt(0)] = 1;
const NEWLINE = 10;

/** What follows the escape character of a terminal: a control sequence, a title, or one letter. */
const AFTER_ESCAPE = "(?:\\[[0-?]{0,32}[ -/]{0,4}[@-~]|\\][^\\x07\\x1b\\n]{0,256}(?:\\x07|\\x1b\\\\)?|[@-Z^_])?";
/** The escape character itself, or as the source of a string spells it. */
const ESCAPE = "(?:\\x1b|\\\\{1,32}(?:u001[bB]|x1[bB]|033|e(?=\\[)))";
const SPELLED_UNSEEN =
  "\\\\{1,32}u(?:00(?:0[0-7bBcCeEfF]|1[0-9a-fA-F]|7[fF]|[89][0-9a-fA-F]|[aA][dD])|034[fF]|061[cC]|180[b-eB-E]|200[b-fB-F]" +
  "|202[a-eA-E]|206[0-9a-fA-F]|[fF][eE](?:0[0-9a-fA-F]|[fF][fF]))|%E2%80%8[B-F]|%EF%BB%BF";
const TAG = "\\udb40[\\udc00-\\udc7f]";

/** Shown as nothing, from where it is. */
const NOTHING = new RegExp(`${ESCAPE}${AFTER_ESCAPE}|${SPELLED_UNSEEN}|${TAG}`, "y");
const BACKSPACE = /\\{1,32}(?:u0008|x08)/y;
/** A printable character written as `\u0041`, `\x41` or `%41`. */
const SPELLED = /(?:\\{1,32}(?:u00|x)|%)(?:[2-6][0-9a-fA-F]|7[0-9a-eA-E])/y;

interface InvisibleCharacter {
  readonly kind: "nothing" | "backspace" | "character";
  readonly length: number;
  /** The code of the character that is spelled out. */
  readonly code: number;
}

const BACKSLASH = 92;
const BACKSLASHES_MAX = 32;
const PERCENT = 37;
const BACKSPACE_CODE = 8;
/** The veil that begins at `at`, where a backslash, a percent sign, an escape or something unseen stands; cheap where none does. */
export function invisibleCharacterAt(text: string, at: number): InvisibleCharacter | undefined {
  const code = text.charCodeAt(at);
  if (SHOWN_AS[code]! > 0) return { kind: "character", length: 1, code: SHOWN_AS[code]! };
  if (code === PERCENT) return isHigh(text.charCodeAt(at + 1)) ? longVeilAt(text, at) : undefined;
  if (code !== BACKSLASH)
    return longVeilAt(text, at) ?? { kind: code === BACKSPACE_CODE ? "backspace" : "nothing", length: 1, code: 0 };
  let end = at + 1;
  while (end - at < BACKSLASHES_MAX && text.charCodeAt(end) === BACKSLASH) end++;
  const next = text.charCodeAt(end);
  if (next === LETTER_B) return { kind: "backspace", length: end + 1 - at, code: 0 };
  return LONG_ESCAPES[next] === 1 ? longVeilAt(text, at) : undefined;
}

/** u, x, 0 and e spell out a code. */
const LONG_ESCAPES = new Uint8Array(128);
for (const letter of "ux0e") LONG_ESCAPES[letter.charCodeAt(0)] = 1;
const LETTER_B = 98;
const DIGIT_TWO = 50;
const LETTER_F = 70;

/** A digit that the code of a printable character or of something unseen begins with, percent-encoded. */
function isHigh(code: number): boolean {
  return code >= DIGIT_TWO && code <= LETTER_F;
}

function longVeilAt(text: string, at: number): InvisibleCharacter | undefined {
  const back = matchAt(BACKSPACE, text, at);
  if (back !== undefined) return { kind: "backspace", length: back[0].length, code: 0 };
  const nothing = matchAt(NOTHING, text, at);
  if (nothing !== undefined) return { kind: "nothing", length: nothing[0].length, code: 0 };
  const spelled = matchAt(SPELLED, text, at)?.[0];
  if (spelled === undefined) return undefined;
  return { kind: "character", length: spelled.length, code: Number.parseInt(spelled.slice(-2), 16) };
}
