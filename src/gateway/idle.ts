/**
 * Conversations that wait for their person. Shortly before a provider's cache forgets one, a compaction of it is made, or told
 * of, where that pays: a look through all of them every few seconds, so that no timer is held for each.
 */
import type { Transcript } from "../core/transcript/message.ts";
import type { ExpiryOutcome } from "../session/contract.ts";
import type { Background } from "./background.ts";
import type { CachingOptions } from "./caching.ts";
import type { EmitEvent } from "./contract.ts";
import type { Conversation } from "./conversations.ts";
import type { GatewayLimits } from "./limits.ts";
import { countsTokens, type PreparedRequest } from "./request/model-request.ts";
import { waitingFor, type WritersBehind } from "./writers-behind.ts";

export interface IdleParts {
  readonly idle: CachingOptions["idle"];
  readonly limits: Pick<GatewayLimits, "conversations" | "idleLookMs" | "idleLeadMs">;
  readonly background: Background;
  readonly onEvent: EmitEvent;
  readonly now: () => number;
  /** The conversation's own model, and its provider, where they write handoffs. */
  readonly writersBehind: (request: PreparedRequest) => WritersBehind;
}

export interface IdleWatch {
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
