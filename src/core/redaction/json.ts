/** Redaction of JSON text that stays JSON. */
import { parseJson } from "../nesting.ts";
import type { Redactor } from "./redactor.ts";

/**
 * JSON is redacted as a whole, because the name of a field is what gives many a secret away. Where a mask would break
 * it, each of its strings is redacted by itself. Text that was no JSON is redacted as text.
 */
export function redactJson(text: string, redact: Redactor): string {
  const safe = redact(text);
  if (safe === text || valueOf(safe) !== undefined) return safe;
  const original = valueOf(text);
  return original === undefined ? safe : JSON.stringify(mapStrings(original.json, redact));
}

/** Wrapped, because `null` is a value. */
function valueOf(text: string): { readonly json: unknown } | undefined {
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
