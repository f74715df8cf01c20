/** Assertions on a compaction's receipt for a test runner with `expect.extend`, such as Vitest and Jest. */
import type { CompactionReport, ReceiptLine } from "../core/compaction/compaction.ts";

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
