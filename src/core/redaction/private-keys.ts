/** Private keys in PEM blocks: whole, cut off, escaped inside a JSON string, or indented. */
import { hiddenSpan, PRIVATE_KEY_MARKER, type Span } from "./mask.ts";
import { endOfMatch } from "./reading.ts";

const HEADER = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
const FOOTER = /-----END (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
/** A line of the block: its own headers, or base64. Between lines: breaks, escaped breaks, quotes and signs of joined strings. */
const FIELD = /(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\]{0,120}/y;
const BASE64 = /[A-Za-z0-9+/=]+/y;
const BETWEEN = /(?:\\+[rn]|[\s"'`,;>+|])+/y;
/** Shorter than this it is a code that names the markers, not a key. */
const KEY_CHARS_MIN = 32;
const LINE_CHARS_MIN = 16;

/** The block whose word `-----BEGIN` starts at `start`. */
export function findPrivateKey(text: string, start: number): Span | undefined {
  const body = endOfMatch(HEADER, text, start);
  if (body === undefined) return undefined;
  let end = body;
  let keyChars = 0;
  for (let at = body; ;) {
    const line = endOfMatch(BETWEEN, text, at) ?? at;
    const footer = endOfMatch(FOOTER, text, line);
    if (footer !== undefined)
      return keyChars < KEY_CHARS_MIN ? undefined : hiddenSpan(start, footer, "private key", PRIVATE_KEY_MARKER);
    const next = endOfMatch(FIELD, text, line) ?? endOfMatch(BASE64, text, line);
    if (next === undefined || !isKeyLine(text, line, next)) break;
    keyChars += next - line;
    end = next;
    at = next;
  }
  return keyChars < KEY_CHARS_MIN ? undefined : hiddenSpan(start, end, "private key", PRIVATE_KEY_MARKER);
}

/** Prose is made of short words; a key's last line may be short, but then its footer follows. */
function isKeyLine(text: string, start: number, end: number): boolean {
  if (end - start >= LINE_CHARS_MIN) return true;
  return endOfMatch(FOOTER, text, endOfMatch(BETWEEN, text, end) ?? end) !== undefined;
}
