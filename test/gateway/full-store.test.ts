/** A store that takes no request any more: what a gateway does that is to pass on, one that is to refuse, and what each says of itself. */
import { describe, expect, it } from "vitest";
import { PrecisError } from "../../src/core/errors.ts";
import { createOwnRoutes } from "../../src/gateway/operation/own-routes.ts";
import { createStoreHealth } from "../../src/gateway/request/fault.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import type { HistoryStore } from "../../src/store/store.ts";
import { ask, bodyOf, worked } from "./support/asking.ts";
import { stand } from "./support/standing.ts";

/** As at a quota: it has room for a little, and for no request. */
function nearlyFull() {
  const store = createMemoryStore();
  const disk = { full: true };
  const refuse = () => Promise.reject(new PrecisError("no room", { code: "store_full", hint: "Free some." }));
  const putState: HistoryStore["putState"] = (tenant, root, state) =>
    disk.full && JSON.stringify(state).length > 10_000 ? refuse() : store.putState(tenant, root, state);
  const appendChain: HistoryStore["appendChain"] = (...given) => (disk.full ? refuse() : store.appendChain(...given));
  return { disk, store: { ...store, putState, appendChain } };
}

const request = (at: number) => ({
  protocol: "openai-chat" as const,
  body: bodyOf("openai-chat", worked(`part ${at}`, 2, 50)),
});

describe("a store that takes no request any more", () => {
  it("is passed by, and each request says so", async () => {
    const { store, disk } = nearlyFull();
    const { url } = await stand({ provider: { script: { text: "Read." } }, gateway: { store, onFault: "pass" } });
    await ask(url, request(0));
    const marked = await ask(url, request(1));
    expect([marked.status, marked.treatment]).toEqual([200, "untouched; because=store_unavailable"]);
    disk.full = false;
    await ask(url, request(2));
    expect((await ask(url, request(3))).treatment).toBe("unchanged");
  });

  it("has requests refused where that is wished, until it takes one again", async () => {
    const { store, disk } = nearlyFull();
    const { url, provider } = await stand({
      provider: { script: { text: "Read." } },
      gateway: { store, onFault: "refuse" },
    });
    // Its answer had begun before it was to be kept.
    expect((await ask(url, request(0))).status).toBe(200);
    for (const at of [1, 2]) {
      const { status, text } = await ask(url, request(at));
      expect([status, text]).toEqual([500, expect.stringContaining("no room")]);
    }
    expect(provider.account().total).toMatchObject({ answered: 1 });
    disk.full = false;
    const { status, treatment } = await ask(url, request(3));
    expect([status, treatment]).toEqual([200, "unchanged"]);
    expect(await store.listSessions("proof", { limit: 9 })).toHaveLength(1);
  });

  it("makes a gateway that refuses not ready, and one that passes on only forwarding", async () => {
    const { store, disk } = nearlyFull();
    const health = createStoreHealth(store);
    const ready = async (forwards: boolean) => {
      const own = {
        checkStore: health.check,
        forwards,
        stopping: () => false,
        loopback: true,
        token: "t",
        metrics: { text: async () => "", contentType: "" },
        status: () => ({}) as never,
        history: {} as never,
      };
      const response = await createOwnRoutes(own).request("http://127.0.0.1/_precis/ready");
      return [response.status, await response.json()];
    };
    expect(await ready(false)).toEqual([200, { status: "ready" }]);
    health.fails = true;
    expect(await ready(false)).toEqual([503, { status: "not ready", because: "store_full" }]);
    expect(await ready(true)).toEqual([200, { status: "only forwarding", because: "store_full" }]);
    disk.full = false;
    expect(await ready(false)).toEqual([200, { status: "ready" }]);
    expect(health.fails).toBe(false);
  });
});
