/** Secrets that a call was asked for by name and answers alone: `echo $DB_PASSWORD`, `pass show db/prod`. Nothing in the result says what it is. */
import type { CallSummary } from "../digest/call.ts";
import { MARKER } from "../redaction/mask.ts";
import { nameStrength } from "../redaction/names.ts";
import { looksChosen } from "../redaction/values.ts";
import { onlyLine } from "./endings.ts";
import { ownOutput } from "./envelopes.ts";

const CALL_CHARS_MAX = 2_000;
const WORDS = /[\w.$-]{2,64}/g;

/** The result of a call without the secret that is all of it. */
export function withoutShownSecret(call: CallSummary, result: string): string {
  const secret = secretShownBy(call, result);
  return secret === undefined ? result : result.replaceAll(secret, MARKER);
}

/** The secret that a result consists of, where the words of its call name one. */
export function secretShownBy({ tool, command, values, target }: CallSummary, result: string): string | undefined {
  const shown = onlyLine(ownOutput(result).text)?.trim() ?? "";
  if (/\s/.test(shown) || !looksChosen(shown)) return undefined;
  const asked = [tool, command ?? [...values, target].join(" ")].join(" ").slice(0, CALL_CHARS_MAX);
  return namesSecret(asked.match(WORDS) ?? []) ? shown : undefined;
}

/** One word names it (`DB_PASSWORD`, `master.key`) or two do (`auth token`). */
function namesSecret(words: readonly string[]): boolean {
  return words.some((word, at) =>
    [word, `${words[at - 1] ?? ""}_${word}`].some((name) => /^(?:password|key)$/.test(nameStrength(name) ?? "")),
  );
}
