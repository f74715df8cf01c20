/** A browser's way to the status page: a link that opens once, and a cookie that opens nothing else. */
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { createHistory } from "../../../src/gateway/history/history.ts";
import { createAccess, loginLink } from "../../../src/gateway/operation/access.ts";
import { createMetrics } from "../../../src/gateway/operation/metrics.ts";
import { createOwnRoutes } from "../../../src/gateway/operation/own-routes.ts";
import { createTally } from "../../../src/gateway/operation/tally.ts";
import { createMemoryStore } from "../../../src/store/memory.ts";

const TOKEN = "0123456789abcdef-the-token";
const URL_OF_GATEWAY = "http://127.0.0.1:4020";
const MINUTE_MS = 60_000;

const codeOf = (link: string): string => new URL(link).searchParams.get("code")!;
const valueOf = (cookie: string | undefined): string => cookie!.split(";")[0]!;

let app: ReturnType<typeof createOwnRoutes>;
beforeEach(() => {
  app = createOwnRoutes({
    metrics: createMetrics({ upstreams: [], processMetrics: false }),
    status: () => ({
      version: "1",
      mode: "",
      upstreams: {},
      store: "",
      upSeconds: 0,
      totals: createTally().totals(),
      recent: [],
    }),
    checkStore: async () => undefined,
    stopping: () => false,
    history: createHistory({ store: createMemoryStore() }),
    loopback: true,
    token: TOKEN,
  });
});
const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  Promise.resolve(app.fetch(new Request(new URL(path, URL_OF_GATEWAY), { headers })));

describe("a link for a browser", () => {
  it("opens the status page, and nothing else, with a cookie that no script and no other site gets", async () => {
    const link = loginLink(URL_OF_GATEWAY, TOKEN);
    expect(link).not.toContain(TOKEN);
    const opened = await get(link);
    expect([opened.status, opened.headers.get("referrer-policy")]).toEqual([200, "no-referrer"]);
    const cookie = opened.headers.get("set-cookie")!;
    expect(cookie).toMatch(/; Path=\/_precis; HttpOnly; SameSite=Strict$/);
    const headers = { cookie: `a=b; ${valueOf(cookie)}`, accept: "text/html" };
    expect((await get("/_precis/", headers)).status).toBe(200);
    for (const path of ["/_precis/metrics", "/_precis/api/sessions", "/_precis/api/search?q=a"])
      expect([path, (await get(path, headers)).status]).toEqual([path, 401]);
  });

  it("opens once", async () => {
    const link = loginLink(URL_OF_GATEWAY, TOKEN);
    const preview = await app.fetch(new Request(new URL(link, URL_OF_GATEWAY), { method: "HEAD" }));
    expect([preview.status, (await get(link)).status, (await get(link)).status]).toEqual([405, 200, 401]);
  });

  it("holds for minutes, and its cookie for hours", () => {
    let now = 0;
    const access = createAccess(TOKEN, () => now);
    const late = codeOf(loginLink(URL_OF_GATEWAY, TOKEN, now));
    const cookie = valueOf(access.byLink(codeOf(loginLink(URL_OF_GATEWAY, TOKEN, now))));
    now = 11 * MINUTE_MS;
    expect([access.byLink(late), access.byCookie(cookie)]).toEqual([undefined, true]);
    now = 13 * 60 * MINUTE_MS;
    expect(access.byCookie(cookie)).toBe(false);
  });

  it("is none with another token, and a link is no cookie", () => {
    const access = createAccess(TOKEN);
    expect(access.byLink(codeOf(loginLink(URL_OF_GATEWAY, `${TOKEN}x`)))).toBeUndefined();
    expect(access.byCookie(`precis_status=${codeOf(loginLink(URL_OF_GATEWAY, TOKEN))}`)).toBe(false);
    const cookie = valueOf(access.byLink(codeOf(loginLink(URL_OF_GATEWAY, TOKEN))));
    expect(access.byLink(cookie.slice("precis_status=".length))).toBeUndefined();
  });

  it("is none when anything of it is changed", () => {
    const access = createAccess(TOKEN);
    const puts = fc.constantFrom("", ".", "a", "A", "0", "zzzzzzzzz", "-", "=");
    fc.assert(
      fc.property(fc.nat(), puts, fc.boolean(), (at, put, insert) => {
        const code = codeOf(loginLink(URL_OF_GATEWAY, TOKEN));
        const place = at % code.length;
        const changed = code.slice(0, place) + put + code.slice(place + (insert ? 0 : 1));
        fc.pre(changed !== code);
        expect(access.byLink(changed)).toBeUndefined();
      }),
    );
  });
});
