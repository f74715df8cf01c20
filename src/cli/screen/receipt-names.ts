/** What a person calls the things on a receipt, and what became of them. */
import type { ReceiptFate, ReceiptKind, ReceiptLine } from "../../core/compaction/compaction.ts";

export const RECEIPT_NAMES: Readonly<Record<ReceiptKind, string>> = {
  request: "user message",
  rule: "project rule",
  pin: "pin",
  failure: "open failure",
  running: "running task",
  value: "value of the live request",
  file: "changed file",
};

export const FATE_NAMES: Readonly<Record<ReceiptFate, string>> = {
  kept: "kept word for word",
  recallable: "recallable",
  replaced: "replaced",
  lost: "lost",
};

/** `recallable (r1a2b3c4d5)`, `replaced by message 40`. */
export function fateText({ fate, id, by }: ReceiptLine): string {
  if (id !== undefined) return `${FATE_NAMES[fate]} (${id})`;
  return by === undefined ? FATE_NAMES[fate] : `${FATE_NAMES[fate]} by message ${by}`;
}
