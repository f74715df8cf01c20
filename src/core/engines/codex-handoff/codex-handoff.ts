/**
 * The engine `handoff`, the policy of Codex (IA al Día 2026; `current`: Codex CLI 0.169): what a person wrote stays word for
 * word (with the preset `current` the newest 20,000 tokens of it), and all else goes into a handoff, written here or by the
 * provider. Results that the model has not read yet stay, too.
 */
import { draftResult, weighDraft } from "../../compaction/apply.ts";
import {
  findFirstCut,
  handoffShare,
  MESSAGE_OVERHEAD_TOKENS,
  resultLimit,
  type Candidate,
  type SizeGoal,
  type SizeLimits,
  type CompactionRun,
} from "../../compaction/plan.ts";
import {
  digested,
  skeletonTail,
  unchangedMessages,
  unreadStart,
  type RewrittenMessages,
} from "../../compaction/tails.ts";
import { FOUR_SECTIONS } from "../../handoff/four-sections.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import type { Message } from "../../transcript/message.ts";
import type { Engine, Remote, RemoteItem } from "../contract.ts";
import {
  afterCompaction,
  backOff,
  createPolicyEngine,
  firstState,
  restUntil,
  type EngineState,
  type Plan,
  type Policy,
  type PolicyRun,
} from "../policy.ts";
import { handoffTokensMax, momentsIn, triggerIn, type Figure, type Room } from "../room.ts";
import { HANDOFF_DEFAULTS, type HandoffSettings } from "../settings.ts";
import { keepMessages, remarkTrimmed } from "./kept.ts";
import type { SummaryAccount, SummaryStep } from "../../compaction/compaction.ts";

/** What Codex keeps of a person's messages today, and what it keeps beside the provider's own item. */
const CURRENT_USER_TOKENS = 20_000;
const CURRENT_REMOTE_USER_TOKENS = 64_000;
/** A result that keeps every message of a person may weigh as much more than another, as this is more than half. */
const WHOLE_RESULT_FACTOR = 1.5;

export interface HandoffLimits extends Room {
  /** A compaction is due from here on. */
  readonly triggerTokens: number;
  /** A result should not weigh more. */
  readonly resultTokens: number;
  /** The same for a result that keeps all of a person's messages that are to stay. */
  readonly wholeResultTokens: number;
  /** Of a person's messages, from the newest; no bound where it is infinite. */
  readonly userTokens: number;
  readonly remoteUserTokens: number;
  /** The most that a handoff weighs where no budget gives it more. */
  readonly handoffTokens: number;
}

/** The token limits that follow from the settings of `handoff`. */
export function handoffLimits(given: Partial<HandoffSettings>, fixedTokens = 0): HandoffLimits {
  const settings = { ...HANDOFF_DEFAULTS, ...given };
  const { contextLength, preset, remoteUserTokens, triggerShare, resultShare } = settings;
  const isCurrent = preset === "current";
  const userTokens = settings.userTokens ?? (isCurrent ? CURRENT_USER_TOKENS : Infinity);
  const { room, triggerTokens, mostTokens, besideTokens } = momentsIn(settings, fixedTokens, (within) =>
    ownTrigger(settings, within),
  );
  const result = besideTokens * (resultShare / triggerShare);
  const within = (tokens: number): number => Math.floor(Math.min(fixedTokens + tokens, mostTokens));
  return {
    ...room,
    triggerTokens,
    resultTokens: within(result),
    wholeResultTokens: within(isCurrent ? result : result * WHOLE_RESULT_FACTOR),
    userTokens,
    remoteUserTokens: remoteUserTokens ?? (isCurrent ? CURRENT_REMOTE_USER_TOKENS : userTokens),
    handoffTokens: handoffTokensMax(contextLength, fixedTokens),
  };
}

/** A share of the window, which may be later than the limit, or so many tokens where that is earlier. */
function ownTrigger({ contextLength, triggerShare, triggerTokens }: HandoffSettings, room: Room): number {
  const latestTokens = Math.max(room.limitTokens, triggerShare * room.usableTokens);
  const shareTokens = triggerIn(room, triggerShare * contextLength, latestTokens);
  return triggerTokens > 0 ? Math.min(triggerTokens, shareTokens) : shareTokens;
}

export function handoffFigures(settings: Partial<HandoffSettings>): readonly Figure[] {
  const { triggerTokens, resultTokens, wholeResultTokens, userTokens, handoffTokens } = handoffLimits(settings);
  const whole = "above this, messages of the user are trimmed";
  const user = { meaning: "the user's newest messages, verbatim", from: ["userTokens"] };
  return [
    {
      name: "threshold",
      tokens: triggerTokens,
      meaning: "compacts from here on",
      from: ["triggerShare", "triggerTokens"],
    },
    { name: "result", tokens: resultTokens, meaning: "target size of a result", from: ["resultShare"] },
    { name: "result_whole", tokens: wholeResultTokens, meaning: whole, from: ["resultShare"] },
    ...(userTokens === Infinity ? [] : [{ name: "user_messages", tokens: userTokens, ...user }]),
    { name: "summary_max", tokens: handoffTokens, meaning: "5 % of the window, at most 12,000", from: [] },
  ];
}

interface CodexHandoff {
  readonly state: EngineState;
  readonly limits: HandoffLimits;
  readonly goal: SizeGoal &
    SizeLimits & {
      /** What the result may weigh as long as nothing of a person's messages has to go. */
      readonly wholeTokens: number;
      /** Results that the model has not read yet stay where they are. */
      readonly keepsUnread: boolean;
    };
}

type Run = PolicyRun<CodexHandoff>;

/** The engine `handoff`: what a person wrote stays, and all else goes into a handoff (docs/engines/handoff.md). */
export function createHandoff(settings: Partial<HandoffSettings>): Engine<EngineState> {
  return createPolicyEngine(codexPolicy(settings));
}

function codexPolicy(settings: Partial<HandoffSettings>): Policy<CodexHandoff> {
  return {
    name: "handoff",
    limits: (fixedTokens) => handoffLimits(settings, fixedTokens),
    aimTokens: ({ resultTokens }) => resultTokens,
    fresh: firstState("handoff"),
    restsBecause: restUntil(),
    afterCompaction: ({ state }, made) => afterCompaction(state, made),
    afterFutileAttempt: backOff,
    sections: () => FOUR_SECTIONS,
    modelTokens: ({ handoffTokens }) => handoffTokens,
    goal: (run, { limits, size }) => ({
      ...size,
      ...handoffShare(run, size.limitTokens, limits.handoffTokens),
      wholeTokens: resultLimit(run, limits.wholeResultTokens, limits),
      keepsUnread: settings.preset !== "current",
    }),
    plan: async (run) => {
      const byProvider = await compactByProvider(run);
      if (byProvider.draft !== undefined) return { ...byProvider, draft: byProvider.draft };
      const { userTokens } = run.limits;
      return { ...byProvider, draft: draftResult(run, findFirstCut(run, candidates(run, userTokens), run.goal)) };
    },
    futileBecause: "nearly everything was written by the user, so a handoff would save nothing",
    staysBecause: "; the live request and what the model has not read yet stay",
    remarks: remarkTrimmed,
  };
}

const RUNG_TRIMMED = 1;
const RUNG_DIGESTED = 2;
const RUNG_LAST = 3;

/**
 * As the policy has it; as many of the person's newest words as there is room for; the same up to the limit, where that shows
 * unread results in full; these as digests; the last that can be given.
 */
function* candidates(run: Run, userTokens: number): Generator<Candidate> {
  const { messages } = run.original;
  const { limitTokens, unreadTokens, wholeTokens, keepsUnread } = run.goal;
  const tailStart = keepsUnread ? unreadStart(messages) : messages.length;
  const candidate = (rung: number, tail: RewrittenMessages, tokens: number, limit: number): Candidate => {
    const { headEnd, ...kept } = keepMessages(run, { tailStart, tokens, opening: rung < RUNG_TRIMMED });
    return { shape: { rung, ...tail, headEnd, tailStart }, kept, limitTokens: limit };
  };
  const trimmed = (rung: number, tail: RewrittenMessages, limit: number): Candidate =>
    candidate(rung, tail, Math.min(userTokens, roomForUser(run, limit, tail.messages.slice(tailStart))), limit);
  const whole = unchangedMessages(run);
  const isTailEmpty = tailStart === messages.length;
  yield candidate(0, whole, userTokens, wholeTokens);
  if (!isTailEmpty) yield candidate(0, whole, userTokens, unreadTokens);
  yield trimmed(RUNG_TRIMMED, whole, limitTokens);
  if (!isTailEmpty) {
    // What is unread is not cut for a longer handoff.
    yield { ...trimmed(RUNG_TRIMMED, whole, unreadTokens), handoffTokensMin: HANDOFF_TOKENS_MIN };
    const short = digested(run, (at) => at < tailStart);
    yield trimmed(RUNG_DIGESTED, short, limitTokens);
  }
  yield candidate(RUNG_LAST, isTailEmpty ? whole : skeletonTail(run, tailStart), 0, limitTokens);
}

/** Of the room beside system and tools, a handoff has this much at most where messages of the person have to go for it. */
const HANDOFF_ROOM_SHARE_MAX = 0.5;

/** What a result of that size leaves for the person's messages, beside the handoff and the end of the conversation. */
function roomForUser({ limits, request, besideTokens }: Run, limit: number, tail: readonly Message[]): number {
  const room = limit - besideTokens;
  const handoff = Math.min(limits.handoffTokens, Math.floor(room * HANDOFF_ROOM_SHARE_MAX));
  return Math.max(0, room - handoff - request.measure.messages(tail) - MESSAGE_OVERHEAD_TOKENS);
}

/** The provider's own item in place of a handoff, and beside it a few lines that lead to the originals. */
async function compactByProvider(run: Run): Promise<Partial<Plan<EngineState>>> {
  const { request, goal, limits, before } = run;
  if (request.remote === undefined) return {};
  const answer = await askProvider(request.remote, run);
  if (answer.kind === "failed") return { remarks: [answer.because] };
  const tokens = request.budget === undefined ? limits.remoteUserTokens : limits.userTokens;
  const beside = besideItem(answer.item, candidates(run, tokens));
  const draft = draftResult(run, findFirstCut(run, beside, answer.goal(goal)));
  const after = weighDraft(run, draft);
  if (after >= before || after > goal.wholeTokens) return { remarks: [answer.tooLarge] };
  return { draft, settled: { draft, summary: answer.summary, remarks: [] } };
}

/** Beside the provider's item: enough to say what it is and where the originals are. */
const RECORD_TOKENS = 300;

type RemoteAnswer =
  | { readonly kind: "failed"; readonly because: string }
  | {
      readonly kind: "answered";
      readonly item: Message;
      readonly summary: SummaryAccount;
      /** The same goal, with no more of a handoff than the item needs beside it. */
      readonly goal: <Goal extends SizeGoal>(goal: Goal) => Goal;
      /** What is said of an item that makes nothing smaller. */
      readonly tooLarge: string;
    };

/** Rejects only where the host's own signal aborts. What is sent today is what the provider reads: an earlier item too. */
async function askProvider(remote: Remote, { original, request }: CompactionRun): Promise<RemoteAnswer> {
  const { signal, standing = original } = request;
  try {
    const item = await remote(standing, signal);
    if (!isItem(item)) return failed("its answer is not an item");
    return {
      kind: "answered",
      item: toMessage(item),
      summary: {
        by: "model",
        because: `the provider compacted the conversation (${item.type})`,
        steps: [toStep(item)],
      },
      goal: (goal) => ({ ...goal, handoffTokens: (replaced) => Math.min(RECORD_TOKENS, goal.handoffTokens(replaced)) }),
      tooLarge: "the provider's item was not used because it does not make the conversation smaller",
    };
  } catch (error) {
    signal?.throwIfAborted();
    return failed(error instanceof Error ? error.message : "it failed without a reason");
  }
}

function failed(because: string): RemoteAnswer {
  return {
    kind: "failed",
    because: `the provider's own compaction was not used, so the handoff was written here: ${because}`,
  };
}

function toStep({ model = "the provider", usage }: RemoteItem): SummaryStep {
  const { inputTokens = 0, outputTokens = 0, costUsd } = usage ?? {};
  const tokens = { input: inputTokens, output: outputTokens };
  return {
    model,
    role: "provider",
    outcome: "written",
    calls: 1,
    tokens,
    ...(costUsd === undefined ? {} : { costUsd }),
  };
}

function isItem({ type, raw }: RemoteItem): boolean {
  if (type === "") return false;
  try {
    return typeof JSON.parse(raw) === "object";
  } catch {
    return false;
  }
}

/** Where the provider would put it itself: as something that it said. */
function toMessage({ type, raw }: RemoteItem): Message {
  const part = Object.freeze({ kind: "opaque", type, raw } as const);
  return Object.freeze({ role: "assistant", parts: Object.freeze([part]), origin: "summary" });
}

/** The candidates with the item behind what is kept. */
function* besideItem(item: Message, others: Iterable<Candidate>): Generator<Candidate> {
  for (const { kept, ...candidate } of others) {
    const placed = [...(kept?.placed ?? []), { message: item, from: -1 }];
    yield { ...candidate, kept: { placed, evicted: kept?.evicted ?? [] } };
  }
}
