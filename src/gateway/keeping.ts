/** What is kept of a request, and when: after its provider took it, and before its answer ends. */
import { PrecisError } from "../core/errors.ts";
import type { Tell } from "./contract.ts";
import type { Entry } from "./entry.ts";
import { refusesSender } from "./knowledge/refused-key.ts";
import type { GatewayLimits } from "./limits.ts";
import type { Opened } from "./opening.ts";
import type { Visit, VisitDesk } from "./visit.ts";
import { within } from "./within.ts";

/** Whether the store took what it was given last. */
export interface Keeping {
  fails: boolean;
}

interface KeepingDesk {
  readonly keeping: Keeping;
  readonly limits: Pick<GatewayLimits, "commitWaitMs">;
  readonly visits: Pick<VisitDesk, "store" | "conversations">;
  readonly tell: Tell;
}

export const DONE = Promise.resolve();

/**
 * Keeps what a request brought once its provider has taken it; its answer's end waits for it, within a bound. Of whoever
 * is refused nothing is kept.
 */
export function commit(
  desk: KeepingDesk,
  entry: Entry,
  visited: Visit | undefined,
  { incoming, error }: Pick<Opened, "incoming" | "error">,
): Promise<void> {
  if (visited === undefined) return DONE;
  const { reading, conversation, session, tenant } = visited;
  const { links, decoded } = reading;
  if (refusesSender(incoming.status, error)) {
    if (conversation.kept === undefined || conversation.pending.waiting() > 0)
      desk.visits.conversations.forget(conversation);
    return DONE;
  }
  // A request that is sent once more brings nothing that is not kept.
  const repeated = links.length === 0 || (session === undefined && links.length <= (conversation.kept ?? 0));
  if (repeated && conversation.pending.waiting() === 0) return DONE;
  const chain = { links, messages: decoded.transcript.messages, ...(session === undefined ? {} : { session }) };
  const keep = async (): Promise<void> => {
    try {
      await conversation.pending.keep(links);
      if (!repeated) await desk.visits.store.appendChain(tenant, chain);
      desk.keeping.fails = false;
      conversation.kept = Math.max(conversation.kept ?? 0, links.length);
    } catch (failure) {
      desk.keeping.fails = true;
      tellFault(desk, entry, "store_unavailable", failure);
    }
  };
  return within(desk.limits.commitWaitMs, keep());
}

export function tellFault({ tell }: { readonly tell: Tell }, { tenant }: Entry, because: string, error: unknown): void {
  // The message of an error that is not ours may quote what it worked on.
  const message =
    error instanceof PrecisError ? `${error.code}: ${error.message}` : ((error as Error).name ?? "a fault");
  const code = because === "store_unavailable" ? "store_unavailable" : "internal_fault";
  tell({ kind: "notice", code, tenant, message });
}
