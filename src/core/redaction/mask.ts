/** How a secret is written once it is gone: a marker no rule takes for a secret, with a short hint where length allows. */

import type { NameStrength } from "./names.ts";

/** Replaces what was removed. Ends every rule's interest, so redacting twice is redacting once. */
export const MARKER = "[redacted]";
export const PRIVATE_KEY_MARKER = "[private key redacted]";

/** A part of a text that must not be seen, and what is there instead. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
  readonly mask: string;
}

/** From here on eight characters of hint give away less than half of a token. */
const HINT_FROM_CHARS = 20;
const HINT_CHARS = 4;
/** Nothing in a hint may be half of an escape or end a string. */
const PLAIN = /^[\w-]+$/;

/** A machine-made token: its first and last four characters tell which one it was. */
export function tokenSpan(text: string, start: number, end: number, kind: string): Span {
  const first = text.slice(start, start + HINT_CHARS);
  const last = text.slice(end - HINT_CHARS, end);
  const hinted = end - start >= HINT_FROM_CHARS && PLAIN.test(first) && PLAIN.test(last);
  return { start, end, kind, mask: hinted ? `${first}${MARKER}${last}` : MARKER };
}

/** A password or anything a person chose: no hint, for half of it may be enough to guess the rest. */
export function hiddenSpan(start: number, end: number, kind: string, mask = MARKER): Span {
  return { start, end, kind, mask };
}

/** A value by the strength of its name: a chosen one is hidden whole. */
export function valueSpan(text: string, value: Omit<Span, "mask"> & { readonly strength: NameStrength }): Span {
  const { start, end, kind, strength } = value;
  return strength === "password" ? hiddenSpan(start, end, kind) : tokenSpan(text, start, end, kind);
}
