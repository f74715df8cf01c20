/**
 * How full the window is: the last reported usage plus an estimate of what came since, as long as the conversation
 * still begins with what that usage counted and no compaction came between; otherwise an estimate of the whole.
 */
import type { Estimator } from "../core/engines/contract.ts";
import type { Transcript } from "../core/transcript/message.ts";

/** What was sent, by the link of its last message. */
export interface SentRequest {
  readonly transcript: Transcript;
  readonly link: string;
  /** How many compactions had come before it. */
  readonly era: number;
  /** It begins a conversation, was rewritten just now, or comes after the cache expired: none can have held what it begins with. */
  readonly isNew: boolean;
}

interface ReportedUsage {
  readonly tokens: number;
  /** Link of the last message that was sent. */
  readonly link: string;
  readonly messages: number;
}

export interface ContextUsageTracker {
  /** Tokens of what would be sent now. */
  readonly tokensOf: (transcript: Transcript, estimator: Estimator) => number;
  /** What is about to be sent; a later report names it, or is about the newest. */
  readonly sent: (
    transcript: Transcript,
    how: { readonly estimator: Estimator; readonly isNew: boolean },
  ) => SentRequest;
  /** What a report is about: what it names, or the newest that was sent, if anything was. */
  readonly newestOr: (about: SentRequest | undefined) => SentRequest | undefined;
  /** The provider's count for what was sent. True where it says something of what is sent now. */
  readonly reported: (inputTokens: number, about: SentRequest) => boolean;
  /** The provider reported what was sent since the last compaction. */
  readonly isReported: () => boolean;
  /** A compaction makes the last report stale, and those that are still to come of what was sent before it. */
  readonly forget: () => void;
}

export function createContextUsage(): ContextUsageTracker {
  let newest: SentRequest | undefined;
  let report: ReportedUsage | undefined;
  let era = 0;
  /** What is weighed is mostly what is sent next: its links are read once for both. */
  let weighed: { readonly transcript: Transcript; readonly links: readonly string[] } | undefined;
  return {
    tokensOf: (transcript, { chain, measure }) => {
      if (report !== undefined && report.messages > 0) {
        weighed = { transcript, links: chain.linksOf(transcript.messages) };
        const stillThere = weighed.links[report.messages - 1] === report.link;
        if (stillThere) return report.tokens + measure.messages(transcript.messages.slice(report.messages));
      }
      return measure.transcript(transcript);
    },
    sent: (transcript, { estimator: { chain }, isNew }) => {
      const links = weighed?.transcript === transcript ? weighed.links : chain.linksOf(transcript.messages);
      weighed = undefined;
      newest = { transcript, link: links.at(-1) ?? "", era, isNew };
      return newest;
    },
    newestOr: (about) => about ?? newest,
    reported: (inputTokens, about) => {
      const messages = about.transcript.messages.length;
      // Of two requests under way on one conversation the longer one says more.
      const newer = about === newest || report === undefined || messages >= report.messages;
      const isCurrent = about.era === era && newer;
      if (isCurrent) report = { tokens: inputTokens, link: about.link, messages };
      return isCurrent;
    },
    isReported: () => report !== undefined,
    forget: () => {
      report = undefined;
      era++;
    },
  };
}
