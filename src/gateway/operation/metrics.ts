/** The gateway's events as Prometheus metrics, in a registry of their own. No model or path is a label, and tenants only where that is wanted: clients name those. */
import { STATUS_CODES } from "node:http";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { CacheEffect } from "../../core/caching/effectiveness.ts";
import type { CompactionEvent, GatewayEvent, RequestEvent, EmitEvent } from "../contract.ts";
import { routeOf as modelRouteOf } from "../request/routes.ts";
import { splitTarget } from "../transport/headers.ts";
import { AT_ZERO, METRICS, type MetricDefinition, type MetricName } from "./metric-list.ts";
import type { HistoryStore } from "../../store/store.ts";

export interface MetricsOptions {
  /** The configured names; any other is `none`. */
  readonly upstreams: readonly string[];
  readonly inFlight?: () => number;
  /** Absent where there is no file. */
  readonly storeBytes?: (() => number) | undefined;
  readonly tenantStore?: TenantStore | undefined;
  /** Node's own figures (memory, processor, event loop) beside ours; default true. */
  readonly processMetrics?: boolean;
}

interface Metrics {
  readonly onEvent: EmitEvent;
  readonly text: () => Promise<string>;
  readonly contentType: string;
}

/** Statuses that providers use beside those that HTTP names. */
const OTHER_STATUSES: ReadonlySet<number> = new Set([499, 520, 521, 522, 523, 524, 529]);
const MS_PER_SECOND = 1_000;

export function createMetrics(options: MetricsOptions): Metrics {
  const { upstreams, inFlight, storeBytes, tenantStore, processMetrics = true } = options;
  const registry = new Registry();
  if (processMetrics) collectDefaultMetrics({ register: registry });
  const write = writerTo(registry, tenantStore !== undefined);
  const known = new Set(upstreams);
  if (inFlight !== undefined) addGauge(registry, "precis_in_flight", inFlight);
  if (storeBytes !== undefined) addGauge(registry, "precis_store_bytes", storeBytes);
  const ofTenants = tenantStore && createTenantMetrics(registry, write, tenantStore);
  return {
    onEvent: (event) => {
      record(event, write, known);
      ofTenants?.(event);
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function writerTo(registry: Registry, byTenant: boolean): Write {
  const writers = new Map<MetricName, Write>();
  for (const [name, { kind, help, labels, buckets }] of Object.entries(METRICS) as [MetricName, MetricDefinition][]) {
    if (labels.includes("tenant") && !byTenant) continue;
    const common = { name, help, labelNames: [...labels], registers: [registry] };
    if (kind === "counter") {
      const counter = new Counter(common);
      for (const of of combineLabels(AT_ZERO[name])) counter.inc(of, 0);
      writers.set(name, (_, value, of = {}) => counter.inc(of, value));
    } else if (kind === "histogram") {
      const histogram = new Histogram({ ...common, buckets: [...(buckets ?? [])] });
      writers.set(name, (_, value, of = {}) => histogram.observe(of, value));
    }
  }
  return (name, value, labels) => writers.get(name)?.(name, value, labels);
}

function combineLabels(values: Readonly<Record<string, readonly string[]>> = {}): readonly Record<string, string>[] {
  return Object.entries(values).reduce<readonly Record<string, string>[]>(
    (made, [label, each], at) =>
      (at === 0 ? [{}] : made).flatMap((one) => each.map((value) => ({ ...one, [label]: value }))),
    [],
  );
}

function addGauge(registry: Registry, name: MetricName, read: () => number): void {
  const one: Gauge = new Gauge({
    name,
    help: METRICS[name].help,
    registers: [registry],
    collect: () => one.set(read()),
  });
}

function record(event: GatewayEvent, write: Write, upstreams: ReadonlySet<string>): void {
  switch (event.kind) {
    case "request":
      return recordRequest(event, write, upstreams.has(event.upstream) ? event.upstream : "none");
    case "compaction":
      return recordCompaction(event, write);
    case "notice":
      return write("precis_notices_total", 1, { code: event.code });
    case "recall":
      write("precis_recalls_total", 1, { found: String(event.found) });
      return write("precis_recalled_tokens_total", event.tokens);
    case "job":
      write("precis_jobs_total", 1, { result: event.outcome });
      return write("precis_job_seconds", event.tookMs / MS_PER_SECOND, { result: event.outcome });
  }
}

function recordRequest(event: RequestEvent, write: Write, upstream: string): void {
  const { treatment, outcome, usage } = event;
  const { kind } = treatment;
  const status = statusLabel(event.status);
  write("precis_requests_total", 1, { route: routeOf(event.path), upstream, status, outcome, treatment: kind });
  if (kind === "untouched") write("precis_untouched_total", 1, { because: treatment.because });
  if (event.retried) write("precis_retries_total", 1);
  if (event.restored > 0) write("precis_restored_messages_total", event.restored);
  if (kind === "rewritten") {
    write("precis_context_tokens_total", treatment.tokens.before, { stage: "before" });
    write("precis_context_tokens_total", treatment.tokens.after, { stage: "after" });
  }
  if (usage !== undefined) {
    write("precis_usage_tokens_total", usage.input, { kind: "input" });
    write("precis_usage_tokens_total", usage.output, { kind: "output" });
    write("precis_usage_tokens_total", usage.cacheRead, { kind: "cache_read" });
    write("precis_usage_tokens_total", usage.cacheWrite, { kind: "cache_write" });
  }
  if (event.cache !== undefined) recordCache(event.cache, kind === "rewritten" && treatment.fresh, write);
  write("precis_bytes_total", event.bytesIn, { direction: "in" });
  write("precis_bytes_total", event.bytesOut, { direction: "out" });
  if (outcome === "turned_away") return;
  write("precis_held_seconds", event.heldMs / MS_PER_SECOND, { treatment: kind });
  if (event.firstByteMs !== undefined)
    write("precis_first_byte_seconds", event.firstByteMs / MS_PER_SECOND, { upstream });
  write("precis_request_seconds", event.tookMs / MS_PER_SECOND, { upstream });
}

function recordCache(cache: CacheEffect, compacted: boolean, write: Write): void {
  const because = compacted ? "compaction" : "other";
  write("precis_cache_saved_usd_total", cache.savedUsd);
  write("precis_cache_surcharge_usd_total", cache.surchargeUsd);
  write("precis_cache_missed_tokens_total", cache.missedTokens ?? 0, { because });
  write("precis_cache_missed_usd_total", cache.missedUsd ?? 0, { because });
}

function recordCompaction(event: CompactionEvent, write: Write): void {
  const ahead = String(event.ahead);
  write("precis_compactions_total", 1, { reason: event.reason, ahead });
  write("precis_compaction_seconds", event.tookMs / MS_PER_SECOND, { ahead });
  write("precis_compaction_model_calls_total", event.modelCalls);
  write("precis_compaction_cost_usd_total", event.costUsd);
  write("precis_compaction_lost_requests_total", event.lostRequests);
  if (event.degraded.length > 0) write("precis_compactions_degraded_total", 1);
}

/** The route of a path, with or without the name of an upstream and `/v1` before it. */
export function routeOf(path: string): string {
  const { target } = splitTarget(path);
  const asked = modelRouteOf("POST", target);
  return asked?.label ?? (/^(?:\/v1)?\/models(?:\/|$)/.test(target) ? "models" : "other");
}

function statusLabel(status: number): string {
  if (status in STATUS_CODES || OTHER_STATUSES.has(status)) return String(status);
  return status >= 100 && status < 600 ? `${Math.floor(status / 100)}xx` : "none";
}

/** Adds to a counter, or observes with a histogram. */
type Write = (name: MetricName, value: number, labels?: Readonly<Record<string, string>>) => void;

export type TenantStore = Pick<HistoryStore, "listTenants" | "holdings">;

const TENANTS_MAX = 1_000;
const OTHER = "other";
/** How often what is stored is measured, when somebody looks. */
const MEASURE_EVERY_MS = 60_000;
const STORED: MetricName = "precis_tenant_stored_bytes";

function createTenantMetrics(registry: Registry, write: Write, store: TenantStore): (event: GatewayEvent) => void {
  const known = new Set<string>();
  const labelOf = (tenant: string): string => {
    if (known.size < TENANTS_MAX) known.add(tenant);
    return known.has(tenant) ? tenant : OTHER;
  };
  let measuredAt = -Infinity;
  const measure = async (): Promise<void> => {
    const bytes = new Map<string, number>();
    for (const { tenant } of await store.listTenants()) {
      if (tenant === "") continue;
      const label = labelOf(tenant);
      bytes.set(label, (bytes.get(label) ?? 0) + (await store.holdings(tenant)).bytes);
    }
    gauge.reset();
    for (const [tenant, sum] of bytes) gauge.set({ tenant }, sum);
  };
  const gauge = new Gauge({
    name: STORED,
    help: METRICS[STORED].help,
    labelNames: ["tenant"],
    registers: [registry],
    // Whoever looks gets what was measured last, and does not wait for the store.
    collect: () => {
      if (performance.now() - measuredAt < MEASURE_EVERY_MS) return;
      measuredAt = performance.now();
      void measure().catch(() => undefined);
    },
  });
  return (event) => {
    if (event.kind === "compaction")
      return write("precis_tenant_compaction_cost_usd_total", event.costUsd, { tenant: labelOf(event.tenant) });
    if (event.kind !== "request" || event.tenant === "") return;
    const tenant = labelOf(event.tenant);
    write("precis_tenant_requests_total", 1, { tenant, outcome: event.outcome });
    const { input = 0, output = 0 } = event.usage ?? {};
    write("precis_tenant_usage_tokens_total", input, { tenant, kind: "input" });
    write("precis_tenant_usage_tokens_total", output, { tenant, kind: "output" });
  };
}
