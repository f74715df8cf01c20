/** What the steps of a turn share: the session's parts, and a conversation as it came and as it is. */
import type { Estimator } from "../core/engines/contract.ts";
import type { MessageKeeper } from "../core/compaction/keep-messages.ts";
import type { Chain } from "../core/transcript/links.ts";
import { calibrated, type Measure } from "../core/transcript/measure.ts";
import { type Transcript, contentText, type Message } from "../core/transcript/message.ts";
import type { ActiveCompaction, Store } from "../store/store.ts";
import type { RuntimeOptions } from "./contract.ts";
import type { Events } from "./events.ts";
import type { SessionState } from "./state.ts";
import type { Evicted } from "../core/compaction/compaction.ts";
import { taskWords } from "../core/digest/focus.ts";
import { digestResultsWith } from "../core/passes/digest-results.ts";
import { exchangesOf, type Exchange } from "../core/transcript/exchanges.ts";

export interface SessionContext {
  readonly options: RuntimeOptions;
  readonly store: Store;
  readonly tenant: string;
  readonly chain: Chain;
  /** Uncorrected estimates. */
  readonly estimate: Measure;
  readonly events: Events;
  readonly contextUsage: ContextUsageTracker;
  readonly state: SessionState;
  /** Digests large results as they arrive; undefined where they stay. */
  readonly ingest: Ingest | undefined;
  /** Recall ids of what that took out and the store has. */
  readonly kept: Set<string>;
  /** Has every request of the user stay, where that is wanted, and what is pinned. */
  readonly keepMessages: MessageKeeper;
  readonly keepsRequests: boolean;
  /** What is pinned, where the store keeps nothing beside compactions. */
  readonly pinned: Map<string, unknown>;
  /** What goes out for a transcript: itself, or without its secrets. */
  readonly outgoing: (transcript: Transcript) => Transcript;
}

/** A conversation as it came, and as it is with the compaction recorded for it. */
export interface ConversationView {
  readonly original: Transcript;
  readonly current: Transcript;
  readonly standing: ActiveCompaction;
  readonly tokens: number;
}

/** The measure is one object while the factor stands: what was weighed with it need not be weighed again. */
export function estimatorOf({ chain, estimate, state }: SessionContext): Estimator {
  if (state.measure?.factor !== state.factor)
    state.measure = { factor: state.factor, measure: calibrated(estimate, state.factor) };
  return { chain, measure: state.measure.measure };
}

interface IngestResult {
  readonly messages: readonly Message[];
  /** What left the conversation, told every time: a memory is not a store. */
  readonly evicted: readonly Evicted[];
}

type Ingest = (messages: readonly Message[]) => IngestResult;

/** Of the limit, this much is left of a result. */
const TARGET_SHARE = 0.25;

interface DigestedResult {
  readonly task: string;
  readonly edited: Message;
  readonly evicted: readonly Evicted[];
}

/** `estimate` is not corrected by what is learnt: a limit that moved would change what was sent. */
export function createIngest(
  limitTokens: number,
  parts: { readonly estimate: Measure; readonly chain: Chain },
): Ingest {
  const { estimate, chain } = parts;
  const digest = digestResultsWith({
    triggerTokens: limitTokens,
    targetTokens: Math.ceil(limitTokens * TARGET_SHARE),
  });
  const known = new WeakMap<Message, DigestedResult>();
  const isLarge = (message: Message): boolean =>
    message.role === "tool" && message.origin === undefined && estimate.message(message) > limitTokens;

  const digestExchange = (messages: readonly Message[], { start, end }: Exchange, task: string): IngestResult => {
    const own = messages.slice(start, end);
    const remembered = own.map((message) => known.get(message));
    if (own.every((message, at) => !isLarge(message) || remembered[at]?.task === task))
      return {
        messages: own.map((message, at) => remembered[at]?.edited ?? message),
        evicted: remembered.flatMap((one) => one?.evicted ?? []),
      };
    const context = { measure: estimate, hash: chain.hash, focus: taskWords(task) };
    const result = digest(own, { ...context, protect: (at) => !isLarge(own[at]!) });
    own.forEach((message, at) => {
      const evicted = result.evicted.filter((one) => one.message === at);
      if (isLarge(message)) known.set(message, { task, edited: result.messages[at]!, evicted });
    });
    return result;
  };

  return (messages) => {
    if (!messages.some(isLarge)) return { messages, evicted: [] };
    const evicted: Evicted[] = [];
    let task = "";
    const edited = exchangesOf(messages).flatMap((exchange) => {
      const own = messages.slice(exchange.start, exchange.end);
      const [first] = own;
      if (first?.role === "user" && first.origin !== "summary") task = contentText(first.parts);
      if (!own.some(isLarge)) return own;
      const result = digestExchange(messages, exchange, task);
      for (const each of result.evicted) evicted.push(each);
      return result.messages;
    });
    return { messages: edited, evicted };
  };
}

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

interface ContextUsageTracker {
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
