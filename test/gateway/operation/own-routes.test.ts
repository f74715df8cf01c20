/** The gateway's own routes: who may ask what, and what is answered when the store is gone. */
import { describe, expect, it } from "vitest";
import { PrecisError } from "../../../src/core/errors.ts";
import { createHistory } from "../../../src/gateway/history/history.ts";
import { createMetrics } from "../../../src/gateway/operation/metrics.ts";
import { createOwnRoutes, type OwnRoutesOptions } from "../../../src/gateway/operation/own-routes.ts";
import { createTally } from "../../../src/gateway/operation/tally.ts";
import { createMemoryStore } from "../../../src/store/memory.ts";
import { compactionEvent, requestEvent } from "./events.ts";

const TOKEN = "a token of the operator";

function ask(
  path: string,
  options: Partial<OwnRoutesOptions> = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  const tally = createTally();
  tally.onEvent(
    requestEvent({ treatment: { kind: "rewritten", fresh: true, tokens: { before: 9_000, after: 2_000 } } }),
  );
  const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0 };
  tally.onEvent(requestEvent({ treatment: { kind: "untouched", because: "not_text" }, usage }));
  tally.onEvent(compactionEvent({ ahead: true }));
  const upstreams = { openai: "https://api.openai.com" };
  const app = createOwnRoutes({
    metrics: createMetrics({ upstreams: [], processMetrics: false }),
    status: () => ({
      version: "1.2.3",
      mode: "rewrite",
      upstreams,
      store: "memory",
      upSeconds: 3_725,
      totals: tally.totals(),
    }),
    checkStore: async () => undefined,
    stopping: () => false,
    history: createHistory({ store: createMemoryStore() }),
    loopback: true,
    token: TOKEN,
    ...options,
  });
  const all = { authorization: `Bearer ${TOKEN}`, ...headers };
  return Promise.resolve(app.fetch(new Request(`http://127.0.0.1:4020${path}`, { headers: all })));
}

describe("a gateway that forwards requests without its store", () => {
  it("stays ready and says why it does no more, and is not ready once it stops", async () => {
    const refused = () => Promise.reject(new PrecisError("it is away", { code: "store_unreachable", hint: "Wait." }));
    const away = await ask("/_precis/ready", { forwards: true, checkStore: refused });
    expect([away.status, await away.json()]).toEqual([
      200,
      { status: "only forwarding", because: "store_unreachable" },
    ]);
    const stopping = await ask("/_precis/ready", { forwards: true, stopping: () => true });
    expect([stopping.status, await stopping.json()]).toEqual([503, { status: "not ready", because: "stopping" }]);
  });
});

describe("own routes", () => {
  it("say that it lives, that it is ready, and what it did", async () => {
    expect(await (await ask("/_precis/health")).json()).toEqual({ status: "ok" });
    expect(await (await ask("/_precis/ready")).json()).toEqual({ status: "ready" });
    const metrics = await ask("/_precis/metrics");
    expect(metrics.headers.get("content-type")).toContain("text/plain");
    expect(await metrics.text()).toContain("# TYPE precis_requests_total counter");
    expect(await (await ask("/_precis/")).json()).toMatchObject({
      version: "1.2.3",
      totals: {
        requests: 2,
        outcomes: { answered: 2 },
        treatments: { rewritten: 1, untouched: 1 },
        untouched: { not_text: 1 },
        compactions: 1,
        ahead: 1,
        context: { before: 9_000, after: 2_000 },
      },
    });
  });

  it.each([
    [{ checkStore: () => Promise.reject(new Error("the disk is gone")) }, "store_unavailable"],
    [{ checkStore: () => new Promise(() => undefined) }, "store_slow"],
    [{ stopping: () => true }, "stopping"],
  ])("are not ready when %o, and say why without the cause's words", async (options, because) => {
    const response = await ask("/_precis/ready", options);
    expect([response.status, await response.json()]).toEqual([503, { status: "not ready", because }]);
    expect((await ask("/_precis/health", options)).status).toBe(200);
  });

  it("ask for the token, on this machine too, but for health and readiness", async () => {
    for (const loopback of [true, false]) {
      const status = async (path: string, authorization = ""): Promise<number> =>
        (await ask(path, { loopback }, { authorization })).status;
      for (const path of ["/_precis", "/_precis/", "/_precis/metrics", "/_precis/nothing", "/_precis/api/sessions"]) {
        expect([path, await status(path)]).toEqual([path, 401]);
        expect([path, await status(path, `Bearer ${TOKEN}x`)]).toEqual([path, 401]);
        expect([path, await status(path, TOKEN)]).toEqual([path, 401]);
      }
      expect(await status("/_precis/metrics", `bearer ${TOKEN}`)).toBe(200);
      expect([await status("/_precis/health"), await status("/_precis/ready")]).toEqual([200, 200]);
    }
  });

  it("answer no page of another site, which reached this machine by a name of its own", async () => {
    expect((await ask("/_precis/metrics", {}, { host: "evil.example:4020" })).status).toBe(403);
    expect((await ask("/_precis/health", {}, { host: "evil.example" })).status).toBe(403);
    for (const host of ["localhost:4020", "127.0.0.1", "[::1]:4020"])
      expect([host, (await ask("/_precis/metrics", {}, { host })).status]).toEqual([host, 200]);
    expect((await ask("/_precis/metrics", { loopback: false }, { host: "gateway.internal" })).status).toBe(200);
  });

  it("have no page where no dashboard was built, and say so to whoever opens a link", async () => {
    const status = await ask("/_precis/", {}, { accept: "text/html,*/*" });
    expect(await status.json()).toMatchObject({ version: "1.2.3", upstreams: { openai: "https://api.openai.com" } });
    const opened = await ask("/_precis/login?code=x", {}, { authorization: "" });
    expect([opened.status, await opened.json()]).toMatchObject([404, { error: { code: "no_dashboard" } }]);
  });

  it("know no others", async () => {
    const response = await ask("/_precis/config");
    expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([
      404,
      "no_such_route",
    ]);
  });
});
