/**
 * One draft of a compaction: the first shape of the ladder that leaves the handoff its room, the handoff written into it,
 * and the whole put together.
 */
import type { Evicted } from "../../compaction/compaction.ts";
import type { Evidence, Present } from "../../evidence/excerpts.ts";
import type { LedgerKeeper } from "../../evidence/ledger.ts";
import { HANDOFF_TOKENS_MIN, latestHandoff, writeHandoff, type Handoff } from "../../summary/handoff.ts";
import type { Items } from "../../summary/prose/asked.ts";
import type { Section } from "../../summary/sections.ts";
import { recallId } from "../../transcript/links.ts";
import { contentText, type Message, type Transcript } from "../../transcript/message.ts";
import type { CompactRequest } from "../contract.ts";
import { anchorOf, assemble, type Assembled } from "./assemble.ts";
import { RUNG_LAST, rungsOf, type Shape } from "./ladder.ts";
import type { Plan } from "./plan.ts";
import type { ShownKeeper } from "./shown.ts";
import { taskWords } from "../../digest/task-words.ts";

/** Tokens that a message of ours costs beside its text. */
const MESSAGE_OVERHEAD_TOKENS = 8;

/** One compaction under way: what it works on and what it aims for. */
export interface Job {
  readonly original: Transcript;
  /** The system prompt with our note, where the note goes there. */
  readonly system: readonly Message[];
  readonly request: CompactRequest;
  readonly plan: Plan;
  /** Index of the live request; -1 where no user has spoken. */
  readonly live: number;
  /** Tokens of system and tools. */
  readonly besideTokens: number;
  /** Tokens of a handoff by the documents; a budget may allow more, a model is not asked for more. */
  readonly documentedTokens: number;
  /** The sections of the handoff. */
  readonly template: readonly Section[];
}

/** What remembers messages between compactions, so that a new one costs only what is new. */
export interface Memory {
  readonly evidence: Evidence;
  readonly ledger: LedgerKeeper;
  readonly redact: (text: string) => string;
  /** Hides what is left of a secret in a finished text of ours. */
  /** Hides the secrets of the whole conversation and pieces of them, for what a model wrote. */
  readonly hide: (text: string) => string;
  readonly shown: ShownKeeper;
}

export interface Cut {
  readonly shape: Shape;
  readonly anchor: Message | undefined;
  /** What stands in the result beside the handoff. */
  readonly verbatim: readonly Message[];
  readonly focus: readonly string[];
  /** Tokens for the handoff. */
  readonly budget: number;
  /** What a model wrote of it. */
  readonly prose?: Items;
}

/** A result, and how it was cut. */
export interface Draft extends Cut {
  readonly assembled: Assembled;
  readonly evicted: readonly Evicted[];
  readonly handoff: Handoff | undefined;
}

/** Climbs the ladder until head, anchor and tail leave the handoff its room; the last rung is taken as it is. */
export function firstThatFits(job: Job, memory: Memory): Draft {
  const { messages } = job.original;
  const { measure, chain } = job.request;
  const live = messages[job.live];
  const focus = taskWords(job.request.focus ?? "", live === undefined ? "" : contentText(live.parts));
  let draft: Draft | undefined;
  for (const shape of rungsOf({ messages, plan: job.plan, focus, live: job.live, measure, chain })) {
    const anchor = live !== undefined && job.live < shape.tailStart ? anchorOf(live) : undefined;
    const head = shape.messages.slice(0, shape.headEnd);
    const verbatim = [...head, ...(anchor === undefined ? [] : [anchor]), ...shape.messages.slice(shape.tailStart)];
    const room = job.plan.limitTokens - job.besideTokens - measure.messages(verbatim) - MESSAGE_OVERHEAD_TOKENS;
    const wanted = job.plan.handoffTokens(measure.messages(messages.slice(shape.headEnd, shape.tailStart)));
    const replacesNothing = shape.headEnd === shape.tailStart;
    if (replacesNothing && job.plan.wantsHandoff && shape.rung > 0 && shape.rung < RUNG_LAST) continue;
    const needed = replacesNothing ? 0 : Math.min(wanted, shape.handoffTokensMin);
    if (room < needed && shape.rung < RUNG_LAST) continue;
    const budget = Math.max(Math.min(wanted, room), Math.min(HANDOFF_TOKENS_MIN, wanted));
    draft = draftOf(job, memory, { shape, anchor, verbatim, focus, budget });
    break;
  }
  return draft!;
}

export function sizeOf(job: Job, { assembled }: Draft): number {
  return job.besideTokens + job.request.measure.messages(assembled.placed.map(({ message }) => message));
}

export function draftOf(job: Job, memory: Memory, cut: Cut): Draft {
  const { shape, anchor, verbatim, focus, budget, prose } = cut;
  const { messages } = job.original;
  const { measure } = job.request;
  const beside = presentOf(messages, { shape, anchor, textOf: memory.shown.textOf });
  const from = shape.headEnd;
  const until = shape.tailStart;
  const span = spanOf(job, from, until);
  const handoff =
    span === undefined
      ? undefined
      : writeHandoff({
          messages,
          ledger: memory.ledger.ledgerOf(messages),
          from,
          until,
          budget,
          measure,
          ...(job.request.focus === undefined ? {} : { focus: job.request.focus }),
          spanRecall: span.id,
          previous: latestHandoff(messages),
          liveRequest: job.live,
          excerpts: (tokens, present) =>
            memory.evidence.excerpts(messages, {
              budget: tokens,
              measure,
              focus,
              redact: memory.redact,
              present: { standing: beside.standing, text: `${beside.text}\n${present}` },
            }),
          beside: memory.shown.shownIn(verbatim),
          redact: memory.redact,
          template: job.template,
          ...(prose === undefined ? {} : { prose }),
        });
  const safe = handoff === undefined ? undefined : prose === undefined ? handoff.text : memory.hide(handoff.text);
  const assembled = assemble(messages, { shape, handoff: safe, anchor }, job.request);
  const standing = shape.evicted.filter(({ message }) => message < from || message >= until);
  const evicted = [...(span === undefined ? [] : [span]), ...standing, ...assembled.evicted];
  return { ...cut, assembled, evicted, handoff };
}

/** What stands beside the handoff: messages as they were, and the text of those that are not. */
function presentOf(
  originals: readonly Message[],
  {
    shape: { messages, headEnd, tailStart },
    anchor,
    textOf,
  }: Pick<Cut, "shape" | "anchor"> & { readonly textOf: (message: Message) => string },
): Present {
  const standing: Message[] = [];
  const changed: Message[] = anchor === undefined ? [] : [anchor];
  messages.forEach((message, at) => {
    if (at < headEnd || at >= tailStart) (message === originals[at] ? standing : changed).push(message);
  });
  return { standing, text: changed.map(textOf).join("\n") };
}

/** The whole replaced span, under one id. */
function spanOf(job: Job, from: number, until: number): Evicted | undefined {
  if (from === until) return undefined;
  const { chain } = job.request;
  const hashes = job.original.messages.slice(from, until).map(chain.hashOf).join("\n");
  return {
    id: recallId(hashes, chain.hash),
    kind: "span",
    message: from,
    end: until,
    label: `messages ${from + 1} to ${until}`,
  };
}
