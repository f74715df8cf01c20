/** Real writers over real HTTP: what they answer and cost, and every class of failure. */
import { createServer, type AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { FailureClass } from "../../src/core/handoff/model/writer.ts";
import { loadPackage, type ProviderName } from "../../src/models/providers.ts";
import type { WriterOptions } from "../../src/models/writer.ts";
import {
  answer,
  fail,
  respond,
  RETRY_AFTER_SECONDS,
  startEndpoint,
  type FailureName,
  type ScriptedEndpoint,
  type Step,
} from "../support/scripted-endpoint.ts";
import { failureOf, KEY, prompt, writerAt } from "./scripted-writers.ts";

let endpoint: ScriptedEndpoint;
beforeAll(async () => void (endpoint = await startEndpoint()));
afterAll(() => endpoint.close());
beforeEach(() => endpoint.play(answer("a handoff")));

/** One provider of each dialect, so each failure is read from the shape of each protocol. */
const NAMES = ["openai", "anthropic", "openrouter"] as const;
const PATHS = { openai: "/v1/responses", anthropic: "/v1/messages", openrouter: "/v1/chat/completions" };

const writerFor = (name: ProviderName, more?: Partial<WriterOptions>) => writerAt(endpoint, name, more);
const requestsSince = (before: number) => endpoint.requests.slice(before);

describe.each(NAMES)("an answer of %s", (name) => {
  it("is asked for at its path, with the limit, the key and nothing else of ours", async () => {
    const before = endpoint.requests.length;
    const reply = await writerFor(name).ask(prompt);
    expect(reply).toMatchObject({ kind: "answered", text: "a handoff", ended: "stop" });
    const [asked, ...others] = requestsSince(before);
    expect(others).toEqual([]);
    expect(asked).toMatchObject({
      path: PATHS[name],
      system: prompt.system,
      user: prompt.user,
      maxOutputTokens: 2_600,
    });
    expect(`${asked!.headers["authorization"]} ${asked!.headers["x-api-key"]}`).toContain(KEY);
    expect(JSON.stringify(asked!.body)).not.toContain(KEY);
  });

  it("says that it was cut off", async () => {
    endpoint.play(answer("half a hand", { finish: "length" }));
    expect(await writerFor(name).ask(prompt)).toMatchObject({ kind: "answered", text: "half a hand", ended: "length" });
  });

  it("reports tokens and their price, cached ones at theirs", async () => {
    endpoint.play(answer("a handoff", { cacheRead: 4 }));
    const prices = { inputUsdPerMtok: 3, outputUsdPerMtok: 15, cacheReadUsdPerMtok: 0.3 };
    const { usage } = await writerFor(name, { prices }).ask(prompt);
    const asked = endpoint.requests.at(-1)!;
    expect(usage.inputTokens).toBe(asked.inputTokens);
    const expected = ((asked.inputTokens - 4) * 3 + 4 * 0.3 + usage.outputTokens * 15) / 1_000_000;
    expect(usage.costUsd).toBeCloseTo(expected, 12);
    expect(usage).toMatchObject({ requests: 1 });
  });

  it("has no price where the model's is not known", async () =>
    expect((await writerFor(name).ask(prompt)).usage).not.toHaveProperty("costUsd"));

  it("never asks for more output than the model writes", async () => {
    await writerFor(name, { maxOutputTokens: 1_000 }).ask(prompt);
    expect(endpoint.requests.at(-1)!.maxOutputTokens).toBe(1_000);
  });
});

describe("thinking", () => {
  it("gets output beside the answer's own, within what the model writes, and off the window", async () => {
    const writer = writerFor("openai", { thinkingTokens: 8_000 });
    await writer.ask(prompt);
    expect(endpoint.requests.at(-1)!.maxOutputTokens).toBe(prompt.maxOutputTokens + 8_000);
    expect(writer.windowTokens).toBe(92_000);
    await writerFor("openai", { thinkingTokens: 8_000, maxOutputTokens: 4_000 }).ask(prompt);
    expect(endpoint.requests.at(-1)!.maxOutputTokens).toBe(4_000);
  });

  it("is no part of the answer where a server leaves it there", async () => {
    endpoint.play(answer("<think>\nHm, <b>what</b> now?\n</think>\n\n## Goal\nShip it."));
    expect(await writerFor("ollama").ask(prompt)).toMatchObject({ kind: "answered", text: "## Goal\nShip it." });
    endpoint.play(answer("<think> and on and on", { finish: "length" }));
    expect(failureOf(await writerFor("ollama").ask(prompt)).class).toBe("malformed");
    endpoint.play(answer("The tag <think> was </think> mentioned."));
    expect(await writerFor("ollama").ask(prompt)).toMatchObject({ text: "The tag <think> was </think> mentioned." });
  });
});

describe("OpenAI", () => {
  it("is asked not to keep what it is sent", async () => {
    await writerFor("openai").ask(prompt);
    expect(endpoint.requests.at(-1)!.body).toMatchObject({ store: false });
  });
});

describe("usage", () => {
  it("is estimated where an endpoint reports none", async () => {
    endpoint.play(answer("a handoff", { usage: false }));
    const { usage } = await writerFor("openai-compatible").ask(prompt);
    expect(usage).toEqual({ inputTokens: endpoint.requests.at(-1)!.inputTokens, outputTokens: 3, requests: 1 });
  });

  it("takes the price that OpenRouter reports over the list's", async () => {
    const body = {
      id: "gen-1",
      choices: [{ index: 0, message: { role: "assistant", content: "a handoff" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110, cost: 0.0123 },
    };
    endpoint.play(respond(200, body));
    const { usage } = await writerFor("openrouter", { prices: { inputUsdPerMtok: 1, outputUsdPerMtok: 1 } }).ask(
      prompt,
    );
    expect(usage).toEqual({ inputTokens: 100, outputTokens: 10, costUsd: 0.0123, requests: 1 });
  });
});

const BY_STATUS: readonly [FailureName, FailureClass][] = [
  ["authentication", "authentication"],
  ["forbidden", "authentication"],
  ["payment-required", "quota"],
  ["insufficient-quota", "quota"],
  ["low-balance", "quota"],
  ["rate", "rate"],
  ["server-error", "network"],
  ["bad-gateway", "network"],
  ["unavailable", "network"],
  ["overloaded", "network"],
  ["content-filter", "refusal"],
  ["no-such-model", "unconfigured"],
  ["too-large", "overflow"],
  ["unknown-parameter", "malformed"],
  ["overflow", "overflow"],
];
const BY_FORM: readonly [string, Step, FailureClass][] = [
  ["a reset connection", { kind: "reset" }, "network"],
  ["an answer that closes early", { kind: "close-early", text: "x".repeat(10_000) }, "malformed"],
  ["a page in place of JSON", { kind: "not-json" }, "malformed"],
  ["an empty body", { kind: "empty" }, "malformed"],
  ["JSON of another shape", { kind: "wrong-shape" }, "malformed"],
  ["an answer without text", answer(""), "malformed"],
  ["an answer cut off before its text", answer("", { finish: "length" }), "malformed"],
  ["a content filter's stop", answer("", { finish: "content_filter" }), "refusal"],
  ["a refusal in its own field", answer("", { refusal: "I can't help with that." }), "refusal"],
  ["a redirect", respond(302, "", { location: "http://127.0.0.1:9/v1" }), "unconfigured"],
];

describe.each(NAMES)("a failure of %s", (name) => {
  it.each(BY_STATUS)("%s is of class %s", async (as, expected) => {
    endpoint.play(fail(as));
    const reply = await writerFor(name).ask(prompt);
    expect(failureOf(reply).class).toBe(expected);
    expect(reply.usage.requests).toBe(1);
  });

  it.each(BY_FORM)("%s", async (_, step, expected) => {
    endpoint.play(step);
    expect(failureOf(await writerFor(name).ask(prompt)).class).toBe(expected);
  });

  it("is told in one bounded line without the key, even where the provider quotes it", async () => {
    const noise = `${"words and\nmore words ".repeat(100)} ${KEY}`;
    for (const step of [fail("authentication"), respond(400, { error: { message: noise } }), respond(500, noise)]) {
      endpoint.play(step);
      const { message } = failureOf(await writerFor(name).ask(prompt));
      expect(message).not.toContain(KEY.slice(0, 12));
      expect(message).not.toContain("\n");
      expect(message.length).toBeLessThanOrEqual(300);
    }
  });

  it("does not repeat another secret either", async () => {
    const token = `ghp_${"a1B2c3D4".repeat(4)}wxyz`;
    endpoint.play(respond(400, { error: { message: `cannot parse: token=${token}` } }));
    expect(failureOf(await writerFor(name).ask(prompt)).message).not.toContain(token);
  });

  it("names the window that an overflow tells", async () => {
    const small = await startEndpoint({ windowTokens: 3_000 });
    try {
      const long = { ...prompt, user: "one two three ".repeat(2_000) };
      const failure = failureOf(await writerFor(name, { baseUrl: small.url }).ask(long));
      expect(failure).toMatchObject({ class: "overflow", windowTokens: 3_000 });
      const tight = failureOf(await writerFor(name, { baseUrl: small.url }).ask({ ...prompt, maxOutputTokens: 3_000 }));
      expect(tight).toMatchObject({ class: "overflow", windowTokens: 3_000 });
    } finally {
      await small.close();
    }
  });

  it("says how long a rate limit lasts", async () => {
    endpoint.play(fail("rate"));
    expect(failureOf(await writerFor(name).ask(prompt)).retryAfterMs).toBe(RETRY_AFTER_SECONDS * 1_000);
  });
});

describe("failures that only some tell", () => {
  const inside = (error: object): Step => respond(200, { error });
  it("reads an error inside a 200 by its own code", async () => {
    endpoint.play(inside({ code: 402, message: "Insufficient credits" }));
    expect(failureOf(await writerFor("openrouter").ask(prompt)).class).toBe("quota");
    endpoint.play(inside({ code: 502, message: "Provider returned error", metadata: { raw: "upstream died" } }));
    expect(failureOf(await writerFor("openrouter").ask(prompt))).toMatchObject({ class: "network" });
  });

  it("reads an error inside the answer's choice, text or none", async () => {
    const error = { code: 502, message: "Upstream died" };
    const choice = { index: 0, message: { role: "assistant", content: "half of" }, finish_reason: "error", error };
    endpoint.play(respond(200, { id: "gen-1", choices: [choice] }));
    expect(failureOf(await writerFor("openrouter").ask(prompt)).class).toBe("network");
  });

  it.each([
    ["server_error", "network"],
    ["rate_limit_exceeded", "rate"],
    ["context_length_exceeded", "overflow"],
    ["content_filter", "refusal"],
    ["insufficient_quota", "quota"],
    ["something_new", "malformed"],
  ])("reads a failed response with the code %s", async (code, expected) => {
    const body = { id: "resp_1", object: "response", created_at: 1, status: "failed", output: [], model: "m" };
    endpoint.play(respond(200, { ...body, error: { code, message: "It failed." }, usage: null }));
    expect(failureOf(await writerFor("openai").ask(prompt)).class).toBe(expected);
  });

  it("takes moderation for a refusal, not for a wrong key", async () => {
    const message = "anthropic/claude-haiku-4.5 requires moderation on OpenRouter. Your input was flagged.";
    endpoint.play(respond(403, { error: { code: 403, message } }));
    expect(failureOf(await writerFor("openrouter").ask(prompt)).class).toBe("refusal");
  });

  it("takes Anthropic's full window for an overflow", async () => {
    const body = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-haiku-4-5",
      content: [{ type: "text", text: "half" }],
      stop_reason: "model_context_window_exceeded",
      usage: { input_tokens: 10, output_tokens: 2 },
    };
    endpoint.play(respond(200, body));
    expect(failureOf(await writerFor("anthropic").ask(prompt)).class).toBe("overflow");
  });

  it("takes a model that a local server does not hold for a wrong setting", async () => {
    endpoint.play(respond(404, { error: 'model "llama3" not found, try pulling it first' }));
    expect(failureOf(await writerFor("ollama", { apiKey: undefined }).ask(prompt)).class).toBe("unconfigured");
  });

  it.each([
    ["without its /v1", "", "/v1"],
    ["without its /v1, under a path", "/api", "/api/v1"],
    ["that is an endpoint", "/v1/chat/completions", "/v1"],
  ])("names the address that was meant, of one %s", async (_, given, meant) => {
    const { origin } = new URL(endpoint.url);
    const failure = failureOf(await writerFor("openai-compatible", { baseUrl: origin + given }).ask(prompt));
    expect(failure.class).toBe("unconfigured");
    expect(failure.message).toContain(`HTTP 404`);
    expect(failure.message).toMatch(new RegExp(`: set base_url to ${origin}${meant}$`));
  });

  it("does not doubt an address whose server says that it lacks the model, nor one that has its /v1", async () => {
    const { origin } = new URL(endpoint.url);
    for (const [baseUrl, body] of [
      [endpoint.url, { error: "model 'llama3' not found" }],
      [`${origin}/v1/nowhere/v1`, undefined],
    ] as const) {
      endpoint.play(respond(404, body ?? {}));
      expect(failureOf(await writerFor("openai-compatible", { baseUrl }).ask(prompt)).message).not.toContain(
        "base_url",
      );
    }
  });

  it("takes a port where nobody listens for the network", async () => {
    const probe = createServer();
    await new Promise<void>((done) => probe.listen(0, "127.0.0.1", done));
    const { port } = probe.address() as AddressInfo;
    await new Promise((done) => probe.close(done));
    const failure = failureOf(await writerFor("openai", { baseUrl: `http://127.0.0.1:${port}/v1` }).ask(prompt));
    expect(failure).toMatchObject({ class: "network", message: expect.stringContaining("ECONNREFUSED") as string });
  });
});

describe("what is not set up", () => {
  it("says which package to install, and asks nobody", async () => {
    const before = endpoint.requests.length;
    const load: WriterOptions["load"] = async (name) => {
      if (name === "@ai-sdk/anthropic") throw Object.assign(new Error("gone"), { code: "ERR_MODULE_NOT_FOUND" });
      return loadPackage(name);
    };
    const reply = await writerFor("anthropic", { load }).ask(prompt);
    expect(failureOf(reply)).toMatchObject({ class: "unconfigured" });
    expect(failureOf(reply).message).toContain("npm install ai @ai-sdk/anthropic");
    expect(reply.usage.requests).toBe(0);
    expect(requestsSince(before)).toEqual([]);
  });

  it("says which variable lacks the key", async () => {
    const reply = await writerFor("openai", { apiKey: undefined, keyVariable: "MY_KEY" }).ask(prompt);
    expect(failureOf(reply)).toMatchObject({
      class: "unconfigured",
      message: expect.stringContaining("MY_KEY") as string,
    });
  });

  it("asks a local server without a key, and sends none", async () => {
    expect(await writerFor("ollama", { apiKey: undefined }).ask(prompt)).toMatchObject({ kind: "answered" });
    expect(endpoint.requests.at(-1)!.headers).not.toHaveProperty("authorization");
  });
});
