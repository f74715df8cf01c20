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
    help: "Requests that are over.",
    labels: ["route", "upstream", "status", "outcome", "treatment"],
  },
  precis_untouched_total: {
    kind: "counter",
    help: "Requests that went out as they came although they could have been looked at.",
    labels: ["because"],
  },
  precis_retries_total: {
    kind: "counter",
    help: "Requests that the provider refused as too large and that were sent once more, compacted.",
    labels: [],
  },
  precis_compactions_total: {
    kind: "counter",
    help: "Compactions made; ahead of need or for a request that waited.",
    labels: ["reason", "ahead"],
  },
  precis_compactions_degraded_total: {
    kind: "counter",
    help: "Compactions that came out less well than configured, for example because a model failed.",
    labels: [],
  },
  precis_compaction_lost_requests_total: {
    kind: "counter",
    help: "Requests of users that compactions left out of what models see, for want of room; each can be recalled.",
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
  precis_context_tokens_total: {
    kind: "counter",
    help: "Estimated tokens of rewritten requests: as the clients sent them (before) and as they went on (after).",
    labels: ["stage"],
  },
  precis_usage_tokens_total: {
    kind: "counter",
    help: "Tokens as providers reported them; input includes cache reads and writes.",
    labels: ["kind"],
  },
  precis_cache_saved_usd_total: {
    kind: "counter",
    help: "What reading prompts from providers' caches saved against full price, in US dollars.",
    labels: [],
  },
  precis_cache_surcharge_usd_total: {
    kind: "counter",
    help: "What writing to these caches cost above full price, in US dollars.",
    labels: [],
  },
  precis_cache_missed_tokens_total: {
    kind: "counter",
    help: "Tokens that had been sent before and were read afresh: by a compaction, or otherwise (expired, another client).",
    labels: ["because"],
  },
  precis_cache_missed_usd_total: {
    kind: "counter",
    help: "What these cost more than reading them from the cache would have, in US dollars.",
    labels: ["because"],
  },
  precis_held_seconds: {
    kind: "histogram",
    help: "From a request's arrival until it went on: what the gateway added before the provider.",
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
    help: "What an operator should know of, by code.",
    labels: ["code"],
  },
  precis_recalls_total: {
    kind: "counter",
    help: "Calls of the recall tool that were answered.",
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
    help: "Size of the store's file and of its log; absent for one in memory.",
    labels: [],
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricName = keyof typeof METRICS;

/** What each label can be: its values are bounded whatever clients send. */
export const LABELS: Readonly<Record<string, string>> = {
  route: "`chat_completions`, `responses`, `messages`, `count_tokens`, `models`, `other`",
  upstream: "a configured name, or `none`",
  status: "a status code, or its class where it is no common one: `4xx`",
  outcome: "`answered`, `refused`, `turned_away`, `aborted`, `upstream_failed`",
  treatment: "`passed`, `unchanged`, `untouched`, `rewritten`, `observed`",
  because: "a reason from the table above",
  reason: "`threshold`, `hygiene`, `overflow`, `payload`, `explicit`, `budget`",
  ahead: "`true`, `false`",
  stage: "`before`, `after`",
  kind: "`input`, `output`, `cache_read`, `cache_write`",
  direction: "`in`, `out`",
  found: "`true`, `false`",
  code: "a code of the log's notices",
};
