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

function counter(help: string, labels: readonly string[] = []): MetricDefinition {
  return { kind: "counter", help, labels };
}

function gauge(help: string, labels: readonly string[] = []): MetricDefinition {
  return { kind: "gauge", help, labels };
}

function histogram(buckets: readonly number[], help: string, labels: readonly string[]): MetricDefinition {
  return { kind: "histogram", help, labels, buckets };
}

export const METRICS = {
  precis_requests_total: counter("Completed requests.", ["route", "upstream", "status", "outcome", "treatment"]),
  precis_untouched_total: counter("Requests that were forwarded unprocessed.", ["because"]),
  precis_restored_messages_total: counter("Messages that clients wrote in another form, sent in their former bytes."),
  precis_retries_total: counter("Requests that were too large, and were compacted and retried."),
  precis_compactions_total: counter("Compactions, in the background or not.", ["reason", "ahead"]),
  precis_compactions_degraded_total: counter("Compactions with a poorer result than configured."),
  precis_compaction_lost_requests_total: counter("User requests that compactions left out."),
  precis_compaction_seconds: histogram(HELD_SECONDS, "How long a compaction took.", ["ahead"]),
  precis_compaction_model_calls_total: counter("Calls to models that write handoffs."),
  precis_compaction_cost_usd_total: counter("Cost of these calls, where known."),
  precis_jobs_total: counter("Compactions of the database's queue that this process made.", ["result"]),
  precis_job_seconds: histogram(ANSWER_SECONDS, "How long these took.", ["result"]),
  precis_context_tokens_total: counter("Estimated tokens of rewritten requests, before and after.", ["stage"]),
  precis_usage_tokens_total: counter("Tokens reported by providers; input includes the cache.", ["kind"]),
  precis_cache_saved_usd_total: counter("Savings by providers' caches, in US dollars."),
  precis_cache_surcharge_usd_total: counter("Surcharge for writing to them."),
  precis_cache_missed_tokens_total: counter("Tokens that were sent before and not read from the cache.", ["because"]),
  precis_cache_missed_usd_total: counter("Extra cost of these misses.", ["because"]),
  precis_held_seconds: histogram(HELD_SECONDS, "The latency that the gateway adds.", ["treatment"]),
  precis_first_byte_seconds: histogram(ANSWER_SECONDS, "From a request's arrival to the answer's first byte.", [
    "upstream",
  ]),
  precis_request_seconds: histogram(ANSWER_SECONDS, "From a request's arrival to the answer's end.", ["upstream"]),
  precis_bytes_total: counter("Bytes of requests (in) and of answers (out).", ["direction"]),
  precis_notices_total: counter("Notices, by code.", ["code"]),
  precis_recalls_total: counter("Answered calls of recall tools.", ["found"]),
  precis_recalled_tokens_total: counter("Estimated tokens of these answers."),
  precis_in_flight: gauge("Requests under way."),
  precis_store_bytes: gauge("Size of the store's file and its log."),
  precis_tenant_requests_total: counter("Requests of a tenant, with `gateway.tenants_file`.", ["tenant", "outcome"]),
  precis_tenant_usage_tokens_total: counter("Tokens of a tenant's requests.", ["tenant", "kind"]),
  precis_tenant_compaction_cost_usd_total: counter("Cost of a tenant's handoffs.", ["tenant"]),
  precis_tenant_stored_bytes: gauge("What a tenant has stored.", ["tenant"]),
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
