/** Identifiers of people: mentions of a chat platform and telephone numbers in international form (E.164), plain or spaced. */
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
/** `+49 (0)30 901820`, `+1-415-555-0123`, `+33.1.23.45.67.89`: a country, an area that may be in brackets, groups. */
const SPACED =
  /\+([1-9]\d{0,2}(?:[ \u00a0.-]?\(\d{1,5}\)[ \u00a0.-]?\d{1,8})?(?:[ \u00a0.-]\d{1,11}){0,6})(?!\d|[.,:]\d|[\w%])/y;
const SPACED_DIGITS_MIN = 10;
const SPACED_DIGITS_AT_LINE_START_MIN = 11;
const E164_DIGITS_MAX = 15;
const GROUP_DIGITS_MIN = 2;
/** Fewer digits in one piece behind a small number are an amount. */
const LONE_GROUP_DIGITS_MIN = 9;
/** An address of the internet, and a row of numbers that a diff adds. */
const ADDRESS = /^(?:(?:1?\d?\d|2[0-4]\d|25[0-5])(?:\.|$)){4}$/;
const ROW = /^\d\d(?:[ .]\d\d)+$/;
/** A sum, an exponent, an offset or an escaped space: not the start of a number. */
const BEFORE = /[\w+)\]}.%]/;

/** At the start of a line only in full length: a diff adds lines of numbers too. */
export function findPhoneNumber(text: string, plus: number): Span | undefined {
  const before = text.charAt(plus - 1);
  if (before !== "" && BEFORE.test(before)) return undefined;
  const atLineStart = before === "" || before === "\n";
  const plain = matchAt(atLineStart ? NUMBER_AT_LINE_START : NUMBER, text, plus)?.[1];
  const number = plain ?? spacedNumber(text, plus, atLineStart);
  return number === undefined ? undefined : hiddenSpan(plus + 1, plus + 1 + number.length, "phone number", MARKER);
}

/** Groups of one digit only as the trunk prefix; a date or a row of a table has other groups. */
function spacedNumber(text: string, plus: number, atLineStart: boolean): string | undefined {
  const number = matchAt(SPACED, text, plus)?.[1];
  if (number === undefined) return undefined;
  const groups = number.split(/\D+/).filter((group) => group !== "");
  const digits = groups.join("").length;
  const least = atLineStart ? SPACED_DIGITS_AT_LINE_START_MIN : SPACED_DIGITS_MIN;
  if (digits < least || digits > E164_DIGITS_MAX) return undefined;
  const [, ...local] = groups;
  if (local.length === 1 && local[0]!.length < LONE_GROUP_DIGITS_MIN) return undefined;
  const short = local.filter((group) => group.length < GROUP_DIGITS_MIN).length;
  return short > 1 || ADDRESS.test(number) || (atLineStart && ROW.test(number)) ? undefined : number;
}
