/**
 * Runs a compaction under a policy: sets it up, tries what the policy is willing to send, has a model write the handoff
 * where there is one, refuses what saves nothing, and writes the record.
 */
import { taskWords } from "../../digest/task-words.ts";
import type { CompactRequest, Engine, Outcome } from "../../engines/contract.ts";
import { liveRequestOf } from "../../events/live-request.ts";
import { contentText, type Message, type Transcript } from "../../transcript/message.ts";
import type { Section } from "../../handoff/templates.ts";
import type { Irreducible } from "../compaction.ts";
import { sizeOf, type CompactionRun, type CompactionDraft } from "./draft.ts";
import { firstThatFits } from "./first-fit.ts";
import type { SizeGoal } from "./goal.ts";
import { createMemories, type ConversationMemory } from "./memory.ts";
import { withModelHandoff } from "./model-handoff.ts";
import { writtenIn } from "./model-record.ts";
import type { CompactionAttempt, Policy, PolicyRun } from "./policy.ts";
import { recordOf } from "./report.ts";
import type { StateBase } from "./state.ts";

export function createPolicyEngine<State extends StateBase, Goal extends SizeGoal>(
  policy: Policy<State, Goal>,
): Engine<State> {
  const { name, states, remembers = false, tools, callTool, triggerTokens, targetTokens } = policy;
  const remembered = createMemories();
  return {
    name,
    ...(triggerTokens === undefined ? {} : { triggerTokens }),
    ...(targetTokens === undefined ? {} : { targetTokens }),
    init: () => states.fresh,
    observe: (state, usage) => states.observe?.(states.own(state), usage) ?? state,
    decide: (state, usage) => policy.decide(states.own(state), usage),
    compact: async (given, original, request) => {
      request.signal?.throwIfAborted();
      const memories = remembers ? remembered : createMemories();
      const state = states.own(given);
      const { template, systemOf, carried } = policy;
      const begun = beginRun(original, request, {
        memory: memories(original.messages, request),
        template: template(original.messages),
        system: systemOf?.(original) ?? original.system,
      });
      const run = { ...begun, carried: carried?.(state) };
      return compact(policy, { ...run, state, goal: policy.goal(run, state) });
    },
    ...(tools === undefined ? {} : { tools }),
    ...(callTool === undefined
      ? {}
      : { callTool: (state, call, sources) => callTool(states.own(state), call, sources) }),
  };
}

interface Begin {
  readonly memory: ConversationMemory;
  readonly template: readonly Section[];
  readonly system: readonly Message[];
}

export function beginRun(original: Transcript, request: CompactRequest, begin: Begin): CompactionRun {
  const { measure, standing = original, focus = "" } = request;
  const live = liveRequestOf(original.messages);
  const asked = original.messages[live];
  const besideTokens = measure.transcript({ ...original, system: begin.system, messages: [] });
  return {
    original,
    request,
    live,
    focus: taskWords(focus, asked === undefined ? "" : contentText(asked.parts)),
    besideTokens,
    fixedTokens: besideTokens + (asked === undefined ? 0 : measure.message(asked)),
    before: measure.transcript(standing),
    ...begin,
  };
}

async function compact<State extends StateBase, Goal extends SizeGoal>(
  policy: Policy<State, Goal>,
  run: PolicyRun<State, Goal>,
): Promise<Outcome> {
  const needless = policy.needlessBecause?.(run);
  if (needless !== undefined)
    return { kind: "unchanged", because: needless, state: policy.states.afterFutileAttempt(run) };
  const { draft, settled: own, remarks = [], leaves = {} } = await attempt(policy, run);
  const frees = run.before - sizeOf(run, draft);
  if (frees < Math.max(1, run.request.freesTokensMin ?? 1)) return unchanged(policy, run, draft);
  const alone = own ?? policy.withoutModel?.(run, draft);
  const handedOver =
    alone ?? (await withModelHandoff(run, draft, { tokens: policy.modelTokens(run), last: run.state.written }));
  const settled =
    policy.refine === undefined ? handedOver : { ...handedOver, draft: policy.refine(run, handedOver.draft) };
  const stays = policy.staysBecause(run, settled.draft);
  const record = recordOf(run, {
    ...settled,
    engine: policy.name,
    restarts: policy.restarts?.(settled.draft) ?? false,
    remarks: [...remarks, ...(policy.remarksOn?.(settled.draft, run) ?? []), ...settled.remarks],
    irreducible: irreducibleWhere(run, sizeOf(run, settled.draft), { ...run.goal, stays }),
  });
  const written = alone === undefined ? writtenIn(run, settled) : undefined;
  const state = policy.states.afterCompaction(run, { report: record.report, settled, written, leaves });
  return { kind: "compacted", compaction: { ...record, state } };
}

async function attempt<State extends StateBase, Goal extends SizeGoal>(
  policy: Policy<State, Goal>,
  run: PolicyRun<State, Goal>,
): Promise<CompactionAttempt<State>> {
  const { draft, ...first } = (await policy.firstAttempt?.(run)) ?? {};
  if (draft !== undefined) return { draft, ...first };
  const candidates = await policy.candidates(run);
  const picked = (await policy.pick?.(run, candidates)) ?? { draft: firstThatFits(run, candidates, run.goal) };
  return { ...first, ...picked };
}

/** What is sent today stays. It is the smallest that is known, or near enough. */
function unchanged<State extends StateBase, Goal extends SizeGoal>(
  policy: Policy<State, Goal>,
  run: PolicyRun<State, Goal>,
  draft: CompactionDraft,
): Outcome {
  const frees = run.before - sizeOf(run, draft);
  const irreducible = irreducibleWhere(run, run.before, { ...run.goal, stays: policy.staysBecause(run, draft) });
  return {
    kind: "unchanged",
    because: frees > 0 ? freesTooLittle(frees, run.request.freesTokensMin) : policy.futileBecause(draft),
    state: policy.states.afterFutileAttempt(run),
    ...(irreducible === undefined ? {} : { irreducible }),
  };
}

/** What is said of a compaction that is not worth making. */
export function freesTooLittle(frees: number, least = 0): string {
  return `a compaction would free ${frees} tokens, and it is worth making only where it frees ${least}`;
}

interface Limit extends Pick<SizeGoal, "limitTokens" | "acceptedTokens"> {
  readonly stays: string;
}

/** Nothing where a result of that many tokens does what it should. */
export function irreducibleWhere(
  { besideTokens }: CompactionRun,
  smallest: number,
  { limitTokens, acceptedTokens: limit = limitTokens, stays }: Limit,
): Irreducible | undefined {
  if (smallest <= limit) return undefined;
  return { limit, smallest, because: `system and tools take ${besideTokens} tokens${stays}` };
}
