/**
 * What each tenant takes, where an operator wants that in the metrics too (`gateway.tenants_file`): the only metrics with
 * a label that clients choose, as each key is a tenant of its own. So many tenants have one, and all others share `other`.
 */
import { Gauge, type Registry } from "prom-client";
import type { HistoryStore } from "../../store/store.ts";
import type { GatewayEvent } from "../contract.ts";
import { METRICS, type MetricName } from "./metric-list.ts";

/** Adds to a counter, or observes with a histogram. */
export type Write = (name: MetricName, value: number, labels?: Readonly<Record<string, string>>) => void;

/** What is needed to say what tenants have stored. */
export type TenantStore = Pick<HistoryStore, "listTenants" | "holdings">;

const TENANTS_MAX = 1_000;
const OTHER = "other";
/** How often what is stored is measured, when somebody looks. */
const MEASURE_EVERY_MS = 60_000;
const STORED: MetricName = "precis_tenant_stored_bytes";

export function createTenantMetrics(
  registry: Registry,
  write: Write,
  store: TenantStore,
): (event: GatewayEvent) => void {
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
