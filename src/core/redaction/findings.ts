/** What several rules found in one text, brought together: no mask inside a mask, and nothing over what was masked before. */
import { MARKER, PRIVATE_KEY_MARKER, type Span } from "./mask.ts";

/** A part of a text that a rule takes for a secret, by its place. */
export interface Finding {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

/** The parts of a finding that no marker covers: a pattern that matches a marker finds nothing there. */
export function clear(text: string, found: Finding): readonly Finding[] {
  const parts: Finding[] = [];
  let from = found.start;
  for (const marker of markersIn(text.slice(found.start, found.end))) {
    parts.push({ ...found, start: from, end: found.start + marker.start });
    from = found.start + marker.end;
  }
  parts.push({ ...found, start: from });
  return parts.map((part) => outsideMarker(text, part)).filter(({ start, end }) => end > start);
}

const MARKERS = /\[redacted\]|\[private key redacted\]/g;

function markersIn(text: string): readonly { readonly start: number; readonly end: number }[] {
  return Array.from(text.matchAll(MARKERS), ({ 0: marker, index }) => ({ start: index, end: index + marker.length }));
}

/** A finding that begins or ends within a marker keeps clear of it. */
function outsideMarker(text: string, { start, end, kind }: Finding): Finding {
  return { start: markerAround(text, start)?.end ?? start, end: markerAround(text, end)?.start ?? end, kind };
}

function markerAround(text: string, at: number): { readonly start: number; readonly end: number } | undefined {
  for (const marker of [MARKER, PRIVATE_KEY_MARKER]) {
    const from = Math.max(0, at - marker.length + 1);
    const start = text.slice(from, at + marker.length - 1).indexOf(marker);
    if (start >= 0 && from + start < at) return { start: from + start, end: from + start + marker.length };
  }
  return undefined;
}

/** In order of place, those that overlap as one; the first of them says what is there instead. */
export function merged(spans: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last === undefined || span.start >= last.end) result.push(span);
    else if (span.end > last.end) result[result.length - 1] = { ...last, end: span.end, mask: MARKER };
  }
  return result;
}
