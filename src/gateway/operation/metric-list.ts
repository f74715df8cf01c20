/** Every metric of the gateway: its name, what it counts and its labels. What is served and what docs/gateway.md lists both follow from this. */

export interface MetricDefinition {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
  /** Of a histogram, upper bounds. */
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
    help: "Requests to models that were forwarded without being processed.",
    labels: ["because"],
  },
  precis_restored_messages_total: {
    kind: "counter",
    help: "Messages that clients had written again in another form and that were sent in their former bytes.",
    labels: [],
  },
  precis_retries_total: {
    kind: "counter",
    help: "Requests that the provider refused as too large and that were compacted and retried.",
    labels: [],
  },
  precis_compactions_total: {
    kind: "counter",
    help: "Compactions, in the background or while a request waited.",
    labels: ["reason", "ahead"],
  },
  precis_compactions_degraded_total: {
    kind: "counter",
    help: "Compactions with a poorer result than configured, for example because a model failed.",
    labels: [],
  },
  precis_compaction_lost_requests_total: {
    kind: "counter",
    help: "User requests that compactions left out for lack of room; each can be recalled.",
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
    help: "What these calls cost, where their price is known.",
    labels: [],
  },
  precis_jobs_total: {
    kind: "counter",
    help: "Compactions of the database's queue that this process worked on.",
    labels: ["result"],
  },
  precis_job_seconds: {
    kind: "histogram",
    help: "How long it worked on them.",
    labels: ["result"],
    buckets: ANSWER_SECONDS,
  },
  precis_context_tokens_total: {
    kind: "counter",
    help: "Estimated tokens of rewritten requests: as sent by clients (before) and as forwarded (after).",
    labels: ["stage"],
  },
  precis_usage_tokens_total: {
    kind: "counter",
    help: "Tokens reported by providers; input includes cache reads and writes.",
    labels: ["kind"],
  },
  precis_cache_saved_usd_total: {
    kind: "counter",
    help: "Savings by reading prompts from providers' caches instead of at full price, in US dollars.",
    labels: [],
  },
  precis_cache_surcharge_usd_total: {
    kind: "counter",
    help: "Surcharge for writing to these caches, in US dollars.",
    labels: [],
  },
  precis_cache_missed_tokens_total: {
    kind: "counter",
    help: "Tokens of cache misses on text that was sent before: because of a compaction, or otherwise (expired, another client).",
    labels: ["because"],
  },
  precis_cache_missed_usd_total: {
    kind: "counter",
    help: "Extra cost of these misses over reading from the cache, in US dollars.",
    labels: ["because"],
  },
  precis_held_seconds: {
    kind: "histogram",
    help: "From the arrival of a request until it was forwarded: the latency that the gateway adds.",
    labels: ["treatment"],
    buckets: HELD_SECONDS,
  },
  precis_first_byte_seconds: {
    kind: "histogram",
    help: "From a request's arrival until the first byte of the answer's body.",
    labels: ["upstream"],
    buckets: ANSWER_SECONDS,
  },
  precis_request_seconds: {
    kind: "histogram",
    help: "From a request's arrival until its answer ended.",
    labels: ["upstream"],
    buckets: ANSWER_SECONDS,
  },
  precis_bytes_total: {
    kind: "counter",
    help: "Bytes of request bodies (in) and of answers (out).",
    labels: ["direction"],
  },
  precis_notices_total: {
    kind: "counter",
    help: "Notices for the operator, by code.",
    labels: ["code"],
  },
  precis_recalls_total: {
    kind: "counter",
    help: "Calls of the recall tool, or of tools of an engine, that were answered.",
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
    help: "Size of the store's file and its write-ahead log; absent for a store in memory.",
    labels: [],
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricName = keyof typeof METRICS;

/** What each label can be: its values are bounded whatever clients send. */
export const LABELS: Readonly<Record<string, string>> = {
  route: "`chat_completions`, `responses`, `messages`, `count_tokens`, `models`, `other`",
  upstream: "a configured name, or `none`",
  status: "a status code, or its class for uncommon ones: `4xx`",
  outcome: "`answered`, `refused`, `turned_away`, `aborted`, `upstream_failed`",
  treatment: "`passed`, `unchanged`, `untouched`, `rewritten`, `command`, `observed`",
  because: "a reason from the table above",
  reason: "`threshold`, `hygiene`, `overflow`, `payload`, `explicit`, `budget`",
  ahead: "`true`, `false`",
  stage: "`before`, `after`",
  kind: "`input`, `output`, `cache_read`, `cache_write`",
  direction: "`in`, `out`",
  found: "`true`, `false`",
  result: "`made`, `nothing`, `failed`",
  code: "a code of the log's notices",
};
