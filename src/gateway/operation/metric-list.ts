/** Every metric of the gateway: its name, what it counts and its labels. Prometheus shows the texts. */
import type { NoticeEvent, UntouchedReason } from "../contract.ts";

export interface MetricDefinition {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
  readonly buckets?: readonly number[];
}

/** What the gateway adds itself is well under a millisecond, and what a compaction adds is up to seconds. */
const HELD_SECONDS = [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Providers take from a tenth of a second to minutes. */
const ANSWER_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600];

export const METRICS = {
  precis_requests_total: {
    kind: "counter",
    help: "Completed requests.",
    labels: ["route", "upstream", "status", "outcome", "treatment"],
  },
  precis_untouched_total: {
    kind: "counter",
    help: "Requests that were forwarded unprocessed.",
    labels: ["because"],
  },
  precis_restored_messages_total: {
    kind: "counter",
    help: "Messages that clients wrote in another form, sent in their former bytes.",
    labels: [],
  },
  precis_retries_total: {
    kind: "counter",
    help: "Requests that were too large, and were compacted and retried.",
    labels: [],
  },
  precis_compactions_total: {
    kind: "counter",
    help: "Compactions, in the background or not.",
    labels: ["reason", "ahead"],
  },
  precis_compactions_degraded_total: {
    kind: "counter",
    help: "Compactions with a poorer result than configured.",
    labels: [],
  },
  precis_compaction_lost_requests_total: {
    kind: "counter",
    help: "User requests that compactions left out.",
    labels: [],
  },
  precis_compaction_seconds: {
    kind: "histogram",
    help: "How long a compaction took.",
    labels: ["ahead"],
    buckets: HELD_SECONDS,
  },
  precis_compaction_model_calls_total: {
    kind: "counter",
    help: "Calls to models that write handoffs.",
    labels: [],
  },
  precis_compaction_cost_usd_total: {
    kind: "counter",
    help: "Cost of these calls, where known.",
    labels: [],
  },
  precis_jobs_total: {
    kind: "counter",
    help: "Compactions of the database's queue that this process made.",
    labels: ["result"],
  },
  precis_job_seconds: {
    kind: "histogram",
    help: "How long these took.",
    labels: ["result"],
    buckets: ANSWER_SECONDS,
  },
  precis_context_tokens_total: {
    kind: "counter",
    help: "Estimated tokens of rewritten requests, before and after.",
    labels: ["stage"],
  },
  precis_usage_tokens_total: {
    kind: "counter",
    help: "Tokens reported by providers; input includes the cache.",
    labels: ["kind"],
  },
  precis_cache_saved_usd_total: {
    kind: "counter",
    help: "Savings by providers' caches, in US dollars.",
    labels: [],
  },
  precis_cache_surcharge_usd_total: {
    kind: "counter",
    help: "Surcharge for writing to them.",
    labels: [],
  },
  precis_cache_missed_tokens_total: {
    kind: "counter",
    help: "Tokens that were sent before and not read from the cache.",
    labels: ["because"],
  },
  precis_cache_missed_usd_total: {
    kind: "counter",
    help: "Extra cost of these misses.",
    labels: ["because"],
  },
  precis_held_seconds: {
    kind: "histogram",
    help: "The latency that the gateway adds.",
    labels: ["treatment"],
    buckets: HELD_SECONDS,
  },
  precis_first_byte_seconds: {
    kind: "histogram",
    help: "From a request's arrival to the answer's first byte.",
    labels: ["upstream"],
    buckets: ANSWER_SECONDS,
  },
  precis_request_seconds: {
    kind: "histogram",
    help: "From a request's arrival to the answer's end.",
    labels: ["upstream"],
    buckets: ANSWER_SECONDS,
  },
  precis_bytes_total: {
    kind: "counter",
    help: "Bytes of requests (in) and of answers (out).",
    labels: ["direction"],
  },
  precis_notices_total: {
    kind: "counter",
    help: "Notices, by code.",
    labels: ["code"],
  },
  precis_recalls_total: {
    kind: "counter",
    help: "Answered calls of recall tools.",
    labels: ["found"],
  },
  precis_recalled_tokens_total: {
    kind: "counter",
    help: "Estimated tokens of these answers.",
    labels: [],
  },
  precis_in_flight: { kind: "gauge", help: "Requests under way.", labels: [] },
  precis_store_bytes: {
    kind: "gauge",
    help: "Size of the store's file and its log.",
    labels: [],
  },
  precis_tenant_requests_total: {
    kind: "counter",
    help: "Requests of a tenant, with `gateway.tenants_file`.",
    labels: ["tenant", "outcome"],
  },
  precis_tenant_usage_tokens_total: {
    kind: "counter",
    help: "Tokens of a tenant's requests.",
    labels: ["tenant", "kind"],
  },
  precis_tenant_compaction_cost_usd_total: {
    kind: "counter",
    help: "Cost of a tenant's handoffs.",
    labels: ["tenant"],
  },
  precis_tenant_stored_bytes: {
    kind: "gauge",
    help: "What a tenant has stored.",
    labels: ["tenant"],
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricName = keyof typeof METRICS;

function all<Value extends string>(values: Readonly<Record<Value, 0>>): readonly Value[] {
  return Object.keys(values) as Value[];
}

const REASONS = all<UntouchedReason>({
  unreadable: 0, not_text: 0, too_large_to_read: 0, held_by_provider: 0, bound_thinking: 0, thread_replay: 0,
  client_compaction: 0, requests_kept: 0, store_unavailable: 0, tenant_store_full: 0, overloaded: 0, internal_fault: 0,
}); // prettier-ignore

const NOTICES = all<NoticeEvent["code"]>({
  pressure: 0, postponed: 0, backed_off: 0, degraded: 0, model_resting: 0, irreducible: 0, window_learned: 0,
  window_remembered: 0, window_forgotten: 0, store_unavailable: 0, internal_fault: 0, background_failed: 0, jobs_failed: 0,
  tenant_limit: 0, overloaded: 0, circuit_open: 0, circuit_closed: 0, tenants_unchanged: 0, hook_failed: 0,
  engine_disabled: 0, retention: 0, reasoning_dropped: 0,
}); // prettier-ignore

const BOOLEANS = ["true", "false"];

/**
 * Counters that are there at 0 before their first event: an increase can only be seen from something. Those with a name of
 * a client's or an operator's are not.
 */
export const AT_ZERO: Readonly<Partial<Record<MetricName, Readonly<Record<string, readonly string[]>>>>> = {
  precis_untouched_total: { because: REASONS },
  precis_notices_total: { code: NOTICES },
  precis_compactions_total: {
    reason: ["threshold", "hygiene", "overflow", "payload", "explicit", "budget"],
    ahead: BOOLEANS,
  },
  precis_jobs_total: { result: ["made", "nothing", "failed"] },
  precis_context_tokens_total: { stage: ["before", "after"] },
  precis_usage_tokens_total: { kind: ["input", "output", "cache_read", "cache_write"] },
  precis_cache_missed_tokens_total: { because: ["compaction", "other"] },
  precis_cache_missed_usd_total: { because: ["compaction", "other"] },
  precis_bytes_total: { direction: ["in", "out"] },
  precis_recalls_total: { found: BOOLEANS },
};
