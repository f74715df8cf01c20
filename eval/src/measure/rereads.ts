/** How often the recorded agent read again what it had read before: with everything still before it, or behind a compaction. */
import { describeCall } from "../../../src/core/digest/call.ts";
import { DEMAND_REPLIES_MAX } from "../recall/cuts.ts";
import { callsOf, type ChatMessage } from "../recall/future-use.ts";
import type { Rereads } from "./plan.ts";

export function rereadsOf(prefix: readonly ChatMessage[], rest: readonly ChatMessage[]): Rereads {
  const before = new Set(filesRead(prefix));
  const after = filesRead(repliesOf(rest));
  return { reads: after.length, again: after.filter((file) => before.has(file)).length };
}

function repliesOf(rest: readonly ChatMessage[]): readonly ChatMessage[] {
  return rest.filter(({ role }) => role === "assistant").slice(0, DEMAND_REPLIES_MAX);
}

/** One entry a call, whichever part of the file it read. */
function filesRead(messages: readonly ChatMessage[]): readonly string[] {
  return messages.flatMap(callsOf).flatMap((call) => {
    const { action, paths } = describeCall(call.function.name, call.function.arguments);
    return action === "read" ? paths.slice(0, 1) : [];
  });
}
