/** A tail that starts at what the model has not read, and its shorter forms: everything to its digest, and a skeleton. */
import { digestResults } from "../../passes/digest-results.ts";
import { evictMedia } from "../../passes/evict-media.ts";
import type { PassContext } from "../../passes/pass.ts";
import { inSequence } from "../../passes/sequence.ts";
import { shrinkArguments } from "../../passes/shrink-arguments.ts";
import { stripReasoning } from "../../passes/strip-reasoning.ts";
import { isHandoff } from "../../handoff/write.ts";
import { callsOf, type Message } from "../../transcript/message.ts";
import type { Shape } from "./assemble.ts";
import { skeletonOf } from "./skeleton.ts";

/** Where the results begin that the model has not answered to yet, with their calls; past the end where it has read all. */
export function unreadStart(messages: readonly Message[]): number {
  const last = messages.findLastIndex((message) => message.role === "assistant" || isHandoff(message));
  return last >= 0 && callsOf(messages[last]!).length > 0 ? last : messages.length;
}

export interface Tail {
  readonly messages: readonly Message[];
  /** Index at which it starts. */
  readonly start: number;
  /** Index of the live request, which stays whole. */
  readonly live: number;
  readonly context: Omit<PassContext, "protect">;
}

/** The conversation, with its tail in another form. */
export type Rewritten = Pick<Shape, "messages" | "evicted">;

/** In the order of what they cost the reader: thinking first, then media, results, and arguments last. */
const rewrite = inSequence([stripReasoning, evictMedia, digestResults, shrinkArguments]);

export function digestedTail({ messages, start, live, context }: Tail): Rewritten {
  return rewrite(messages, { ...context, protect: (at) => at < start || at === live });
}

export function bareTail({ messages, start, live, context: { hash } }: Tail): Rewritten {
  const bare = skeletonOf(messages.slice(start), { first: start, live, hash });
  return { messages: [...messages.slice(0, start), ...bare.messages], evicted: bare.evicted };
}
