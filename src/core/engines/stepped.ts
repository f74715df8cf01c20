/**
 * The policy of OpenCode (IA al Día 2026; `current`: OpenCode 1.18), in two steps: old tool results are hidden, never
 * deleted, and stamped with the time; where that is not enough, a summary in five sections and in the user's language takes
 * the place of everything, and the last user message is sent again behind it.
 */
import { draftResult, weighDraft } from "../compaction/apply.ts";
import type { Evicted } from "../compaction/compaction.ts";
import {
  findFirstCut,
  handoffShare,
  resultLimit,
  type CompactionRun,
  type SizeGoal,
  type SizeLimits,
} from "../compaction/plan.ts";
import {
  earlierEnd,
  passContext,
  tailLadder,
  tailOf,
  tailStart,
  unreadStart,
  type RewrittenMessages,
} from "../compaction/tails.ts";
import { byPerson } from "../events/person.ts";
import { fiveSections } from "../handoff/five-sections.ts";
import { languageOfPeople } from "../handoff/language.ts";
import { clearResults } from "../passes/clear-results.ts";
import { resultOf, type Message } from "../transcript/message.ts";
import { pairingOf } from "../transcript/pairing.ts";
import type { Engine } from "./contract.ts";
import {
  afterCompaction,
  backOff,
  createPolicyEngine,
  firstState,
  ownState,
  restUntil,
  type EngineState,
  type Plan,
  type Policy,
  type PolicyRun,
} from "./policy.ts";
import { handoffTokensMax, momentsIn, triggerIn, type Figure, type Room } from "./room.ts";
import { STEPPED_DEFAULTS, type SteppedSettings } from "./settings.ts";

/** Of the window, where the output that a request reserves is not known. */
const MARGIN_WINDOW_SHARE = 0.1;
/** Hiding is worth it only above that many tokens (IA al Día 2026). */
const HIDE_TOKENS_MIN = 20_000;
/** Today's tail. */
const TAIL_TOKENS = { max: 15_000, min: 2_000, share: 0.25 } as const;

export interface SteppedLimits extends Room {
  /** A compaction is due from here on. */
  readonly triggerTokens: number;
  /** Hiding alone is enough where its result weighs no more. */
  readonly hiddenTokens: number;
  /** A result with a summary should not weigh more. */
  readonly resultTokens: number;
  readonly hideTokensMin: number;
  readonly protectedTokens: number;
  readonly protectedTurns: number;
  /** Of the newest messages, beside a summary; 0 for none but what the model has not read. */
  readonly tailTokens: number;
  readonly handoffTokens: number;
}

/** The token limits that follow from the settings of `stepped`. */
export function steppedLimits(given: Partial<SteppedSettings>, fixedTokens = 0): SteppedLimits {
  const settings = { ...STEPPED_DEFAULTS, ...given };
  const { contextLength, maxOutputTokens, preset, protectedTokens, protectedTurns } = settings;
  const isCurrent = preset === "current";
  const { room, triggerTokens, mostTokens } = momentsIn(settings, fixedTokens, (within) => {
    const usable = within.usableTokens;
    const reserved = maxOutputTokens > 0 ? maxOutputTokens : usable * MARGIN_WINDOW_SHARE;
    const margin = Math.min(settings.marginTokens, reserved, usable / 2);
    // Today's release takes the reserved output for margin enough.
    return triggerIn(within, usable - (isCurrent && maxOutputTokens > 0 ? 0 : margin), usable);
  });
  const beside = Math.max(0, room.usableTokens - fixedTokens);
  const tail = Math.min(TAIL_TOKENS.max, Math.max(TAIL_TOKENS.min, Math.floor(beside * TAIL_TOKENS.share)));
  return {
    ...room,
    triggerTokens,
    hiddenTokens: Math.max(0, Math.min(mostTokens, triggerTokens - (settings.hideTokensMin ?? HIDE_TOKENS_MIN))),
    resultTokens: Math.min(fixedTokens + Math.floor(beside * settings.resultShare), mostTokens),
    hideTokensMin: settings.hideTokensMin ?? (isCurrent ? Infinity : HIDE_TOKENS_MIN),
    protectedTokens,
    protectedTurns,
    tailTokens: settings.tailTokens ?? (isCurrent ? tail : 0),
    handoffTokens: handoffTokensMax(contextLength, fixedTokens),
  };
}

export function steppedFigures(settings: Partial<SteppedSettings>): readonly Figure[] {
  const limits = steppedLimits(settings);
  const { hiddenTokens, hideTokensMin } = limits;
  const hiding = { meaning: "hiding results is enough at or below this", from: ["marginTokens", "hideTokensMin"] };
  return [
    { name: "threshold", tokens: limits.triggerTokens, meaning: "compacts from here on", from: ["marginTokens"] },
    ...(Number.isFinite(hideTokensMin) ? [{ name: "hidden", tokens: hiddenTokens, ...hiding }] : []),
    { name: "result", tokens: limits.resultTokens, meaning: "target size of a result", from: ["resultShare"] },
    { name: "summary_max", tokens: limits.handoffTokens, meaning: "5 % of the window, at most 12,000", from: [] },
    { name: "tail", tokens: limits.tailTokens, meaning: "verbatim next to a summary", from: ["tailTokens"] },
  ];
}

export interface SteppedState extends EngineState {
  readonly hidden: readonly HiddenStamp[];
}

const FRESH: SteppedState = { ...firstState("stepped"), hidden: [] };

/** The results that are hidden, with the time of it, from the state in a record or a saved session. */
export function hiddenResults(state: unknown): readonly HiddenStamp[] {
  return ownState(FRESH, state).hidden;
}

interface Stepped {
  readonly state: SteppedState;
  readonly limits: SteppedLimits;
  readonly goal: SizeGoal & SizeLimits & { readonly hiddenTokens: number; readonly tailTokens: number };
}

type Run = PolicyRun<Stepped>;

/** The engine `stepped`: old tool results are hidden, and a summary follows where that is not enough (docs/engines/stepped.md). */
export function createStepped(settings: Partial<SteppedSettings>): Engine<SteppedState> {
  return createPolicyEngine(steppedPolicy(settings));
}

function steppedPolicy(settings: Partial<SteppedSettings>): Policy<Stepped> {
  return {
    name: "stepped",
    limits: (fixedTokens) => steppedLimits(settings, fixedTokens),
    aimTokens: ({ resultTokens }) => resultTokens,
    fresh: FRESH,
    restsBecause: restUntil(),
    afterCompaction: ({ state }, made) => afterCompaction(state, made),
    afterFutileAttempt: backOff,
    sections: (messages) => fiveSections(languageOfPeople(messages)),
    modelTokens: ({ handoffTokens }) => handoffTokens,
    goal: (run, { limits, size }) => {
      const { limitTokens } = size;
      const share = Math.floor(Math.max(0, limitTokens - run.besideTokens) * TAIL_TOKENS.share);
      return {
        ...size,
        ...handoffShare(run, limitTokens, limits.handoffTokens),
        hiddenTokens: resultLimit(run, limits.hiddenTokens, limits),
        tailTokens: run.request.budget === undefined ? limits.tailTokens : Math.min(limits.tailTokens, share),
      };
    },
    plan: (run) => hideResults(run) ?? { draft: draftResult(run, findFirstCut(run, summaries(run), run.goal)) },
    futileBecause: "there is too little to hide, and a summary would not be smaller than the messages it replaces",
    staysBecause: "; the live request and what the model has not read yet stay",
    remarks: [],
  };
}

/** The first step, where it gains enough and is enough. */
function hideResults(run: Run): Plan<SteppedState> | undefined {
  const { limits, goal, state } = run;
  const { stamps, gainTokens, ...hidden } = hideOldResults(run, limits, state.hidden);
  if (gainTokens <= limits.hideTokensMin) return undefined;
  const shape = { rung: 0, ...hidden, headEnd: 0, tailStart: 0 };
  const draft = draftResult(run, findFirstCut(run, [{ shape }], goal));
  const after = weighDraft(run, draft);
  return after < run.before && after <= goal.hiddenTokens ? { draft, leaves: { hidden: stamps } } : undefined;
}

/** The second step. Never summarised are results that the model has not read, and a request that nobody has answered to. */
function summaries(run: Run): ReturnType<typeof tailLadder> {
  const { messages } = run.original;
  const { live, goal, request } = run;
  const answered = messages.findLastIndex(({ role }) => role === "assistant") > live;
  const open = answered || live < 0 ? messages.length : live;
  const earlier = earlierEnd(messages);
  const last = Math.max(earlier, Math.min(unreadStart(messages), open));
  const budget = tailOf(goal.tailTokens);
  const newest =
    goal.tailTokens === 0 ? messages.length : tailStart(messages, { from: earlier, budget, measure: request.measure });
  const start = Math.min(last, newest);
  return tailLadder(run, { start, last, rungs: [1, 2, 1, 2, 3], unreadTokens: goal.unreadTokens });
}

/** A result that is hidden. */
export interface HiddenStamp {
  /** Id under which it can be recalled. */
  readonly id: string;
  /** Index of its message in the conversation. */
  readonly message: number;
  /** When it was hidden, in milliseconds since the epoch; absent where nobody told the time. */
  readonly at?: number;
}

interface HiddenResults extends RewrittenMessages {
  readonly stamps: readonly HiddenStamp[];
  /** Tokens that are hidden now and were not before. */
  readonly gainTokens: number;
}

/** What a skill says is what the work goes by (IA al Día 2026). */
const TOOL_PROTECTED = "skill";

/** What is hidden stays so, word for word the same, until the record is taken back or its stamp is. */
function hideOldResults(
  run: CompactionRun,
  limits: Pick<SteppedLimits, "protectedTokens" | "protectedTurns">,
  stamps: readonly HiddenStamp[],
): HiddenResults {
  const { messages } = run.original;
  const { measure, now } = run.request;
  const all = clearResults(messages, { ...passContext(run), protect: (at) => resultOf(messages[at]!) === undefined });
  const before = stampedAmong(all.evicted, stamps);
  const old = oldResults(run, before, limits);
  const isHidden = (at: number): boolean => before.has(at) || old.has(at);
  const evicted = all.evicted.filter(({ message }) => isHidden(message));
  const saved = [...old].map((at) => measure.message(messages[at]!) - measure.message(all.messages[at]!));
  const known = new Map(stamps.map((stamp) => [stampKey(stamp), stamp]));
  return {
    messages: messages.map((message, at) => (isHidden(at) ? all.messages[at]! : message)),
    evicted,
    stamps: evicted.map(
      (one) =>
        known.get(stampKey(one)) ?? { id: one.id, message: one.message, ...(now === undefined ? {} : { at: now }) },
    ),
    gainTokens: saved.reduce((sum, tokens) => sum + tokens, 0),
  };
}

function stampKey({ id, message }: Pick<HiddenStamp, "id" | "message">): string {
  return `${message} ${id}`;
}

/** The messages all of whose pieces are stamped: a conversation that was rewound may have others in their places. */
function stampedAmong(evicted: readonly Evicted[], stamps: readonly HiddenStamp[]): ReadonlySet<number> {
  const stamped = new Set(stamps.map(stampKey));
  const bare = new Set(evicted.filter((one) => !stamped.has(stampKey(one))).map(({ message }) => message));
  return new Set(evicted.flatMap(({ message }) => (bare.has(message) ? [] : message)));
}

/** What may be hidden: not what the newest turns brought, not the newest results, not what a skill says. */
function oldResults(
  { original: { messages }, request: { measure } }: CompactionRun,
  hidden: ReadonlySet<number>,
  { protectedTokens, protectedTurns }: Pick<SteppedLimits, "protectedTokens" | "protectedTurns">,
): ReadonlySet<number> {
  const { answers } = pairingOf(messages);
  const old = new Set<number>();
  let [turns, tokens] = [0, 0];
  for (let at = messages.length - 1; at >= 0; at--) {
    const message: Message = messages[at]!;
    if (byPerson(message)) turns++;
    if (resultOf(message) === undefined || hidden.has(at) || answers[at]?.call.name === TOOL_PROTECTED) continue;
    tokens += measure.message(message);
    if (turns >= protectedTurns && tokens > protectedTokens) old.add(at);
  }
  return old;
}
