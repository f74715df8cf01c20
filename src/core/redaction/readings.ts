/**
 * A text as it displays: without what nobody sees, with what was escaped spelled out. A secret that such characters
 * cut in two is whole again in one of these readings.
 */
import type { Span } from "./mask.ts";
import { UNSEEN, invisibleCharacterAt } from "./invisible-characters.ts";

/** What a first scan found: secrets, and places where the text is not as it displays; both in order. */
export interface Scanned {
  readonly spans: readonly Span[];
  readonly veils: readonly number[];
}

/** `origin` says where a span of the reading is in the text it was made from. */
export interface DecodedReading {
  readonly text: string;
  readonly origin: (span: Span) => Span;
}

/** Where a veil may begin. */
const MAY_BEGIN = UNSEEN.slice();
for (const sign of "\\%\u001b") MAY_BEGIN[sign.charCodeAt(0)] = 1;
const NEWLINE = 10;

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
  return { reading: { text: textOf(codes.subarray(0, length)), origin }, erases };
}

/** As many as a call takes arguments without harm. */
const CODES_A_CALL = 8_192;

function textOf(codes: Uint16Array): string {
  let text = "";
  // `apply` takes the array as it is; spread would make an object for each code.
  for (let at = 0; at < codes.length; at += CODES_A_CALL)
    text += Reflect.apply(String.fromCharCode, undefined, codes.subarray(at, at + CODES_A_CALL));
  return text;
}
