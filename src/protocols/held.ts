/**
 * Histories that their provider holds, or compacts by itself: what a request shows of them is not all there is, or does
 * not mean what it says, so they go out as they came. Anthropic's `clear_*` edits do not count: they leave things out
 * of one request, and the next one brings its whole history again (its context editing docs, 2026-11).
 */
import type { OpaquePart, Part } from "../core/transcript/message.ts";
import { fieldsOf, listOf, textOf } from "./fields.ts";

const HELD_ITEMS: Readonly<Record<string, string>> = Object.freeze({
  item_reference: "the history refers to items that the provider holds",
  compaction: "the provider has compacted the history",
  compaction_summary: "the provider has compacted the history",
  context_compaction: "the provider has compacted the history",
  compaction_trigger: "the provider is asked to compact the history",
});

export function isHeld(part: Part): part is OpaquePart {
  return part.kind === "opaque" && Object.hasOwn(HELD_ITEMS, part.type);
}

export function heldBecause({ type }: OpaquePart): string {
  return `${HELD_ITEMS[type]} (${type})`;
}

/** Whether a request's `context_management` lets the provider compact: Responses has a list, Anthropic a list of edits. */
export function compactsItself(contextManagement: string | undefined): boolean {
  if (contextManagement === undefined || contextManagement === "null") return false;
  const value = JSON.parse(contextManagement) as unknown;
  const entries = Array.isArray(value) ? value : listOf(fieldsOf(value)["edits"]);
  return entries.some((entry) => textOf(fieldsOf(entry)["type"])?.startsWith("compact") === true);
}

export const COMPACTS_ITSELF = "the provider is told to compact the history (context_management)";
