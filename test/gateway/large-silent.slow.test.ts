/** A request that keeps the thread for large requests busy without end goes out as it came, and holds up others only so long. */
import { join } from "node:path";
import { expect, it } from "vitest";
import type { GatewayOptions } from "../../src/gateway/index.ts";
import { openSqliteStore } from "../../src/store/index.ts";
import { ask, bodyOf, worked } from "./support/asking.ts";
import { largeSource } from "./support/large-options.ts";
import { atEnd, front, temporaryFolder } from "./support/standing.ts";
import { createProvider } from "../../provider/src/provider.ts";

const STUCK = "sk-stuck";
const SILENCE_MS = 3_000;
const SILENT = expect.stringContaining("large_thread_silent") as string;

async function frontWith(more: Partial<GatewayOptions> = {}) {
  const received: string[] = [];
  const provider = createProvider({
    every: { windowTokens: 10_000_000 },
    onRequest: ({ body }) => void received.push(body),
  });
  const { url: upstream, close } = await provider.listen();
  atEnd(close);
  const path = join(temporaryFolder(), "history.db");
  const store = await openSqliteStore({ path });
  atEnd(store.close);
  const options = {
    upstreams: { openai: { url: upstream } },
    tenant: "per_key",
    contextLength: 12_000,
    caching: { schedule: "threshold" },
    limits: { largeBodyBytes: 8_000, largeSilenceMs: SILENCE_MS },
    ...more,
  } as const;
  const tenants: string[] = [];
  const probe = await front(upstream, { ...options, onEvent: (event) => void tenants.push(event.tenant), store });
  await ask(probe.url, { protocol: "openai-chat", key: STUCK, body: bodyOf("openai-chat", worked("one", 1, 3)) });
  await expect.poll(() => tenants.length).toBeGreaterThan(0);
  const largeRequests = largeSource({ path, options, stuckOver: tenants[0]! });
  return { ...(await front(upstream, { ...options, store, largeRequests })), received };
}

it("goes out as it came, and those of others are compacted after it", async () => {
  const { url, events, received } = await frontWith();
  const ready = await ask(url, {
    protocol: "openai-chat",
    key: "sk-other",
    body: bodyOf("openai-chat", worked("a", 18)),
  });
  expect(ready.treatment).toMatch(/^rewritten;.*fresh$/);
  const body = bodyOf("openai-chat", worked("stuck", 18));
  const started = performance.now();
  const stuck = ask(url, { protocol: "openai-chat", key: STUCK, body });
  await new Promise((next) => setTimeout(next, 100));
  const other = ask(url, { protocol: "openai-chat", key: "sk-other", body: bodyOf("openai-chat", worked("b", 18)) });
  expect((await stuck).treatment).toBe("untouched; because=internal_fault");
  expect((await stuck).status).toBe(200);
  expect(received).toContain(body);
  expect((await other).treatment).toMatch(/^rewritten;.*fresh$/);
  expect(performance.now() - started).toBeLessThan(SILENCE_MS * 12);
  const notices = events.filter((event) => event.kind === "notice");
  expect(notices).toContainEqual(expect.objectContaining({ code: "internal_fault", message: SILENT }));
});

it("is refused where faults are to be refused, after one attempt where it was alone", async () => {
  const { url, events } = await frontWith({ onFault: "refuse" });
  const body = bodyOf("openai-chat", worked("stuck", 18));
  expect((await ask(url, { protocol: "openai-chat", key: STUCK, body })).status).toBe(500);
  const silent = events.filter((event) => event.kind === "notice" && event.message.includes("large_thread_silent"));
  expect(silent).toHaveLength(1);
});
