/**
 * Calls, answered one after another, each within its time; a failure is an answer with our code and the next step, and
 * never the content it was about.
 */
import { PrecisError } from "../../core/errors.ts";
import { withTimeLimit } from "../../session/time-limit.ts";
import type { ToolContext } from "./contract.ts";
import { UNKNOWN_SESSION_HINT } from "./scope.ts";

interface CallsContext extends Pick<ToolContext, "redact" | "log"> {
  readonly limits: Pick<ToolContext["limits"], "callMs" | "waiting">;
}

interface CallResult {
  readonly content: { readonly type: "text"; readonly text: string }[];
  readonly isError?: boolean;
  readonly [key: string]: unknown;
}

/** The signal aborts when the time is over. */
type Call = (signal: AbortSignal) => Promise<string>;

interface Calls {
  /** `callMs`: how long it may take, where not as long as most. */
  readonly answered: (call: Call, callMs?: number) => Promise<CallResult>;
  /** When everything that was read by now is answered. */
  readonly empty: () => Promise<void>;
}

/** One call at a time, and not too many that wait. */
export function createCalls(context: CallsContext): Calls {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    answered: async (call, callMs = context.limits.callMs): Promise<CallResult> => {
      if (waiting >= context.limits.waiting) return failure(context, busy());
      waiting++;
      const mine = last.then(() => answer(context, call, callMs));
      last = mine;
      try {
        return await mine;
      } finally {
        waiting--;
      }
    },
    empty: async (): Promise<void> => {
      for (let seen: unknown; seen !== last;) {
        seen = last;
        await turned();
        await last;
      }
      await turned();
    },
  };
}

/** What was read reaches its handler, and an answer the stream, within a turn of the event loop. */
function turned(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}

async function answer(context: CallsContext, call: Call, callMs: number): Promise<CallResult> {
  const over = new AbortController();
  try {
    const text = await withTimeLimit(callMs, call(over.signal), () => {
      over.abort();
      throw tooSlow(callMs);
    });
    return { content: [{ type: "text", text }] };
  } catch (error) {
    return failure(context, error);
  }
}

function failure(context: CallsContext, error: unknown): CallResult {
  const known = error instanceof PrecisError;
  // The message of an error that is not ours may quote what it worked on.
  if (!known) context.log(`a fault in precis (${error instanceof Error ? error.name : "unknown"})`);
  // For a session that was deleted meanwhile the archive's own hint would name other tenants.
  const text = known
    ? `${error.code}: ${error.message}. ${error.code === "unknown_session" ? UNKNOWN_SESSION_HINT : error.hint}`
    : "internal_fault: precis failed internally. Ask for less, or in another way.";
  return { content: [{ type: "text", text: context.redact(text) }], isError: true };
}

function busy(): PrecisError {
  return new PrecisError("too many calls are waiting", {
    code: "busy",
    hint: "Wait for an answer before the next call.",
    retryable: true,
  });
}

function tooSlow(ms: number): PrecisError {
  return new PrecisError(`the call took longer than ${ms / 1_000} s`, {
    code: "too_slow",
    hint: "Ask for less: one session, fewer messages, rarer words.",
    retryable: true,
  });
}
