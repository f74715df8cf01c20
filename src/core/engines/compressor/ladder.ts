/**
 * The ladder: the shapes a compaction may take, from the documented one down to the smallest that is
 * still valid. Each rung weighs less than the one before, so climbing ends; the first that fits is taken.
 */
import { digestResults } from "../../passes/digest-results.ts";
import { evictMedia } from "../../passes/evict-media.ts";
import { inSequence } from "../../passes/sequence.ts";
import { shrinkArguments } from "../../passes/shrink-arguments.ts";
import { stripReasoning } from "../../passes/strip-reasoning.ts";
import { HANDOFF_TOKENS_MIN, isHandoff } from "../../handoff/write.ts";
import { exchangesOf } from "../../transcript/exchanges.ts";
import type { Message } from "../../transcript/message.ts";
import type { Workbench } from "../contract.ts";
import type { Shape } from "../result/assemble.ts";
import { headEnd, tailStart } from "../result/boundaries.ts";
import { skeletonOf } from "../result/skeleton.ts";
import type { Plan } from "./plan.ts";

export interface Rung extends Shape {
  /** What the handoff must get for this rung to be taken. */
  readonly handoffTokensMin: number;
}

export interface LadderInput extends Workbench {
  readonly messages: readonly Message[];
  readonly plan: Plan;
  readonly focus: readonly string[];
  /** Index of the live request, which no rung touches. */
  readonly live: number;
}

/** The rung that is taken even when it does not fit. */
export const RUNG_LAST = 4;
const NO_TAIL = { messages: 0, messagesMin: 0 };
/** How often the tail's budget is halved before only the last exchange is left. */
const HALVINGS_MAX = 4;

/** The rungs, lazily: a lower one is made only when those above did not fit. */
export function* rungsOf(input: LadderInput): Generator<Rung> {
  const { messages, plan, measure } = input;
  // An earlier handoff is always replaced: it is merged into the new one, and never part of head or tail.
  const earlier = messages.findLastIndex(isHandoff);
  const exchanges = exchangesOf(messages);
  const protectedHead = headEnd({ messages, exchanges }, plan.headMessages, earlier < 0 ? messages.length : earlier);
  const headFits = measure.messages(messages.slice(0, protectedHead)) <= plan.headTokensMax;
  const head = headFits ? protectedHead : 0;
  const planned = tailStart({ messages, exchanges }, Math.max(head, earlier + 1), plan.tail, measure);
  const last = Math.max(earlier + 1, exchanges.at(-1)?.start ?? 0);
  const shape = { headEnd: head, tailStart: planned, evicted: [], handoffTokensMin: plan.handoffTokensMin };

  yield { ...shape, rung: 0, messages };
  yield { ...shape, rung: 1, ...rewritten(input, (at) => at < planned || at >= last) };
  const all = rewritten(input, (at) => at < planned && at >= head);
  yield { ...shape, rung: 2, ...all };
  for (let halving = 1; halving <= HALVINGS_MAX; halving++) {
    const tokens = Math.floor(plan.tail.tokens / 2 ** halving);
    const start = tailStart(
      { messages: all.messages, exchanges },
      earlier + 1,
      { ...NO_TAIL, tokens, ceilingTokens: tokens },
      measure,
    );
    yield { ...shape, ...all, rung: 3, headEnd: 0, tailStart: start };
  }
  const bare = skeletonOf(messages.slice(last), { first: last, live: input.live, hash: input.chain.hash });
  const skeleton = [...messages.slice(0, last), ...bare.messages];
  const floor = { headEnd: 0, tailStart: last, handoffTokensMin: HANDOFF_TOKENS_MIN };
  yield { ...floor, rung: RUNG_LAST, messages: skeleton, evicted: bare.evicted };
}

/** In the order of what they cost the reader: thinking first, then media, results, and arguments last. */
const rewrite = inSequence([stripReasoning, evictMedia, digestResults, shrinkArguments]);

function rewritten(input: LadderInput, protect: (at: number) => boolean): Pick<Shape, "messages" | "evicted"> {
  return rewrite(input.messages, {
    measure: input.measure,
    hash: input.chain.hash,
    protect: (at) => at === input.live || protect(at),
    focus: input.focus,
  });
}
