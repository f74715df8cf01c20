/**
 * What an explicit budget keeps word for word, so that a larger budget never keeps less: head and tail are added in one order,
 * each from the budget on of which it takes a fixed share.
 */
import { earlierEnd, headEnd, lastStart } from "../../compaction/run/boundaries.ts";
import { skeletonTail, unchangedMessages, type RewrittenMessages } from "../../compaction/run/candidates.ts";
import type { Candidate, CompactionRun } from "../../compaction/run/draft.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { exchangesOf } from "../../transcript/exchanges.ts";
import type { Message } from "../../transcript/message.ts";
import { RUNG_LAST, RUNG_PRUNED } from "./ladder.ts";
import { pruned, withoutDuplicates } from "./prune.ts";

/** Shares of an explicit budget, after system, tools and the live request. A handoff recalls more a token than messages do. */
const LAST_EXCHANGE_SHARE = 0.35;
const TAIL_SHARE = 0.25;
const HEAD_SHARE = 0.08;
/** What is left of any budget for the handoff. */
const HANDOFF_SHARE_MIN = 1 - LAST_EXCHANGE_SHARE - HEAD_SHARE;

/** Something that is kept from a budget on, in place of what an earlier step of the same kind keeps. */
interface Step {
  readonly at: number;
  /** Of the budget, the least at which it is kept. */
  readonly fromTokens: number;
}

interface TailStep extends Step {
  readonly tokens: number;
  readonly rung: number;
  readonly kept: RewrittenMessages;
}

/** `roomTokens`: what the budget leaves beside system, tools and the live request. */
export function budgetLayout(run: CompactionRun, roomTokens: number, headMessages: number): Candidate {
  const head = headStep(run, headMessages);
  const tails = [...tailSteps(run, roomTokens)];
  const tail = tails.findLast(({ fromTokens }) => fromTokens <= roomTokens) ?? tails[0]!;
  const end = head.fromTokens <= roomTokens ? head.at : 0;
  return { shape: { rung: tail.rung, ...tail.kept, headEnd: end, tailStart: tail.at } };
}

/** The live request is paid for already, wherever it is. */
function weigh({ live, request }: CompactionRun, messages: readonly Message[], start: number, end: number): number {
  return request.measure.messages(messages.slice(start, end).filter((_, at) => start + at !== live));
}

function headStep(run: CompactionRun, count: number): Step {
  const { messages } = run.original;
  const earlier = earlierEnd(messages);
  const at = headEnd(
    { messages, exchanges: exchangesOf(messages) },
    count,
    earlier === 0 ? messages.length : earlier - 1,
  );
  const tokens = weigh(run, messages, 0, at);
  return { at, fromTokens: at === 0 ? Infinity : fromTokensFor(tokens, HEAD_SHARE) };
}

/** Whatever is kept leaves a handoff that says something. */
function fromTokensFor(tokens: number, share: number): number {
  return Math.max(tokens / share, tokens + HANDOFF_TOKENS_MIN / HANDOFF_SHARE_MIN);
}

/** The last exchange as a skeleton, pruned and whole, then longer and longer tails, as far as budgets up to that size need. */
function* tailSteps(run: CompactionRun, untilTokens: number): Generator<TailStep> {
  const { messages } = run.original;
  const exchanges = exchangesOf(messages);
  const last = lastStart({ messages, exchanges });
  const whole = unchangedMessages(run);
  const stepOf = (rung: number, kept: RewrittenMessages): Omit<TailStep, "fromTokens"> => ({
    rung,
    kept,
    at: last,
    tokens: weigh(run, kept.messages, last, messages.length),
  });
  const forms = [
    stepOf(RUNG_LAST, skeletonTail(run, last)),
    stepOf(RUNG_PRUNED, pruned(run, { isSummarised: (at) => at < last })),
    stepOf(0, whole),
  ];
  // A form that weighs no less than a better one is never needed.
  const useful = forms.filter(({ tokens }, at) => forms.slice(at + 1).every((better) => better.tokens > tokens));
  for (const [at, form] of useful.entries())
    yield { ...form, fromTokens: at === 0 ? 0 : fromTokensFor(form.tokens, LAST_EXCHANGE_SHARE) };
  const earlier = earlierEnd(messages);
  let { tokens } = useful.at(-1)!;
  for (let at = exchanges.length - 1; at >= 0; at--) {
    const { start, end } = exchanges[at]!;
    if (end > last) continue;
    if (start < Math.max(1, earlier) || tokens / TAIL_SHARE > untilTokens) return;
    tokens += weigh(run, messages, start, end);
    yield { rung: 0, kept: whole, at: start, tokens, fromTokens: fromTokensFor(tokens, TAIL_SHARE) };
  }
}

/** The same with references in place of the older copies of a result in its tail. */
export function withSingleResults(run: CompactionRun, candidate: Candidate): Candidate {
  const { shape } = candidate;
  if (shape.rung > 0) return candidate;
  const end = Math.max(
    shape.tailStart,
    lastStart({ messages: run.original.messages, exchanges: exchangesOf(run.original.messages) }),
  );
  return { ...candidate, shape: { ...shape, ...withoutDuplicates(run, shape, { start: shape.tailStart, end }) } };
}
