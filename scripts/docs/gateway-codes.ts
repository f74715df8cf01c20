/** What the codes of events mean, for whoever reads the log, the metrics or the documentation. */
import type { NoticeEvent, UntouchedReason } from "../../src/gateway/contract.ts";

export const ALL_REASONS: Readonly<Record<UntouchedReason, string>> = {
  unreadable: "The body does not follow the protocol of its route; the provider reports what is wrong.",
  not_text: "The body is not UTF-8, or has an unknown compression.",
  too_large_to_read: "The body is larger than `gateway.limits.body_mb`, or has more messages than precis reads.",
  held_by_provider: "The provider stores the history or a part of it, for example with `previous_response_id`.",
  thread_replay: "A message thread is due for compaction: the client was asked for the whole conversation.",
  bound_thinking: "The request contains thinking that is bound to the unchanged conversation.",
  client_compaction: "The client asks the model for its own summary.",
  requests_kept: "No result can hold every user request, as `compression.keep_requests: all` demands.",
  overloaded: "The gateway has more to do than it can. Requests are forwarded unread until that is over.",
  tenant_store_full: "Its tenant has used up what it may store.",
  store_unavailable: "The store does not respond, is full, or cannot be read.",
  internal_fault: "precis failed internally. Please report it, with the lines of the log.",
};

export const ALL_NOTICES: Readonly<Record<NoticeEvent["code"], string>> = {
  pressure: "A conversation has reached 85 % of the size at which it is compacted.",
  postponed:
    "A conversation is above its threshold and not compacted yet; the message says why, and when it is at the latest.",
  backed_off:
    "No compaction would free enough, so requests are forwarded unchanged. The message says why, and what helps.",
  degraded: "A compaction is poorer than it should be, for example because a model failed. The message says why.",
  model_resting: "A model that writes handoffs failed and is not asked for some time. The message says what to do.",
  idle: "Compacting an idle conversation now would pay (`compression.idle: notify`).",
  irreducible: "The smallest valid form of a conversation is above its limit. It was sent anyway.",
  window_learned: "A provider's refusal revealed the size of its window.",
  window_remembered: "A conversation begins with a window learned earlier. The message says how to forget it.",
  window_forgotten: "A provider accepted a request larger than a learned window.",
  store_unavailable: "The store failed; requests are forwarded unchanged until it works again.",
  internal_fault: "precis failed internally; the request was forwarded unchanged, or refused if configured so.",
  engine_disabled: "A plugin failed; the conversation continues with the engine `compressor`.",
  retention: "Conversations were deleted by age or size.",
  hook_failed: "A hook failed, took too long or was not run. The compaction is not affected.",
  overloaded: "The gateway has more to do than it can and forwards requests unread.",
  circuit_open: "Several calls in a row did not reach a provider; requests to it get a 503 for 10 seconds.",
  circuit_closed: "That provider answers again.",
  tenant_limit: "A tenant has reached what it may store, or spend on summaries in a day.",
  tenants_unchanged: "The changed file of tenants cannot be read; the tenants stay as they were.",
  jobs_failed: "The queue of background compactions could not be reached. It is tried again.",
  background_failed: "A compaction in the background failed. It is made again when it is due.",
};
