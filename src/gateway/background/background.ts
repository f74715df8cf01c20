/** Work that nobody waits for: a few jobs at a time, a bounded number waiting, and one a conversation. */
import { defined } from "../../core/defined.ts";
import type { ExpiryOutcome } from "../../session/contract.ts";
import { isForAnyProcess } from "./job.ts";
import type { HistoryContext } from "../request/context.ts";
import { type PreparedRequest, countsTokens } from "../request/model-request.ts";
import type { Remote } from "../../core/engines/contract.ts";
import type { Writer } from "../../core/handoff/model/writer.ts";
import type { Transcript } from "../../core/transcript/message.ts";
import type { CachingOptions } from "../models/caching.ts";
import type { Conversation } from "../conversations/conversations.ts";
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
  readonly limits: Pick<
    GatewayLimits,
    "background" | "backgroundWaiting" | "conversations" | "idleLookMs" | "idleLeadMs"
  >;
  readonly idle: CachingOptions["idle"];
  readonly writersBehind: (request: PreparedRequest) => WritersBehind;
}

/** Compactions while nobody waits: of a conversation that will soon be due, and of one whose cache is about to expire. */
export function createBackgroundWork({ history, limits, writersBehind, ...given }: BackgroundParts) {
  const { onEvent, now } = history;
  const idle = history.mode === "rewrite" ? given.idle : "off";
  const queue = createBackground(limits);
  const add = (what: string, one: IdleConversation, job: Job): void =>
    queue.add(one.conversation, (signal) => job(signal).catch((error: Error) => failed(what, one, error, signal)));
  const failed = (what: string, { tenant }: IdleConversation, { name }: Error, { aborted }: AbortSignal): void => {
    if (!aborted) onEvent({ kind: "notice", code: "background_failed", tenant, message: `${what} failed: ${name}` });
  };
  const compactIdle = (one: IdleConversation, leftMs: number): void =>
    add("a compaction of an idle conversation", one, async (signal) => {
      const how = { notifyOnly: idle === "notify", ...defined(one.writers), signal };
      const outcome = await one.conversation.runtime.beforeExpiry(one.transcript, how);
      if (outcome.kind === "pays")
        onEvent({ kind: "notice", code: "idle", tenant: one.tenant, message: idleNotice(outcome, leftMs) });
    });
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
      if (leftMs > 0) compactIdle(one, leftMs);
    }
    if (waiting.size === 0) stop();
  };
  return {
    compactAhead: (request: PreparedRequest): void => {
      // It was enqueued with the request's messages.
      if (isForAnyProcess(history, request)) return;
      const one = idleConversation(request, writersBehind(request));
      add("a compaction made ahead", one, (signal) =>
        request.record.span.ahead(async () => {
          await one.conversation.runtime.ahead(one.transcript, { ...defined(one.writers), signal });
        }),
      );
    },
    /** An answer was given; the conversation may be idle from now on. */
    watchIdle: (request: PreparedRequest): void => {
      const { conversation } = request;
      waiting.delete(conversation);
      if (idle === "off" || countsTokens(request) || conversation.pricing.economy === undefined) return;
      waiting.set(conversation, idleConversation(request, idle === "on" ? writersBehind(request) : {}));
      if (waiting.size > limits.conversations) waiting.delete(waiting.keys().next().value!);
      timer ??= setInterval(look, limits.idleLookMs).unref();
    },
    settled: queue.settled,
    stopWatching: (): void => {
      waiting.clear();
      stop();
    },
    close: queue.close,
  };
}

/** Nothing of the request itself is held but what its own model needs to write. */
interface IdleConversation extends Pick<PreparedRequest, "conversation" | "tenant"> {
  readonly transcript: Transcript;
  readonly writers: WritersBehind;
}

function idleConversation(
  { conversation, tenant, withHiddenTurns }: PreparedRequest,
  writers: WritersBehind,
): IdleConversation {
  return { conversation, tenant, transcript: withHiddenTurns.transcript, writers };
}

function idleNotice({ tokens, because }: Exclude<ExpiryOutcome, { readonly kind: "nothing" }>, leftMs: number): string {
  const left = `its cache expires in ${Math.round(leftMs / 1_000)} seconds`;
  return `a conversation of ${tokens.toLocaleString("en-US")} tokens is idle and ${left}; compacting it now pays: ${because}. compression.idle: on does it`;
}
