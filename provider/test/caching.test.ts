/** Prompt caching as the vendors account for it: worked by hand from their docs (docs/sources.md), then whatever is drawn. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cacheEntries, type CacheEntries } from "../src/caches/entries.ts";
import { consultMarked } from "../src/caches/marked.ts";
import { consultAutomatic } from "../src/caches/automatic.ts";
import { consultBreakpoints } from "../src/caches/breakpoints.ts";
import type { Block, Prompt, Ttl } from "../src/contract.ts";
import { createProvider } from "../src/provider.ts";
import { createModelBook } from "../src/traits.ts";
import { RUNS } from "../../test/support/transcripts.ts";
import { served, type Json } from "./asking.ts";

const MINUTE_MS = 60_000;
const TRAITS = createModelBook({}).find("claude-sonnet-4-5")!;

/** Blocks of 100 tokens each, named by letters; a capital is marked for five minutes, a starred capital for an hour. */
function prompt(text: string, tokens = 100): Prompt {
  const names = text.match(/[a-zA-Z]\*?/g) ?? [];
  const blocks = names.map((name): Block => {
    const capital = name[0] !== name[0]!.toLowerCase();
    const marker: Ttl | undefined = capital ? (name.endsWith("*") ? "1h" : "5m") : undefined;
    return {
      section: "messages",
      text: name[0]!.toLowerCase(),
      tokens,
      ends: true,
      ...(marker === undefined ? {} : { marker }),
    };
  });
  return { blocks, messageSettings: "", inputTokens: blocks.length * tokens, maxOutputTokens: undefined };
}

function marked(entries: CacheEntries, text: string, nowMs = 0, more: Partial<typeof TRAITS> = {}): readonly number[] {
  const traits = { ...TRAITS, cacheMinimumTokens: 100, ...more };
  const { use, commit } = consultMarked({ entries, scope: "a", prompt: prompt(text), traits, nowMs });
  commit();
  return [use.cacheReadTokens, use.cacheWrite5mTokens, use.cacheWrite1hTokens];
}

describe("Anthropic's, worked by hand", () => {
  const cache = (): CacheEntries => cacheEntries(1_000);

  it("writes up to the last marker, then reads what was written and writes the rest", () => {
    const entries = cache();
    expect(marked(entries, "abCd")).toEqual([0, 300, 0]);
    expect(marked(entries, "abcdeF")).toEqual([300, 300, 0]);
    expect(marked(entries, "abcdeF")).toEqual([600, 0, 0]);
  });

  it("reads only where a marker wrote: a shorter common prefix is none", () => {
    const entries = cache();
    marked(entries, "abcD");
    expect(marked(entries, "abcX")).toEqual([0, 400, 0]);
    expect(marked(entries, "abC")).toEqual([0, 300, 0]);
  });

  it("keeps what stands before a change where a marker stands there too", () => {
    const entries = cache();
    marked(entries, "AbcD");
    expect(marked(entries, "AxyZ")).toEqual([100, 300, 0]);
  });

  it("looks back over twenty blocks, the marker's own counted", () => {
    const tail = (blocks: number): string => "x".repeat(blocks);
    const near = cache();
    marked(near, "abC");
    expect(marked(near, `abc${tail(18)}Y`)[0]).toBe(300);
    const far = cache();
    marked(far, "abC");
    expect(marked(far, `abc${tail(19)}Y`)).toEqual([0, 2_300, 0]);
    const helped = cache();
    marked(helped, "abC");
    expect(marked(helped, `abc${tail(10)}X${tail(10)}Y`)[0]).toBe(300);
  });

  it("lives five minutes from its last use, or an hour", () => {
    const entries = cache();
    marked(entries, "abC", 0);
    expect(marked(entries, "abC", 4.9 * MINUTE_MS)[0]).toBe(300);
    expect(marked(entries, "abC", 9.8 * MINUTE_MS)[0]).toBe(300);
    expect(marked(entries, "abC", 14.8 * MINUTE_MS)).toEqual([0, 300, 0]);
    expect(marked(entries, "abC*", 30 * MINUTE_MS)).toEqual([0, 0, 300]);
    expect(marked(entries, "abC*", 89 * MINUTE_MS)[0]).toBe(300);
    expect(marked(entries, "abC*", 149 * MINUTE_MS)).toEqual([0, 0, 300]);
  });

  it("splits what it writes between the hour and five minutes", () => {
    const entries = cache();
    expect(marked(entries, "A*bC*dE")).toEqual([0, 200, 300]);
    expect(marked(entries, "A*bC*deF", 6 * MINUTE_MS)).toEqual([300, 300, 0]);
  });

  it("does nothing below the model's minimum", () => {
    const entries = cache();
    const more = { cacheMinimumTokens: 301 };
    expect(marked(entries, "abC", 0, more)).toEqual([0, 0, 0]);
    expect(marked(entries, "abcD", 0, more)).toEqual([0, 400, 0]);
    expect(marked(entries, "abCD", 0, more)).toEqual([400, 0, 0]);
  });

  it("is one cache a scope", () => {
    const entries = cache();
    marked(entries, "abC");
    const query = { entries, prompt: prompt("abC"), traits: { ...TRAITS, cacheMinimumTokens: 100 }, nowMs: 0 };
    expect(consultMarked({ ...query, scope: "b" }).use.cacheReadTokens).toBe(0);
  });
});

/** One request that writes the cache; then, that many minutes later, whether the same one reads it. */
async function lifetimes(protocol: "openai-chat" | "openai-responses", body: object, breakpoint: object) {
  let now = 0;
  const provider = createProvider({ now: () => now });
  const isChat = protocol === "openai-chat";
  const part = {
    type: isChat ? "text" : "input_text",
    text: "word of a long prompt ".repeat(800),
    prompt_cache_breakpoint: { mode: "explicit", ...breakpoint },
  };
  const message = { role: "user", content: [part] };
  const send = async () => {
    const response = await provider.fetch(
      new Request(`http://provider/v1/${isChat ? "chat/completions" : "responses"}`, {
        method: "POST",
        headers: { authorization: "Bearer key" },
        body: JSON.stringify({ model: "gpt-5.6-sol", ...body, [isChat ? "messages" : "input"]: [message] }),
      }),
    );
    await response.text();
    return { status: response.status, read: (provider.requests.at(-1)?.use?.cacheReadTokens ?? 0) > 0 };
  };
  const { status } = await send();
  return {
    status,
    readAfter: async (minutes: number) => {
      now += minutes * MINUTE_MS;
      return (await send()).read;
    },
  };
}

describe("OpenAI's, worked by hand", () => {
  it("reads any common prefix of 1,024 tokens or more in steps of 128, and writes for nothing", () => {
    const entries = cacheEntries(1_000);
    const ask = (text: string, nowMs = 0): number => {
      const { use, commit } = consultAutomatic({ entries, scope: "a", prompt: prompt(text), traits: TRAITS, nowMs });
      commit();
      expect(use.cacheWriteTokens).toBe(0);
      return use.cacheReadTokens;
    };
    expect(ask("abcdefghijkl")).toBe(0);
    expect(ask("abcdefghijkx")).toBe(1_024); // 1,100 in common
    expect(ask("abcdefghijxx")).toBe(0); // 1,000 in common
    expect(ask("abcdefghijklmn")).toBe(1_152); // 1,200 in common
    expect(ask("abcdefghijklmn", 6 * MINUTE_MS)).toBe(0);
  });

  it("from gpt-5.6 on writes at the end, at a price, and at breakpoints alone where it is told so", () => {
    const entries = cacheEntries(1_000);
    const traits = { ...TRAITS, cacheMinimumTokens: 100 };
    const ask = (text: string, explicit: boolean, scope = "a"): readonly number[] => {
      const query = { entries, scope, prompt: prompt(text), traits, nowMs: 0 };
      const { use, commit } = consultBreakpoints(query, { explicit, ttlMs: 30 * MINUTE_MS });
      commit();
      return [use.cacheReadTokens, use.cacheWriteTokens];
    };
    expect(ask("abc", false)).toEqual([0, 300]);
    expect(ask("abcde", false)).toEqual([300, 200]);
    expect(ask("abcxy", false)).toEqual([300, 200]);
    expect(ask("abxy", false)).toEqual([0, 400]);
    expect(ask("abc", true, "b")).toEqual([0, 0]);
    expect(ask("aBc", true, "b")).toEqual([0, 200]);
    expect(ask("aBc", true, "b")).toEqual([200, 0]);
    expect(ask("ABCDEF", true, "c")).toEqual([0, 600]);
    expect(ask("AB", true, "c")).toEqual([0, 200]); // the first two of six were not written
  });

  it("from gpt-5.6 on looks back over the latest 80 breakpoints, however far they are", () => {
    const entries = cacheEntries(1_000);
    const traits = { ...TRAITS, cacheMinimumTokens: 100 };
    const ask = (text: string): number => {
      const { use, commit } = consultBreakpoints(
        { entries, scope: "a", prompt: prompt(text), traits, nowMs: 0 },
        RULES,
      );
      commit();
      return use.cacheReadTokens;
    };
    const RULES = { explicit: true, ttlMs: 30 * MINUTE_MS };
    ask("aB");
    expect(ask(`aB${"c".repeat(400)}${"D".repeat(79)}`)).toBe(200);
    expect(ask(`aB${"e".repeat(10)}${"F".repeat(80)}`)).toBe(0);
  });

  it.each([
    ["openai-chat", "30m", 200, 30],
    ["openai-chat", "12h", 400, 0],
    ["openai-chat", "24h", 400, 0],
    ["openai-responses", "30m", 200, 30],
    ["openai-responses", "12h", 200, 720],
    ["openai-responses", "1h", 400, 0],
  ] as const)("in %s a request may ask for %s: %i, for %i minutes", async (protocol, ttl, status, minutes) => {
    const asked = await lifetimes(protocol, { prompt_cache_options: { ttl } }, {});
    expect(asked.status).toBe(status);
    if (minutes > 0)
      expect([await asked.readAfter(minutes - 1), await asked.readAfter(minutes)]).toEqual([true, false]);
  });

  it.each(["openai-chat", "openai-responses"] as const)(
    "in %s a breakpoint may live longer than the rest",
    async (protocol) => {
      const asked = await lifetimes(protocol, { prompt_cache_options: { mode: "explicit" } }, { ttl: "12h" });
      expect([await asked.readAfter(719), await asked.readAfter(720)]).toEqual([true, false]);
      expect((await lifetimes(protocol, {}, { ttl: "2h" })).status).toBe(400);
    },
  );
});

describe("whatever is asked", () => {
  const letters = fc.stringMatching(/^([ab]|[AB]\*?){1,12}$/);
  const requests = fc.array(
    fc.record({ text: letters, wait: fc.constantFrom(0, MINUTE_MS, 6 * MINUTE_MS, 61 * MINUTE_MS) }),
    { maxLength: 12 },
  );
  const fewMarkers = (text: string): string => {
    let markers = 0;
    return text.replaceAll(/[AB]\*?/g, (one) => (++markers > 4 ? one[0]!.toLowerCase() : one));
  };

  it("nothing is read that was not written, and nothing counted twice", () => {
    fc.assert(
      fc.property(requests, (list) => {
        const entries = cacheEntries(1_000);
        const wrote = new Map<string, number>();
        let nowMs = 0;
        for (const { text: drawn, wait } of list) {
          nowMs += wait;
          const text = fewMarkers(drawn);
          const names = text.replaceAll("*", "").toLowerCase();
          const [read = 0, short = 0, hour = 0] = marked(entries, text, nowMs);
          const known = Array.from(wrote).filter(([prefix, until]) => names.startsWith(prefix) && nowMs < until);
          expect(read).toBeLessThanOrEqual(Math.max(0, ...known.map(([prefix]) => prefix.length * 100)));
          expect(read + short + hour).toBeLessThanOrEqual(names.length * 100);
          for (const end of Array.from(names, (_, at) => names.slice(0, at + 1)))
            if (end.length * 100 <= read + short + hour) wrote.set(end, nowMs + 60 * MINUTE_MS);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("the same request again at once reads all that it wrote", () => {
    fc.assert(
      fc.property(letters, (drawn) => {
        const entries = cacheEntries(1_000);
        const text = fewMarkers(drawn);
        const [, short = 0, hour = 0] = marked(entries, text);
        expect(marked(entries, text)).toEqual([short + hour, 0, 0]);
      }),
      { numRuns: RUNS },
    );
  });

  it("after its time nothing is left", () => {
    fc.assert(
      fc.property(letters, letters, (one, other) => {
        const entries = cacheEntries(1_000);
        marked(entries, fewMarkers(one));
        expect(marked(entries, fewMarkers(other), 61 * MINUTE_MS)[0]).toBe(0);
      }),
      { numRuns: RUNS },
    );
  });
});

it("is written without what it is to prove", () => {
  const folder = resolve(import.meta.dirname, "../src");
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  expect(sources.length).toBeGreaterThan(20);
  const borrowing = sources.filter((name) => /from "[^"]*\/caching\//.test(readFileSync(join(folder, name), "utf8")));
  expect(borrowing).toEqual([]);
});

describe("over HTTP", () => {
  const big = "word ".repeat(1_500);
  const system = [{ type: "text", text: big, cache_control: { type: "ephemeral", ttl: "1h" } }];
  const body = {
    model: "claude-sonnet-4-5",
    max_tokens: 100,
    system,
    messages: [{ role: "user", content: "hi" }],
    cache_control: { type: "ephemeral" },
  };
  const usage = async (provider: Awaited<ReturnType<typeof served>>, more: Json = {}) =>
    (await provider.ask("messages", { ...body, ...more })).json["usage"] as Record<string, number>;

  it("usage adds up, and the account has the dollars", async () => {
    let nowMs = 0;
    const prices = { inputUsdPerMtok: 10, outputUsdPerMtok: 50 };
    const provider = await served({ now: () => nowMs, every: { prices }, script: { text: "one two three" } });
    const first = await usage(provider);
    expect(first).toMatchObject({ input_tokens: 0, cache_read_input_tokens: 0 });
    const whole = first["cache_creation_input_tokens"]!;
    expect(first["cache_creation"]).toEqual({ ephemeral_1h_input_tokens: whole - 5, ephemeral_5m_input_tokens: 5 });
    const second = await usage(provider);
    expect(second).toMatchObject({ input_tokens: 0, cache_read_input_tokens: whole, cache_creation_input_tokens: 0 });
    nowMs += 6 * MINUTE_MS;
    expect(await usage(provider)).toMatchObject({ cache_read_input_tokens: whole - 5, cache_creation_input_tokens: 5 });
    const { tokens, usd } = provider.account().total;
    expect(tokens).toMatchObject({
      input: 3 * whole,
      cacheRead: 2 * whole - 5,
      cacheWrite1h: whole - 5,
      cacheWrite5m: 10,
    });
    const units = (2 * whole - 5) * 0.1 + (whole - 5) * 2 + 10 * 1.25;
    expect(usd).toBeCloseTo((units * 10 + 3 * first["output_tokens"]! * 50) / 1_000_000, 12);
  });

  it("tools and model make all of it new, tool choice and thinking only the messages", async () => {
    const read = async (more: Json): Promise<number> => {
      const provider = await served();
      await usage(provider);
      return (await usage(provider, more))["cache_read_input_tokens"]!;
    };
    const all = await read({});
    expect(await read({ tool_choice: { type: "none" } })).toBe(all - 5);
    expect(await read({ max_tokens: 4_000, thinking: { type: "enabled", budget_tokens: 2_000 } })).toBe(all - 5);
    expect(await read({ tools: [{ name: "a", input_schema: {} }] })).toBe(0);
    expect(await read({ model: "claude-sonnet-4" })).toBe(0);
  });

  it("keys do not share, and a refused request writes nothing", async () => {
    const provider = await served();
    await provider.ask("messages", { ...body, messages: [] });
    expect((await usage(provider))["cache_read_input_tokens"]).toBe(0);
    const other = await provider.ask("messages", body, { "x-api-key": "another" });
    expect((other.json["usage"] as Json)["cache_read_input_tokens"]).toBe(0);
    expect(Object.keys(provider.account().keys)).toHaveLength(2);
    expect(JSON.stringify(provider.account())).not.toMatch(/test-key|another/);
  });

  it("OpenAI reports what was read, and from gpt-5.6 on what was written", async () => {
    const provider = await served();
    const messages = [
      { role: "system", content: big },
      { role: "user", content: "hi" },
    ];
    const chat = async (model: string, more: Json = {}) =>
      ((await provider.ask("chat", { model, messages, ...more })).json["usage"] as Record<string, Json>)[
        "prompt_tokens_details"
      ];
    expect(await chat("gpt-4o")).toEqual({ cached_tokens: 0, audio_tokens: 0 });
    const again = Number((await chat("gpt-4o"))!["cached_tokens"]);
    expect(again % 128).toBe(0);
    expect(again).toBeGreaterThan(1_500 - 128);
    expect(await chat("gpt-4o", { prompt_cache_key: "x" })).toMatchObject({ cached_tokens: 0 });
    const written = Number((await chat("gpt-5.6-sol"))!["cache_write_tokens"]);
    expect(written).toBeGreaterThan(1_500);
    expect(await chat("gpt-5.6-sol")).toMatchObject({ cached_tokens: written, cache_write_tokens: 0 });
    expect(await chat("gpt-5.6-luna", { prompt_cache_options: { mode: "explicit" } })).toMatchObject({
      cached_tokens: 0,
      cache_write_tokens: 0,
    });
  });
});
