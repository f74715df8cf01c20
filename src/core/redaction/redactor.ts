/** Redaction that remembers: a growing session shows mostly the same lines in one handoff after another. */
import { redact, type RedactOptions } from "./redact.ts";

/** A text without its secrets. Pure: the same text gives the same answer, and an answer gives itself. */
export type Redactor = (text: string) => string;

/** Texts remembered before it starts afresh. */
const TEXTS_MAX = 10_000;
/** A longer text is not worth its memory. */
const TEXT_CHARS_MAX = 2_000;

/** Answers like `redact(text, options).text`. */
export function createRedactor(options: RedactOptions = {}): Redactor {
  let known = new Map<string, string>();
  return (text) => {
    if (text.length > TEXT_CHARS_MAX) return redact(text, options).text;
    let safe = known.get(text);
    if (safe === undefined) {
      safe = redact(text, options).text;
      if (known.size >= TEXTS_MAX) known = new Map();
      known.set(text, safe);
    }
    return safe;
  };
}

/** One redactor for each set of options: the same options give the one that remembers. */
export function createRedactors(): (options?: RedactOptions) => Redactor {
  const plain = createRedactor();
  const known = new WeakMap<RedactOptions, Redactor>();
  return (options) => {
    if (options === undefined) return plain;
    const redactor = known.get(options) ?? createRedactor(options);
    known.set(options, redactor);
    return redactor;
  };
}
