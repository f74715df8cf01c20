/**
 * An engine with one trigger, made from its policy: what all of them do before a compaction (count, find the live
 * request, recognise their state) and after it (have the handoff told, refuse what saves nothing, write the record).
 */
import type { Irreducible } from "../../compaction/compaction.ts";
import { liveRequestOf } from "../../ledger/readers/live-request.ts";
import type { Section } from "../../handoff/templates.ts";
import type { Message } from "../../transcript/message.ts";
import type { Engine, Outcome } from "../contract.ts";
import { dueAt, isOwn, onwards, stuck, type Course } from "./course.ts";
import { sizeOf, type Draft, type Memory } from "./draft.ts";
import { finished, type Settled } from "./finish.ts";
import { createMemories } from "./memory.ts";
import { toldBy, writtenIn, type ModelHandoffJob } from "./model-handoff.ts";

export interface Policy<State extends Course> {
  readonly name: string;
  /** The first state; one that is not the engine's own counts as this. */
  readonly fresh: State;
  /** A compaction is due from so many tokens on. */
  readonly triggerTokens: number;
  /** The most that a model is asked for. */
  readonly handoffTokens: number;
  readonly template: (messages: readonly Message[]) => readonly Section[];
  readonly compact: (undertaking: Undertaking<State>) => Promise<Outcome>;
}

/** One compaction under way. */
export interface Undertaking<State extends Course = Course> {
  readonly policy: Policy<State>;
  readonly job: ModelHandoffJob;
  readonly memory: Memory;
  readonly state: State;
  /** Tokens of what is sent today. */
  readonly before: number;
}

export function engineWith<State extends Course>(policy: Policy<State>): Engine<State> {
  const { name, fresh, triggerTokens, handoffTokens, template } = policy;
  const known = (state: State): State => (isOwn(name, state) ? state : fresh);
  return {
    name,
    triggerTokens,
    init: () => fresh,
    observe: (state) => state,
    decide: (state, { tokens }) => dueAt(triggerTokens, known(state), tokens),
    compact: async (state, original, request) => {
      request.signal?.throwIfAborted();
      const { messages, system } = original;
      const { measure, standing = original } = request;
      const job: ModelHandoffJob = {
        original,
        system,
        request,
        live: liveRequestOf(messages),
        besideTokens: measure.transcript({ ...original, messages: [] }),
        template: template(messages),
        documentedTokens: handoffTokens,
      };
      // Compactions are rare here: none is worth remembering what the last one read, and each depends on its input alone.
      const memory = createMemories()(messages, request);
      return policy.compact({ policy, job, memory, state: known(state), before: measure.transcript(standing) });
    },
  };
}

/** What a policy came to. */
export interface Found<State extends Course> {
  readonly draft: Draft;
  /** The draft as it is to be recorded, where nobody is to be asked for its handoff. */
  readonly settled?: Settled | undefined;
  /** What is said where nothing is smaller. */
  readonly because: string;
  readonly remarks?: readonly string[];
  /** What the engine's next state holds beside its course. */
  readonly keeps?: Partial<State>;
}

export async function conclude<State extends Course>(
  { policy, job, memory, state, before }: Undertaking<State>,
  { draft, because, remarks = [], keeps, ...found }: Found<State>,
): Promise<Outcome> {
  const after = sizeOf(job, draft);
  const irreducible = irreducibleBecause(job, Math.min(after, before), policy.triggerTokens);
  if (after >= before) {
    const futile = { kind: "unchanged", because, state: stuck(state, before) } as const;
    return irreducible === undefined ? futile : { ...futile, irreducible };
  }
  const settled = found.settled ?? (await toldBy(job, memory, draft, state.written));
  const written = found.settled === undefined ? writtenIn(settled) : undefined;
  const compaction = finished({
    ...settled,
    engine: policy.name,
    remarks: [...remarks, ...settled.remarks],
    job,
    memory,
    before,
    irreducible,
    stateAfter: (report) => ({ ...onwards(state, report, written), ...keeps }),
  });
  return { kind: "compacted", compaction };
}

/** Nothing where the result does what it should: be within the budget, or not due again. */
function irreducibleBecause(
  { request, besideTokens }: ModelHandoffJob,
  smallest: number,
  triggerTokens: number,
): Irreducible | undefined {
  const limit = request.budget ?? triggerTokens - 1;
  if (smallest <= limit) return undefined;
  const because = `system and tools take ${besideTokens} tokens; the live request and what the model has not read yet stay`;
  return { limit, smallest, because };
}
