/** What makes two items of a topic the same, and what makes an item of an earlier handoff stale: for topics that agree on it. */
import type { Ledger } from "../../ledger/ledger.ts";
import { keyOf } from "../../ledger/readers/sentences.ts";
import { DASH } from "../items.ts";

const REQUEST_KEY_CHARS = 100;

/** One handoff may cut a request where another did not. */
export function requestKey(text: string): string {
  return keyOf(text.slice(0, REQUEST_KEY_CHARS));
}

/** The question, whatever was said to it. */
export function questionKey(text: string): string {
  return keyOf(beforeFirst(beforeFirst(text, `${DASH}user:`), `${DASH}answered:`));
}

export function fileKey(path: string): string {
  return `file ${path}`;
}

export function beforeFirst(text: string, mark: string): string {
  const at = text.indexOf(mark);
  return at < 0 ? text : text.slice(0, at);
}

/** A turn that ends settles whatever was asked before it. */
export function noTurnEnded(ledger: Ledger, since: number): boolean {
  return ledger.requests.every(({ settled = -1 }) => settled < since);
}
