/** Reading JSON of unchecked shape: what is not there, or of another type, reads as absent. */

export type Fields = Readonly<Record<string, unknown>>;

const NOTHING: Fields = Object.freeze({});

/** The value of a JSON text; undefined where it is none. */
export function parsed(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Not JSON: absent.
  }
  return value;
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : NOTHING;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text that says something. */
export function wordsOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
