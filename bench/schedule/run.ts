/** One engine through one session, turn by turn as a host runs it: prepare, send, report what the provider counted. */
import type { CompactionReason } from "../../src/core/compaction/compaction.ts";
import type { EngineName } from "../../src/core/engines/names.ts";
import type { Chain } from "../../src/core/transcript/links.ts";
import type { Measure } from "../../src/core/transcript/measure.ts";
import { resultOf, type Message, type Transcript } from "../../src/core/transcript/message.ts";
import { createRuntime } from "../../src/index.ts";
import type { Economy, Prepared, Runtime } from "../../src/session/contract.ts";
import { economyFrom } from "../../src/session/economy.ts";
import type { Turn } from "./agent-session.ts";
import type { Setup, SetupFigures } from "./grid.ts";
import { createPromptCost, FACTS, MODEL, TOKEN_FACTOR } from "./prompt-cost.ts";

export type Schedule = Economy["schedule"];

export interface RunFigures {
  readonly compactions: number;
  /** Of these, answers to an overflow: to a refusal, or made because a request would certainly have been refused. */
  readonly overflows: number;
  /** What the conversation grew by between a compaction and the next that is no answer to an overflow; null without one. */
  readonly leastGrowthTokens: number | null;
  /** What a compaction that is no answer to an overflow took away; null without one. */
  readonly leastFreedTokens: number | null;
  /** Requests in which a result that the model had not read yet was not sent whole. */
  readonly unreadCut: number;
  /** Of these, those whose last exchange is within the limit beside the fixed part and the live request. */
  readonly unreadCutInVain: number;
  /** Compactions that ended with the severest form that the engine knows. */
  readonly lastRungs: number;
  /** Requests as prepared that a provider refuses. */
  readonly refused: number;
  /** Of these, those that it refuses also after all that the session does about it. */
  readonly lost: number;
  readonly usd: number;
}

/** `rung` in the report of a compaction. */
const LAST_RUNGS: Readonly<Record<EngineName, number>> = {
  compressor: 4,
  "sacred-zone": 4,
  handoff: 3,
  layered: 4,
  lossless: 3,
  stepped: 3,
  none: 1,
};
const TURN_MS = 20_000;
const RECOVERIES_MAX = 3;
/** What a handoff takes at least, with some room for estimates. */
const HANDOFF_TOKENS = 500;
const BY_REFUSAL: ReadonlySet<CompactionReason> = new Set(["overflow", "payload"]);

export interface RunParts {
  readonly setup: Setup;
  readonly figures: SetupFigures;
  readonly turns: readonly Turn[];
  readonly engine: EngineName;
  readonly schedule: Schedule;
  /** In the model's tokens. */
  readonly measure: Measure;
  readonly chain: Chain;
}

export async function runSession(parts: RunParts): Promise<RunFigures> {
  const { figures, turns, measure } = parts;
  const clock = { nowMs: 0 };
  const session = startSession(parts, clock);
  const cost = createPromptCost(measure);
  const tally = createTally(parts);
  for (const { request, answer } of turns) {
    clock.nowMs += TURN_MS;
    const isRefused = ({ transcript }: Prepared): boolean => measure.transcript(transcript) > figures.acceptedTokens;
    let prepared = await session.prepare(request);
    tally.compacted(request, prepared);
    if (isRefused(prepared)) {
      tally.refused();
      for (let tries = 0; tries < RECOVERIES_MAX && isRefused(prepared); tries++) {
        const smaller = await recover(session, request, { prepared, parts });
        if (smaller === undefined) break;
        tally.compacted(request, smaller);
        prepared = smaller;
      }
      if (isRefused(prepared)) {
        tally.lost();
        continue;
      }
    }
    tally.sent(request, prepared.transcript);
    const use = cost.ask(prepared.transcript, clock.nowMs);
    const outputTokens = measure.message(answer);
    cost.answered(use, outputTokens);
    prepared.observe({
      input: use.inputTokens,
      output: outputTokens,
      cacheRead: use.cacheReadTokens,
      cacheWrite: use.cacheWrite5mTokens,
    });
  }
  return { ...tally.figures(), usd: cost.usd() };
}

/** The same requests as they are, at a provider whose window has no end. */
export function costOfDoingNothing(turns: readonly Turn[], measure: Measure): number {
  const cost = createPromptCost(measure);
  for (const [at, { request, answer }] of turns.entries())
    cost.answered(cost.ask(request, (at + 1) * TURN_MS), measure.message(answer));
  return cost.usd();
}

function startSession({ setup, engine, schedule, chain }: RunParts, clock: { readonly nowMs: number }): Runtime {
  const economy = economyFrom(FACTS, { schedule, marked: true, ttl: "5m" });
  return createRuntime({
    engine,
    settings: { contextLength: setup.windowTokens, maxOutputTokens: setup.outputTokens },
    model: MODEL,
    factor: TOKEN_FACTOR,
    chain,
    now: () => clock.nowMs,
    economy: () => economy,
  });
}

interface Refused {
  readonly prepared: Prepared;
  readonly parts: RunParts;
}

function recover(session: Runtime, request: Transcript, { prepared, parts }: Refused): Promise<Prepared | undefined> {
  const { windowTokens, outputTokens } = parts.setup;
  const tokens = parts.measure.transcript(prepared.transcript);
  const message = `input length and \`max_tokens\` exceed context limit: ${tokens} + ${outputTokens} > ${windowTokens}, decrease input length or \`max_tokens\` and try again`;
  const body = JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } });
  return session.recover({ status: 400, body }, request);
}

/** Counts what happens in a session. */
function createTally({ engine, measure, figures: { fixedTokens, limitTokens, acceptedTokens } }: RunParts) {
  const counts = { compactions: 0, overflows: 0, unreadCut: 0, unreadCutInVain: 0, lastRungs: 0, refused: 0, lost: 0 };
  let leastGrowthTokens: number | null = null;
  let leastFreedTokens: number | null = null;
  /** Messages that there were at the last compaction. */
  let compactedAt: number | undefined;
  return {
    compacted: ({ messages }: Transcript, { compaction, dueTokens = 0 }: Prepared): void => {
      if (compaction === undefined) return;
      const { reason, rung, tokens } = compaction.report;
      counts.compactions += 1;
      if (rung === LAST_RUNGS[engine]) counts.lastRungs += 1;
      if (BY_REFUSAL.has(reason) || dueTokens > acceptedTokens) counts.overflows += 1;
      else {
        leastFreedTokens = least(leastFreedTokens, tokens.before - tokens.after);
        if (compactedAt !== undefined)
          leastGrowthTokens = least(leastGrowthTokens, measure.messages(messages.slice(compactedAt)));
      }
      compactedAt = messages.length;
    },
    sent: ({ messages }: Transcript, sent: Transcript): void => {
      const unread = messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
      if (unread.every((message) => message.role !== "tool" || isWhole(message, sent))) return;
      counts.unreadCut += 1;
      const call = messages.at(-unread.length - 1)!;
      const live = messages.findLast(({ role }) => role === "user")!;
      if (fixedTokens + HANDOFF_TOKENS + measure.messages([live, call, ...unread]) <= limitTokens)
        counts.unreadCutInVain += 1;
    },
    refused: () => void counts.refused++,
    lost: () => void counts.lost++,
    figures: () => ({ ...counts, leastGrowthTokens, leastFreedTokens }),
  };
}

function least(one: number | null, other: number): number {
  return one === null ? other : Math.min(one, other);
}

function isWhole(message: Message, sent: Transcript): boolean {
  const { callId, content } = resultOf(message)!;
  const found = sent.messages.map((one) => resultOf(one)).findLast((result) => result?.callId === callId);
  return found !== undefined && JSON.stringify(found.content) === JSON.stringify(content);
}
