/** Looking into JSON that others wrote: every accessor returns undefined if the shape is not the expected one. */
import { parseJson } from "../core/nesting.ts";

export type Fields = Readonly<Record<string, unknown>>;

export function asFields(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

export function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asObjects(value: unknown): readonly Fields[] {
  return asList(value).flatMap((item): readonly Fields[] => {
    const fields = asFields(item);
    return fields === undefined ? [] : [fields];
  });
}

export function asCount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** Seconds since the epoch stay below this for three thousand years; milliseconds have been above it since 1973. */
const SECONDS_MAX = 1e11;

/** Milliseconds since the epoch of an ISO date, or of a number of seconds or milliseconds. */
export function asTime(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : typeof value === "number" ? value : Number.NaN;
  if (!Number.isFinite(time) || time <= 0) return undefined;
  return Math.round(typeof value === "number" && time < SECONDS_MAX ? time * 1_000 : time);
}

export function toJson(value: unknown): string {
  return JSON.stringify(value) ?? "{}";
}

/** Parses JSON, keeping every digit of integers that a double cannot hold. Throws SyntaxError, also for what is nested too deep. */
function parseDigits(text: string): unknown {
  const value = parseJson(text);
  return LONG_NUMBER.test(text) && JSON_WITH_SOURCE.rawJSON !== undefined
    ? JSON_WITH_SOURCE.parse(text, keepDigits)
    : value;
}

export function tryParseJson(text: string): unknown {
  try {
    return parseDigits(text);
  } catch {
    return undefined;
  }
}

/** Shorter integers are exact. The reviver is slow, so it runs only if a number (or a word) of such length occurs. */
const LONG_NUMBER = /[:,[\s]-?\d{16}/;

interface JsonWithSource {
  readonly rawJSON?: (text: string) => object;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
}

// ES2024's types do not have what every supported Node has.
const JSON_WITH_SOURCE = JSON as unknown as JsonWithSource;

function keepDigits(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== "number" || context.source === undefined || String(value) === context.source) return value;
  return JSON_WITH_SOURCE.rawJSON?.(context.source) ?? value;
}
