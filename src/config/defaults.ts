/**
 * The defaults as plain data, apart from the schema, so that a run without settings of its own loads no validator.
 * The figures of the default engine come from the Hermes Agent docs and Zhang 2026 (docs/engines/compressor.md).
 */
import { ENGINE_DEFAULTS } from "../core/engines/settings.ts";
import { ASK_TIMEOUT_MS } from "../models/settings.ts";
import { snakeCase } from "./snake-case.ts";

/** Values by the names of the file. */
function inSnakeCase(values: object): Readonly<Record<string, unknown>> {
  return Object.freeze(Object.fromEntries(Object.entries(values).map(([name, value]) => [snakeCase(name), value])));
}

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
    threshold_floor_tokens: ENGINE_DEFAULTS.thresholdFloorTokens,
    target_ratio: ENGINE_DEFAULTS.targetRatio,
    protect_last_n: ENGINE_DEFAULTS.protectLastN,
    protect_first_n: ENGINE_DEFAULTS.protectFirstN,
    note: ENGINE_DEFAULTS.note,
    template: ENGINE_DEFAULTS.template,
    keep_requests: ENGINE_DEFAULTS.keepRequests,
    schedule: "auto",
    idle: "off",
    ingest_limit_tokens: 0,
    model_tool: "off",
    room_tool: "off",
  } as const),
  engines: Object.freeze(
    Object.fromEntries(
      Object.entries(ENGINE_DEFAULTS.engines ?? {}).map(([name, own]) => [snakeCase(name), inSnakeCase(own)]),
    ),
  ),
  auxiliary: Object.freeze({
    compression: Object.freeze({
      model: null,
      provider: "auto",
      base_url: null,
      api_key_env: null,
      context_length: null,
      thinking_tokens: null,
      timeout_seconds: ASK_TIMEOUT_MS / 1_000,
    } as const),
  }),
  models: Object.freeze({}),
  prompt_caching: Object.freeze({ enabled: true, strategy: "spaced", cache_ttl: "5m", restore_bytes: true } as const),
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
    credential_names: Object.freeze([] as readonly string[]),
    threads: "replay",
    compact_requests: "pass",
    chat_commands: null,
    on_fault: "pass",
    log: "pretty",
    allowed_hosts: Object.freeze([] as readonly string[]),
    token_env: null,
    insecure: false,
    tenant_metrics: false,
    limits: Object.freeze({
      body_mb: 64,
      answer_seconds: 600,
      idle_seconds: 600,
      store_mb: 2_048,
      tenant_requests_per_minute: null,
      tenant_requests_at_once: null,
      tenant_store_mb: null,
      tenant_summaries_usd_per_day: null,
      drain_seconds: 10,
    }),
  } as const),
});

/** The window that is assumed while neither `model.context_length` nor `model.name` is set. */
export const ASSUMED_CONTEXT_TOKENS = ENGINE_DEFAULTS.contextLength;
/** The window of a main model with a name that nothing is known of: what the smaller of today's hosted models have. */
export const UNKNOWN_CONTEXT_TOKENS = 128_000;
