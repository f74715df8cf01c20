/** The models that a session may ask now: those it was given, within what it may spend and how long it may wait. */
import type { Writer, Writers } from "../core/handoff/model/writer.ts";
import type { SessionContext } from "./context.ts";
import { afterReply, HANDOFF_WAIT_MS, SESSION_SPEND_LIMIT, writersFor } from "./summarizer.ts";

interface Asking {
  /** Replaces the main model in this call alone. */
  readonly main?: Writer | undefined;
  readonly waitMs?: number;
}

export function writersOf({ options, state }: SessionContext, { main, waitMs }: Asking): Writers {
  const { now = Date.now, handoffWaitMs = HANDOFF_WAIT_MS } = options;
  return writersFor({
    writers: { resting: [], ...options.writers, ...(main === undefined ? {} : { main }) },
    state: state.summarizer,
    limit: { ...SESSION_SPEND_LIMIT, ...options.spendLimit },
    now: now(),
    waitMs: waitMs ?? handoffWaitMs,
    withheld: options.sharedBudget?.withheld(),
    spent: (reply) => {
      state.summarizer = afterReply(state.summarizer, reply);
      options.sharedBudget?.spent(reply.usage.costUsd ?? 0);
    },
  });
}
