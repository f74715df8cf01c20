/** Which tool results a compaction took out of the model's sight: a host drops its read caches for exactly these. */
import type { Compaction } from "../core/compaction/compaction.ts";
import { described } from "../core/digest/call.ts";
import { resultOf, type Message } from "../core/transcript/message.ts";
import { pairingOf } from "../core/transcript/pairing.ts";

export interface RemovedResult {
  readonly message: number;
  readonly callId: string;
  readonly tool: string;
  readonly target: string;
}

export function removedResults(messages: readonly Message[], compaction: Compaction): readonly RemovedResult[] {
  const replaced = messages.slice(0, compaction.covered);
  const { answers } = pairingOf(replaced);
  return replaced.flatMap((message, at) => {
    const result = resultOf(message);
    if (result === undefined || compaction.map[at]?.kind === "kept") return [];
    const call = answers[at]?.call;
    const { tool, target } = call === undefined ? { tool: "", target: "" } : described(call);
    return { message: at, callId: result.callId, tool, target };
  });
}
