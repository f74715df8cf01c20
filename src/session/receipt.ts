/** The receipt of a compaction of a session: with its pins, its live request and its secrets. */
import type { Compaction } from "../core/compaction/compaction.ts";
import type { Pins } from "../core/compaction/keep-messages.ts";
import { liveRequestOf } from "../core/events/live-request.ts";
import { receiptOf } from "../core/receipt/receipt.ts";
import type { RedactOptions } from "../core/redaction/redact.ts";
import { createRedactor } from "../core/redaction/redactor.ts";
import type { Message } from "../core/transcript/message.ts";

export interface ReceiptSource {
  readonly pins: Pins;
  readonly secrets: RedactOptions | undefined;
}

/** The same with its receipt, made anew. */
export function withReceipt(
  compaction: Compaction,
  messages: readonly Message[],
  { pins, secrets }: ReceiptSource,
): Compaction {
  const redact = createRedactor(secrets);
  const receipt = receiptOf(messages, compaction, { pins, redact, live: liveRequestOf(messages) });
  return { ...compaction, report: { ...compaction.report, receipt } };
}
