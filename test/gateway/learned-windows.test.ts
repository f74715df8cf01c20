/** Learned windows: each of one upstream, tenant and model, never below the floor, tried again in time, and forgotten when an answer refutes them. */
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { forgetWindows, listWindows } from "../../src/gateway/models/learned-windows.ts";
import { createModelBook, type ModelBook as Book } from "../../src/gateway/models/models.ts";
import { createRegistry } from "../../src/models/registry/registry.ts";
import { WINDOW_TOKENS_MIN } from "../../src/protocols/overflow.ts";
import { createMemoryStore } from "../../src/store/index.ts";
import { RUNS } from "../support/transcripts.ts";
import { ask, bodyOf, worked } from "./support/asking.ts";
import { front, stand } from "./support/standing.ts";
import { upstreamOf, type Reply } from "./support/upstream.ts";
import { upstream as serving } from "./transport/standing.ts";

const BELIEVED_TOKENS = 200_000;
const HOUR_MS = 60 * 60_000;
const [A, B] = ["https://a.example/v1", "https://b.example/v1"];

function book(store = createMemoryStore(), now = () => 0) {
  return createModelBook({ store, registry: createRegistry(), contextLength: BELIEVED_TOKENS, unknownTokens: 1, now });
}

/** What a refusal says of a window, in a form that a test can vary. */
function learn(models: Book, tokens: number, { at = A, countsOutput = false, tenant = "t" } = {}) {
  const served = { tenant, model: "m", upstream: at };
  return models.learnWindow(served, { tokens, by: "named", refusedTokens: tokens + 1, countsOutput });
}

function accept(models: Book, inputTokens: number, { at = A, outputTokens = 0 } = {}) {
  return models.answered({ tenant: "t", model: "m", upstream: at }, { inputTokens, outputTokens });
}

function tokensOf(models: Book, at = A): number {
  return models.of("t", "m", at).window.tokens;
}

/** Plausible times between requests, in minutes. */
const times = fc.array(fc.record({ minutes: fc.integer({ min: 1, max: 2_000 }), accepts: fc.boolean() }), {
  maxLength: 12,
});

describe("a learned window", () => {
  it("is one upstream's, one tenant's and one model's", () => {
    const models = book();
    learn(models, 16_000);
    expect(tokensOf(models)).toBe(16_000);
    const others = [models.of("t", "m", B), models.of("t", "m"), models.of("u", "m", A), models.of("t", "n", A)];
    expect(others.map(({ window }) => window)).toEqual(
      others.map(() => ({ from: "setting", tokens: BELIEVED_TOKENS })),
    );
  });

  it("says where it comes from, as every other window does", () => {
    const options = { store: createMemoryStore(), unknownTokens: 128_000, now: () => 5 };
    const windowOf = (model: string, contextLength?: number) =>
      createModelBook({ ...options, registry, contextLength }).of("t", model).window;
    const registry = createRegistry({ mine: { windowTokens: 40_000 } });
    expect(windowOf("claude-sonnet-4-5")).toEqual({ from: "registry", tokens: 200_000 });
    expect(windowOf("claude-sonnet-4-5", 90_000)).toEqual({ from: "setting", tokens: 90_000 });
    expect(windowOf("mine")).toEqual({ from: "setting", tokens: 40_000 });
    expect(windowOf("house-model")).toEqual({ from: "assumed", tokens: 128_000 });
    const models = book(createMemoryStore(), () => 5);
    learn(models, 16_000);
    expect(models.of("t", "m", A).window).toEqual({
      from: "learned",
      tokens: 16_000,
      learned: { by: "named", refusedTokens: 16_001, countsOutput: false, at: 5, until: HOUR_MS + 5, upstream: A },
    });
  });

  it("only shrinks, and never below the floor", () => {
    const models = book();
    for (const tokens of [7, 0, -1, WINDOW_TOKENS_MIN - 1]) expect(learn(models, tokens)).toBeUndefined();
    expect(tokensOf(models)).toBe(BELIEVED_TOKENS);
    for (const tokens of [16_000, 8_000, 12_000]) learn(models, tokens);
    expect(tokensOf(models)).toBe(8_000);
  });

  it("is forgotten when a larger request is answered by that upstream", () => {
    const models = book();
    learn(models, 16_000);
    expect(accept(models, 50_000, { at: B })).toBeUndefined();
    expect(accept(models, 16_000)).toBeUndefined();
    expect(tokensOf(models)).toBe(16_000);
    expect(accept(models, 16_001)).toMatchObject({ tokens: 16_000 });
    expect(tokensOf(models)).toBe(BELIEVED_TOKENS);
  });

  it("counts the output that was asked for exactly where its refusal did", () => {
    for (const countsOutput of [false, true]) {
      const models = book();
      learn(models, 16_000, { countsOutput });
      accept(models, 4_000, { outputTokens: 12_000 });
      expect(tokensOf(models)).toBe(16_000);
      accept(models, 4_000, { outputTokens: 12_001 });
      expect(tokensOf(models)).toBe(countsOutput ? BELIEVED_TOKENS : 16_000);
    }
  });

  it("is tried again after an hour, after two where that was refused, and at least once a day", () => {
    let clockMs = 0;
    const models = book(createMemoryStore(), () => clockMs);
    const hours: number[] = [];
    for (let refusal = 0; refusal < 8; refusal++) {
      learn(models, 16_000);
      const from = clockMs;
      while (tokensOf(models) === 16_000) clockMs += HOUR_MS;
      hours.push((clockMs - from) / HOUR_MS);
    }
    expect(hours).toEqual([1, 2, 4, 8, 16, 24, 24, 24]);
    accept(models, 16_001);
    learn(models, 16_000);
    clockMs += HOUR_MS;
    expect(tokensOf(models)).toBe(BELIEVED_TOKENS);
  });

  it("is never tried beyond the window known before, nor more than once in its time", () => {
    fc.assert(
      fc.property(times, (waits) => {
        let clockMs = 0;
        const models = book(createMemoryStore(), () => clockMs);
        learn(models, 16_000);
        let refusedAt = 0;
        for (const { minutes, accepts } of waits) {
          clockMs += minutes * 60_000;
          const tokens = tokensOf(models);
          expect([16_000, BELIEVED_TOKENS]).toContain(tokens);
          if (tokens === 16_000) continue;
          if (accepts) {
            accept(models, BELIEVED_TOKENS);
            break;
          }
          expect(clockMs - refusedAt).toBeGreaterThanOrEqual(HOUR_MS);
          // The request that was refused just now is made smaller by what was learned before.
          expect(models.of("t", "m", A, "counts").window.tokens).toBe(16_000);
          learn(models, 16_000);
          refusedAt = clockMs;
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("survives a restart, and whoever begins with it then hears of it once", async () => {
    const store = createMemoryStore();
    const served = { tenant: "t", model: "m", upstream: A };
    const first = book(store);
    learn(first, 16_000);
    expect(first.unannounced(served)).toBeUndefined();
    await written(store);
    const restarted = book(store);
    await restarted.recalled("t", "m");
    expect(tokensOf(restarted)).toBe(16_000);
    expect(restarted.unannounced(served)).toMatchObject({ from: "learned", tokens: 16_000 });
    expect(restarted.unannounced(served)).toBeUndefined();
  });
});

describe("gateways on one store", () => {
  it("learn of each other's windows, and of those that were wrong", async () => {
    const store = createMemoryStore();
    let clockMs = 0;
    const [one, other] = [book(store, () => clockMs), book(store, () => clockMs)];
    for (const models of [one, other]) await models.recalled("t", "m");
    learn(one, 16_000);
    await written(store);
    learn(other, 12_000, { at: B });
    const windows = (models: Book) => [A, B].map((upstream) => tokensOf(models, upstream));
    await vi.waitFor(() => expect(windows(other)).toEqual([16_000, 12_000]));
    clockMs = 31_000;
    await one.recalled("t", "m");
    await vi.waitFor(() => expect(windows(one)).toEqual([16_000, 12_000]));
    accept(one, 13_000, { at: B });
    await vi.waitFor(async () => expect(await listWindows(store, { tenant: "t" })).toHaveLength(1));
    await other.recalled("t", "m");
    expect(windows(other)).toEqual([16_000, BELIEVED_TOKENS]);
  });

  it("go by what an operator forgot from the next request on, and learn it again", async () => {
    const store = createMemoryStore();
    const models = book(store);
    await models.recalled("t", "m");
    for (const upstream of [A, B]) learn(models, 16_000, { at: upstream });
    await written(store, 2);
    expect(await forgetWindows(store, { tenant: "t", model: "n" })).toEqual([]);
    const gone = await forgetWindows(store, { tenant: "t", model: "m", upstream: A }, 1);
    expect(gone).toMatchObject([{ tenant: "t", model: "m", upstream: A, tokens: 16_000 }]);
    await models.recalled("t", "m");
    expect([A, B].map((upstream) => tokensOf(models, upstream))).toEqual([BELIEVED_TOKENS, 16_000]);
    expect(await listWindows(store, { tenant: "t" })).toMatchObject([{ upstream: B }]);
    learn(models, 16_000);
    expect(tokensOf(models)).toBe(16_000);
  });

  it("do not wait for a store that does not answer", async () => {
    const failing = { ...createMemoryStore(), getState: () => Promise.reject(new Error("gone")) };
    const models = book(failing);
    learn(models, 16_000);
    await models.recalled("t", "m");
    expect(models.recalled("t", "m")).toBeUndefined();
    expect(tokensOf(models)).toBe(16_000);
  });
});

/** What a book learns is written behind. */
async function written(store: ReturnType<typeof createMemoryStore>, count = 1): Promise<void> {
  await vi.waitFor(async () => expect(await listWindows(store, { tenant: "t" })).toHaveLength(count));
}

describe("through the gateway", () => {
  const protocol = "openai-chat";
  const asked = (steps: number): string => bodyOf(protocol, worked("big", steps));

  it("what one upstream refuses, another is still sent whole", async () => {
    const { provider: small, providerUrl: smallUrl } = await stand({
      provider: { every: { windowTokens: 14_000 }, script: { text: "Done." } },
    });
    const { provider: large, providerUrl: largeUrl } = await stand({ provider: { script: { text: "Done." } } });
    const { url } = await front(smallUrl, {
      contextLength: BELIEVED_TOKENS,
      upstreams: { small: { url: smallUrl }, large: { url: largeUrl } },
    });
    const first = await ask(url, { protocol, body: asked(40) });
    expect([first.status, small.account().total.rejected["window"]]).toEqual([200, 1]);
    const other = bodyOf(protocol, worked("elsewhere", 60));
    const second = await ask(`${url}/upstreams/large`, { protocol, body: other });
    expect([second.status, second.treatment]).toEqual([200, "unchanged"]);
    expect(large.requests.at(-1)!.body).toBe(other);
    // And the first is not taught by the second's answer.
    const third = await ask(url, { protocol, body: bodyOf(protocol, worked("again", 40)) });
    expect([third.status, small.account().total.rejected["window"]]).toEqual([200, 1]);
  });

  it("a window of seven tokens is not learnt", async () => {
    const error = {
      message: "This model's maximum context length is 7 tokens. However, your messages resulted in 9 tokens.",
      code: "context_length_exceeded",
    };
    const { url: upstream } = await upstreamOf((at) =>
      at === 0 ? { status: 400, pieces: [JSON.stringify({ error })] } : answer(2_000),
    );
    const { url, events } = await front(upstream, { contextLength: BELIEVED_TOKENS });
    expect((await ask(url, { protocol, body: asked(40) })).status).toBe(200);
    await vi.waitFor(() => expect(learnedIn(events)).toBeGreaterThan(10_000));
    const next = await ask(url, { protocol, body: bodyOf(protocol, worked("other", 6)) });
    expect([next.status, next.treatment]).toEqual([200, "unchanged"]);
  });

  it("is not learnt from refusals that no smaller request ends, and then are over", async () => {
    const refused = { status: 400, pieces: ['{"message":"Input is too long for requested model."}'] };
    let broken = true;
    const { url: upstream, got } = await upstreamOf(() => (broken ? refused : answer(3_000)));
    const { url, events } = await front(upstream, { contextLength: BELIEVED_TOKENS });
    for (const steps of [40, 41]) expect((await ask(url, { protocol, body: asked(steps) })).status).toBe(400);
    broken = false;
    const whole = bodyOf(protocol, worked("other", 40));
    const told = await ask(url, { protocol, body: whole });
    expect([told.status, told.treatment, got.at(-1)!.body === whole]).toEqual([200, "unchanged", true]);
    expect(learnedIn(events)).toBeNaN();
  });

  const UNNAMED = '{"message":"Input is too long for requested model."}';
  const NAMED = JSON.stringify({ error: { message: "prompt is too long: 190000 tokens > 180000 maximum" } });
  const SMALL = JSON.stringify({ error: { message: "This model's maximum context length is 4097 tokens." } });
  const ECHOED = JSON.stringify({
    detail: [{ type: "extra_forbidden", loc: ["body"], input: "maximum context length is 4097 tokens", msg: "Extra" }],
  });

  describe.each([
    ["names no window", UNNAMED],
    ["names a large window", NAMED],
    ["names a small window", SMALL],
    ["quotes the client", ECHOED],
  ])("a server that refuses everything for a while, in an error that %s", (_, refusal) => {
    it("teaches nothing: the conversation, and any other, goes on as it was", async () => {
      let broken = false;
      const reply = (): Reply => (broken ? { status: 400, pieces: [refusal] } : answer(20_000));
      const [first, second] = [await upstreamOf(reply), await upstreamOf(reply)];
      const store = createMemoryStore();
      const { url, events } = await front(first.url, {
        contextLength: BELIEVED_TOKENS,
        store,
        upstreams: { first: { url: first.url }, second: { url: second.url } },
      });
      expect((await ask(url, { protocol, body: asked(39) })).status).toBe(200);
      broken = true;
      for (const steps of [40, 40, 41]) {
        const told = await ask(url, { protocol, body: asked(steps) });
        expect([told.status, told.text]).toEqual([400, refusal]);
        // Every request is tried as it came, whatever became of the one before.
        expect(first.got.filter(({ body }) => body === asked(steps)).length).toBeGreaterThan(0);
      }
      broken = false;
      for (const body of [asked(41), asked(42), bodyOf(protocol, worked("other", 40))]) {
        const told = await ask(url, { protocol, body });
        expect([told.status, told.treatment, first.got.at(-1)!.body === body]).toEqual([200, "unchanged", true]);
      }
      const elsewhere = await ask(`${url}/upstreams/second`, { protocol, body: asked(43) });
      expect([elsewhere.treatment, second.got.at(-1)!.body === asked(43)]).toEqual(["unchanged", true]);
      expect(await store.holdings()).toMatchObject({ compactions: 0 });
      expect(learnedIn(events)).toBeNaN();
    });
  });

  it("an error that quotes the client is passed on at once", async () => {
    const { url: upstream, got } = await upstreamOf(() => ({ status: 422, pieces: [ECHOED] }));
    const { url } = await front(upstream, { contextLength: BELIEVED_TOKENS });
    expect((await ask(url, { protocol, body: asked(40) })).text).toBe(ECHOED);
    expect(got).toHaveLength(1);
  });

  it("a window that a much smaller request does not reach is not believed", async () => {
    const { url: upstream, got } = await upstreamOf(() => ({ status: 400, pieces: [NAMED] }));
    const { url } = await front(upstream, { contextLength: 2 * BELIEVED_TOKENS });
    expect((await ask(url, { protocol, body: asked(100) })).text).toBe(NAMED);
    expect(got.map(({ bytes }) => bytes < 180_000)).toEqual([false, true]);
  });

  it("is not learnt from a refusal of what was made smaller since", async () => {
    let onEvent = (): void => undefined;
    const bothCame = new Promise<void>((resolve) => void (onEvent = resolve));
    let taken = (): void => undefined;
    const smallerTaken = new Promise<void>((resolve) => void (taken = resolve));
    const sizes: number[] = [];
    const { url: upstream } = await serving(async (request, response) => {
      let bytes = 0;
      for await (const chunk of request) bytes += (chunk as Buffer).length;
      const at = sizes.push(bytes);
      if (at === 2) onEvent();
      await bothCame;
      // The second refusal comes only when the first request was made smaller and taken.
      if (at === 2) await smallerTaken;
      const { status = 200, pieces }: Reply = at <= 2 ? { status: 400, pieces: [UNNAMED] } : answer(6_000);
      response.writeHead(status, { "content-type": "application/json" }).end(pieces[0]);
      if (at > 2) response.once("close", () => setTimeout(taken, 50));
    });
    const { url, events } = await front(upstream, { contextLength: BELIEVED_TOKENS });
    const both = await Promise.all([0, 1].map(() => ask(url, { protocol, body: asked(40) })));
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    const [whole, again, smaller, sameSmaller] = sizes;
    expect([again, sameSmaller, sizes.length]).toEqual([whole, smaller, 4]);
    expect(events.filter((event) => "code" in event && event.code === "window_learned")).toHaveLength(1);
    // And it stays at that.
    await ask(url, { protocol, body: asked(40) });
    expect(sizes.at(-1)).toBe(smaller);
  });

  it("is forgotten where a larger request is answered", async () => {
    const refused = { status: 400, pieces: ['{"message":"Input is too long for requested model."}'] };
    const { url: upstream, got } = await upstreamOf((at) => (at === 0 ? refused : answer(at === 2 ? 150_000 : 3_000)));
    const { url, events } = await front(upstream, { contextLength: 2 * BELIEVED_TOKENS });
    await ask(url, { protocol, body: asked(40) });
    await vi.waitFor(() => expect(learnedIn(events)).toBeLessThan(BELIEVED_TOKENS));
    // Its provider counts far more than was learnt, and takes it.
    await ask(url, { protocol, body: bodyOf(protocol, worked("pictures", 2)) });
    await vi.waitFor(() => expect(events.filter(({ kind }) => kind === "request")).toHaveLength(2));
    const whole = bodyOf(protocol, worked("third", 40));
    expect((await ask(url, { protocol, body: whole })).treatment).toBe("unchanged");
    expect(got.at(-1)!.body).toBe(whole);
  });

  function answer(inputTokens: number): Reply {
    const message = { role: "assistant", content: "Done." };
    const usage = { prompt_tokens: inputTokens, completion_tokens: 5, total_tokens: inputTokens + 5 };
    return {
      pieces: [
        JSON.stringify({
          id: "c",
          object: "chat.completion",
          choices: [{ index: 0, message, finish_reason: "stop" }],
          usage,
        }),
      ],
    };
  }

  function learnedIn(events: readonly { readonly kind: string }[]): number {
    const notices = events as readonly { readonly kind: string; readonly code?: string; readonly message?: string }[];
    const message = notices.findLast(({ code }) => code === "window_learned")?.message ?? "";
    return Number(/counts as ([\d,]+) tokens/.exec(message)?.[1]?.replaceAll(",", ""));
  }
});
