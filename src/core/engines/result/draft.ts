/** One draft of a compaction: a shape, the handoff written into it, and the whole put together. */
import { spanLabel, type Evicted } from "../../compaction/compaction.ts";
import type { Evidence, Present } from "../../excerpts/excerpts.ts";
import { settledErrors } from "../../ledger/entries.ts";
import type { LedgerKeeper } from "../../ledger/ledger.ts";
import { latestHandoff, writeHandoff, type Handoff, type ParsedHandoff } from "../../handoff/write.ts";
import type { Items } from "../../handoff/model/asked.ts";
import type { Section } from "../../handoff/templates.ts";
import { recallId } from "../../transcript/links.ts";
import type { Message, Transcript } from "../../transcript/message.ts";
import type { CompactRequest } from "../contract.ts";
import { assemble, type Ahead, type Assembled, type Shape } from "./assemble.ts";
import type { ShownKeeper } from "./shown.ts";

/** One compaction under way: what it works on. */
export interface Job {
  readonly original: Transcript;
  /** The system prompt with our note, where the note goes there. */
  readonly system: readonly Message[];
  readonly request: CompactRequest;
  /** Index of the live request; -1 where no user has spoken. */
  readonly live: number;
  /** Tokens of system and tools. */
  readonly besideTokens: number;
  /** The sections of the handoff. */
  readonly template: readonly Section[];
  /** What the engine carries on from earlier handoffs, where none stands among the messages. */
  readonly carried?: ParsedHandoff | undefined;
}

/** What remembers messages between compactions, so that a new one costs only what is new. */
export interface Memory {
  readonly evidence: Evidence;
  readonly ledger: LedgerKeeper;
  readonly redact: (text: string) => string;
  /** Hides the secrets of the whole conversation and pieces of them, for what a model wrote. */
  readonly hide: (text: string) => string;
  readonly shown: ShownKeeper;
}

export interface Cut {
  readonly shape: Shape;
  readonly ahead?: Ahead | undefined;
  /** Messages of ours behind the handoff. */
  readonly behind?: readonly Message[];
  /** The handoff that stands for the span already, where none is to be written. */
  readonly written?: Handoff;
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

/** Tokens that a message of ours costs beside its text. */
export const MESSAGE_OVERHEAD_TOKENS = 8;

export function sizeOf(job: Job, { assembled }: Draft): number {
  return job.besideTokens + job.request.measure.messages(assembled.placed.map(({ message }) => message));
}

export function draftOf(job: Job, memory: Memory, cut: Cut): Draft {
  const { shape, prose } = cut;
  const { headEnd: from, tailStart: until } = shape;
  const span = spanOf(job, from, until);
  const handoff = span === undefined ? undefined : (cut.written ?? handoffOf(job, memory, cut, span.id));
  const safe = handoff === undefined ? undefined : prose === undefined ? handoff.text : memory.hide(handoff.text);
  const assembled = assemble(job.original.messages, { ...cut, handoff: safe }, job.request);
  const standing = shape.evicted.filter(({ message }) => message < from || message >= until);
  const ahead = cut.ahead?.evicted ?? [];
  const evicted = [...(span === undefined ? [] : [span]), ...standing, ...ahead, ...assembled.evicted];
  return { ...cut, assembled, evicted, handoff };
}

function handoffOf(job: Job, memory: Memory, cut: Cut, spanRecall: string): Handoff {
  const { messages } = job.original;
  const { measure, focus: topic } = job.request;
  const { standing, text } = presentOf(messages, cut, memory.shown.textOf);
  const ledger = memory.ledger.ledgerOf(messages);
  const settled = settledErrors(ledger);
  return writeHandoff({
    messages,
    ledger,
    from: cut.shape.headEnd,
    until: cut.shape.tailStart,
    budget: cut.budget,
    measure,
    ...(topic === undefined ? {} : { focus: topic }),
    spanRecall,
    previous: latestHandoff(messages) ?? job.carried,
    liveRequest: job.live,
    excerpts: (tokens, present) =>
      memory.evidence.excerpts(messages, {
        budget: tokens,
        measure,
        focus: cut.focus,
        redact: memory.redact,
        settled,
        present: { standing, text: `${text}\n${present}` },
      }),
    errorTokens: () => memory.evidence.errorTokens(messages, { measure, settled, redact: memory.redact }),
    beside: memory.shown.shownIn(cut.verbatim),
    redact: memory.redact,
    template: job.template,
    ...(cut.prose === undefined ? {} : { prose: cut.prose }),
  });
}

/** What stands beside the handoff: messages as they were, and the text of those that are not. */
function presentOf(
  originals: readonly Message[],
  { shape, ahead, behind = [], anchor }: Cut,
  textOf: (message: Message) => string,
): Present {
  const { messages, headEnd, tailStart } = shape;
  const standing: Message[] = [];
  const changed: Message[] = [...behind, ...(anchor === undefined ? [] : [anchor])];
  messages.forEach((message, at) => {
    if (at < headEnd || at >= tailStart) (message === originals[at] ? standing : changed).push(message);
  });
  for (const { message, from } of ahead?.placed ?? []) (message === originals[from] ? standing : changed).push(message);
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
    label: spanLabel(from, until),
  };
}
