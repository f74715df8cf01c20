/** Work that nobody waits for: a few jobs at a time, a bounded number waiting, and one a conversation. */
import type { WaitingForMain, ExpiryOutcome } from "../../session/contract.ts";
import type { EmitEvent } from "../contract.ts";
import { isForAnyProcess } from "./job.ts";
import type { HistoryContext } from "../request/context.ts";
import { type PreparedRequest, countsTokens } from "../request/model-request.ts";
import type { Remote } from "../../core/engines/contract.ts";
import type { Writer } from "../../core/handoff/model/writer.ts";
import type { Transcript } from "../../core/transcript/message.ts";
import type { CachingOptions } from "../models/caching.ts";
import type { Conversation } from "../conversations/conversations.ts";
import type { GatewayLimits } from "../limits.ts";

interface Background {
  /** Runs later, in place of what waits about the same; not at all where that runs already, or too much waits. */
  readonly add: (about: object, job: (signal: AbortSignal) => Promise<void>) => void;
  readonly settled: () => Promise<void>;
  readonly close: () => Promise<void>;
}

interface BackgroundLimits {
  readonly background: number;
  readonly backgroundWaiting: number;
}

export function createBackground(limits: BackgroundLimits): Background {
  const waiting = new Map<object, (signal: AbortSignal) => Promise<void>>();
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
    add: (about, job) => {
      if (stop.signal.aborted || running.has(about)) return;
      if (waiting.size >= limits.backgroundWaiting && !waiting.has(about)) return;
      waiting.set(about, job);
      next();
    },
    settled,
    close: () => {
      waiting.clear();
      stop.abort();
      return settled();
    },
  };
}

interface AheadParts {
  readonly history: HistoryContext;
  readonly background: Background;
  readonly onEvent: EmitEvent;
  readonly writersBehind: (request: PreparedRequest) => WritersBehind;
}

interface AheadWork {
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

export interface WritersBehind {
  readonly main?: Writer | undefined;
  readonly remote?: Remote | undefined;
}

function waitingFor({ main, remote }: WritersBehind): Pick<WaitingForMain, "main" | "remote"> {
  return { ...(main === undefined ? {} : { main }), ...(remote === undefined ? {} : { remote }) };
}

interface IdleParts {
  readonly idle: CachingOptions["idle"];
  readonly limits: Pick<GatewayLimits, "conversations" | "idleLookMs" | "idleLeadMs">;
  readonly background: Background;
  readonly onEvent: EmitEvent;
  readonly now: () => number;
  readonly writersBehind: (request: PreparedRequest) => WritersBehind;
}

interface IdleWatch {
  /** An answer was given; the conversation may be idle from now on. */
  readonly watch: (request: PreparedRequest) => void;
  readonly close: () => void;
}

/** Nothing of the request itself is held but what its own model needs to write. */
interface IdleConversation {
  readonly tenant: string;
  readonly transcript: Transcript;
  readonly writers: WritersBehind;
}

export function createIdleWatch(parts: IdleParts): IdleWatch {
  const { idle, limits, now } = parts;
  // The first is the one that was answered longest ago.
  const waiting = new Map<Conversation, IdleConversation>();
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  const look = (): void => {
    for (const [conversation, one] of waiting) {
      const { cacheExpiresAtMs = 0 } = conversation.runtime.report();
      const leftMs = cacheExpiresAtMs - now();
      if (leftMs > limits.idleLeadMs) continue;
      waiting.delete(conversation);
      if (leftMs > 0) compactIdle(parts, conversation, { ...one, leftMs });
    }
    if (waiting.size === 0) stop();
  };
  return {
    watch: (request) => {
      const { conversation, withHiddenTurns, tenant } = request;
      waiting.delete(conversation);
      if (idle === "off" || countsTokens(request) || conversation.pricing.economy === undefined) return;
      const writers = idle === "on" ? parts.writersBehind(request) : {};
      waiting.set(conversation, { tenant, transcript: withHiddenTurns.transcript, writers });
      if (waiting.size > limits.conversations) waiting.delete(waiting.keys().next().value!);
      timer ??= setInterval(look, limits.idleLookMs).unref();
    },
    close: () => {
      waiting.clear();
      stop();
    },
  };
}

function compactIdle(
  { idle, background, onEvent }: IdleParts,
  conversation: Conversation,
  { tenant, transcript, writers, leftMs }: IdleConversation & { readonly leftMs: number },
): void {
  const how = { notifyOnly: idle === "notify", ...waitingFor(writers) };
  background.add(conversation, async (signal) => {
    try {
      const outcome = await conversation.runtime.beforeExpiry(transcript, { ...how, signal });
      if (outcome.kind === "pays")
        onEvent({ kind: "notice", code: "idle", tenant, message: idleNotice(outcome, leftMs) });
    } catch (error) {
      if (signal.aborted) return;
      const message = `a compaction of an idle conversation failed: ${(error as Error).name}`;
      onEvent({ kind: "notice", code: "background_failed", tenant, message });
    }
  });
}

function idleNotice({ tokens, because }: Exclude<ExpiryOutcome, { readonly kind: "nothing" }>, leftMs: number): string {
  const left = `its cache expires in ${Math.round(leftMs / 1_000)} seconds`;
  return `a conversation of ${tokens.toLocaleString("en-US")} tokens is idle and ${left}; compacting it now pays: ${because}. compression.idle: on does it`;
}
