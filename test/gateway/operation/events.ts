/** Events as the gateway tells them, for tests of whoever listens. */
import type { CompactionEvent, NoticeEvent, RequestEvent } from "../../../src/gateway/contract.ts";

export function requestEvent(over: Partial<RequestEvent> = {}): RequestEvent {
  return {
    kind: "request",
    id: "67198f38-0a7a-4702-a9df-48668311d8e5",
    method: "POST",
    path: "/v1/messages",
    protocol: "anthropic-messages",
    upstream: "anthropic",
    tenant: "local",
    model: "claude-sonnet-4-5",
    status: 200,
    streamed: true,
    outcome: "answered",
    treatment: { kind: "unchanged" },
    retried: false,
    restored: 0,
    usage: undefined,
    cache: undefined,
    bytesIn: 100,
    bytesOut: 10,
    heldMs: 0.4,
    firstByteMs: 700,
    tookMs: 1_500,
    ...over,
  };
}

export function compactionEvent(over: Partial<CompactionEvent> = {}): CompactionEvent {
  return {
    kind: "compaction",
    engine: "compressor",
    shortened: 0,
    restarted: false,
    tenant: "local",
    model: "claude-sonnet-4-5",
    reason: "threshold",
    because: undefined,
    ahead: false,
    tokens: { before: 100_000, after: 30_000 },
    dueTokens: 100_000,
    degraded: [],
    lostRequests: 0,
    modelCalls: 0,
    costUsd: 0,
    tookMs: 80,
    ...over,
  };
}

export function noticeEvent(over: Partial<NoticeEvent> = {}): NoticeEvent {
  return { kind: "notice", code: "pressure", tenant: "local", message: "the window is filled to 85 %", ...over };
}
