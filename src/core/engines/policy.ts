/**
 * An engine as data and a few functions: when it compacts, what it plans to send, and what it remembers. `createPolicyEngine`
 * runs a policy: it has a model write the handoff where there is one, refuses what saves nothing, and writes the record.
 */
import {
  explainIrreducible,
  recordResult,
  weighDraft,
  type CompactionDraft,
  type WrittenDraft,
} from "../compaction/apply.ts";
import { type CompactionReport, SAVED_LITTLE_ADVICE, savedLittle } from "../compaction/compaction.ts";
import { writtenIn, writtenByModel, type LastModelHandoff } from "../compaction/model-handoff.ts";
import {
  beginRun,
  sizeLimits,
  type CompactionRun,
  type EngineLimits,
  type SizeGoal,
  type SizeLimits,
} from "../compaction/plan.ts";
import type { Section } from "../handoff/templates.ts";
import type { ParsedHandoff } from "../handoff/write.ts";
import type { Message, Transcript } from "../transcript/message.ts";
import type { Decision, Engine, Outcome, Usage } from "./contract.ts";

/** What one engine works with: its state, which is plain data, its figures, and what a compaction aims for. */
export interface Kind {
  readonly state: { readonly schemaVersion: number; readonly written?: LastModelHandoff };
  readonly limits: EngineLimits;
  readonly goal: SizeGoal;
}

export interface Policy<Own extends Kind> extends Pick<Engine<Own["state"]>, "tools" | "callTool"> {
  readonly name: string;
  /** All figures that follow from its settings, beside a fixed part of that many tokens. */
  readonly limits: (fixedTokens: number) => Own["limits"];
  /** What a result should weigh at most, where no budget says otherwise. */
  readonly aimTokens: (limits: Own["limits"]) => number;
  /** It is due above its trigger, not at it. */
  readonly isDueAbove?: boolean;
  /** What the session is told of it, where that is not the trigger alone. */
  readonly figures?: (limits: Own["limits"]) => { readonly triggerTokens?: number; readonly targetTokens?: number };
  /** The first state. A state of another engine or version counts as none. */
  readonly fresh: Own["state"];
  readonly readState?: (given: unknown) => Own["state"];
  /** Why it does not compact although it is due. */
  readonly restsBecause: (state: Own["state"], tokens: number, limits: Own["limits"]) => string | undefined;
  readonly observe?: (state: Own["state"], usage: Usage) => Own["state"];
  readonly afterCompaction: (run: PolicyRun<Own>, made: CompletedCompaction<Own["state"]>) => Own["state"];
  /** After an attempt that found nothing smaller. */
  readonly afterFutileAttempt: (run: PolicyRun<Own>) => Own["state"];
  /** The system prompt of the result, where it is not the original's. */
  readonly rewriteSystem?: (original: Transcript) => readonly Message[];
  readonly sections: (messages: readonly Message[]) => readonly Section[];
  /** The most that a model is asked for; a handoff may have more room. */
  readonly modelTokens: (limits: Own["limits"]) => number;
  /** What the state carries on from earlier handoffs, where none is among the messages. */
  readonly carried?: (state: Own["state"]) => ParsedHandoff | undefined;
  readonly goal: (
    run: CompactionRun,
    own: Pick<Own, "state" | "limits"> & { readonly size: SizeLimits },
  ) => Own["goal"];
  /** A draft; or why nothing is to be done, where that is plain before anything is tried. */
  readonly plan: (run: PolicyRun<Own>) => Plan<Own["state"]> | string | Promise<Plan<Own["state"]> | string>;
  /** Uses what the handoff leaves of an explicit budget, once it is written. */
  readonly refine?: (run: PolicyRun<Own>, draft: CompactionDraft) => CompactionDraft;
  readonly futileBecause: string | ((draft: CompactionDraft) => string);
  /** Completes the sentence that says what system and tools take: what else no result does without. */
  readonly staysBecause: string | ((run: PolicyRun<Own>, draft: CompactionDraft) => string);
  /** The rung from which on the session begins anew from a summary. */
  readonly restartsFrom?: number;
  /** Why a result is poorer than it should be: by its rung, or by more than that. */
  readonly remarks: RungRemarks | ((run: PolicyRun<Own>, draft: CompactionDraft) => readonly string[]);
}

/** What is said of a result from that rung on; the last that applies. */
export type RungRemarks = readonly (readonly [rung: number, remark: string])[];

export type PolicyRun<Own extends Kind> = CompactionRun & Own;

export interface Plan<State> {
  readonly draft: CompactionDraft;
  /** The draft as it is to be recorded, where no model is to be asked for its handoff. */
  readonly settled?: WrittenDraft | undefined;
  readonly remarks?: readonly string[];
  /** What the next state holds because of it. */
  readonly leaves?: Partial<State>;
}

/** A compaction that was made, as the next state is made from it. */
export interface CompletedCompaction<State> {
  readonly report: CompactionReport;
  readonly settled: WrittenDraft;
  /** The handoff, where a model wrote it. */
  readonly written: LastModelHandoff | undefined;
  readonly leaves: Partial<State>;
}

export function createPolicyEngine<Own extends Kind>(policy: Policy<Own>): Engine<Own["state"]> {
  const { name, fresh, limits, figures, tools, callTool } = policy;
  const own = (given: unknown): Own["state"] => policy.readState?.(given) ?? ownState(fresh, given);
  const figure = (which: "triggerTokens" | "targetTokens") => (fixedTokens: number) =>
    figures?.(limits(fixedTokens))[which];
  return {
    name,
    triggerTokens: (fixedTokens) => figure("triggerTokens")(fixedTokens) ?? limits(fixedTokens).triggerTokens,
    ...(figure("targetTokens")(0) === undefined
      ? {}
      : { targetTokens: figure("targetTokens") as (fixed: number) => number }),
    init: () => fresh,
    observe: (state, usage) => policy.observe?.(own(state), usage) ?? state,
    decide: (state, { tokens, fixedTokens = 0 }) => decide(policy, own(state), { tokens, limits: limits(fixedTokens) }),
    compact: async (given, original, request) => {
      request.signal?.throwIfAborted();
      const { rewriteSystem, sections, carried } = policy;
      const begun = beginRun(original, request, {
        template: sections(original.messages),
        system: rewriteSystem?.(original) ?? original.system,
      });
      const state = own(given);
      const run = { ...begun, carried: carried?.(state) };
      const known = { state, limits: limits(run.besideTokens) };
      const goal = policy.goal(run, { ...known, size: sizeLimits(run, known.limits, policy.aimTokens(known.limits)) });
      return compact(policy, { ...run, ...known, goal } as PolicyRun<Own>);
    },
    ...(tools === undefined ? {} : { tools }),
    ...(callTool === undefined ? {} : { callTool: (state, call, sources) => callTool(own(state), call, sources) }),
  };
}

/** The given state where it is of the same engine and version as the fresh one; the fresh one where it is not. */
export function ownState<State extends Kind["state"]>(fresh: State, given: unknown): State {
  type Named = { readonly engine?: string; readonly schemaVersion?: number };
  const { engine, schemaVersion } = (given ?? {}) as Named;
  return engine === (fresh as Named).engine && schemaVersion === fresh.schemaVersion ? (given as State) : fresh;
}

interface Moment<Limits> {
  readonly tokens: number;
  readonly limits: Limits;
}

function decide<Own extends Kind>(
  { isDueAbove = false, restsBecause }: Policy<Own>,
  state: Own["state"],
  { tokens, limits }: Moment<Own["limits"]>,
): Decision {
  const { triggerTokens } = limits;
  if (isDueAbove ? tokens <= triggerTokens : tokens < triggerTokens) return { kind: "none" };
  const because = restsBecause(state, tokens, limits);
  return because === undefined ? { kind: "compact", reason: "threshold", urgency: "now" } : { kind: "none", because };
}

async function compact<Own extends Kind>(policy: Policy<Own>, run: PolicyRun<Own>): Promise<Outcome> {
  const plan = await policy.plan(run);
  if (typeof plan === "string") return { kind: "unchanged", because: plan, state: policy.afterFutileAttempt(run) };
  const { draft, settled: alone, remarks = [], leaves = {} } = plan;
  const frees = run.before - weighDraft(run, draft);
  if (frees < Math.max(1, run.request.freesTokensMin ?? 1)) return leaveUnchanged(policy, run, draft);
  const asking = { tokens: policy.modelTokens(run.limits), last: run.state.written };
  const written = alone ?? (await writtenByModel(run, draft, asking));
  const settled = policy.refine === undefined ? written : { ...written, draft: policy.refine(run, written.draft) };
  const record = recordResult(run, {
    ...settled,
    engine: policy.name,
    restarts: settled.draft.shape.rung >= (policy.restartsFrom ?? Infinity),
    remarks: [...remarks, ...remarksOn(policy, run, settled.draft), ...settled.remarks],
    irreducible: explainIrreducible(run, weighDraft(run, settled.draft), run.goal, stays(policy, run, settled.draft)),
  });
  const { report } = record;
  const byModel = alone === undefined ? writtenIn(run, settled) : undefined;
  const state = policy.afterCompaction(run, { report, settled, written: byModel, leaves });
  return { kind: "compacted", compaction: { ...record, state } };
}

/** What is sent today stays. It is the smallest that is known, or near enough. */
function leaveUnchanged<Own extends Kind>(policy: Policy<Own>, run: PolicyRun<Own>, draft: CompactionDraft): Outcome {
  const { futileBecause } = policy;
  const frees = run.before - weighDraft(run, draft);
  const irreducible = explainIrreducible(run, run.before, run.goal, stays(policy, run, draft));
  const futile = typeof futileBecause === "string" ? futileBecause : futileBecause(draft);
  return {
    kind: "unchanged",
    because: frees > 0 ? freesTooLittle(frees, run.request.freesTokensMin) : futile,
    state: policy.afterFutileAttempt(run),
    ...(irreducible === undefined ? {} : { irreducible }),
  };
}

function stays<Own extends Kind>({ staysBecause }: Policy<Own>, run: PolicyRun<Own>, draft: CompactionDraft): string {
  return typeof staysBecause === "string" ? staysBecause : staysBecause(run, draft);
}

function remarksOn<Own extends Kind>(
  { remarks }: Policy<Own>,
  run: PolicyRun<Own>,
  draft: CompactionDraft,
): readonly string[] {
  if (typeof remarks === "function") return remarks(run, draft);
  const last = remarks.findLast(([rung]) => draft.shape.rung >= rung);
  return last === undefined ? [] : [last[1]];
}

/** What is said of a compaction that is not worth making. */
export function freesTooLittle(frees: number, least = 0): string {
  return `a compaction would free ${frees} tokens, and it is worth making only where it frees ${least}`;
}

const STATE_SCHEMA_VERSION = 1;
/** What could not be made small enough is tried again when it has grown by as much. */
const GROWTH_BEFORE_RETRY = 1.1;
const RESTS = `the last compaction could free too little: ${SAVED_LITTLE_ADVICE}`;

/**
 * What most engines remember between compactions. One that does not rest where the last attempt could do too little compacts
 * without end: OpenCode 1.18 was seen to write 88 summaries in 48 seconds.
 */
export interface EngineState {
  readonly schemaVersion: typeof STATE_SCHEMA_VERSION;
  /** Name of the engine. */
  readonly engine: string;
  readonly compactions: number;
  /** No attempt is made up to here, in tokens. */
  readonly restsToTokens: number;
  readonly written?: LastModelHandoff;
}

export function firstState(engine: string): EngineState {
  return { schemaVersion: STATE_SCHEMA_VERSION, engine, compactions: 0, restsToTokens: 0 };
}

/** That many tokens are tried again only when they have grown. */
export function retryFrom(tokens: number): number {
  return Math.ceil(tokens * GROWTH_BEFORE_RETRY);
}

type Resting = Kind & { readonly state: { readonly restsToTokens: number } };

export function restUntil<State extends Resting["state"]>(because = RESTS) {
  return ({ restsToTokens }: State, tokens: number): string | undefined =>
    tokens > restsToTokens ? undefined : because;
}

/** After an attempt that found nothing smaller. */
export function backOff<Own extends Resting>({ state, before }: PolicyRun<Own>): Own["state"] {
  return { ...state, restsToTokens: retryFrom(before) };
}

export function afterCompaction<State extends EngineState>(
  { written: _, ...state }: State,
  { report, written, leaves }: Pick<CompletedCompaction<State>, "report" | "written" | "leaves">,
): State {
  const isPoor = report.irreducible !== undefined || savedLittle(report);
  return {
    ...(state as unknown as State),
    compactions: state.compactions + 1,
    restsToTokens: isPoor ? retryFrom(report.tokens.after) : 0,
    ...(written === undefined ? {} : { written }),
    ...leaves,
  };
}
