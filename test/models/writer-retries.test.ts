/** What a writer asks again, and that nothing waits for ever: over real HTTP. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ProviderName } from "../../src/models/providers.ts";
import type { WriterOptions } from "../../src/models/writer.ts";
import { answer, delay, fail, respond, startEndpoint, type ScriptedEndpoint } from "../support/scripted-endpoint.ts";
import { failureOf, prompt, writerAt } from "./scripted-writers.ts";

let endpoint: ScriptedEndpoint;
beforeAll(async () => void (endpoint = await startEndpoint()));
afterAll(() => endpoint.close());
beforeEach(() => endpoint.play(answer("a handoff")));

const writerFor = (name: ProviderName, more?: Partial<WriterOptions>) => writerAt(endpoint, name, more);
const requestsSince = (before: number) => endpoint.requests.slice(before);

describe("retries", () => {
  it("are made for what may pass, each counted", async () => {
    const soon = respond(503, { error: { message: "busy" } }, { "retry-after-ms": "1" });
    endpoint.play([soon, soon, answer("third time lucky")]);
    const reply = await writerFor("openrouter", { retries: 2 }).ask(prompt);
    expect(reply).toMatchObject({ kind: "answered", text: "third time lucky", usage: { requests: 3 } });
  });

  it("end when they are used up", async () => {
    const before = endpoint.requests.length;
    endpoint.play(respond(503, {}, { "retry-after-ms": "1" }));
    const reply = await writerFor("openrouter", { retries: 2 }).ask(prompt);
    expect(failureOf(reply).class).toBe("network");
    expect(reply.usage.requests).toBe(3);
    expect(requestsSince(before)).toHaveLength(3);
  });

  it("charge every answer that was paid for", async () => {
    endpoint.play([answer(""), answer("a handoff")]);
    const prices = { inputUsdPerMtok: 1, outputUsdPerMtok: 1 };
    const { usage } = await writerFor("anthropic", { retries: 1, prices }).ask(prompt);
    expect(usage.requests).toBe(2);
    expect(usage.inputTokens).toBe(2 * endpoint.requests.at(-1)!.inputTokens);
    expect(usage.costUsd).toBeCloseTo((usage.inputTokens + usage.outputTokens) / 1_000_000, 12);
  });

  it.each(["authentication", "insufficient-quota", "content-filter", "no-such-model", "overflow"] as const)(
    "are not made for %s",
    async (as) => {
      endpoint.play(fail(as));
      expect((await writerFor("openai", { retries: 2 }).ask(prompt)).usage.requests).toBe(1);
    },
  );

  it("are not made when the provider asks for a pause that does not fit", async () => {
    endpoint.play(respond(429, { error: { message: "slow down" } }, { "retry-after": "30" }));
    const reply = await writerFor("openai", { retries: 2 }).ask(prompt);
    expect(reply.usage.requests).toBe(1);
    expect(failureOf(reply)).toMatchObject({ class: "rate", retryAfterMs: 30_000 });
  });
});

describe("waiting", () => {
  it("ends at the time limit, retries included, and hangs up", async () => {
    endpoint.play(delay(30_000));
    const started = performance.now();
    const failure = failureOf(await writerFor("anthropic", { timeoutMs: 200, retries: 2 }).ask(prompt));
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(failure).toMatchObject({ class: "timeout", message: expect.stringContaining("0.2 s") as string });
    await expect.poll(() => endpoint.requests.at(-1)!.abandoned).toBe(true);
  });

  it("ends with the caller's signal, whose reason it rejects with, and hangs up", async () => {
    endpoint.play(delay(30_000));
    const stop = new AbortController();
    const before = endpoint.requests.length;
    const asking = writerFor("openai", { retries: 2 }).ask(prompt, stop.signal);
    await expect.poll(() => endpoint.requests.length).toBe(before + 1);
    const reason = new Error("the agent was stopped");
    stop.abort(reason);
    await expect(asking).rejects.toBe(reason);
    await expect.poll(() => endpoint.requests.at(-1)!.abandoned).toBe(true);
    expect(requestsSince(before)).toHaveLength(1);
  });

  it("ends so when nothing would be tried again, too", async () => {
    endpoint.play(delay(30_000));
    const stop = new AbortController();
    const before = endpoint.requests.length;
    const asking = writerFor("anthropic", { retries: 0 }).ask(prompt, stop.signal);
    await expect.poll(() => endpoint.requests.length).toBe(before + 1);
    stop.abort(new Error("stopped"));
    await expect(asking).rejects.toThrow("stopped");
  });

  it("ends with the signal between two attempts too", async () => {
    endpoint.play(fail("server-error"));
    const stop = new AbortController();
    const before = endpoint.requests.length;
    const asking = writerFor("openai", { retries: 2 }).ask(prompt, stop.signal);
    await expect.poll(() => endpoint.requests.length).toBe(before + 1);
    setTimeout(() => stop.abort(new Error("enough")), 50);
    await expect(asking).rejects.toThrow("enough");
  });

  it("does not begin under a signal that is aborted", async () => {
    const before = endpoint.requests.length;
    await expect(writerFor("openai").ask(prompt, AbortSignal.abort(new Error("no")))).rejects.toThrow("no");
    expect(requestsSince(before)).toEqual([]);
  });
});
