/**
 * Results too large to be worth caching are digested as they arrive, with the id under which the original is kept. What a
 * digest says depends on nothing that comes after its result, so that a resent history goes out as it did before.
 */
import type { Evicted } from "../core/compaction/compaction.ts";
import { taskWords } from "../core/digest/focus.ts";
import { digestResultsWith } from "../core/passes/digest-results.ts";
import { exchangesOf, type Exchange } from "../core/transcript/exchanges.ts";
import type { Chain } from "../core/transcript/links.ts";
import type { Measure } from "../core/transcript/measure.ts";
import { contentText, type Message } from "../core/transcript/message.ts";

export interface IngestResult {
  readonly messages: readonly Message[];
  /** What left the conversation, told every time: a memory is not a store. */
  readonly evicted: readonly Evicted[];
}

export type Ingest = (messages: readonly Message[]) => IngestResult;

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
