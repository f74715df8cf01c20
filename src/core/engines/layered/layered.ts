/**
 * The policy of Claude Code (IA al Día 2026; observed in 2.1): near the end of the window old tool results are cleared,
 * late ones only; where that is not enough the session memory replaces what came before, and where that does not
 * suffice a model writes nine sections. What the agent needs at hand is then put back.
 */
import { draftResult, weighDraft, type CompactionDraft, type WrittenDraft } from "../../compaction/apply.ts";
import { findFirstCut, type SizeGoal, type SizeLimits } from "../../compaction/plan.ts";
import { earlierEnd, lastStart, tailLadder, tailOf, tailStart } from "../../compaction/tails.ts";
import { eventsOf } from "../../events/events.ts";
import type { Topic } from "../../handoff/sections/topic.ts";
import { NINE_SECTIONS } from "../../handoff/templates.ts";
import { HANDOFF_TOKENS_MIN, parseHandoff, type Handoff, type ParsedHandoff } from "../../handoff/write.ts";
import type { Measure } from "../../transcript/measure.ts";
import type { Engine } from "../contract.ts";
import {
  afterCompaction,
  backOff,
  createPolicyEngine,
  firstState,
  restUntil,
  type CompletedCompaction,
  type EngineState,
  type Plan,
  type Policy,
  type PolicyRun,
} from "../policy.ts";
import { momentsIn, triggerIn, type Figure, type Room } from "../room.ts";
import { LAYERED_DEFAULTS, type LayeredSettings } from "../settings.ts";
import { clearedWithin, type Range } from "./clearing.ts";
import { heldIn, recentFiles, restorableIn, restored, type RestoredText } from "./restore.ts";

/** In a window under 66,000 what is reserved and the margin would leave less than half of it; there the trigger is half. */
const TRIGGER_SHARE_MIN = 0.5;
/** A result above this share of the trigger would be compacted again after a few turns. */
const ENOUGH_TRIGGER_SHARE = 0.8;
/** What is reserved for the summary it may take; in smaller windows, the share that it is in 200,000. */
const SUMMARY_WINDOW_SHARE = 0.1;
/** The same of what is put back, and of the tail. */
const RESTORED_WINDOW_SHARE = 0.25;
const TAIL_WINDOW_SHARE = 0.05;

export interface LayeredLimits extends Room {
  /** The window less what is reserved for output. */
  readonly effectiveTokens: number;
  /** A compaction is due from here on. */
  readonly triggerTokens: number;
  /** A result is small enough up to here. */
  readonly enoughTokens: number;
  readonly summaryTokens: number;
  readonly restoredTokens: number;
  readonly tailTokens: number;
  readonly keptResults: number;
  readonly restoredFiles: number;
  readonly restoredFileTokens: number;
  readonly failuresMax: number;
}

/** The token limits that follow from the settings of `layered`. */
export function layeredLimits(given: Partial<LayeredSettings>, fixedTokens = 0): LayeredLimits {
  const settings = { ...LAYERED_DEFAULTS, ...given };
  const { contextLength, maxOutputTokens, reservedTokens } = settings;
  const { keptResults, restoredFiles, restoredFileTokens, failuresMax } = settings;
  const effectiveIn = ({ usableTokens }: Room): number =>
    Math.max(1, Math.min(usableTokens, contextLength - Math.max(reservedTokens, maxOutputTokens)));
  const { room, triggerTokens, mostTokens, besideTokens } = momentsIn(settings, fixedTokens, (within) => {
    const { usableTokens } = within;
    const tokens = Math.max(effectiveIn(within) - settings.triggerMarginTokens, usableTokens * TRIGGER_SHARE_MIN);
    return triggerIn(within, tokens, usableTokens);
  });
  const beside = Math.max(0, contextLength - fixedTokens);
  const within = (most: number, share: number): number => Math.floor(Math.min(most, beside * share));
  return {
    ...room,
    effectiveTokens: effectiveIn(room),
    triggerTokens,
    enoughTokens: Math.min(fixedTokens + Math.floor(besideTokens * ENOUGH_TRIGGER_SHARE), mostTokens),
    summaryTokens: within(reservedTokens, SUMMARY_WINDOW_SHARE),
    restoredTokens: within(settings.restoredTokens, RESTORED_WINDOW_SHARE),
    tailTokens: within(settings.tailTokens, TAIL_WINDOW_SHARE),
    keptResults,
    restoredFiles,
    restoredFileTokens,
    failuresMax,
  };
}

export function layeredFigures(settings: Partial<LayeredSettings>): readonly Figure[] {
  const { triggerTokens, enoughTokens, summaryTokens, restoredTokens, tailTokens } = layeredLimits(settings);
  const trigger = ["reservedTokens", "triggerMarginTokens"];
  return [
    { name: "threshold", tokens: triggerTokens, meaning: "compacts from here on", from: trigger },
    { name: "target", tokens: enoughTokens, meaning: "0.8 of that: the target size of a result", from: trigger },
    { name: "restored", tokens: restoredTokens, meaning: "restored, at most", from: ["restoredTokens"] },
    { name: "summary_max", tokens: summaryTokens, meaning: "the summary", from: ["reservedTokens"] },
    { name: "tail", tokens: tailTokens, meaning: "verbatim behind a summary", from: ["tailTokens"] },
  ];
}

/** What it has done to the session, and how often it failed to do enough. */
export interface LayeredState extends EngineState {
  /** Attempts in a row that failed, or that did not last. */
  readonly failures: number;
  /** Messages of the conversation at the last compaction. */
  readonly messages: number;
  /** Where results were cleared: they stay so. */
  readonly cleared: readonly Range[];
  /** Index after the last message that the active summary is of; 0 without one, -1 where what follows it was rewritten. */
  readonly summarisedUntil: number;
  readonly memory?: SessionMemory;
}

interface Layered {
  readonly state: LayeredState;
  readonly limits: LayeredLimits;
  readonly goal: SizeGoal & SizeLimits & { readonly tailTokens: number; readonly restoredTokens: number };
}

type Run = PolicyRun<Layered>;

/** The engine `layered`: old tool results are cleared, and a summary follows where that is not enough (docs/engines/layered.md). */
export function createLayered(settings: Partial<LayeredSettings>): Engine<LayeredState> {
  return createPolicyEngine(layeredPolicy(settings));
}

/** Of what it replaces, where no budget says otherwise. */
const SUMMARY_CONTENT_SHARE = 0.25;
/** Of the room for messages, at most: the rest is the summary's. */
const TAIL_SHARE_MAX = 0.2;
const RESTORED_SHARE_MAX = 0.4;
/** A budget is smaller than what the policy takes; lines of the original tell more a token there than whole files. */
const RESTORED_BUDGET_SHARE_MAX = 0.15;
/** A handoff with less of the limit is too poor while there are candidates left. */
const HANDOFF_SHARE_MIN = 0.1;

/** The rung whose tail is as it was, and the one that keeps no more than the last exchange. */
const RUNG_SUMMARY = 1;
const RUNG_LAST_EXCHANGE = 3;
const rest = restUntil();

function layeredPolicy(settings: Partial<LayeredSettings>): Policy<Layered> {
  return {
    name: "layered",
    limits: (fixedTokens) => layeredLimits(settings, fixedTokens),
    aimTokens: ({ enoughTokens }) => enoughTokens,
    fresh: { ...firstState("layered"), failures: 0, messages: 0, cleared: [], summarisedUntil: 0 },
    restsBecause: (state, tokens, { failuresMax }) =>
      rest(state, tokens) ??
      (state.failures < failuresMax
        ? undefined
        : `${state.failures} consecutive compactions failed or had to be repeated at once: start a fresh session, or compact with a focus`),
    afterCompaction: nextState,
    afterFutileAttempt: (run) => ({ ...backOff(run), failures: run.state.failures + 1 }),
    sections: () => NINE_SECTIONS,
    modelTokens: ({ summaryTokens }) => summaryTokens,
    carried: ({ memory }) => asEarlier(memory),
    goal: ({ request, fixedTokens, besideTokens }, { limits, size }) => {
      const { limitTokens } = size;
      const room = Math.max(0, limitTokens - fixedTokens);
      const explicit = request.budget !== undefined;
      const share = (most: number, of: number): number => Math.floor(Math.min(most, room * of));
      return {
        ...size,
        tailTokens: share(explicit ? Infinity : limits.tailTokens, TAIL_SHARE_MAX),
        restoredTokens: share(limits.restoredTokens, explicit ? RESTORED_BUDGET_SHARE_MAX : RESTORED_SHARE_MAX),
        handoffTokens: (replaced) =>
          explicit ? room : Math.min(limits.summaryTokens, Math.ceil(replaced * SUMMARY_CONTENT_SHARE)),
        handoffTokensMin: Math.max(HANDOFF_TOKENS_MIN, Math.floor((limitTokens - besideTokens) * HANDOFF_SHARE_MIN)),
      };
    },
    plan: async (run) => {
      const cleared = clearOldResults(run);
      if (cleared !== undefined) return cleared;
      const draft = draftResult(run, findFirstCut(run, await summaries(run), run.goal));
      return { draft, settled: settleByMemory(run, draft) };
    },
    futileBecause: "neither clearing results nor a summary would make the conversation smaller",
    staysBecause: "; the live request and the last exchange, as short as it gets, stay",
    remarks: [
      [RUNG_LAST_EXCHANGE, "the recent messages were too large: all but the last exchange went into the summary"],
    ],
  };
}

/** Layers 1 and 2; who asks for a compaction by name wants a summary. */
function clearOldResults(run: Run): Plan<LayeredState> | undefined {
  const { request, state, goal, limits } = run;
  const { reason, budget } = request;
  if ((reason === "explicit" || reason === "host") && budget === undefined) return undefined;
  const cleared = clearedWithin(run, { ...state, limitTokens: goal.limitTokens, keptResults: limits.keptResults });
  if (cleared === undefined) return undefined;
  const draft = draftResult(run, cleared.cut);
  const after = weighDraft(run, draft);
  if (after > goal.limitTokens || after >= run.before) return undefined;
  const { summarisedUntil, memory, written } = state;
  const kept = { ...(memory === undefined ? {} : { memory }), ...(written === undefined ? {} : { written }) };
  return {
    draft,
    settled: { draft, summary: undefined, remarks: [] },
    leaves: { cleared: cleared.ranges, summarisedUntil, ...kept },
  };
}

async function summaries(run: Run): Promise<ReturnType<typeof tailLadder>> {
  const { original, request, goal, limits } = run;
  const { messages } = original;
  const { measure } = request;
  const start = tailStart(messages, { from: earlierEnd(messages), budget: tailOf(goal.tailTokens), measure });
  const putBack = restored(messages, await restorableTexts(run, start), {
    roomTokens: goal.restoredTokens,
    pieceTokens: limits.restoredFileTokens,
    measure,
    redact: run.redact,
    declaresTools: original.tools !== undefined,
    tailStart: start,
  });
  return tailLadder(run, {
    start,
    last: lastStart(messages),
    rungs: [RUNG_SUMMARY, 2, RUNG_LAST_EXCHANGE, RUNG_LAST_EXCHANGE, 4],
    unreadTokens: goal.unreadTokens,
    restored: putBack,
  });
}

/** What can be put back: with what the files edited last hold now, where they can be read. */
async function restorableTexts(
  { original: { messages }, request: { readFile, signal }, limits }: Run,
  start: number,
): Promise<readonly RestoredText[]> {
  const events = eventsOf(messages);
  const held = heldIn(messages);
  const paths = recentFiles(events, held, { most: limits.restoredFiles, tailStart: start });
  const fresh = new Map<string, string>();
  for (const path of readFile === undefined ? [] : paths) {
    const text = await readFile?.(path, signal).catch(() => undefined);
    signal?.throwIfAborted();
    if (text !== undefined) fresh.set(path, text);
  }
  return restorableIn(held, events, { paths, fresh });
}

/** A window that is full again after fewer messages was not emptied enough (the rapid refills of Claude Code 2.1). */
const RAPID_MESSAGES = 6;
/** An active summary that nothing can be cleared behind, because the messages there were rewritten. */
const REWRITTEN = -1;

function nextState({ state, original, request }: Run, made: CompletedCompaction<LayeredState>): LayeredState {
  const { report, settled, written, leaves } = made;
  const { memory: _, ...before } = state;
  const messages = original.messages.length;
  const rapid = state.compactions > 0 && messages - state.messages < RAPID_MESSAGES;
  const failed = rapid || report.irreducible !== undefined;
  return {
    ...afterCompaction<LayeredState>(before, { report, written, leaves: {} }),
    ...(leaves.cleared === undefined ? stateOfSummary(settled, request.measure) : leaves),
    messages,
    failures: failed ? state.failures + 1 : 0,
  };
}

function stateOfSummary({ draft }: WrittenDraft, measure: Measure): Partial<LayeredState> {
  const { shape, handoff } = draft;
  return {
    cleared: [],
    summarisedUntil: shape.rung === RUNG_SUMMARY ? shape.tailStart : REWRITTEN,
    memory: extractMemory(handoff?.text ?? "", measure),
  };
}

/**
 * The session memory: what is worth knowing of the session, kept by code and handed on from summary to summary in the
 * engine's state. It is tried as the summary before any model is asked (layer 3). Items by topic, as a summary wrote them.
 */
type SessionMemory = Partial<Readonly<Record<Topic, readonly string[]>>>;

/** The session memory as the summary, where it leaves nothing out; a focus is a wish for more than that. */
function settleByMemory({ request }: Run, draft: CompactionDraft): WrittenDraft | undefined {
  const { writers, focus } = request;
  if (writers === undefined || focus !== undefined || draft.handoff === undefined) return undefined;
  if (!suffices(draft.handoff)) return undefined;
  const because = "the session memory contains everything needed: no model was called";
  return { draft, summary: { by: "ledger", because, steps: [] }, remarks: [] };
}

/** What stays true as the session goes on; what is under way is read afresh each time. */
const LASTING: readonly Topic[] = ["goal", "constraints", "decisions", "resolved", "actions", "fixed"];
const MEMORY_TOKENS_MAX = 4_000;

/** What a summary leaves in memory: its lasting sections, the newest items of each where that is too much. */
function extractMemory(text: string, measure: Measure): SessionMemory {
  const sections = parseHandoff(text)?.sections;
  const share = Math.floor(MEMORY_TOKENS_MAX / LASTING.length);
  const kept = LASTING.flatMap((topic): readonly (readonly [Topic, readonly string[]])[] => {
    const items = newest(sections?.get(topic) ?? [], share, measure);
    return items.length === 0 ? [] : [[topic, items]];
  });
  return Object.fromEntries(kept);
}

function newest(items: readonly string[], tokens: number, measure: Measure): readonly string[] {
  let left = tokens;
  const first = items.findLastIndex((item) => (left -= measure.text(item)) < 0);
  return items.slice(first + 1);
}

/** The memory as a handoff that the next one continues. */
function asEarlier(memory: SessionMemory | undefined): ParsedHandoff | undefined {
  if (memory === undefined || Object.keys(memory).length === 0) return undefined;
  const sections = new Map(Object.entries(memory) as [Topic, readonly string[]][]);
  return { spans: [], sections, numbers: [] };
}

/** What a summary may not leave out of what code knows. */
const NEEDED: readonly Topic[] = [
  "task",
  "goal",
  "constraints",
  "messages",
  "blocked",
  "remaining",
  "pending",
  "decisions",
  "resolved",
  "fixed",
  "actions",
  "files",
];

/** Whether the memory says all that counts, so that no model need be asked: some of everything needed, and nothing left out. */
function suffices({ sections, tellsAll }: Pick<Handoff, "sections" | "tellsAll">): boolean {
  const needed = sections.filter(({ topic }) => NEEDED.includes(topic));
  const lasting = sections.filter(({ topic, written }) => TELLING.includes(topic) && written > 0);
  return tellsAll && needed.every(({ leftOut }) => leftOut === 0) && lasting.length >= LASTING_MIN;
}

/** What people wrote tells as much as what lasts. */
const TELLING: readonly Topic[] = [...LASTING, "messages"];
/** With fewer of these sections that have something to say, the memory is as good as empty. */
const LASTING_MIN = 2;
