/**
 * Takes secrets out of a text: what the scan finds in it as it is and as it displays, and what finders from
 * outside the core add (further rules, a person's own patterns).
 */
import { findAnnouncedPasswords } from "./announced-passwords.ts";
import { findStatements } from "./statements.ts";
import { findInBlocks } from "./blocks.ts";
import { hiddenSpan, type Span, MARKER, PRIVATE_KEY_MARKER } from "./mask.ts";
import { readingsOf } from "./displayed.ts";
import { lettersOf } from "./letters.ts";
import { scan } from "./scan.ts";
import { findBeside } from "./unnamed.ts";

export interface Redaction {
  readonly text: string;
  readonly count: number;
  /** Which kinds, each once, in order of appearance. */
  readonly kinds: readonly string[];
}

/** A rule of its own: where secrets are in a text, in any order. Has to be linear in the text. */
export type Finder = (text: string) => readonly Finding[];

export interface RedactOptions {
  /**
   * Spares source code: what a program assigns (`apiKey: "test"`, `"password": "hunter2"`) stays unless a machine made
   * it. Vendor tokens, headers, URLs, keys and `NAME=value` of an environment are masked all the same (Zhang 2026,
   * section 18).
   */
  readonly code?: boolean;
  readonly finders?: readonly Finder[];
}

/** A mask changes what its neighbours look like to the rules, so what was masked is looked over again; almost always once. */
const PASSES_MAX = 8;

/**
 * `text` with every recognised secret masked (Zhang 2026, section 18, lists the shapes). Long machine-made tokens keep
 * four characters at each end; passwords, keys and identifiers keep none. Pure, linear, and idempotent.
 */
export function redact(text: string, options: RedactOptions = {}): Redaction {
  let spans = findSpans(text, options);
  if (spans.length === 0) return { text, count: 0, kinds: [] };
  const kinds: string[] = [];
  let current = text;
  for (let pass = 0; pass < PASSES_MAX && spans.length > 0; pass++) {
    for (const span of spans) kinds.push(span.kind);
    current = masked(current, spans);
    spans = findSpans(current, options);
  }
  return { text: current, count: kinds.length, kinds: [...new Set(kinds)] };
}

/** The secrets of a text as they are in it, by our own rules. */
export function secretsIn(text: string): readonly string[] {
  return findSpans(text, {}).map(({ start, end }) => text.slice(start, end));
}

/** Finders look when our own rules are done, so that they see what is left. */
function findSpans(text: string, { code = false, finders = [] }: RedactOptions): readonly Span[] {
  const plain = scan(text, code);
  const letters = lettersOf(text);
  const stated = [
    ...findStatements(text, letters),
    ...findInBlocks(text, code, letters),
    ...findAnnouncedPasswords(text, letters),
    ...findBeside(text, code),
  ];
  const readings = plain.veils.length > 0 ? readingsOf(text, plain) : [];
  const more = readings.flatMap((reading) => scan(reading.text, code).spans.map(reading.origin));
  const extra = [...more, ...stated.filter((one) => isClear(text, one))];
  const own = extra.length === 0 ? plain.spans : merged([...plain.spans, ...extra]);
  if (own.length > 0 || finders.length === 0) return own;
  const texts = [{ text, origin: (span: Span): Span => span }, ...readings];
  const found = texts.flatMap((reading) =>
    finders.flatMap((find) =>
      find(reading.text)
        .flatMap((one) => clear(reading.text, one))
        .map(({ start, end, kind }) => reading.origin(hiddenSpan(start, end, kind))),
    ),
  );
  return merged(found);
}

/** No marker is in it, or around one of its ends. */
function isClear(text: string, span: Span): boolean {
  const [part, ...more] = clear(text, span);
  return more.length === 0 && part?.start === span.start && part.end === span.end;
}

function masked(text: string, spans: readonly Span[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const span of spans) {
    pieces.push(text.slice(from, span.start), span.mask);
    from = span.end;
  }
  pieces.push(text.slice(from));
  return pieces.join("");
}

/** A part of a text that a rule takes for a secret, by its place. */
export interface Finding {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

/** The parts of a finding that no marker covers: a pattern that matches a marker finds nothing there. */
function clear(text: string, found: Finding): readonly Finding[] {
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
function merged(spans: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last === undefined || span.start >= last.end) result.push(span);
    else if (span.end > last.end)
      result[result.length - 1] = { ...last, end: span.end, mask: last.mask === span.mask ? last.mask : MARKER };
  }
  return result;
}
