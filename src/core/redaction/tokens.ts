/**
 * Tokens that say what they are: a vendor's prefix, the three parts of a JWT, a bot's number and colon. All begin a
 * word, so the scan offers each word once and only the rules of its first character look at it.
 */
import { hiddenSpan, tokenSpan, type Span } from "./mask.ts";
import { matchAt } from "./reading.ts";
import { hasMixedPart } from "./values.ts";
import { vendorRulesFor } from "./vendors.ts";

/** Prefixes that end with a point are in the word before; the body may go on through further points. */
const DOTTED_PREFIXES = (
  "SG. ya29. AQ. hvs. hvb. hvr. xoxe. .atlasv1. dt0c01. dt0s01. dt0s16. amzn.mws. dp.pt. dp.st. dp.ct. dp.sa. dp.scim. " +
  "dp.audit. sk.eyJ PMAK. pat."
).split(" ");
const DOTTED_BODY_CHARS_MIN = 16;
const DOTTED_PREFIX_CHARS_MAX = 9;

const JWT_PART_CHARS_MIN = 10;
const BOT_TOKEN_CHARS = [34, 35, 36] as const;
const BOT_ID = /(?:^|[^\d])(\d{8,10}):$/;
const BOT_ID_CHARS_MAX = 12;
/** Discord: the bot's id in base64, a time stamp, a signature. */
const DISCORD_TOKEN = /[MNO][\w-]{22,27}\.[\w-]{6}\.$/;
const DISCORD_HEAD_CHARS_MAX = 36;
const DISCORD_TAIL_CHARS_MIN = 27;

/** `ghp_xxxxxxxx`: written to show the shape. */
const FILLER = /x{6}|X{6}/;

/** Words shorter than this are no token of any rule here. */
export const TOKEN_WORD_CHARS_MIN = 16;

/** The token that the word `start` to `end` is, or begins, or ends. */
export function findToken(text: string, start: number, end: number): Span | undefined {
  if (hasPrefix(text, start, end)) return tokenSpan(text, start, end, "vendor token");
  if (text.startsWith("eyJ", start)) return findJwt(text, start, end);
  const joined = findJoined(text, start, end);
  if (joined !== undefined) return joined;
  const before = text.charCodeAt(start - 1);
  if (before === POINT) return findDotted(text, start, end);
  if (before === COLON) return findBotToken(text, start, end);
  if (before === SLASH && text.startsWith(REFRESH_PREFIX, start - 3) && end - start >= REFRESH_CHARS_MIN)
    return tokenSpan(text, start - 3, end, "vendor token");
  return undefined;
}

function hasPrefix(text: string, start: number, end: number, mixedChars = ORDINARY_MIXED_CHARS): boolean {
  const rules = vendorRulesFor(text, start);
  if (rules === undefined) return false;
  return rules.some(([prefix, rule]) => {
    if (!text.startsWith(prefix, start)) return false;
    const body = text.slice(start + prefix.length, end);
    return rule.body.test(body) && !FILLER.test(body) && (!rule.ordinary || hasMixedPart(body, mixedChars));
  });
}

const ORDINARY_MIXED_CHARS = 8;
const JOINED_MIXED_CHARS = 20;

const DASH = 45;
const UNDERSCORE = 95;
const JOINTS_MAX = 8;

/** `backup-ghp_…`: a prefix may come after one of the first joints of a word. */
function findJoined(text: string, start: number, end: number): Span | undefined {
  let joints = 0;
  for (let inner = start + 1; inner < end && joints < JOINTS_MAX; inner++) {
    const before = text.charCodeAt(inner - 1);
    if (before !== DASH && before !== UNDERSCORE) continue;
    joints++;
    if (hasPrefix(text, inner, end, JOINED_MIXED_CHARS)) return tokenSpan(text, inner, end, "vendor token");
    if (text.startsWith("eyJ", inner)) return findJwt(text, inner, end);
  }
  return undefined;
}

const POINT = 46;
const COLON = 58;
const SLASH = 47;
/** Google's refresh tokens. */
const REFRESH_PREFIX = "1//0";
const REFRESH_CHARS_MIN = 30;
const PARTS = /(?:\.[\w-]*){1,4}/y;

function findJwt(text: string, start: number, end: number): Span | undefined {
  const rest = matchAt(PARTS, text, end)?.[0];
  const claims = rest?.split(".")[1] ?? "";
  if (rest === undefined || claims.length < JWT_PART_CHARS_MIN) return undefined;
  return tokenSpan(text, start, end + trimmedOfPoints(rest).length, "JSON web token");
}

function findDotted(text: string, start: number, end: number): Span | undefined {
  const before = text.slice(Math.max(0, start - DISCORD_HEAD_CHARS_MAX), start);
  const prefix = DOTTED_PREFIXES.find((one) => before.slice(-DOTTED_PREFIX_CHARS_MAX).endsWith(one));
  if (prefix !== undefined && end - start >= DOTTED_BODY_CHARS_MIN) {
    const rest = trimmedOfPoints(matchAt(PARTS, text, end)?.[0] ?? "");
    return tokenSpan(text, start - prefix.length, end + rest.length, "vendor token");
  }
  const head = end - start >= DISCORD_TAIL_CHARS_MIN ? DISCORD_TOKEN.exec(before)?.[0] : undefined;
  return head === undefined ? undefined : tokenSpan(text, start - head.length, end, "bot token");
}

function findBotToken(text: string, start: number, end: number): Span | undefined {
  if (!(BOT_TOKEN_CHARS as readonly number[]).includes(end - start)) return undefined;
  const id = BOT_ID.exec(text.slice(Math.max(0, start - BOT_ID_CHARS_MAX), start))?.[1];
  return id === undefined ? undefined : hiddenSpan(start, end, "bot token");
}

/** A full stop behind a token belongs to the sentence. */
function trimmedOfPoints(rest: string): string {
  return rest.replace(/\.{1,4}$/, "");
}
