/** What the gateway serves for the dashboard: its files to everybody, its data to whoever has a token, events while they happen. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import {
  createEventFeed,
  FEED_LIMITS,
  type EventFeed,
  readDashboardFiles,
} from "../../../src/gateway/dashboard/pages.ts";
import { createFigures } from "../../../src/gateway/dashboard/figures.ts";
import { createHistory } from "../../../src/gateway/history/history.ts";
import { loginLink } from "../../../src/gateway/operation/access.ts";
import { createMetrics } from "../../../src/gateway/operation/metrics.ts";
import { createOwnRoutes } from "../../../src/gateway/operation/own-routes.ts";
import { createTally } from "../../../src/gateway/operation/tally.ts";
import { createMemoryStore } from "../../../src/store/memory.ts";
import { noticeEvent, requestEvent } from "../operation/events.ts";
import { temporaryFolder } from "../support/standing.ts";

const TOKEN = "the token of the operator";
const GATEWAY = "http://127.0.0.1:4020";
const JSON_TYPE = { "content-type": "application/json" };

let feed: EventFeed;
let app: ReturnType<typeof createOwnRoutes>;
beforeEach(() => {
  const folder = join(temporaryFolder(), "browser");
  mkdirSync(folder);
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>the dashboard</title>");
  writeFileSync(join(folder, "main-AAAA.js"), "script");
  writeFileSync(join(folder, "notes.txt"), "not served");
  const store = createMemoryStore();
  feed = createEventFeed();
  app = createOwnRoutes({
    metrics: createMetrics({ upstreams: [], processMetrics: false }),
    status: () => ({
      version: "1",
      mode: "",
      upstreams: {},
      store: "",
      upSeconds: 0,
      totals: createTally().totals(),
    }),
    checkStore: async () => undefined,
    stopping: () => false,
    history: createHistory({ store }),
    dashboard: { files: readDashboardFiles(folder)!, feed, figures: createFigures({ store }) },
    loopback: true,
    token: TOKEN,
  });
});
const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  Promise.resolve(app.fetch(new Request(new URL(path, GATEWAY), init)));

it("serves its files to anybody, under a policy that allows nothing inline and no other origin", async () => {
  const page = await ask("/_precis/", { headers: { accept: "text/html" } });
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("the dashboard")]);
  const policy = page.headers.get("content-security-policy")!;
  expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  const script = await ask("/_precis/main-AAAA.js");
  expect([script.status, script.headers.get("cache-control")]).toEqual([200, expect.stringContaining("immutable")]);
  expect((await ask("/_precis/notes.txt")).status).toBe(401);
  expect((await ask("/_precis/main-AAAA.js", { headers: { origin: "http://evil.example" } })).status).toBe(403);
});

it("serves data only with a token, which a link leads to once", async () => {
  for (const path of ["/_precis/", "/_precis/api/sessions", "/_precis/api/events", "/_precis/api/figures"])
    expect([path, (await ask(path)).status]).toEqual([path, 401]);
  const opened = (await ask(loginLink(GATEWAY, TOKEN))).headers.get("location")!;
  const code = /#code=([\w.-]+)$/.exec(opened)![1]!;
  const exchange = (body: string): Promise<Response> =>
    ask("/_precis/login", { method: "POST", headers: { ...JSON_TYPE, "content-length": String(body.length) }, body });
  const answer = (await (await exchange(JSON.stringify({ code }))).json()) as { token: string };
  expect(answer.token).not.toContain(TOKEN);
  const headers = { authorization: `Bearer ${answer.token}` };
  expect((await ask("/_precis/api/sessions", { headers })).status).toBe(200);
  expect((await exchange(JSON.stringify({ code }))).status).toBe(401);
  expect((await exchange(JSON.stringify({ code: answer.token }))).status).toBe(401);
  // The dashboard's token does not extend itself; the operator's gives one at any time.
  expect((await ask("/_precis/login", { method: "POST", headers })).status).toBe(401);
  const own = await ask("/_precis/login", { method: "POST", headers: { authorization: `Bearer ${TOKEN}` } });
  expect(own.status).toBe(200);
});

it("tells what happens while it happens, without a name that a client chose, and ends when the gateway stops", async () => {
  const response = await ask("/_precis/api/events", { headers: { authorization: `Bearer ${TOKEN}` } });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  feed.onEvent(requestEvent({ model: "sk-secret", path: "/v1/sk-secret" }));
  feed.onEvent(noticeEvent({ code: "degraded", message: "sk-secret" }));
  feed.close();
  expect(await response.text()).toBe(
    [
      ": listening\n\n",
      'data: {"kind":"request","tenant":"local"}\n\n',
      'data: {"kind":"notice","tenant":"local","code":"degraded"}\n\n',
    ].join(""),
  );
});

it("lets a limited number of pages listen, and no slow one collect events without end", async () => {
  const ends = Array.from({ length: FEED_LIMITS.listeners }, () => new AbortController());
  const streams = ends.map(({ signal }) => feed.listen(signal));
  expect(streams).not.toContain(undefined);
  expect(feed.listen(new AbortController().signal)).toBeUndefined();
  for (let at = 0; at < 10 * FEED_LIMITS.waitingEvents; at++) feed.onEvent(noticeEvent());
  for (const end of ends) end.abort();
  const waiting = await new Response(streams[0]).text();
  expect(waiting.split("\n\n").length - 1).toBe(FEED_LIMITS.waitingEvents);
  expect(feed.listen(new AbortController().signal)).toBeDefined();
  feed.close();
});

it("refuses a number of days that there is none of", async () => {
  const headers = { authorization: `Bearer ${TOKEN}` };
  for (const days of ["abc", "-1", "1.5", "99999"]) {
    const answer = await ask(`/_precis/api/figures?days=${days}`, { headers });
    expect([days, answer.status, await answer.json()]).toMatchObject([days, 400, { error: { code: "bad_query" } }]);
  }
  expect((await ask("/_precis/api/figures?days=7", { headers })).status).toBe(200);
});
