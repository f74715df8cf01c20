/** The receipt of a compaction of a session: with its pins, its live request and its secrets. */
import type { Compaction, CompactionReport, ReceiptLine } from "../core/compaction/compaction.ts";
import type { Pins } from "../core/compaction/keep-messages.ts";
import { liveRequestOf } from "../core/events/live-request.ts";
import { receiptOf } from "../core/receipt/receipt.ts";
import type { RedactOptions } from "../core/redaction/redact.ts";
import { redactorFor } from "../core/redaction/redactor.ts";
import type { Hash } from "../core/transcript/links.ts";
import { type Message, resultOf } from "../core/transcript/message.ts";
import { described } from "../core/digest/call.ts";
import { pairingOf } from "../core/transcript/pairing.ts";

interface ReceiptSource {
  readonly pins: Pins;
  readonly secrets: RedactOptions | undefined;
  readonly hash: Hash;
}

/** The same with its receipt, made anew. */
export function withReceipt(
  compaction: Compaction,
  messages: readonly Message[],
  { pins, secrets, hash }: ReceiptSource,
): Compaction {
  const options = { pins, redact: redactorFor(secrets), hash, live: liveRequestOf(messages) };
  const receipt = receiptOf(messages, compaction, options);
  return { ...compaction, report: { ...compaction.report, receipt } };
}

interface Verdict {
  readonly pass: boolean;
  readonly message: () => string;
}

type Reported = { readonly report: Pick<CompactionReport, "receipt"> };

const SHOWN_MAX = 10;

/** `expect.extend(receiptMatchers)`, then `expect(compaction).toLoseNothing()` or `expect(compaction).toKeepEverything()`. */
export const receiptMatchers = {
  /** Everything that the work may still need is in the result, recallable, or replaced by something newer. */
  toLoseNothing: ({ report }: Reported): Verdict => verdictOn(report, ({ fate }) => fate === "lost"),
  /** The same, where to be recallable is not enough. */
  toKeepEverything: ({ report }: Reported): Verdict =>
    verdictOn(report, ({ fate }) => fate === "lost" || fate === "recallable"),
};

function verdictOn({ receipt }: Reported["report"], isGone: (line: ReceiptLine) => boolean): Verdict {
  if (receipt === undefined) return { pass: false, message: () => "The compaction has no receipt." };
  const gone = receipt.lines.filter(isGone);
  const lines = gone.slice(0, SHOWN_MAX).map(({ kind, message, fate, text }) => {
    return `  ${fate} ${kind}${message === undefined ? "" : ` of message ${message}`}: ${text}`;
  });
  const says = gone.length === 0 ? "Nothing is missing." : `${gone.length} on the receipt:\n${lines.join("\n")}`;
  return { pass: gone.length === 0, message: () => says };
}

export interface RemovedResult {
  readonly message: number;
  readonly callId: string;
  readonly tool: string;
  readonly target: string;
}

export function removedResults(messages: readonly Message[], compaction: Compaction): readonly RemovedResult[] {
  const replaced = messages.slice(0, compaction.covered);
  const { answers } = pairingOf(replaced);
  return replaced.flatMap((message, at) => {
    const result = resultOf(message);
    if (result === undefined || compaction.map[at]?.kind === "kept") return [];
    const call = answers[at]?.call;
    const { tool, target } = call === undefined ? { tool: "", target: "" } : described(call);
    return { message: at, callId: result.callId, tool, target };
  });
}
