/** Redaction that remembers: a growing session shows mostly the same lines in one handoff after another. */
import { redact } from "./redact.ts";

/** Texts remembered before it starts afresh. */
const TEXTS_MAX = 10_000;
/** A longer text is not worth its memory. */
const TEXT_CHARS_MAX = 2_000;

/** Answers like `redact(text).text`. */
export function createRedactor(): (text: string) => string {
  let known = new Map<string, string>();
  return (text) => {
    if (text.length > TEXT_CHARS_MAX) return redact(text).text;
    let safe = known.get(text);
    if (safe === undefined) {
      safe = redact(text).text;
      if (known.size >= TEXTS_MAX) known = new Map();
      known.set(text, safe);
    }
    return safe;
  };
}
