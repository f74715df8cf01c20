/**
 * What the protocols share in giving a request to the prompt-cache model: its blocks with what they weigh and what they are known by. A block is
 * known by its JSON without markers and without an order of its own keys.
 */
import type { PromptBlock } from "./prefix-cache.ts";
import type { CacheSection, Ttl } from "../../core/caching/breakpoints.ts";
import type { Measure } from "../../core/transcript/measure.ts";
import type { Fields } from "../dialect.ts";
import { fieldsOf, isFields, listOf, textOf } from "../fields.ts";

/** What surrounds a message, a call and a result, as our measure counts them. */
export const MESSAGE_TOKENS = 4;
export const CALL_TOKENS = 8;
export const RESULT_TOKENS = 4;
/** Flat, as our measure counts images and files (Zhang 2026). */
const MEDIA_TOKENS = 1_600;

const MARKER_FIELDS: ReadonlySet<string> = new Set(["cache_control", "prompt_cache_breakpoint"]);
const MEDIA_TYPES: ReadonlySet<string> = new Set([
  "image",
  "image_url",
  "input_image",
  "document",
  "file",
  "input_file",
]);

export type Weigh = Measure["text"];

export function contentBlocks(content: unknown, type: string): readonly Fields[] {
  return typeof content === "string" ? [{ type, text: content }] : listOf(content).map(fieldsOf);
}

export function nameOf(block: unknown): string {
  if (!isFields(block)) return JSON.stringify(block);
  const members = Object.keys(block)
    .filter((key) => !MARKER_FIELDS.has(key))
    .sort()
    .map((key) => {
      const value = block[key];
      const text =
        key === "content" && Array.isArray(value) ? `[${value.map(nameOf).join(",")}]` : JSON.stringify(value);
      return `${JSON.stringify(key)}:${text}`;
    });
  return `{${members.join(",")}}`;
}

export function markerOf(block: Fields): { readonly marker?: Ttl } {
  const own = block["cache_control"] ?? block["prompt_cache_breakpoint"];
  if (isFields(own)) return { marker: own["ttl"] === "1h" ? "1h" : "5m" };
  for (const inside of contentBlocks(block["content"], "text")) {
    const found = markerOf(inside);
    if (found.marker !== undefined) return found;
  }
  return {};
}

export function weighContent(block: Fields, text: Weigh): number {
  const words = textOf(block["text"]) ?? textOf(block["refusal"]);
  if (words !== undefined) return text(words);
  return MEDIA_TYPES.has(String(block["type"])) ? MEDIA_TOKENS : text(nameOf(block));
}

export interface Piece {
  readonly name: string;
  readonly tokens: number;
  readonly marker?: Ttl;
}

/** A message's pieces; the first one carries its frame, the last one ends it. */
export function framed(section: CacheSection, frame: Piece, pieces: readonly Piece[]): readonly PromptBlock[] {
  const list = pieces.length === 0 ? [{ name: "", tokens: 0 }] : pieces;
  return list.map(({ name, tokens, marker }, at) => ({
    section,
    text: `${frame.name} ${name}`,
    tokens: tokens + (at === 0 ? frame.tokens : 0),
    ...(marker === undefined ? {} : { marker }),
    ...(at === list.length - 1 ? { ends: true as const } : {}),
  }));
}

export function contentPiece(block: Fields, text: Weigh): Piece {
  return { name: nameOf(block), tokens: weighContent(block, text), ...markerOf(block) };
}

/** The request's tools, which come before everything else. */
export function toolBlocks(request: Fields, text: Weigh): readonly PromptBlock[] {
  return listOf(request["tools"]).map((tool): PromptBlock => {
    const known = nameOf(tool);
    return { section: "tools", text: known, tokens: text(known), ...markerOf(fieldsOf(tool)) };
  });
}
