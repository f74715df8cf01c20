/**
 * How full the window is: the last reported usage plus an estimate of what came since, as long as the conversation
 * still begins with what that usage counted and no compaction came between; otherwise an estimate of the whole.
 */
import type { Workbench } from "../core/engines/contract.ts";
import type { Transcript } from "../core/transcript/message.ts";

interface Reported {
  readonly tokens: number;
  /** Link of the last message that was sent. */
  readonly link: string;
  readonly messages: number;
}

export interface SituationKeeper {
  /** Tokens of what would be sent now. */
  readonly tokensOf: (transcript: Transcript, bench: Workbench) => number;
  /** What is about to be sent: the next report is about this. */
  readonly sent: (transcript: Transcript, bench: Workbench) => void;
  /** The provider's count for what was sent; answers with our own uncorrected count of the same, if anything was sent. */
  readonly reported: (inputTokens: number) => Transcript | undefined;
  /** A compaction makes the last report stale. */
  readonly forget: () => void;
}

export function createSituation(): SituationKeeper {
  let sent: { readonly transcript: Transcript; readonly link: string } | undefined;
  let report: Reported | undefined;
  return {
    tokensOf: (transcript, bench) => {
      if (report !== undefined && report.messages > 0) {
        const before = transcript.messages.slice(0, report.messages);
        const stillThere = before.length === report.messages && bench.chain.linksOf(before).at(-1) === report.link;
        if (stillThere) return report.tokens + bench.measure.messages(transcript.messages.slice(report.messages));
      }
      return bench.measure.transcript(transcript);
    },
    sent: (transcript, bench) => {
      sent = { transcript, link: bench.chain.linksOf(transcript.messages).at(-1) ?? "" };
    },
    reported: (inputTokens) => {
      if (sent === undefined) return undefined;
      report = { tokens: inputTokens, link: sent.link, messages: sent.transcript.messages.length };
      return sent.transcript;
    },
    forget: () => {
      report = undefined;
    },
  };
}
