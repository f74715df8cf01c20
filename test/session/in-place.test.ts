/** The main model asked in place, over real HTTP: what it costs, and how its failures are distinguished. */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WriterReply } from "../../src/core/handoff/model/writer.ts";
import { createRegistry } from "../../src/models/registry/registry.ts";
import { protocols } from "../../src/protocols/index.ts";
import { createInPlaceWriter, type InPlaceOptions } from "../../src/session/in-place.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { bodyOf, worked } from "../gateway/support/asking.ts";
import { answer, fail, startEndpoint, type ScriptedEndpoint } from "../support/scripted-endpoint.ts";

const MODEL = "gpt-4.1";
const body = bodyOf("openai-chat", worked("alpha", 24), { model: MODEL, tool_choice: "auto" });
const decoded = protocols["openai-chat"].decode(body);

let endpoint: ScriptedEndpoint;
beforeAll(async () => {
  endpoint = await startEndpoint();
});
afterAll(() => endpoint.close());

const post: InPlaceOptions["send"] = async (text, signal) => {
  const response = await fetch(`${endpoint.url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: text,
    ...(signal === undefined ? {} : { signal }),
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
};
const writer = (more: Partial<InPlaceOptions> = {}) =>
  createInPlaceWriter({
    model: MODEL,
    windowTokens: 1_000_000,
    registry: createRegistry(),
    request: () => decoded,
    send: post,
    quotes: false,
    ...more,
  });
const ask = (more: Partial<InPlaceOptions> = {}): Promise<WriterReply> =>
  writer(more).ask({ system: "", user: "Write.", conversation: decoded.transcript, maxOutputTokens: 2_000 });

describe("the main model in place", () => {
  it("costs what its provider's cache makes of it", async () => {
    endpoint.play(answer("A record."));
    const plain = await ask();
    endpoint.play(answer("A record.", { cacheRead: 1_000_000_000 }));
    const cached = await ask();
    expect(plain).toMatchObject({ kind: "answered", text: "A record.", ended: "stop", usage: { requests: 1 } });
    expect(cached.usage.inputTokens).toBe(plain.usage.inputTokens);
    expect(cached.usage.costUsd).not.toBe(plain.usage.costUsd);
  });

  it.each([
    ["authentication", 401],
    ["rate", 429],
    ["overflow", 400],
  ] as const)("fails with %s once, and quotes its provider only where that is wanted", async (kind, status) => {
    endpoint.play(fail(kind));
    const before = endpoint.requests.length;
    const quiet = await ask();
    expect(quiet).toMatchObject({ kind: "failed", failure: { class: kind, message: `HTTP ${status}` } });
    expect(endpoint.requests.length).toBe(before + 1);
    const loud = await ask({ quotes: true });
    expect(loud).toMatchObject({ failure: { class: kind } });
    expect(loud.kind === "failed" && loud.failure.message.length).toBeGreaterThan("HTTP 401: ".length);
  });

  it("is asked in no other way, and not with a request that it cannot follow", async () => {
    const before = endpoint.requests.length;
    const described = await writer().ask({ system: "S", user: "U", maxOutputTokens: 100 });
    expect(described).toMatchObject({ failure: { class: "unconfigured" }, usage: { requests: 0 } });
    const forced = protocols["openai-chat"].decode(
      bodyOf("openai-chat", worked("alpha", 3), { tool_choice: "required" }),
    );
    expect(await ask({ request: () => forced })).toMatchObject({
      failure: { class: "unconfigured" },
      usage: { requests: 0 },
    });
    expect(endpoint.requests.length).toBe(before);
  });

  it("has its time, and the conversation goes on without it", async () => {
    const runtime = createRuntime({ settings: { contextLength: 40_000 }, handoffWaitMs: 50 });
    const slow = writer({
      send: () => pause(10_000, { status: 200, headers: new Headers(), body: "" }, { ref: false }),
    });
    const prepared = await runtime.prepare(decoded.transcript, { main: slow });
    expect(prepared.compaction?.report.summary).toMatchObject({
      by: "ledger",
      steps: [{ class: "timeout", role: "main" }],
    });
    // It is left alone for a while.
    const next = await runtime.compact(decoded.transcript, { budget: 6_000, main: slow });
    expect(next).toMatchObject({ compaction: { report: { summary: { steps: [{ outcome: "resting" }] } } } });
  });

  it("is not asked where the conversation leaves no room for its answer", async () => {
    const before = endpoint.requests.length;
    const runtime = createRuntime({ settings: { contextLength: 40_000 } });
    const prepared = await runtime.prepare(decoded.transcript, { main: writer({ windowTokens: 25_000 }) });
    expect(prepared.compaction?.report.summary).toMatchObject({
      by: "ledger",
      steps: [{ class: "overflow", calls: 0 }],
    });
    expect(endpoint.requests.length).toBe(before);
  });
});
