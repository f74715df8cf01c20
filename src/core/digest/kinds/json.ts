/** JSON: its shape with keys and counts, the values that tell items apart, and a sample as it is in the original. */
import { cut, oneLine } from "../cut.ts";
import type { Page } from "../page.ts";
import { plural, range, type DigestContent, type DigestContentRequest } from "../short.ts";

/** Larger texts are shown by their lines only. */
const PARSE_CHARS_MAX = 2_000_000;
const DEPTH_MAX = 3;
const KEYS_SHOWN_MAX = 12;
const INNER_KEYS_SHOWN_MAX = 4;
const VALUE_CHARS_MAX = 40;
/** Values that people wrote for people. */
const TELLING_CHARS_MAX = 160;
const TELLING =
  /^(?:body|message|description|title|name|text|content|error|errors|reason|summary|detail|status|state|id|key|path|number)$/i;
/** Links to oneself and empty things tell nothing. */
const DULL = /(?:^|_)(?:urls?|href|links?|node_id|gravatar_id|avatar\w*|etag)$/i;
const VALUES_SHOWN_MAX = 6;
const VALUES_CHARS_MAX = 50;
const ITEMS_SCANNED_MAX = 500;
const NOTES_MAX = 12;
const NOTE_CHARS_MAX = 600;
const SAMPLE_LINES = 8;

export function shortJson(page: Page, { focus }: DigestContentRequest): DigestContent {
  const value = parsed(page);
  if (value === undefined)
    return { facts: [], lines: [...range(0, 4), ...focus, ...range(page.lines.length - 2, page.lines.length)] };
  const notes: string[] = [];
  describe(value, { indent: "", notes, depth: 0, name: "" });
  // Of indented JSON the lines themselves say most; a flat object needs no words of ours at all.
  const flat = isObject(value) && !Object.values(value).some(isNested) && page.lines.length > 2;
  return {
    facts: [describeSize(value)],
    notes: flat ? [] : notes.slice(0, NOTES_MAX).map((note) => cut(note, NOTE_CHARS_MAX)),
    lines: [...focus.slice(0, 6), ...range(0, SAMPLE_LINES), ...focus],
  };
}

/** One value, or one a line. */
function parsed({ text, lines }: Page): unknown {
  if (text.length > PARSE_CHARS_MAX) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    try {
      return lines.filter((line) => line.trim() !== "").map((line): unknown => JSON.parse(line));
    } catch {
      return undefined;
    }
  }
}

function describeSize(value: unknown): string {
  if (Array.isArray(value)) return plural(value.length, "item");
  return isObject(value) ? plural(Object.keys(value).length, "key") : "";
}

interface Spot {
  readonly indent: string;
  readonly notes: string[];
  readonly depth: number;
  readonly name: string;
}

function describe(value: unknown, { indent, notes, depth, name }: Spot): void {
  const label = name === "" ? "" : `${name}: `;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value.slice(0, ITEMS_SCANNED_MAX);
    const objects = items.every(Array.isArray) ? items.flat() : items;
    if (objects.length > 0 && objects.every(isObject))
      notes.push(`${indent}${label}${value.length} × {${describeColumns(objects.slice(0, ITEMS_SCANNED_MAX))}}`);
    else
      notes.push(
        `${indent}${label}[${describeValues(items)}]${value.length > VALUES_SHOWN_MAX ? ` (${value.length})` : ""}`,
      );
    return;
  }
  if (!isObject(value)) {
    notes.push(`${indent}${label}${shown(value)}`);
    return;
  }
  const entries = Object.entries(value).toSorted(([a, x], [b, y]) => dullness(a, x) - dullness(b, y));
  const fields = entries.slice(0, KEYS_SHOWN_MAX).map(([key, child]) => `${key}: ${shown(child, charsFor(key))}`);
  notes.push(`${indent}${label}{${fields.join(", ")}${more(entries.length - KEYS_SHOWN_MAX, "key")}}`);
  if (depth >= DEPTH_MAX) return;
  for (const [key, child] of entries)
    if (isNested(child) && notes.length < NOTES_MAX)
      describe(child, { indent: `${indent}  `, notes, depth: depth + 1, name: key });
}

function charsFor(key: string): number {
  return TELLING.test(key) ? TELLING_CHARS_MAX : VALUE_CHARS_MAX;
}

/** Keys in the order of what they tell; equals keep their order. */
function dullness(key: string, value: unknown): number {
  if (value === null || value === "" || value === 0 || DULL.test(key)) return 2;
  return TELLING.test(key) ? 0 : 1;
}

function more(count: number, noun: string): string {
  return count > 0 ? `; ${plural(count, `more ${noun}`)}` : "";
}

/** The fields of a list of objects, each with its distinct values or its range. */
function describeColumns(items: readonly Fields[]): string {
  const keys = [...new Set(items.flatMap((item) => Object.keys(item)))].toSorted(
    (a, b) => dullness(a, 1) - dullness(b, 1),
  );
  const columns = keys
    .slice(0, KEYS_SHOWN_MAX)
    .map((key) => `${key}: ${describeValues(items.map((item) => item[key]).filter((value) => value !== undefined))}`);
  return `${columns.join("; ")}${more(keys.length - KEYS_SHOWN_MAX, "key")}`;
}

function describeValues(values: readonly unknown[]): string {
  if (values.length > 2 && values.every((value) => typeof value === "number")) {
    let [min, max] = [Infinity, -Infinity];
    for (const value of values) [min, max] = [Math.min(min, value), Math.max(max, value)];
    return min === max ? String(min) : `${min} to ${max}`;
  }
  const distinct = [...new Set(values.map((value) => shown(value)))];
  const few: string[] = [];
  for (
    let chars = 0;
    few.length < Math.min(distinct.length, VALUES_SHOWN_MAX) && chars < VALUES_CHARS_MAX;
    chars += few.at(-1)!.length
  )
    few.push(distinct[few.length]!);
  return `${few.join(", ")}${distinct.length > few.length ? `, … ${distinct.length} distinct` : ""}`;
}

function shown(value: unknown, charsMax = VALUE_CHARS_MAX): string {
  if (typeof value === "string") return JSON.stringify(oneLine(value, charsMax));
  if (Array.isArray(value)) return `[${value.length}]`;
  if (!isObject(value)) return String(value);
  const keys = Object.keys(value).filter((key) => key !== "");
  return `{${keys.slice(0, INNER_KEYS_SHOWN_MAX).join(", ")}${more(keys.length - INNER_KEYS_SHOWN_MAX, "key")}}`;
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNested(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}
