/** A browser's way to the dashboard: a link that opens once, and leads its script to a token of its own. */
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

const feed = { onEvent: () => undefined, listen: () => undefined, close: () => undefined };
const page = { body: new Uint8Array(), type: "text/html" };

let app: ReturnType<typeof createOwnRoutes>;
beforeEach(() => {
  app = createOwnRoutes({
    metrics: createMetrics({ upstreams: [], processMetrics: false }),
    status: () => ({ version: "1", mode: "", upstreams: {}, store: "", upSeconds: 0, totals: createTally().totals() }),
    checkStore: async () => undefined,
    stopping: () => false,
    history: createHistory({ store: createMemoryStore() }),
    dashboard: { files: new Map([["index.html", page]]), feed, figures: { read: async () => [] } },
    loopback: true,
    token: TOKEN,
  });
});
const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  Promise.resolve(app.fetch(new Request(new URL(path, URL_OF_GATEWAY), { headers })));

describe("a link for a browser", () => {
  it("leads to the dashboard, with nothing that opens anything but to its script", async () => {
    const link = loginLink(URL_OF_GATEWAY, TOKEN);
    expect(link).not.toContain(TOKEN);
    const opened = await get(link);
    expect([opened.status, opened.headers.get("referrer-policy")]).toEqual([303, "no-referrer"]);
    expect(opened.headers.get("set-cookie")).toBeNull();
    const [path, code] = opened.headers.get("location")!.split("#code=");
    expect(path).toBe("/_precis/");
    const headers = { authorization: `Bearer ${code}` };
    for (const other of ["/_precis/", "/_precis/metrics", "/_precis/api/sessions", "/_precis/api/search?q=a"])
      expect([other, (await get(other, headers)).status]).toEqual([other, 401]);
  });

  it("opens once", async () => {
    const link = loginLink(URL_OF_GATEWAY, TOKEN);
    const preview = await app.fetch(new Request(new URL(link, URL_OF_GATEWAY), { method: "HEAD" }));
    expect([preview.status, (await get(link)).status, (await get(link)).status]).toEqual([405, 303, 401]);
  });

  it("holds for minutes, what it leads to for one, and the token of that for hours", () => {
    let now = 0;
    const access = createAccess(TOKEN, () => now);
    const late = codeOf(loginLink(URL_OF_GATEWAY, TOKEN, now));
    const [slow, quick] = [1, 2].map(() => access.byLink(codeOf(loginLink(URL_OF_GATEWAY, TOKEN, now)))!);
    const bearer = `Bearer ${access.byHandover(quick!)}`;
    now = 11 * MINUTE_MS;
    expect([access.byLink(late), access.byHandover(slow!), access.byToken(bearer)]).toEqual([
      undefined,
      undefined,
      true,
    ]);
    now = 13 * 60 * MINUTE_MS;
    expect(access.byToken(bearer)).toBe(false);
  });

  it("is none with another token, and leads nowhere but through the script", () => {
    const access = createAccess(TOKEN);
    expect(access.byLink(codeOf(loginLink(URL_OF_GATEWAY, `${TOKEN}x`)))).toBeUndefined();
    const link = codeOf(loginLink(URL_OF_GATEWAY, TOKEN));
    expect([access.byHandover(link), access.byToken(`Bearer ${link}`)]).toEqual([undefined, false]);
    const handover = access.byLink(link)!;
    expect([access.byLink(handover), access.byToken(`Bearer ${handover}`)]).toEqual([undefined, false]);
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
