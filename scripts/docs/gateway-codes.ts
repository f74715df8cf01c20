/** What the codes of events mean, for whoever reads the log, the metrics or the documentation. */
import type { NoticeEvent, UntouchedReason } from "../../src/gateway/contract.ts";

export const ALL_REASONS: Readonly<Record<UntouchedReason, string>> = {
  unreadable: "The body does not follow the protocol of its route.",
  not_text: "The body is not UTF-8, or has an unknown compression.",
  too_large_to_read: "The body is larger than `gateway.limits.body_mb`, or has more messages than precis reads.",
  held_by_provider: "The provider stores the history, for example with `previous_response_id`.",
  thread_replay: "A message thread is due for compaction: the client was asked for the whole conversation.",
  bound_thinking: "The request contains thinking that is bound to the unchanged conversation.",
  client_compaction: "The client asks the model for its own summary.",
  requests_kept: "No result can hold every user request, as `compression.keep_requests: all` demands.",
  overloaded: "The gateway has more to do than it can.",
  tenant_store_full:
    "Its tenant has used up what it may store; or, at `/v1/compress` and `/v1/compact`, all keys that the file of tenants does not list have, for this minute.",
  store_unavailable: "The store does not respond, is full, or cannot be read.",
  internal_fault: "precis failed internally. Please report it, with the lines of the log.",
};

export const ALL_NOTICES: Readonly<Record<NoticeEvent["code"], string>> = {
  pressure: "A conversation has reached 85 % of its threshold.",
  postponed: "A conversation is above its threshold and not compacted yet; the message says why.",
  backed_off: "No compaction would free enough. The message says why, and what helps.",
  degraded: "A compaction is poorer than it should be. The message says why.",
  model_resting: "A model that writes handoffs failed. The message says what to do.",
  irreducible: "The smallest valid form of a conversation is above its limit.",
  window_learned: "A provider's refusal revealed the size of its window.",
  window_remembered: "A conversation begins with a window learned earlier.",
  window_forgotten: "A provider accepted a request larger than a learned window.",
  store_unavailable: "The store failed; requests are forwarded unchanged meanwhile.",
  internal_fault: "precis failed internally. Please report it.",
  engine_disabled: "A plugin failed, and `compressor` replaces it.",
  retention: "Conversations were deleted by age or size.",
  reasoning_dropped:
    "A client left out the reasoning that its provider returned before a call. The message says what follows.",
  hook_failed: "A hook failed, took too long or was not run.",
  overloaded: "The gateway has more to do than it can.",
  circuit_open: "Several calls in a row did not reach a provider.",
  circuit_closed: "That provider answers again.",
  tenant_limit: "A tenant has reached its store or its spending limit.",
  tenants_unchanged: "The changed file of tenants cannot be read.",
  jobs_failed: "The queue of background compactions could not be reached.",
  background_failed: "A compaction in the background failed; it is made when it is due.",
};
