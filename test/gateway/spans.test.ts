/** Requests as OpenTelemetry spans, seen by the real SDK with its spans in memory; and nothing at all where there is none. */
import { propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createSpans, NO_SPAN } from "../../src/gateway/operation/spans.ts";
import { requestEvent } from "./operation/events.ts";
import { ask, bodyOf, worked } from "./support/asking.ts";
import { front, stand } from "./support/standing.ts";
import { EVENT_STREAM, upstreamOf } from "./support/upstream.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const PARENT_ID = "b7ad6b7169203331";
const TRACEPARENT = { traceparent: `00-${TRACE_ID}-${PARENT_ID}-01` };
const REGISTERED = Symbol.for("opentelemetry.js.api.1");
const WINDOW_TOKENS = 14_000;

const exporter = new InMemorySpanExporter();

function register(): void {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
}

afterEach(() => {
  trace.disable();
  propagation.disable();
  exporter.reset();
});

/** The request's own span, once it is there, and those below it. */
async function spans(requests = 1) {
  const all = await vi.waitFor(() => {
    const finished = exporter.getFinishedSpans();
    expect(finished.filter(({ kind }) => kind === SpanKind.SERVER)).toHaveLength(requests);
    return finished;
  });
  const request = all.find(({ kind }) => kind === SpanKind.SERVER)!;
  const below = all.filter((one) => one.parentSpanContext?.spanId === request.spanContext().spanId);
  return { all, request, named: (name: string) => below.filter((one) => one.name === name) };
}

describe("with an SDK", () => {
  beforeEach(register);

  it("tells of a request within its caller's trace, of its compaction and of its provider", async () => {
    const { url } = await stand({ gateway: { contextLength: WINDOW_TOKENS } });
    const body = bodyOf("anthropic-messages", worked("alpha", 12, 300));
    const { treatment } = await ask(url, { protocol: "anthropic-messages", body, headers: TRACEPARENT });
    const { all, request, named } = await spans();
    expect(all.every((one) => one.spanContext().traceId === TRACE_ID)).toBe(true);
    expect(request.parentSpanContext?.spanId).toBe(PARENT_ID);
    expect(request.name).toBe("chat claude-opus-5-5");
    const [, before, after] = /before=(\d+); after=(\d+); fresh/.exec(treatment)!.map(Number);
    expect(request.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "anthropic",
      "gen_ai.request.model": "claude-opus-5-5",
      "gen_ai.usage.input_tokens": expect.any(Number) as number,
      "gen_ai.usage.output_tokens": expect.any(Number) as number,
      "gen_ai.usage.cache_read.input_tokens": expect.any(Number) as number,
      "http.response.status_code": 200,
      "precis.treatment": "rewritten",
      "precis.tokens.before": before,
      "precis.tokens.after": after,
      "precis.held_ms": expect.any(Number) as number,
      "precis.outcome": "answered",
    });
    expect(named("precis.compaction")).toMatchObject([
      { attributes: { "precis.compaction.reason": "hygiene", "precis.compaction.ahead": false } },
    ]);
    const [upstream] = named("precis.upstream");
    expect(upstream).toMatchObject({
      kind: SpanKind.CLIENT,
      attributes: { "precis.upstream": "anthropic", "server.address": "127.0.0.1", "http.response.status_code": 200 },
    });
    expect(all).toHaveLength(3);
  });

  it("ends the provider's span with the stream", async () => {
    const end = 'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}\n\ndata: [DONE]\n\n';
    const upstream = await upstreamOf(() => ({ headers: EVENT_STREAM, pieces: ['data: {"choices":[]}\n\n', end] }));
    const { url } = await front(upstream.url);
    await ask(url, { protocol: "openai-chat", body: bodyOf("openai-chat", worked("a", 1, 9), { stream: true }) });
    const { request, named } = await spans();
    expect(request.attributes).toMatchObject({ "precis.streamed": true, "gen_ai.usage.input_tokens": 7 });
    expect(named("precis.upstream")[0]!.ended).toBe(true);
  });

  it("tells of both calls where a request that was too large is sent again, and of the compaction between", async () => {
    const refusal = {
      error: { message: "This model's maximum context length is 9000 tokens.", code: "context_length_exceeded" },
    };
    const upstream = await upstreamOf((at) =>
      at === 0 ? { status: 400, pieces: [JSON.stringify(refusal)] } : { pieces: ['{"choices":[]}'] },
    );
    const { url } = await front(upstream.url, { contextLength: 60_000 });
    await ask(url, { protocol: "openai-chat", body: bodyOf("openai-chat", worked("alpha", 12, 300)) });
    const { request, named } = await spans();
    expect(request.attributes).toMatchObject({ "precis.retried": true, "precis.treatment": "rewritten" });
    const statuses = named("precis.upstream").map((one) => one.attributes["http.response.status_code"]);
    expect(statuses).toEqual([400, 200]);
    expect(named("precis.compaction")).toMatchObject([{ attributes: { "precis.compaction.reason": "overflow" } }]);
  });

  it("marks what failed, and names no secret", async () => {
    const { url } = await front("http://127.0.0.1:1");
    const model = "sk-proj-Zx81mQ2vTn47LrWb90KpYcDs63HfAeGj";
    const body = bodyOf("openai-chat", worked("alpha", 1, 9), { model });
    await ask(url, { protocol: "openai-chat", body });
    const { all, request, named } = await spans();
    expect(request.status.code).toBe(SpanStatusCode.ERROR);
    expect(request.attributes).toMatchObject({ "error.type": "upstream_failed", "http.response.status_code": 502 });
    expect(named("precis.upstream")).toMatchObject([{ attributes: { "error.type": "upstream_unreachable" } }]);
    expect(JSON.stringify(all.map(({ name, attributes }) => [name, attributes]))).not.toContain(model.slice(8));
  });

  it("tells of a compaction that is made while nobody waits, also when it fails and after its request is over", async () => {
    const { signal } = new AbortController();
    const arrival = {
      method: "POST",
      target: "/v1/messages",
      headers: Object.entries(TRACEPARENT),
      body: undefined,
      signal,
    };
    const span = await createSpans((text) => text).open(arrival);
    span.end(requestEvent({}));
    await span.ahead(async () => undefined);
    await expect(span.ahead(() => Promise.reject(new Error("no room")))).rejects.toThrow("no room");
    const { named } = await spans();
    expect(named("precis.compaction_ahead").map(({ status }) => status.code)).toEqual([
      SpanStatusCode.UNSET,
      SpanStatusCode.ERROR,
    ]);
  });

  it("tells of what is only passed on", async () => {
    const { url } = await stand();
    await (await fetch(`${url}/v1/models`, { headers: { authorization: "Bearer k" } })).text();
    const { request, named } = await spans();
    expect(request).toMatchObject({ name: "GET", attributes: { "precis.treatment": "passed" } });
    expect(named("precis.upstream")).toHaveLength(1);
  });
});

it("does nothing where no SDK is registered", async () => {
  const globals = globalThis as Record<symbol, unknown>;
  const registered = globals[REGISTERED];
  delete globals[REGISTERED];
  try {
    const arrival = { method: "GET", target: "/", headers: [], body: undefined, signal: new AbortController().signal };
    expect(createSpans((text) => text).open(arrival)).toBe(NO_SPAN);
  } finally {
    if (registered !== undefined) globals[REGISTERED] = registered;
  }
  const { url } = await stand();
  await ask(url, { protocol: "openai-chat", body: bodyOf("openai-chat", worked("alpha", 1, 9)) });
  expect(exporter.getFinishedSpans()).toEqual([]);
});
