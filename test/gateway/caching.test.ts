/** Whose markers each upstream takes for each model, and what its cache makes of a compaction's price. */
import { describe, expect, it } from "vitest";
import { createCachingContext, type CachingQuery } from "../../src/gateway/models/caching.ts";
import { protocols } from "../../src/protocols/index.ts";
import { createRegistry } from "../../src/models/registry/registry.ts";

const MINUTE_MS = 60_000;
const dependencies = createCachingContext({ registry: createRegistry() });
const of = (
  protocol: CachingQuery["protocol"],
  model: string,
  origin: string,
  caching: CachingQuery["upstream"]["caching"] = "auto",
) => dependencies.of({ protocol, model, upstream: { origin, caching } });

const ANTHROPIC = "https://api.anthropic.com";
const OPENAI = "https://api.openai.com";
const OPENROUTER = "https://openrouter.ai";
const LOCAL = "http://127.0.0.1:8080";

describe("markers", () => {
  it.each([
    ["anthropic-messages", "claude-sonnet-4-5", ANTHROPIC, "auto", "native"],
    ["anthropic-messages", "us.anthropic.claude-sonnet-4-5-v1:0", LOCAL, "auto", "native"],
    ["anthropic-messages", "kimi-k3", LOCAL, "auto", undefined],
    ["anthropic-messages", "kimi-k3", LOCAL, "native", "native"],
    ["openai-chat", "anthropic/claude-sonnet-4.5", OPENROUTER, "auto", "openrouter"],
    ["openai-chat", "anthropic/claude-sonnet-4.5", "https://openrouter.ai.evil.example", "auto", undefined],
    ["openai-chat", "gpt-5.4", OPENROUTER, "auto", undefined],
    ["openai-responses", "gpt-5.6-sol", OPENAI, "auto", "openai"],
    ["openai-responses", "gpt-5.6-sol", LOCAL, "auto", undefined],
    ["openai-responses", "gpt-5.6-sol", LOCAL, "openai", "openai"],
    ["anthropic-messages", "claude-sonnet-4-5", ANTHROPIC, "off", undefined],
  ] as const)("%s, %s at %s (%s): %s", (protocol, model, origin, caching, layout) => {
    expect(of(protocol, model, origin, caching).rules?.layout).toBe(layout);
  });
});

describe("prices have a say", () => {
  it("for as long as each cache lives", () => {
    expect(of("anthropic-messages", "claude-sonnet-4-5", ANTHROPIC).economy?.ttlMs).toBe(5 * MINUTE_MS);
    expect(of("openai-chat", "anthropic/claude-sonnet-4.5", OPENROUTER).economy?.ttlMs).toBe(5 * MINUTE_MS);
    expect(of("openai-chat", "gpt-5.4", OPENAI).economy?.ttlMs).toBe(5 * MINUTE_MS);
    expect(of("openai-chat", "gpt-5.6-sol", OPENAI).economy?.ttlMs).toBe(30 * MINUTE_MS);
  });

  it("as shares of what input costs", () => {
    expect(of("anthropic-messages", "claude-sonnet-4-5", ANTHROPIC).economy?.prices).toEqual({
      read: expect.closeTo(0.1) as number,
      write: expect.closeTo(1.25) as number,
      output: expect.closeTo(5) as number,
    });
  });

  it("nowhere else: where nobody marks Claude's prompt, where no price is known, where caching is off", () => {
    expect(of("openai-chat", "claude-sonnet-4-5", LOCAL).economy).toBeUndefined();
    expect(of("openai-chat", "some-model", OPENAI).economy).toBeUndefined();
    expect(of("openai-chat", "gpt-5.4", OPENAI, "off").economy).toBeUndefined();
  });

  describe("by the client's own markers", () => {
    const off = createCachingContext({ registry: createRegistry(), caching: { enabled: false } });
    const claude = {
      protocol: "anthropic-messages",
      model: "claude-sonnet-4-5",
      upstream: { origin: ANTHROPIC, caching: "auto" },
    } as const;

    const marked = (ttl: "5m" | "1h") => {
      const content = [{ type: "text", text: "Hello", cache_control: { type: "ephemeral", ttl } }];
      const body = JSON.stringify({ model: "claude", messages: [{ role: "user", content }] });
      return { ...claude, asked: protocols["anthropic-messages"].decode(body) };
    };

    it("where precis sets none: as long as they last, and at their price", () => {
      expect(off.of(claude)).toMatchObject({ rules: undefined, economy: undefined });
      expect(off.of(marked("5m")).economy).toMatchObject({
        schedule: "auto",
        ttlMs: 5 * MINUTE_MS,
        prices: { write: expect.closeTo(1.25) as number },
      });
      expect(off.of(marked("1h"))).toMatchObject({
        rules: undefined,
        ttl: "1h",
        economy: { ttlMs: 60 * MINUTE_MS, prices: { write: expect.closeTo(2) as number } },
      });
    });

    it("before what precis would set", () => {
      expect(dependencies.of(marked("1h")).economy?.ttlMs).toBe(60 * MINUTE_MS);
      expect(dependencies.of(claude).economy?.ttlMs).toBe(5 * MINUTE_MS);
    });

    it("not at all where the provider caches by itself", () => {
      const gpt = { ...claude, protocol: "openai-chat", model: "gpt-5.4" } as const;
      expect(off.of(gpt).economy).toEqual(dependencies.of(gpt).economy);
      expect(off.of(gpt).economy).toBeDefined();
    });
  });
});
