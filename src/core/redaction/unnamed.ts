/** Secrets without a prefix and without an assignment: random text that a word before it announces or names, or that has the very form of a key. */
import { hiddenSpan, MARKER, type Span, tokenSpan } from "./mask.ts";
import { nameStrength } from "./names.ts";
import { matchAt, type Stop, type Word } from "./reading.ts";
import {
  hasRandomPart,
  isMadeByMachine,
  isSecretValue,
  looksChosenInProse,
  RANDOM_TURNS_SHARE_MIN,
  turnsShare,
} from "./values.ts";

/** Shorter words are not random enough to tell from a name. */
export const UNNAMED_WORD_CHARS_MIN = 20;
const UNNAMED_WORD_CHARS_MAX = 512;
/** Words that go on through `+`, `/` and `=`: base64. */
const RUN = /[\w+/-]{20,512}={0,2}/y;
/** On the same line, a few words before. A hash or an identifier in between means that something else is said. */
const ANNOUNCED =
  /(?:^|[^A-Za-z])(?:secrets?|tokens?|api[ _-]?keys?|access[ _-]?keys?|secret[ _-]?keys?|passwords?|passphrases?|credentials?|creds)["'`)]?(?:[ ,:=>-]{1,3}[A-Za-z']{1,12}){0,4}[ ,:=>-]{1,3}["'`(]?$/i;
const ANNOUNCED_CHARS_MAX = 80;
const BEFORE_WORD = /[ ,:=>\-"'`(]/;
const HEX_OR_UUID = /^(?:0x)?[0-9a-fA-F-]+$/;
const ALL_SORTS = /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])/;

/** "use this token: …", "the secret key … works": `word` may be a part of the run. */
export function findAnnounced(text: string, word: Word): Span | undefined {
  if (word.end - word.start > UNNAMED_WORD_CHARS_MAX || !BEFORE_WORD.test(text.charAt(word.start - 1)))
    return undefined;
  if (!ALL_SORTS.test(text.slice(word.start, word.end))) return undefined;
  const run = matchAt(RUN, text, word.start)?.[0];
  if (run === undefined || !isRandom(run)) return undefined;
  const end = word.start + run.length;
  if (isPartOfMore(text, word.start, end)) return undefined;
  const announced = ANNOUNCED.test(text.slice(Math.max(0, word.start - ANNOUNCED_CHARS_MAX), word.start));
  return announced ? tokenSpan(text, word.start, end, "announced secret") : undefined;
}

/** The form of an AWS secret key: forty characters of base64 that are alone. */
const FORTY = /[A-Za-z0-9+/]{40}/y;
const KEY_CHARS = 40;
/** Characters that a key is not beside: they make it part of a path, an address or a longer run. */
const JOINS = /[\w+/=.~@:%-]/;

/** The key that goes on through the `/` or `+` of `stop`; its first part is the word before. */
export function findUnnamedKey(text: string, { at, word }: Stop): Span | undefined {
  const { start } = word;
  const end = start + KEY_CHARS;
  if (word.end !== at || at === start || at >= end || end > text.length) return undefined;
  if (JOINS.test(text.charAt(end)) || (JOINS.test(text.charAt(start - 1)) && !isEscaped(text, start - 1)))
    return undefined;
  const run = matchAt(FORTY, text, start)?.[0];
  return run !== undefined && isRandom(run) ? tokenSpan(text, start, end, "unnamed key") : undefined;
}

/** The letter of `\\n` comes before a line, not in it. */
function isEscaped(text: string, at: number): boolean {
  return text.charAt(at - 1) === "\\" && "nrt".includes(text.charAt(at));
}

function isRandom(run: string): boolean {
  return ALL_SORTS.test(run) && !HEX_OR_UUID.test(run) && turnsShare(run) >= RANDOM_TURNS_SHARE_MIN;
}

/** A path, a name with points, an address: not a value that stands for itself. */
function isPartOfMore(text: string, start: number, end: number): boolean {
  return (
    /[.\\@$#]/.test(text.charAt(start - 1)) ||
    /^(?:[.@(]\w|\\[^nrt"'\\]|\()/.test(text.slice(end, end + 2)) ||
    text.startsWith(MARKER, end)
  );
}

/** The end of a name, whatever signs come between, and a value with a digit: `.password("…")`, `"api_key", "…"`, `| token | … |`, `name="secret">…`. */
const BESIDE =
  /(?:pass(?:word|wd|phrase|code)?|pwd|pw|psk|secret|key|token|cred(?:ential)?s?|auth)(?![-\w.])(?:'s)?(?: \[[^\]\n]{1,40}\])?(?:\\t|[ \t"'`(|>→:;,=*[\]\\-]){1,12}(?:\$(?=["'])["']|\d )?(?<!\\)(?<value>(?=[^\s"'`]{0,64}\d)[^\s"'`<>{}()[\]\\,;|:/=]{8,512})(?![(:/=\\])/dgi;
const NAME_BESIDE = /(?:[A-Za-z]{2,16} )?[\w.-]{1,64}$/;
const NAME_CHARS = 81;

/** Values beside a name that says what they are. A person chooses a password, and a machine makes a key; source is spared what a person chose. */
export function findBeside(text: string, code: boolean): readonly Span[] {
  return [...text.matchAll(BESIDE)].flatMap((found) => {
    const name = /^\w{2,16}/.exec(found[0])![0];
    const before = text.slice(Math.max(0, found.index - NAME_CHARS), found.index + name.length);
    const strength = nameStrength(NAME_BESIDE.exec(before)![0].replace(" ", "_"));
    const value = found.groups!["value"]!.replace(/[.!?]{1,4}$/, "");
    if (strength === undefined || strength === "weak") return [];
    if (strength === "password" && !looksChosenInProse(value)) return [];
    if (strength === "key" && (!hasRandomPart(value) || turnsShare(value) < RANDOM_TURNS_SHARE_MIN)) return [];
    const [start] = found.indices!.groups!["value"]!;
    return isSecretValue(value, strength, "bare") && !(code && !isMadeByMachine(value))
      ? [hiddenSpan(start, start + value.length, "announced secret")]
      : [];
  });
}
