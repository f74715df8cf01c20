/** What stays verbatim: the fresh tail, and what is left of it where even that is too much. */
import { digestResults } from "../../passes/digest-results.ts";
import type { PassContext } from "../../passes/pass.ts";
import { isHandoff } from "../../handoff/write.ts";
import type { Exchange } from "../../transcript/exchanges.ts";
import type { Message } from "../../transcript/message.ts";
import type { Shape } from "../result/assemble.ts";
import { tailStart } from "../result/boundaries.ts";
import { skeletonOf } from "../result/skeleton.ts";

export const RUNG_LAST_EXCHANGE = 1;
const RUNG_DIGESTED = 2;
export const RUNG_SKELETON = 3;

export interface ShapeInput {
  readonly messages: readonly Message[];
  readonly exchanges: readonly Exchange[];
  /** Index of the live request, which no rung touches. */
  readonly live: number;
  /** What is summarised already: no tail reaches into it. */
  readonly summarised: number;
  /** The tail's messages and tokens, at most; its last exchange stays in any case. */
  readonly tailMessages: number;
  readonly tailTokens: number;
  readonly context: Omit<PassContext, "protect">;
}

/** Where the last exchange starts; past the end where that is an earlier handoff. */
export function lastStartOf(messages: readonly Message[], exchanges: readonly Exchange[]): number {
  return Math.max(exchanges.at(-1)?.start ?? 0, messages.findLastIndex(isHandoff) + 1);
}

/** From the fresh tail as it is down to the names and ids of the last exchange's calls; each weighs less. */
export function* shapesOf(input: ShapeInput): Generator<Shape> {
  const { messages, exchanges, live, context } = input;
  const last = lastStartOf(messages, exchanges);
  const shape = { headEnd: 0, tailStart: last, messages, evicted: [] };
  yield { ...shape, rung: 0, tailStart: freshTail(input, last) };
  yield { ...shape, rung: RUNG_LAST_EXCHANGE };
  const digested = digestResults(messages, { ...context, protect: (at) => at === live || at < last });
  // With the last exchange digested, there is room for some before it again.
  const start = freshTail({ ...input, messages: digested.messages }, last);
  yield { ...shape, rung: RUNG_DIGESTED, tailStart: start, messages: digested.messages, evicted: digested.evicted };
  const bare = skeletonOf(messages.slice(last), { first: last, live, hash: context.hash });
  const skeleton = [...messages.slice(0, last), ...bare.messages];
  yield { ...shape, rung: RUNG_SKELETON, messages: skeleton, evicted: bare.evicted };
}

function freshTail(input: ShapeInput, last: number): number {
  const { messages, exchanges, summarised, tailMessages, tailTokens, context } = input;
  const budget = { tokens: tailTokens, ceilingTokens: tailTokens, messages: 0, messagesMin: 0 };
  const byTokens = tailStart({ messages, exchanges }, 0, budget, context.measure);
  const byCount = exchanges.find(({ start }) => start >= messages.length - tailMessages)?.start ?? last;
  const earlier = messages.findLastIndex(isHandoff) + 1;
  return Math.min(last, Math.max(byTokens, byCount, summarised, earlier));
}
