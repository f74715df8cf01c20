/** An engine as data and a few functions: when it compacts, what it is willing to send, and what it remembers. */
import type { CompactionReport } from "../compaction.ts";
import type { ContextUsage, Decision, Engine, Usage } from "../../engines/contract.ts";
import type { Section } from "../../handoff/templates.ts";
import type { ParsedHandoff } from "../../handoff/write.ts";
import type { Message, Transcript } from "../../transcript/message.ts";
import type { Candidate, CompactionRun, CompactionDraft } from "./draft.ts";
import type { SizeGoal } from "./goal.ts";
import type { WrittenDraft } from "./model-handoff.ts";
import type { LastModelHandoff } from "./model-record.ts";
import { afterCompaction, backOff, dueAt, stateOf, type EngineState, type StateBase } from "./state.ts";

export interface Policy<State extends StateBase, Goal extends SizeGoal = SizeGoal> extends Pick<
  Engine<State>,
  "triggerTokens" | "targetTokens" | "tools" | "callTool"
> {
  readonly name: string;
  readonly states: States<State, Goal>;
  readonly decide: (state: State, usage: ContextUsage) => Decision;
  /** It remembers what it has read of a conversation; an engine that compacts seldom has no use for that. */
  readonly remembers?: boolean;
  /** The system prompt of the result, where it is not the original's. */
  readonly systemOf?: (original: Transcript) => readonly Message[];
  /** The sections of the handoff. */
  readonly template: (messages: readonly Message[]) => readonly Section[];
  /** The most that a model is asked for; a handoff may have more room. */
  readonly modelTokens: (run: CompactionRun) => number;
  /** What the state carries on from earlier handoffs, where none is among the messages. */
  readonly carried?: (state: State) => ParsedHandoff | undefined;
  readonly goal: (run: CompactionRun, state: State) => Goal;
  /** Why nothing is to be done, where that is plain before anything is tried. */
  readonly needlessBecause?: (run: PolicyRun<State, Goal>) => string | undefined;
  /** What is tried before the candidates; without a draft they are tried as well. */
  readonly firstAttempt?: (run: PolicyRun<State, Goal>) => FirstAttempt<State> | Promise<FirstAttempt<State>>;
  /** From the mildest to the severest, at least one; made one by one. */
  readonly candidates: (run: PolicyRun<State, Goal>) => Iterable<Candidate> | Promise<Iterable<Candidate>>;
  /** Makes a draft of one of the candidates; where it is not given, of the first that leaves its handoff room. */
  readonly pick?: (
    run: PolicyRun<State, Goal>,
    candidates: Iterable<Candidate>,
  ) => CompactionAttempt<State> | Promise<CompactionAttempt<State>>;
  /** The draft with its handoff as it is, where no model is to be asked. */
  readonly withoutModel?: (run: PolicyRun<State, Goal>, draft: CompactionDraft) => WrittenDraft | undefined;
  /** Uses what the handoff leaves of an explicit budget, once it is written. */
  readonly refine?: (run: PolicyRun<State, Goal>, draft: CompactionDraft) => CompactionDraft;
  /** What is said where nothing is smaller. */
  readonly futileBecause: (draft: CompactionDraft) => string;
  /** Completes the sentence that says what system and tools take: what else no result does without. */
  readonly staysBecause: (run: PolicyRun<State, Goal>, draft: CompactionDraft) => string;
  /** Whether the draft begins the session anew from a summary. */
  readonly restarts?: (draft: CompactionDraft) => boolean;
  /** Why a result is poorer than it should be. */
  readonly remarksOn?: (draft: CompactionDraft, run: PolicyRun<State, Goal>) => readonly string[];
}

export interface States<State extends StateBase, Goal extends SizeGoal = SizeGoal> {
  readonly fresh: State;
  /** A state of another engine or version counts as none. */
  readonly own: (given: unknown) => State;
  readonly observe?: (state: State, usage: Usage) => State;
  readonly afterCompaction: (run: PolicyRun<State, Goal>, made: CompletedCompaction<State>) => State;
  /** After an attempt that found nothing smaller than that many tokens. */
  readonly afterFutileAttempt: (run: PolicyRun<State, Goal>) => State;
}

/** One compaction under a policy. */
export interface PolicyRun<State extends StateBase, Goal extends SizeGoal = SizeGoal> extends CompactionRun {
  readonly state: State;
  readonly goal: Goal;
}

export interface CompactionAttempt<State> {
  readonly draft: CompactionDraft;
  /** The draft as it is to be recorded, where no model is to be asked for its handoff. */
  readonly settled?: WrittenDraft | undefined;
  readonly remarks?: readonly string[];
  /** What the next state holds because of it. */
  readonly leaves?: Partial<State>;
}

export type FirstAttempt<State> = Partial<CompactionAttempt<State>>;

/** A compaction that was made, as the next state is made from it. */
export interface CompletedCompaction<State> {
  readonly report: CompactionReport;
  readonly settled: WrittenDraft;
  /** The handoff, where a model wrote it. */
  readonly written: LastModelHandoff | undefined;
  readonly leaves: Partial<State>;
}

/** The states of an engine with one trigger: it rests after an attempt that could do too little. */
export function restingStates<State extends EngineState, Goal extends SizeGoal>(fresh: State): States<State, Goal> {
  return {
    fresh,
    own: (given) => stateOf(fresh, given),
    afterCompaction: ({ state }, { report, written, leaves }) => ({
      ...afterCompaction(state, report, written),
      ...leaves,
    }),
    afterFutileAttempt: ({ state, before }) => backOff(state, before),
  };
}

/** Due from that many tokens on, unless the engine rests. */
export function decideFrom(
  triggerTokens: (fixedTokens: number) => number,
): (state: EngineState, usage: ContextUsage) => Decision {
  return ({ restsToTokens }, { tokens, fixedTokens = 0 }) => dueAt(triggerTokens(fixedTokens), tokens, restsToTokens);
}
