/** Work that nobody waits for: a few jobs at a time, a bounded number waiting, and one a conversation. */
import { defined } from "../../core/defined.ts";
import { isForAnyProcess } from "./job.ts";
import type { HistoryContext } from "../request/context.ts";
import type { PreparedRequest } from "../request/model-request.ts";
import type { Remote } from "../../core/engines/contract.ts";
import type { Writer } from "../../core/handoff/model/writer.ts";
import type { GatewayLimits } from "../limits.ts";

type Job = (signal: AbortSignal) => Promise<void>;

export function createBackground(limits: Pick<GatewayLimits, "background" | "backgroundWaiting">) {
  const waiting = new Map<object, Job>();
  const running = new Set<object>();
  const stop = new AbortController();
  let whenSettled: (() => void)[] = [];

  const next = (): void => {
    if (running.size >= limits.background) return;
    const first = waiting.entries().next();
    if (first.done === true) {
      if (running.size === 0) for (const done of whenSettled.splice(0)) done();
      return;
    }
    const [about, job] = first.value;
    waiting.delete(about);
    running.add(about);
    // Answers that are on their way come first.
    setImmediate(() => {
      void job(stop.signal)
        .catch(() => undefined)
        .finally(() => {
          running.delete(about);
          next();
        });
    });
  };
  const settled = (): Promise<void> =>
    running.size + waiting.size === 0
      ? Promise.resolve()
      : new Promise((done) => void (whenSettled = [...whenSettled, done]));
  return {
    /** Runs later, in place of what waits about the same; not at all where that runs already, or too much waits. */
    add: (about: object, job: Job): void => {
      if (stop.signal.aborted || running.has(about)) return;
      if (waiting.size >= limits.backgroundWaiting && !waiting.has(about)) return;
      waiting.set(about, job);
      next();
    },
    settled,
    close: (): Promise<void> => {
      waiting.clear();
      stop.abort();
      return settled();
    },
  };
}

/** The conversation's own model, and its provider, where they write handoffs. */
export interface WritersBehind {
  readonly main?: Writer | undefined;
  readonly remote?: Remote | undefined;
}

interface BackgroundParts {
  readonly history: HistoryContext;
  readonly limits: Pick<GatewayLimits, "background" | "backgroundWaiting">;
  readonly writersBehind: (request: PreparedRequest) => WritersBehind;
}

/** Compactions of conversations that will soon be due, while nobody waits. */
export function createBackgroundWork({ history, limits, writersBehind }: BackgroundParts) {
  const queue = createBackground(limits);
  return {
    compactAhead: (request: PreparedRequest): void => {
      // It was enqueued with the request's messages.
      if (isForAnyProcess(history, request)) return;
      // Nothing of the request itself is held but what its own model needs to write.
      const { conversation, tenant, record } = request;
      const { transcript } = request.withHiddenTurns;
      const writers = defined(writersBehind(request));
      queue.add(conversation, async (signal) => {
        const made = record.span.ahead(async () => {
          await conversation.runtime.ahead(transcript, { ...writers, signal });
        });
        await made.catch(({ name }: Error) => {
          const message = `a compaction made ahead failed: ${name}`;
          if (!signal.aborted) history.onEvent({ kind: "notice", code: "background_failed", tenant, message });
        });
      });
    },
    settled: queue.settled,
    close: queue.close,
  };
}
