/** One draft of a compaction: a candidate, the handoff written for what it leaves out, and the whole put together. */
import { latestHandoff, writeHandoff, type Handoff, type ParsedHandoff } from "../../handoff/write.ts";
import type { Items } from "../../handoff/model/asked.ts";
import type { Section } from "../../handoff/templates.ts";
import { recallId } from "../../transcript/links.ts";
import type { Message, Transcript } from "../../transcript/message.ts";
import type { CompactRequest } from "../../engines/contract.ts";
import { spanLabel, type Evicted } from "../compaction.ts";
import { assemble, type AssembledResult, type KeptMessages, type ResultShape } from "./assemble.ts";
import type { ConversationMemory } from "./memory.ts";

/** One compaction under way: what it works on, and what is known before its engine has a say. */
export interface CompactionRun {
  readonly original: Transcript;
  /** The system prompt with our note, where the note goes there. */
  readonly system: readonly Message[];
  readonly request: CompactRequest;
  /** Index of the live request; -1 where no user has spoken. */
  readonly live: number;
  /** Words of the task, in lower case. */
  readonly focus: readonly string[];
  /** Tokens of system and tools. */
  readonly besideTokens: number;
  /** Tokens of system, tools and live request, which every result has. */
  readonly fixedTokens: number;
  /** Tokens of what is sent today. */
  readonly before: number;
  /** The sections of the handoff. */
  readonly template: readonly Section[];
  /** What the engine carries on from earlier handoffs, where none is among the messages. */
  readonly carried?: ParsedHandoff | undefined;
  readonly memory: ConversationMemory;
}

/** What an engine is willing to send: a shape, and what is next to its handoff. */
export interface Candidate {
  readonly shape: ResultShape;
  readonly kept?: KeptMessages | undefined;
  /** Messages of ours after the handoff. */
  readonly restored?: readonly Message[];
  /** Where this candidate may weigh something else than the goal says. */
  readonly limitTokens?: number;
  /** Where this candidate's handoff has a share of its own, and a minimum (`SizeGoal`). */
  readonly handoffTokens?: (replacedTokens: number) => number;
  readonly handoffTokensMin?: number;
}

/** A candidate with what it leaves room for. */
export interface Cut extends Pick<Candidate, "shape" | "kept" | "restored"> {
  /** What the handoff replaces, where it is named already. */
  readonly span?: Evicted | undefined;
  /** The handoff that replaces it already, where none is to be written. */
  readonly written?: Handoff;
  readonly anchor: Message | undefined;
  /** What the result holds beside the handoff. */
  readonly verbatim: readonly Message[];
  /** Tokens for the handoff. */
  readonly budget: number;
  /** What a model wrote of it. */
  readonly prose?: Items;
  /** Index after the last message that the model read, where that is not all of the span. */
  readonly proseUntil?: number;
}

/** A result, and how it was cut. */
export interface CompactionDraft extends Cut {
  readonly assembled: AssembledResult;
  readonly evicted: readonly Evicted[];
  readonly handoff: Handoff | undefined;
}

/** Tokens that a message of ours costs beside its text. */
export const MESSAGE_OVERHEAD_TOKENS = 8;

export function sizeOf(run: CompactionRun, { assembled }: Pick<CompactionDraft, "assembled">): number {
  const messages = assembled.placed.map(({ message }) => message);
  return run.besideTokens + run.request.measure.transcript({ system: [], messages });
}

export function draftOf(run: CompactionRun, cut: Cut): CompactionDraft {
  const { shape, prose } = cut;
  const { headEnd: from, tailStart: until } = shape;
  const isNamed = cut.span?.message === from && cut.span.end === until;
  const span = isNamed ? cut.span : spanOf(run, from, until);
  const handoff = span === undefined ? undefined : (cut.written ?? handoffOf(run, cut, span.id));
  const safe = handoff === undefined ? undefined : prose === undefined ? handoff.text : run.memory.hide(handoff.text);
  const assembled = assemble(run.original.messages, { ...cut, handoff: safe }, run.request);
  const standing = shape.evicted.filter(({ message }) => message < from || message >= until);
  const kept = cut.kept?.evicted ?? [];
  const evicted = [...(span === undefined ? [] : [span]), ...standing, ...kept, ...assembled.evicted];
  return { ...cut, span, assembled, evicted, handoff };
}

function handoffOf({ original, request, ...run }: CompactionRun, cut: Cut, spanRecall: string): Handoff {
  const { messages } = original;
  const { measure, focus: topic } = request;
  const { redact, shown } = run.memory;
  return writeHandoff({
    messages,
    from: cut.shape.headEnd,
    until: cut.shape.tailStart,
    budget: cut.budget,
    measure,
    ...(topic === undefined ? {} : { focus: topic }),
    spanRecall,
    previous: latestHandoff(messages) ?? run.carried,
    liveRequest: run.live,
    beside: shown.shownIn([...run.system, ...cut.verbatim]),
    redact,
    template: run.template,
    fillsBudget: request.budget !== undefined,
    ...(cut.prose === undefined ? {} : { prose: cut.prose }),
    ...(cut.proseUntil === undefined ? {} : { proseUntil: cut.proseUntil }),
  });
}

/** The whole replaced span, under one id. */
function spanOf(run: CompactionRun, from: number, until: number): Evicted | undefined {
  if (from === until) return undefined;
  const { chain } = run.request;
  const hashes = run.original.messages.slice(from, until).map(chain.hashOf).join("\n");
  return {
    id: recallId(hashes, chain.hash),
    kind: "span",
    message: from,
    end: until,
    label: spanLabel(from, until),
  };
}
