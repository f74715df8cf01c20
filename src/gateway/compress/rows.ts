/**
 * Shortens a conversation row by row, for a proxy that wants as many rows back as it sent. Which rows are shortened follows
 * from the rows before alone, so a conversation that grows keeps its beginning, and the provider's cache still matches.
 */
import { describeCall } from "../../core/digest/call.ts";
import { digestResult } from "../../core/digest/digest.ts";
import { recallId, type Hash } from "../../core/transcript/links.ts";
import type { Fields } from "../../protocols/dialect.ts";
import { isFields } from "../../protocols/fields.ts";
import type { Original } from "../../store/store.ts";

export interface RowLimits {
  /** Rows are shortened when they exceed this together. */
  readonly thresholdTokens: number;
  /** What they are shortened to then. */
  readonly targetTokens: number;
}

export interface RowTools {
  readonly tokens: (text: string) => number;
  readonly hash: Hash;
}

export interface ShortenedRows {
  readonly rows: readonly Fields[];
  readonly before: number;
  readonly after: number;
  /** What was removed. */
  readonly originals: readonly Original[];
  /** Of the originals, the hashes that the markers show. */
  readonly hashes: readonly string[];
}

export const MARKER_HEX_DIGITS = 24;

/** What a marker shows of a text: the digits of its recall id, and as many of its hash that a stranger cannot guess them. */
export function markerHash({ id, text }: Pick<Original, "id" | "text">, hash: Hash): string {
  return id.slice(1) + hash(text).slice(id.length - 1, MARKER_HEX_DIGITS);
}

function ownMarker(text: string, hash: Hash): string {
  return markerHash({ id: recallId(text, hash), text }, hash);
}

/** From mild to severe: texts above `triggerTokens` become digests of about `targetTokens`. */
const STEPS = [
  { triggerTokens: 500, targetTokens: 150 },
  { triggerTokens: 100, targetTokens: 60 },
] as const;
/** Role, separators and ids of a row. */
const ROW_OVERHEAD_TOKENS = 4;

interface Row {
  readonly given: Fields;
  /** As it is now. */
  shown: Fields;
  tokens: number;
  step: number;
}

export function shortenRows(given: readonly Fields[], limits: RowLimits, tools: RowTools): ShortenedRows {
  const originals = new Map<string, Original>();
  const rows = given.map((row): Row => ({ given: row, shown: row, tokens: rowTokens(row, tools), step: 0 }));
  const before = rows.reduce((sum, { tokens }) => sum + tokens, 0);
  const next = STEPS.map(() => 0);
  let total = 0;
  rows.forEach((newest, at) => {
    total += newest.tokens;
    if (total <= limits.thresholdTokens) return;
    STEPS.forEach((_, step) => {
      for (; next[step]! < at && total > limits.targetTokens; next[step]!++)
        total -= shorten(rows[next[step]!]!, step, tools, originals);
    });
    if (total > limits.thresholdTokens) total -= shorten(newest, 0, tools, originals);
  });
  const hashes = [...originals.keys()];
  return { rows: rows.map(({ shown }) => shown), before, after: total, originals: [...originals.values()], hashes };
}

/** Answers with the tokens that it saved. */
function shorten(row: Row, step: number, tools: RowTools, originals: Map<string, Original>): number {
  const was = row.tokens;
  row.shown = withTexts(row.given, (text) => digestOf(text, row.given["role"], STEPS[step]!, tools));
  row.tokens = rowTokens(row.shown, tools);
  for (const text of textsOf(row.given)) {
    const hash = ownMarker(text, tools.hash);
    if (originals.has(hash) || textsOf(row.shown).includes(text)) continue;
    const id = recallId(text, tools.hash);
    originals.set(hash, { id, kind: "text", label: `${String(row.given["role"])} message`, text });
  }
  return was - row.tokens;
}

function digestOf(text: string, role: unknown, step: (typeof STEPS)[number], { tokens, hash }: RowTools): string {
  const recall = `hash=${ownMarker(text, hash)}`;
  const call = describeCall(role === "tool" ? "result" : "message", "");
  const digest = digestResult({ text, call, focus: [], recall, tokens, ...step });
  return digest === undefined ? text : digest.text.replace(`recall ${recall}`, recall);
}

function rowTokens(row: Fields, { tokens }: RowTools): number {
  return ROW_OVERHEAD_TOKENS + textsOf(row).reduce((sum, text) => sum + tokens(text), 0);
}

/** The texts of a row: its content, or those of its text parts. */
function textsOf({ content }: Fields): readonly string[] {
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown) => (isTextPart(part) ? [part["text"]] : []));
}

function withTexts(row: Fields, change: (text: string) => string): Fields {
  const { content } = row;
  if (typeof content === "string") return { ...row, content: change(content) };
  if (!Array.isArray(content)) return row;
  return {
    ...row,
    content: content.map((part: unknown) => (isTextPart(part) ? { ...part, text: change(part["text"]) } : part)),
  };
}

function isTextPart(part: unknown): part is Fields & { readonly text: string } {
  return isFields(part) && typeof part["text"] === "string";
}
