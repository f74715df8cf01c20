/** Redaction that remembers: a growing session shows mostly the same lines in one handoff after another. */
import { redact, type RedactOptions } from "./redact.ts";
import { keptByText, keptWith } from "../kept.ts";
import { parseJson } from "../nesting.ts";

/** A text without its secrets. Pure: the same text gives the same answer, and an answer gives itself. */
export type Redactor = (text: string) => string;

/** Characters of the texts that are remembered before it starts afresh. */
const CHARS_MAX = 4_000_000;
/** A longer text is not worth its memory. */
const TEXT_CHARS_MAX = 64_000;

/** Answers like `redact(text, options).text`. */
export function createRedactor(options: RedactOptions = {}): Redactor {
  const answer = (text: string): string => redact(text, options).text;
  const kept = keptByText(answer, CHARS_MAX);
  return (text) => (text.length > TEXT_CHARS_MAX ? answer(text) : kept(text));
}

const NO_OPTIONS: RedactOptions = {};
const redactors = keptWith(createRedactor);

/** One redactor for each set of options, because it remembers its answers. */
export function redactorFor(options: RedactOptions = NO_OPTIONS): Redactor {
  return redactors(options);
}

/**
 * JSON is redacted as a whole, because the name of a field is what gives many a secret away. Where a mask would break
 * it, each of its strings is redacted by itself. Text that was no JSON is redacted as text.
 */
export function redactJson(text: string, hide: Redactor): string {
  const safe = hide(text);
  if (safe === text || parseValue(safe) !== undefined) return safe;
  const original = parseValue(text);
  return original === undefined ? safe : JSON.stringify(mapStrings(original.json, hide));
}

/** Wrapped, because `null` is a value. */
function parseValue(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: parseJson(text) };
  } catch {
    return undefined;
  }
}

function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => mapStrings(one, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapStrings(one, change)]));
}
