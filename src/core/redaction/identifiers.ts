/** Identifiers of people: mentions of a chat platform and telephone numbers in international form (E.164). */
import { hiddenSpan, MARKER, type Span } from "./mask.ts";
import { matchAt } from "./reading.ts";

/** `<@123…>`, `<@!123…>`, `<@&123…>`. */
const MENTION = /<@[!&]?(\d{15,21})>/y;

export function findMention(text: string, at: number): Span | undefined {
  const found = matchAt(MENTION, text, at);
  if (found === undefined) return undefined;
  const end = at + found[0].length - 1;
  return hiddenSpan(end - (found[1] as string).length, end, "mention");
}

const NUMBER = /\+([1-9]\d{7,14})(?![\w.])/y;
const NUMBER_AT_LINE_START = /\+([1-9]\d{10,14})(?![\w.])/y;
/** A sum, an exponent, an offset or an escaped space: not the start of a number. */
const BEFORE = /[\w+)\]}.%]/;

/** `+14155550123`. At the start of a line only in full length: a diff adds lines of numbers too. */
export function findPhoneNumber(text: string, plus: number): Span | undefined {
  const before = text.charAt(plus - 1);
  if (before !== "" && BEFORE.test(before)) return undefined;
  const pattern = before === "" || before === "\n" ? NUMBER_AT_LINE_START : NUMBER;
  const digits = matchAt(pattern, text, plus)?.[1];
  return digits === undefined ? undefined : hiddenSpan(plus + 1, plus + 1 + digits.length, "phone number", MARKER);
}
