/**
 * How large the recent part should be for what the agent is at: work that calls many tools, on many things, goes back
 * to more of what it saw than a talk does (the first question that the Dual Compression chapter leaves open; the figures
 * are ours).
 */
import { described } from "../../digest/call.ts";
import { callsOf, type Message } from "../../transcript/message.ts";

/** Looked at: the newest messages. */
const RECENT_MESSAGES = 40;
const FACTOR_MIN = 0.5;
/** What a full rate of calls, and work on many things, each add. */
const FACTOR_STEP = 0.75;
/** Calls a turn that count as a full rate. */
const CALLS_A_TURN_FULL = 2;
/** Different files, commands or queries that count as many. */
const TARGETS_FULL = 20;

/** From 0.5, for a talk without tools, to 2. */
export function workloadFactor(messages: readonly Message[]): number {
  const recent = messages.slice(-RECENT_MESSAGES);
  const turns = recent.filter(({ role }) => role === "assistant").length;
  const calls = recent.flatMap(callsOf);
  const targets = new Set(
    calls.map((call) => {
      const { tool, target } = described(call);
      return target === "" ? tool : target;
    }),
  );
  const rate = Math.min(1, calls.length / Math.max(1, turns) / CALLS_A_TURN_FULL);
  const complexity = Math.min(1, targets.size / TARGETS_FULL);
  return FACTOR_MIN + FACTOR_STEP * rate + FACTOR_STEP * complexity;
}
