/** Reading parsed JSON of unchecked shape: what is not there, or of another type, reads as absent. */
import { parseJson } from "../core/nesting.ts";

/** A parsed JSON object whose shape nobody has checked. */
export type Fields = Readonly<Record<string, unknown>>;

const NOTHING: Fields = Object.freeze({});

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : NOTHING;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Content as a list: a string is one block of text. */
export function blocksOf(content: unknown, type = "text"): readonly Fields[] {
  return typeof content === "string" ? [{ type, text: content }] : listOf(content).map(fieldsOf);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** What a JSON text says; `undefined` where there is none, or it is malformed or nested too deep. */
export function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Computes once, when first asked. */
export function lazy<T>(compute: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => (known ??= { value: compute() }).value;
}

/** Under this key goes what a model wrote where JSON was due. */
const BROKEN_KEY = "raw_arguments";
/** Under this key goes the text of a call whose tool takes free text. */
const FREE_TEXT_KEY = "input";

/** JSON text: as it is where it parses, else an object that holds it. */
export function jsonArguments(text: string): string {
  if (text.trim() === "") return "{}";
  return parsedOrBroken(text) === undefined ? JSON.stringify({ [BROKEN_KEY]: text }) : text;
}

/** The text of a JSON object: as it is where it is one, else an object that holds it. */
export function objectArguments(text: string, custom: boolean): string {
  if (custom) return JSON.stringify({ [FREE_TEXT_KEY]: text });
  if (text.trim() === "") return "{}";
  const value = parsedOrBroken(text);
  if (value === undefined) return JSON.stringify({ [BROKEN_KEY]: text });
  return isFields(value.json) ? text : `{${JSON.stringify(BROKEN_KEY)}:${text}}`;
}

function parsedOrBroken(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
