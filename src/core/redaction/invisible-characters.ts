/** What keeps a text from being what it displays: characters that nobody sees, and characters that are spelled out. */
import { matchAt } from "./reading.ts";

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

export interface InvisibleCharacter {
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
