/** Which tool results a compaction took out of the model's sight: a host drops its read caches for exactly these. */
import type { Compaction } from "../core/compaction/compaction.ts";
import { described } from "../core/digest/call.ts";
import { callsOf, resultOf, type Message } from "../core/transcript/message.ts";

export interface GoneResult {
  readonly message: number;
  readonly callId: string;
  readonly tool: string;
  readonly target: string;
}

export function goneResults(messages: readonly Message[], compaction: Compaction): readonly GoneResult[] {
  const gone: GoneResult[] = [];
  const open = new Map<string, { tool: string; target: string }>();
  messages.slice(0, compaction.covered).forEach((message, at) => {
    for (const call of callsOf(message)) open.set(call.id, described(call));
    const result = resultOf(message);
    if (result === undefined || compaction.map[at]?.kind === "kept") return;
    const { tool, target } = open.get(result.callId) ?? { tool: "", target: "" };
    gone.push({ message: at, callId: result.callId, tool, target });
  });
  return gone;
}
