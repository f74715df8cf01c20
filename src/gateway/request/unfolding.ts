/** Whose compressed body is decompressed next: few are at once, and the tenant that has least of them under way goes first. */
import { createPlaces } from "../large/queue.ts";
import type { GatewayLimits } from "../limits.ts";
import { gatewayBusy } from "../transport/refusals.ts";
import type { InTurn } from "../transport/request-body.ts";

/** @throws PrecisError `gateway_busy` where its turn did not come in time; the signal's reason. */
export type Unfolding = (tenant: string, signal: AbortSignal) => InTurn;

export function createUnfolding({
  unfolding,
  unfoldingWaitMs,
}: Pick<GatewayLimits, "unfolding" | "unfoldingWaitMs">): Unfolding {
  const places = createPlaces({ heldBytes: unfolding, preparingBytes: unfolding, waitMs: unfoldingWaitMs });
  return (tenant, signal) => async (work) => {
    const place = { tenant, weight: 1, alone: false };
    if (!(await places.enter(place, signal))) throw gatewayBusy();
    try {
      return await work();
    } finally {
      places.leave(place);
    }
  };
}
