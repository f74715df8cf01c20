/** Where a request goes: by path, by header, by route; never to where nobody configured it. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HeaderLines } from "../../../src/gateway/contract.ts";
import { createUpstreams, type UpstreamSettings } from "../../../src/gateway/transport/upstreams.ts";

type Settings = Readonly<Record<string, UpstreamSettings>>;

const RUNS = Number(process.env["PRECIS_TEST_RUNS"] ?? 500);

function urlOf(target: string, settings: Settings = {}, headers: HeaderLines = []): string {
  const picked = createUpstreams(settings).pick({ target, headers });
  return "refused" in picked ? String(picked.refused.status) : picked.upstream.origin + picked.path;
}

const VERSION: HeaderLines = [["Anthropic-Version", "2023-06-01"]];
const ROUTER: Settings = { router: { url: "https://router.example/api/v1" } };

describe("without settings", () => {
  test.each<[string, HeaderLines, string]>([
    ["/v1/chat/completions", [], "https://api.openai.com/v1/chat/completions"],
    ["/v1/responses?x=1", [], "https://api.openai.com/v1/responses?x=1"],
    ["/v1/messages", [], "https://api.anthropic.com/v1/messages"],
    ["/v1/messages/count_tokens?beta=true", [], "https://api.anthropic.com/v1/messages/count_tokens?beta=true"],
    ["/v1/messages_of_others", [], "https://api.openai.com/v1/messages_of_others"],
    ["/v1/models", VERSION, "https://api.anthropic.com/v1/models"],
    ["/upstreams/anthropic/v1/models", [], "https://api.anthropic.com/v1/models"],
    ["/upstreams/openai/v1/messages", [], "https://api.openai.com/v1/messages"],
    ["/upstreams/openai", [], "https://api.openai.com/"],
    ["/upstreams/openai?x", [], "https://api.openai.com/?x"],
    ["/v1/models", [["X-Precis-Upstream", "anthropic"]], "https://api.anthropic.com/v1/models"],
    ["/upstreams/openai/v1/models", [["x-precis-upstream", "anthropic"]], "https://api.openai.com/v1/models"],
    ["/v1/models", [["x-precis-upstream", "https://evil.example"]], "404"],
    ["/upstreams/evil.example/v1/models", [], "404"],
    ["/upstreams/", [], "404"],
    ["/v1/models", [["x-precis-upstream", "__proto__"]], "404"],
    ["http://evil.example/v1/models", [], "400"],
    ["*", [], "400"],
  ])("%s %j goes to %s", (target, headers, url) => {
    expect(urlOf(target, {}, headers)).toBe(url);
  });
});

describe("a base path", () => {
  test.each([
    ["https://h.example", "/v1/models", "https://h.example/v1/models"],
    ["https://h.example/", "/v1/models", "https://h.example/v1/models"],
    ["https://h.example/v1", "/v1/models?v=/v1", "https://h.example/v1/models?v=/v1"],
    ["https://h.example/api/v1/", "/v1/models", "https://h.example/api/v1/models"],
    ["https://h.example/api/v1", "/models", "https://h.example/api/v1/models"],
    ["https://h.example/api", "/v1/models", "https://h.example/api/v1/models"],
    ["https://h.example/v1", "/v10/models", "https://h.example/v1/v10/models"],
    ["http://127.0.0.1:4000/v1", "/v1", "http://127.0.0.1:4000/v1"],
  ])("%s with %s is %s", (url, target, whole) => {
    expect(urlOf(target, { one: { url } })).toBe(whole);
  });
});

describe("a base path cannot be left", () => {
  const settings: Settings = { one: { url: "https://h.example/tenants/mine/v1" } };
  /** Any of the signs, the digits of an encoding among them, encoded up to three times over. */
  const encoded = (text: string): fc.Arbitrary<string> =>
    fc
      .array(fc.infiniteStream(fc.boolean()), { maxLength: 3 })
      .map((rounds) =>
        rounds.reduce<string>(
          (so, chosen) => so.replace(/[^]/g, (sign) => (chosen.next().value === true ? escaped(sign) : sign)),
          text,
        ),
      );
  const escaped = (sign: string): string => `%${sign.charCodeAt(0).toString(16).padStart(2, "0")}`;

  test("by dots, however they are written and wherever they stand", () => {
    const dots = fc.array(encoded("."), { minLength: 1, maxLength: 2 }).map((all) => all.join(""));
    const slash = fc.oneof(encoded("/"), encoded("\\"));
    const parts = fc.tuple(
      fc.constantFrom("/v1", "/upstreams/one/v1", ""),
      slash,
      dots,
      fc.constantFrom("", ";x=1"),
      slash,
    );
    fc.assert(
      fc.property(parts, fc.constantFrom("", "other/v1/models"), ([before, open, dot, parameter, close], rest) => {
        const path = `${before}/x${open}${dot}${parameter}${close}${rest}`;
        expect(urlOf(path, settings)).toBe("400");
      }),
      { numRuns: RUNS },
    );
  });

  test.each([
    "/v1/../../other/v1/models",
    "/upstreams/one/../../other",
    "/v1/..",
    "/%2e%2e/other",
    "/..%2fother?x",
    "/v1/%252e%252e%252fx",
    "/v1/%2e%25%32%65/x",
    "/v1/%252525%32e%2e/x",
    "/v1/%%32e%%32e/x",
    "/v1/..%23/x",
    "/v1/..%3fx",
    "/v1/..%3bx/y",
    "/v1/.%00./x",
    "/v1/..%09/x",
  ])("by %s", (target) => {
    expect(urlOf(target, settings)).toBe("400");
  });

  test("by being encoded more often than anybody does", () => {
    const often = (times: number) =>
      Array.from({ length: times }).reduce<string>((so) => so.slice(0, -1) + escaped(so.at(-1)!), "%41");
    expect(urlOf(`/v1/${often(30)}`, settings)).toBe("400");
    expect(urlOf(`/v1/${often(3)}`, settings)).toContain(often(3));
  });

  test.each(["%252e%252e", "a/%25252e%25252e/b", "%2e%25%32%65"])("and is none itself with %s in it", (path) => {
    expect(() => urlOf("/v1/models", { one: { url: `https://h.example/${path}/v1` } })).toThrow(
      expect.objectContaining({ code: "upstream_settings", place: "gateway.upstreams.one" }),
    );
  });

  test.each([
    "/v1/models/gpt-4.1",
    "/v1/files/..a",
    "/v1/a...",
    "/v1/models?path=../x",
    "/v1/.well-known",
    "/v1/a%2525b",
    "/v1/ft%3agpt%2F4",
    "/v1/%F0%9F%98%80",
  ])("and %s stays within it", (target) => {
    expect(urlOf(target, settings)).toBe(`https://h.example/tenants/mine${target}`);
  });
});

describe("settings", () => {
  test("one upstream without a protocol is every route's", () => {
    expect(urlOf("/v1/messages", ROUTER)).toBe("https://router.example/api/v1/messages");
    expect(urlOf("/v1/responses", ROUTER)).toBe("https://router.example/api/v1/responses");
    expect(urlOf("/upstreams/openai/v1/models", ROUTER)).toBe("https://api.openai.com/v1/models");
  });

  test("one with a protocol is that protocol's", () => {
    const settings: Settings = { mine: { url: "http://127.0.0.1:1", protocol: "anthropic" } };
    expect(urlOf("/v1/messages", settings)).toBe("http://127.0.0.1:1/v1/messages");
    expect(urlOf("/v1/responses", settings)).toBe("https://api.openai.com/v1/responses");
  });

  test("a default can be another", () => {
    const settings: Settings = { openai: { url: "http://127.0.0.1:1" } };
    expect(urlOf("/v1/responses", settings)).toBe("http://127.0.0.1:1/v1/responses");
    expect(urlOf("/v1/messages", settings)).toBe("https://api.anthropic.com/v1/messages");
  });

  test.each([
    ["a b", "https://h.example"],
    ["x/y", "https://h.example"],
    ["", "https://h.example"],
    ["x", "h.example"],
    ["x", "ftp://h.example"],
    ["x", "https://me:secret@h.example"],
    ["x", "https://h.example/?key=secret"],
  ])("%j with %s are refused, without a secret in the words", (name, url) => {
    const words = (): unknown => {
      try {
        return createUpstreams({ [name]: { url } });
      } catch (error) {
        return error;
      }
    };
    expect(words()).toMatchObject({ name: "PrecisError", code: "upstream_settings" });
    expect(JSON.stringify(words(), Object.getOwnPropertyNames(words()))).not.toContain("secret");
  });
});

test("whatever the target and the header, only configured origins are reached", () => {
  const origins = ["https://api.openai.com", "https://api.anthropic.com", "https://router.example"];
  const part = fc.oneof(
    fc.string(),
    fc.constantFrom("/", "//", "upstreams", "router", "..", "@", "?", "#", "v1", "\\"),
  );
  fc.assert(
    fc.property(fc.array(part), fc.option(fc.string()), (parts, name) => {
      const headers: HeaderLines = name === null ? [] : [["x-precis-upstream", name]];
      const picked = createUpstreams(ROUTER).pick({ target: parts.join(""), headers });
      if ("refused" in picked) expect([400, 404]).toContain(picked.refused.status);
      else expect([origins, picked.path[0]]).toEqual([expect.arrayContaining([picked.upstream.origin]), "/"]);
    }),
    { numRuns: RUNS },
  );
});
