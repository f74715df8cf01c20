/** What candidates are made of: tails from what the model has not read on, and the shorter forms of a tail. */
import { digestResults } from "../../passes/digest-results.ts";
import { evictMedia } from "../../passes/evict-media.ts";
import type { Pass, PassContext } from "../../passes/pass.ts";
import { inSequence } from "../../passes/sequence.ts";
import { shrinkArguments } from "../../passes/shrink-arguments.ts";
import { stripReasoning } from "../../passes/strip-reasoning.ts";
import { isHandoff } from "../../handoff/write.ts";
import { callsOf, type Message } from "../../transcript/message.ts";
import type { ResultShape } from "./assemble.ts";
import type { Candidate, CompactionRun } from "./draft.ts";
import { skeletonOf } from "./skeleton.ts";

/** The conversation, with some of its messages in another form. */
export type RewrittenMessages = Pick<ResultShape, "messages" | "evicted">;

/** Where the results begin that the model has not answered to yet, with their calls; past the end where it has read all. */
export function unreadStart(messages: readonly Message[]): number {
  const last = messages.findLastIndex((message) => message.role === "assistant" || isHandoff(message));
  return last >= 0 && callsOf(messages[last]!).length > 0 ? last : messages.length;
}

/** Everything before `start` gives way to the handoff; the rest stays, in the form given. */
export function summarisedTo(start: number, rung: number, { messages, evicted }: RewrittenMessages): Candidate {
  return { shape: { rung, messages, evicted, headEnd: 0, tailStart: start } };
}

/** What a pass works with in a compaction. */
export function passContext({ request, focus }: CompactionRun): Omit<PassContext, "protect"> {
  return { measure: request.measure, hash: request.chain.hash, focus };
}

/** The order of what it costs the reader: thinking first, then media, results, and arguments last. */
const toDigests = shortened(digestResults);

/** Thinking, media, results and arguments, the results by the given pass. */
export function shortened(results: Pass): Pass {
  return inSequence([stripReasoning, evictMedia, results, shrinkArguments]);
}

/** The conversation as it is. */
export function unchangedMessages({ original }: CompactionRun): RewrittenMessages {
  return { messages: original.messages, evicted: [] };
}

/** All but the protected messages and the live request as digests. */
export function digested(
  run: CompactionRun,
  isProtected: (at: number) => boolean,
  pass: Pass = toDigests,
): RewrittenMessages {
  const protect = (at: number): boolean => at === run.live || isProtected(at);
  return pass(run.original.messages, { ...passContext(run), protect });
}

/** The tail that starts there as digests. */
export function digestedTail(run: CompactionRun, start: number): RewrittenMessages {
  return digested(run, (at) => at < start);
}

/** The tail that starts there as a skeleton. */
export function skeletonTail(
  { original: { messages }, request, live }: CompactionRun,
  start: number,
): RewrittenMessages {
  const [earlier, tail] = [messages.slice(0, start), messages.slice(start)];
  const bare = skeletonOf(tail, { first: start, live, hash: request.chain.hash, earlier });
  return { messages: [...earlier, ...bare.messages], evicted: bare.evicted };
}
