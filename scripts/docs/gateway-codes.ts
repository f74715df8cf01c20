/** What the codes of events mean, for whoever reads the log, the metrics or the documentation. */
import type { NoticeEvent, UntouchedReason } from "../../src/gateway/contract.ts";

export const ALL_REASONS: Readonly<Record<UntouchedReason, string>> = {
  unreadable: "The body does not follow the protocol of its route; the provider will report what is wrong.",
  not_text: "The body is not UTF-8, or has an unknown compression.",
  too_large_to_read: "The body is larger than `gateway.limits.body_mb`, or has more messages than precis reads.",
  held_by_provider:
    "The provider stores the history or a part of it (`previous_response_id`, a conversation, a message thread, its own compaction).",
  thread_replay:
    "A message thread that the provider keeps is due for compaction, or threads are refused: the client was asked for the whole conversation.",
  bound_thinking:
    "The request contains thinking that is bound to the unchanged conversation, so it could not be rewritten.",
  client_compaction:
    "The client asks the model for its own summary, which should be written from the whole conversation.",
  requests_kept:
    "A compaction was due, but no result can hold every user request, as `compression.keep_requests: all` demands. `irreducible` in the log says how many tokens they take.",
  overloaded:
    "The gateway has more to do than it can: its event loop is late, or too many requests are being prepared. Requests go on unread until that is over.",
  tenant_store_full: "Its tenant has used up what it may store, so nothing new of it is stored or compacted.",
  store_unavailable: "The store does not respond, is full, or cannot be read.",
  internal_fault: "precis failed internally. Please report it, with the lines of the log.",
};

export const ALL_NOTICES: Readonly<Record<NoticeEvent["code"], string>> = {
  pressure: "A conversation has reached 85 % of the size at which it is compacted. The model is not told.",
  postponed:
    "A conversation is above its threshold and is not compacted for now; the message says why, and where it is at the latest.",
  backed_off:
    "No compaction of a conversation would free enough to be worth making, so its requests go out as they are. The message says why, and what helps; it is sent once.",
  degraded:
    "A compaction is poorer than it should be, for example because code wrote a handoff that a model should have written. The message says why.",
  model_resting: "A model that writes handoffs failed and is not asked for some time. The message says what to do.",
  irreducible: "Even the smallest valid form of a conversation is above its limit. It was sent anyway.",
  window_learned: "A provider refused a request as too large, which reveals the size of its window.",
  window_remembered:
    "A conversation begins with a window that was learned before this gateway started, or by another one. The message says how to forget it.",
  window_forgotten: "A provider accepted a request larger than a learned window, which is forgotten.",
  store_unavailable: "The store failed; requests are forwarded unchanged until it works again.",
  internal_fault: "precis failed internally; the request was forwarded unchanged, or refused if configured so.",
  engine_disabled:
    "A plugin failed or violated the engine contract; the conversation continues with the built-in `compressor`.",
  retention: "Conversations were deleted because of their age, or because the store was nearly full.",
  reasoning_dropped:
    "A client left out the reasoning that its provider returned before a call (thinking of Anthropic Messages, encrypted items of OpenAI Responses). The message says what follows; it is sent once for each conversation.",
  hook_failed:
    "A hook of the operator failed, took too long or was not run; the message says which. The compaction is not affected.",
  overloaded: "The gateway has more to do than it can and forwards requests unread, or reads them again.",
  circuit_open:
    "Several calls in a row did not reach a provider; requests to it get a 503 at once for 10 seconds, then one is tried.",
  circuit_closed: "That provider answers again.",
  tenant_limit:
    "A tenant has reached what it may store, or may spend on summaries in a day. The message says which, and what follows.",
  tenants_unchanged: "The file of tenants changed and cannot be read; the tenants stay as they were.",
  jobs_failed: "The queue of background compactions could not be reached. It is tried again by itself.",
  background_failed: "A compaction in the background failed. It will be made when it is due.",
};
