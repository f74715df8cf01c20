/** A provider refused the request as too large: what its error says, in whichever protocol it speaks. */
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
