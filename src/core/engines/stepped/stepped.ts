/**
 * The policy of OpenCode (IA al Día 2026), in two steps: old tool results are hidden, never deleted; where that is not
 * enough, a summary in five sections and in the user's language takes the place of everything, and the last user
 * message is sent again behind it.
 */
import { personText } from "../../ledger/readers/person.ts";
import { fiveSections } from "../../handoff/five-sections.ts";
import { isHandoff } from "../../handoff/write.ts";
import { languageOf } from "../../handoff/language.ts";
import { exchangesOf } from "../../transcript/exchanges.ts";
import type { Message } from "../../transcript/message.ts";
import type { Engine } from "../contract.ts";
import { tailStart } from "../result/boundaries.ts";
import { isOwn, startOf, type Course } from "../result/course.ts";
import { sizeOf, type Draft, type Job } from "../result/draft.ts";
import { firstThatFits, focusOf, type Candidate } from "../result/fitting.ts";
import { bareTail, digestedTail, unreadStart, type Rewritten } from "../result/tail.ts";
import { conclude, engineWith, type Undertaking } from "../result/undertaking.ts";
import { hideOldResults, type Stamp } from "./hide.ts";
import { aimOf, steppedLimits, type SteppedAim, type SteppedLimits, type SteppedSettings } from "./limits.ts";

export interface SteppedState extends Course {
  readonly hidden: readonly Stamp[];
}

const FRESH: SteppedState = { ...startOf("stepped"), hidden: [] };

/** The results that are hidden, with the time of it, from the state in a record or a saved session. */
export function hiddenResults(state: unknown): readonly Stamp[] {
  const own = state as SteppedState | null;
  return isOwn("stepped", own) ? (own as SteppedState).hidden : [];
}

export function createStepped(settings: SteppedSettings): Engine<SteppedState> {
  const limits = steppedLimits(settings);
  return engineWith({
    ...limits,
    name: "stepped",
    fresh: FRESH,
    template: (messages) => fiveSections(languageOf(wordsOf(messages))),
    compact: async (undertaking) => {
      const { job, memory, before, state } = undertaking;
      const aim = aimOf(limits, job.request, { standing: before, beside: job.besideTokens });
      const hidden = hiddenDraft(undertaking, limits, aim);
      return conclude(undertaking, {
        draft: hidden?.draft ?? firstThatFits(job, memory, summariesOf(job, aim), aim),
        because: "there is too little to hide, and a summary would be no smaller than what it stands for",
        keeps: { hidden: hidden?.stamps ?? state.hidden },
      });
    },
  });
}

/** What people wrote, the newest first. */
function wordsOf(messages: readonly Message[]): string {
  return messages.map(personText).toReversed().join("\n");
}

interface HiddenDraft {
  readonly draft: Draft;
  readonly stamps: readonly Stamp[];
}

/** The first step, where it gains enough and is enough. */
function hiddenDraft(
  { job, memory, before, state }: Undertaking<SteppedState>,
  limits: SteppedLimits,
  aim: SteppedAim,
): HiddenDraft | undefined {
  const { measure, chain, now } = job.request;
  const { stamps, gainTokens, ...hidden } = hideOldResults(job.original.messages, {
    limits,
    stamps: state.hidden,
    now,
    context: { measure, hash: chain.hash, focus: [] },
  });
  if (gainTokens <= limits.hideTokensMin) return undefined;
  const draft = firstThatFits(job, memory, [{ shape: { rung: 0, ...hidden, headEnd: 0, tailStart: 0 } }], aim);
  const after = sizeOf(job, draft);
  return after < before && after <= aim.hiddenTokens ? { draft, stamps } : undefined;
}

const RUNG_SUMMARY = 1;
const RUNG_DIGESTED = 2;
const RUNG_SKELETON = 3;

/** The second step: as the policy has it; its tail as digests; no tail but what the model has not read; its skeleton. */
function* summariesOf(job: Job, aim: SteppedAim): Generator<Candidate> {
  const { original, request, live } = job;
  const { messages } = original;
  const context = { measure: request.measure, hash: request.chain.hash, focus: focusOf(job) };
  const last = lastStart(messages, live);
  const start = Math.min(last, newestStart(job, aim.tailTokens));
  yield summarisedTo(RUNG_SUMMARY, { messages, evicted: [] }, start);
  yield summarisedTo(RUNG_DIGESTED, digestedTail({ messages, start, live, context }), start);
  if (start < last) yield summarisedTo(RUNG_DIGESTED, digestedTail({ messages, start: last, live, context }), last);
  yield summarisedTo(RUNG_SKELETON, bareTail({ messages, start: last, live, context }), last);
}

function summarisedTo(rung: number, tail: Rewritten, start: number): Candidate {
  return { shape: { rung, ...tail, headEnd: 0, tailStart: start } };
}

/** What is never summarised: results that the model has not read, and a request that nobody has answered to. */
function lastStart(messages: readonly Message[], live: number): number {
  const answered = messages.findLastIndex(({ role }) => role === "assistant") > live;
  const open = answered || live < 0 ? messages.length : live;
  return Math.max(messages.findLastIndex(isHandoff) + 1, Math.min(unreadStart(messages), open));
}

/** Where the newest messages of so many tokens start. */
function newestStart({ original: { messages }, request }: Job, tokens: number): number {
  if (tokens === 0) return messages.length;
  const budget = { tokens, ceilingTokens: tokens, messages: 0, messagesMin: 0 };
  const from = messages.findLastIndex(isHandoff) + 1;
  return tailStart({ messages, exchanges: exchangesOf(messages) }, from, budget, request.measure);
}
