/** What the codes of events mean, for whoever reads the log, the metrics or the documentation. */
import type { NoticeEvent, UntouchedReason } from "../contract.ts";

export const ALL_REASONS: Readonly<Record<UntouchedReason, string>> = {
  unreadable: "The body is not what its route's protocol says; the provider will say what is wrong with it.",
  not_text: "The body is no UTF-8, or is compressed in a way that is not known.",
  too_large_to_read: "The body is larger than `gateway.limits.read_mb`, or holds more messages than are read.",
  held_by_provider:
    "The provider holds the history or a part of it (`previous_response_id`, a conversation, its own compaction).",
  bound_thinking:
    "Thinking in the request is bound to the conversation before it, and could not go along with a rewritten one.",
  client_compaction: "The client asks for a summary of its own; it should be written from the whole.",
  requests_kept:
    "A compaction was due, and none has room for every request of the user, as `compression.keep_requests: all` demands. The log's `irreducible` says how much they take.",
  store_unavailable: "The store does not answer, is full, or cannot be read.",
  internal_fault: "Something of precis failed. Please report it, with the log's lines about it.",
};

export const ALL_NOTICES: Readonly<Record<NoticeEvent["code"], string>> = {
  pressure: "A conversation is at 85 % of where it will be compacted. The model is told nothing of it.",
  irreducible: "Even the smallest valid form of a conversation is above its limit. It went out all the same.",
  window_learned: "A provider refused a request as too large, and said or showed how large its window is.",
  store_unavailable: "The store failed; requests pass untouched until it answers again.",
  internal_fault: "Something of precis failed; the request passed untouched, or was refused where so configured.",
  engine_disabled:
    "An engine that is not built in failed or broke its contract; that conversation goes on with the built-in `compressor`.",
  retention: "Conversations were deleted: not used for long, or the longest unused of a store that was nearly full.",
  background_failed: "A compaction made ahead of need failed. It will be made when it is due.",
};
