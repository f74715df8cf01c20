/** Metrics: every event counted where it belongs, and no label that clients can make grow. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GatewayEvent } from "../../../src/gateway/contract.ts";
import { METRICS, type MetricDefinition } from "../../../src/gateway/operation/metric-list.ts";
import { createMemoryStore } from "../../../src/store/index.ts";
import { createMetrics, routeOf, type MetricsOptions } from "../../../src/gateway/operation/metrics.ts";
import { compactionEvent, noticeEvent, requestEvent } from "./events.ts";

/** The samples after these events, by name with labels. */
async function after(
  events: readonly GatewayEvent[],
  options: Partial<MetricsOptions> = {},
): Promise<Map<string, number>> {
  const metrics = createMetrics({ upstreams: ["anthropic", "openai"], processMetrics: false, ...options });
  for (const event of events) metrics.onEvent(event);
  const lines = (await metrics.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  );
}

describe("metrics", () => {
  it("count requests with their tokens, bytes and times", async () => {
    const usage = { input: 900, output: 40, cacheRead: 800, cacheWrite: 50 };
    const tokens = { before: 5_000, after: 900 };
    const samples = await after([
      requestEvent({ treatment: { kind: "rewritten", fresh: true, tokens }, usage }),
      requestEvent({
        treatment: { kind: "untouched", because: "bound_thinking" },
        retried: true,
        status: 400,
        outcome: "refused",
      }),
    ]);
    const request = (status: number, outcome: string, treatment: string): string =>
      `precis_requests_total{route="messages",upstream="anthropic",status="${status}",outcome="${outcome}",treatment="${treatment}"}`;
    expect(Object.fromEntries(samples)).toMatchObject({
      [request(200, "answered", "rewritten")]: 1,
      [request(400, "refused", "untouched")]: 1,
      'precis_untouched_total{because="bound_thinking"}': 1,
      precis_retries_total: 1,
      'precis_context_tokens_total{stage="before"}': 5_000,
      'precis_context_tokens_total{stage="after"}': 900,
      'precis_usage_tokens_total{kind="input"}': 900,
      'precis_usage_tokens_total{kind="output"}': 40,
      'precis_usage_tokens_total{kind="cache_read"}': 800,
      'precis_usage_tokens_total{kind="cache_write"}': 50,
      'precis_bytes_total{direction="in"}': 200,
      'precis_held_seconds_sum{treatment="rewritten"}': 0.000_4,
      'precis_first_byte_seconds_sum{upstream="anthropic"}': 1.4,
      'precis_request_seconds_bucket{le="2.5",upstream="anthropic"}': 2,
    });
  });

  it("are there at 0 before the first event, for everything that the shipped alerts count", async () => {
    const samples = await after([]);
    const alerts = readFileSync(resolve(import.meta.dirname, "../../../deploy/prometheus/alerts.yaml"), "utf8");
    const counted = [...alerts.matchAll(/increase\((precis_\w+(?:\{\w+="\w+"\})?)[[{]/g)].map(([, name]) => name!);
    expect(counted.length).toBeGreaterThan(4);
    for (const name of counted) {
      const values = [...samples].filter(([sample]) => sample.startsWith(name)).map(([, value]) => value);
      expect([name, values.length > 0, new Set(values)]).toEqual([name, true, new Set([0])]);
    }
    expect(samples.get('precis_compactions_total{reason="overflow",ahead="false"}')).toBe(0);
  });

  it("count compactions and notices", async () => {
    const samples = await after([
      compactionEvent({ ahead: true, modelCalls: 2, costUsd: 0.5, degraded: ["the model failed"] }),
      noticeEvent({ code: "irreducible" }),
    ]);
    expect(Object.fromEntries(samples)).toMatchObject({
      'precis_compactions_total{reason="threshold",ahead="true"}': 1,
      precis_compactions_degraded_total: 1,
      precis_compaction_model_calls_total: 2,
      precis_compaction_cost_usd_total: 0.5,
      'precis_compaction_seconds_count{ahead="true"}': 1,
      'precis_notices_total{code="irreducible"}': 1,
    });
  });

  it("ask for what changes by itself when they are read", async () => {
    const samples = await after([], { inFlight: () => 3, storeBytes: () => 4_096 });
    expect([samples.get("precis_in_flight"), samples.get("precis_store_bytes")]).toEqual([3, 4_096]);
    expect((await after([])).has("precis_store_bytes")).toBe(false);
  });

  it("have only as many series as there are words in the documentation, whatever clients send", async () => {
    const any = fc.string({ maxLength: 20 });
    const request = fc
      .record({
        path: fc.oneof(
          any,
          any.map((tail) => `/v1/models/${tail}`),
        ),
        model: any,
        tenant: any,
        upstream: any,
        method: any,
        status: fc.integer(),
      })
      .map(requestEvent);
    const events = fc.sample(request, 2_000);
    const names = [...(await after(events)).keys()].filter((name) => name.startsWith("precis_requests_total"));
    const routes = new Set(names.map((name) => /route="([^"]*)"/.exec(name)![1]));
    const upstreams = new Set(names.map((name) => /upstream="([^"]*)"/.exec(name)![1]));
    expect([...routes].toSorted()).toEqual(["models", "other"]);
    expect([...upstreams]).toEqual(["none"]);
    const statuses = new Set(names.map((name) => /status="([^"]*)"/.exec(name)![1]));
    expect([...statuses].filter((status) => !/^(?:\d{3}|\dxx|none)$/.test(status!))).toEqual([]);
  });

  it("tell what tenants take only where that is wanted, and of no more than a thousand", async () => {
    const store = createMemoryStore();
    const body = { role: "user", parts: [{ kind: "text", text: "Hello." }] } as const;
    await store.appendChain("team", { links: ["l"], messages: [body] });
    const events = Array.from({ length: 1_500 }, (_, at) => requestEvent({ tenant: `t${at}` }));
    expect([...(await after(events)).keys()].filter((name) => name.startsWith("precis_tenant"))).toEqual([]);
    const metrics = createMetrics({ upstreams: [], processMetrics: false, tenantStore: store });
    for (const event of events) metrics.onEvent(event);
    const lines = async () => (await metrics.text()).split("\n").filter((line) => line.includes("tenant="));
    const requests = (await lines()).filter((line) => line.startsWith("precis_tenant_requests_total"));
    expect(requests).toHaveLength(1_001);
    expect(requests).toContain('precis_tenant_requests_total{tenant="other",outcome="answered"} 500');
    await expect
      .poll(lines)
      .toContainEqual(expect.stringMatching(/^precis_tenant_stored_bytes\{tenant="other"\} [1-9]/));
  });

  it("say what they count", () => {
    for (const { help } of Object.values<MetricDefinition>(METRICS)) expect(help).toMatch(/^[A-Z].*\.$/);
  });
});

it.each([
  ["/v1/chat/completions", "chat_completions"],
  ["/chat/completions", "chat_completions"],
  ["/upstreams/local/v1/responses", "responses"],
  ["/v1/messages/count_tokens", "count_tokens"],
  ["/v1/models/gpt-5.6", "models"],
  ["/v1/embeddings", "other"],
  ["/upstreams", "other"],
])("%s is the route %s", (path, route) => {
  expect(routeOf(path)).toBe(route);
});
