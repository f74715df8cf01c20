/** What a request for a shorter conversation may take of a gateway: none of the event loop's time, and no more of the store than its tenant has. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GatewayOptions } from "../../../src/gateway/index.ts";
import { openSqliteStore } from "../../../src/store/index.ts";
import { createMemoryStore } from "../../../src/store/memory.ts";
import { largeSource } from "../support/large-options.ts";
import { atEnd, front, temporaryFolder, TENANT } from "../support/standing.ts";

const NOWHERE = "http://127.0.0.1:9";
const WINDOW_TOKENS = 16_000;

async function gateway(given: Partial<GatewayOptions> = {}) {
  const path = join(temporaryFolder(), "history.db");
  const store = await openSqliteStore({ path });
  atEnd(store.close);
  const options = { tenant: { name: TENANT }, contextLength: WINDOW_TOKENS, ...given };
  return front(NOWHERE, { ...options, store, largeRequests: largeSource({ path, options }) });
}

const line = (at: number): string => `Row ${at}: order ${(at * 7919) % 9973} of the depot was shipped.`;
const long = (characters: number): string => Array.from({ length: characters / 45 }, (_, at) => line(at)).join("\n");
const post = (url: string, route: string, messages: readonly object[]) =>
  fetch(`${url}/v1/${route}`, { method: "POST", body: JSON.stringify({ model: "gpt-5.4", messages }) });

/** The longest that the event loop of this process stood still meanwhile. */
async function stoodStill(work: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  await work();
  // What stood still last is seen by a timer that fires after it.
  await sleep(20);
  delays.disable();
  return delays.max / 1e6;
}

describe("a long conversation", () => {
  it.each(["compress", "compact"])(
    "is worked on by the thread for %s",
    async (route) => {
      const { url } = await gateway();
      const messages = [{ role: "user", content: "Start." }, ...Array.from({ length: 200 }, (_, at) => ({ role: at % 2 === 0 ? "assistant" : "user", content: long(20_000) + String(at) }))]; // prettier-ignore
      await post(url, route, [{ role: "user", content: long(200_000) }]);
      let answer: Response | undefined;
      const worst = await stoodStill(async () => (answer = await post(url, route, messages)));
      expect(answer!.status).toBe(200);
      expect(await answer!.json()).toMatchObject(route === "compact" ? { compacted: true } : { tokens_before: expect.any(Number) as number }); // prettier-ignore
      expect(worst).toBeLessThan(400);
    },
    60_000,
  );

  it("of more messages than precis reads is refused", async () => {
    const { url } = await gateway({ limits: { readMessages: 2_500 } });
    const many = Array.from({ length: 2_600 }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: "m",
    }));
    for (const route of ["compress", "compact"]) {
      const answer = await post(url, route, many);
      expect([answer.status, await answer.json()]).toMatchObject([413, { error: { code: "request_too_large" } }]);
    }
  });

  it("is given back by the thread", async () => {
    const { url } = await gateway();
    const text = long(4_000_000);
    const answer = await post(url, "compress", [
      { role: "tool", content: text },
      { role: "user", content: "And now?" },
    ]);
    const { ccr_hashes: hashes } = (await answer.json()) as { readonly ccr_hashes: readonly string[] };
    let given: unknown;
    const worst = await stoodStill(async () => {
      given = await (await fetch(`${url}/v1/retrieve/${hashes[0]!}`)).json();
    });
    expect(given).toMatchObject({ original_content: text });
    expect(worst).toBeLessThan(200);
  }, 60_000);
});

describe("a tenant whose store is full", () => {
  it.each(["compress", "compact"])(
    "gets its conversation back as it was by %s, and nothing is stored",
    async (route) => {
      const store = createMemoryStore();
      const { url } = await front(NOWHERE, { tenant: { name: TENANT }, contextLength: WINDOW_TOKENS, store, tenantLimits: { storedBytes: 10_000 } }); // prettier-ignore
      const messages = Array.from({ length: 40 }, (_, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content: `${long(4_000)} ${at}` })); // prettier-ignore
      await post(url, "compress", messages);
      const { originals } = await store.holdings(TENANT);
      expect(originals).toBeGreaterThan(0);
      const others = messages.map(({ role, content }) => ({ role, content: content.toUpperCase() }));
      expect(await (await post(url, route, others)).json()).toMatchObject({ messages: others });
      expect((await store.holdings(TENANT)).originals).toBe(originals);
    },
  );
});
