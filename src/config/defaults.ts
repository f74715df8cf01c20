/**
 * The defaults as plain data, apart from the schema, so that a run without settings of its own loads no validator.
 * The figures of the default engine come from the Hermes Agent docs and Zhang 2026 (docs/engines/compressor.md).
 */
import { ENGINE_DEFAULTS } from "../core/engines/settings.ts";
import { ASK_TIMEOUT_MS } from "../models/settings.ts";

export const DEFAULTS = Object.freeze({
  model: Object.freeze({
    name: null,
    provider: "auto",
    base_url: null,
    api_key_env: null,
    context_length: null,
    max_output_tokens: ENGINE_DEFAULTS.maxOutputTokens,
  } as const),
  context: Object.freeze({
    engine: "compressor",
    preset: ENGINE_DEFAULTS.preset,
    remote_compaction: "off",
    files_folder: null,
  } as const),
  compression: Object.freeze({
    enabled: true,
    mode: "rewrite",
    threshold: ENGINE_DEFAULTS.threshold,
    target_ratio: ENGINE_DEFAULTS.targetRatio,
    protect_last_n: ENGINE_DEFAULTS.protectLastN,
    protect_first_n: ENGINE_DEFAULTS.protectFirstN,
    note: ENGINE_DEFAULTS.note,
    template: ENGINE_DEFAULTS.template,
    keep_requests: ENGINE_DEFAULTS.keepRequests,
    schedule: "auto",
    ingest_limit_tokens: 0,
    model_tool: "off",
    room_tool: "off",
  } as const),
  auxiliary: Object.freeze({
    compression: Object.freeze({
      model: null,
      provider: "auto",
      base_url: null,
      api_key_env: null,
      thinking_tokens: null,
      timeout_seconds: ASK_TIMEOUT_MS / 1_000,
    } as const),
  }),
  models: Object.freeze({}),
  prompt_caching: Object.freeze({ enabled: true, strategy: "spaced", cache_ttl: "5m" } as const),
  recall: Object.freeze({ tool: "on" } as const),
  redaction: Object.freeze({
    code: false,
    patterns: Object.freeze([] as readonly string[]),
    outgoing: false,
    stored: false,
  }),
  hooks: Object.freeze({
    before_compact: Object.freeze([] as readonly string[]),
    after_compact: Object.freeze([] as readonly string[]),
    timeout_seconds: 10,
  }),
  gateway: Object.freeze({
    host: "127.0.0.1",
    port: 4020,
    upstreams: Object.freeze({}),
    store: null,
    store_key_env: null,
    retention_days: 30,
    jobs: "gateway",
    tenant: "auto",
    tenants_file: null,
    chat_commands: null,
    on_fault: "pass",
    log: "pretty",
    allowed_hosts: Object.freeze([] as readonly string[]),
    token_env: null,
    limits: Object.freeze({
      body_mb: 64,
      answer_seconds: 600,
      store_mb: 2_048,
      drain_seconds: 10,
    }),
  } as const),
});

/** The window that is assumed while neither `model.context_length` nor `model.name` is set. */
export const ASSUMED_CONTEXT_TOKENS = ENGINE_DEFAULTS.contextLength;
/** The window of a main model with a name that nothing is known of: what the smaller of today's hosted models have. */
export const UNKNOWN_CONTEXT_TOKENS = 128_000;
