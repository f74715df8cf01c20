/** Secrets that a sentence states: "the password is hunter2". */
import { MARKER, type Span, valueSpan } from "./mask.ts";
import { nameStrength } from "./names.ts";
import { matchAt, type Word } from "./reading.ts";
import { isSecretValue } from "./values.ts";

const SAID = /(?:^|[\s"'(])((?:[A-Za-z]{2,16} )?[A-Za-z]{3,12}) $/;
const SAID_CHARS_MAX = 32;
const AFTER_IS = /(?:is|was) (?:set to |now )?["'`]?([^\s"'`<>{}()[\]\\,;]{6,512})/y;

/** "the password is hunter2", "API key was …": `word` is the verb. */
export function findSaid(text: string, word: Word): Span | undefined {
  const said = SAID.exec(text.slice(Math.max(0, word.start - SAID_CHARS_MAX), word.start))?.[1];
  const strength = said === undefined ? undefined : nameStrength(said.replace(" ", "_"));
  const found = strength === undefined ? undefined : matchAt(AFTER_IS, text, word.start);
  if (strength === undefined || found === undefined) return undefined;
  const end = word.start + found[0].length;
  const start = end - (found[1] as string).length;
  const value = (found[1] as string).replace(/[.:!?]{1,4}$/, "");
  if (text.startsWith(MARKER, end) || !/\d/.test(value) || !isSecretValue(value, strength, "bare")) return undefined;
  return valueSpan(text, { start, end: start + value.length, kind: "spoken secret", strength });
}
