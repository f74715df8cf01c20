/** A provider refused the request as too large: what its error says, in whichever protocol it speaks. */
import { editsCompaction } from "../core/compaction/edits.ts";
import type { Compaction } from "../core/compaction/compaction.ts";
import type { Estimator } from "../core/engines/contract.ts";
import { byPerson } from "../core/ledger/readers/person.ts";
import { evictMedia } from "../core/passes/evict-media.ts";
import { exchangesOf } from "../core/transcript/exchanges.ts";
import type { Transcript } from "../core/transcript/message.ts";
import { protocols } from "../protocols/index.ts";
import type { Overflow } from "../protocols/protocol.ts";

/** A provider's answer to a refused request. */
export interface ProviderError {
  readonly status: number;
  readonly body: string;
}

/** The overflow that an error reports; `undefined` when it reports something else. */
export function overflowOf({ status, body }: ProviderError): Overflow | undefined {
  for (const protocol of Object.values(protocols)) {
    const overflow = protocol.overflow(status, body);
    if (overflow !== undefined) return overflow;
  }
  return undefined;
}

/** A payload too large in bytes is mostly media: all of it goes but what the newest exchange shows. `undefined` without any. */
export function withoutMedia(
  transcript: Transcript,
  estimator: Estimator,
  { keepsRequests, ...by }: { readonly engine: string; readonly state: unknown; readonly keepsRequests: boolean },
): Compaction | undefined {
  const last = exchangesOf(transcript.messages).at(-1)?.start ?? 0;
  const protect = (at: number): boolean => at >= last || (keepsRequests && byPerson(transcript.messages[at]!));
  const context = { measure: estimator.measure, hash: estimator.chain.hash, protect, focus: [] };
  const { messages, evicted } = evictMedia(transcript.messages, context);
  return editsCompaction(transcript, { messages, evicted, reason: "payload", ...by }, estimator);
}
