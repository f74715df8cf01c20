/** Compactions that are made while nobody waits: from the store's queue, where any process can make them, or else here. */
import type { WaitingForMain } from "../session/contract.ts";
import type { Background } from "./background.ts";
import type { EmitEvent } from "./contract.ts";
import { isForAnyProcess } from "./jobs/job.ts";
import type { HistoryContext } from "./request/context.ts";
import type { PreparedRequest } from "./request/model-request.ts";
import { waitingFor, type WritersBehind } from "./writers-behind.ts";

export interface AheadParts {
  readonly history: HistoryContext;
  readonly background: Background;
  readonly onEvent: EmitEvent;
  /** The conversation's own model, and its provider, where they write handoffs. */
  readonly writersBehind: (request: PreparedRequest) => WritersBehind;
}

export interface AheadWork {
  /** The next compaction of its conversation will soon be due. */
  readonly add: (request: PreparedRequest) => void;
}

export function createAheadWork({ history, background, onEvent, writersBehind }: AheadParts): AheadWork {
  return {
    add: (request) => {
      // It was enqueued with the request's messages.
      if (isForAnyProcess(history, request)) return;
      const writers = waitingFor(writersBehind(request));
      background.add(request.conversation, (signal) => compactAhead(request, onEvent, { ...writers, signal }));
    },
  };
}

async function compactAhead(
  { conversation, withHiddenTurns, tenant, record }: PreparedRequest,
  onEvent: EmitEvent,
  waiting: WaitingForMain & { readonly signal: AbortSignal },
): Promise<void> {
  const { signal } = waiting;
  try {
    const { transcript } = withHiddenTurns;
    await record.span.ahead(async () => void (await conversation.runtime.ahead(transcript, waiting)));
  } catch (error) {
    if (signal.aborted) return;
    const message = `a compaction made ahead failed: ${(error as Error).name}`;
    onEvent({ kind: "notice", code: "background_failed", tenant, message });
  }
}
