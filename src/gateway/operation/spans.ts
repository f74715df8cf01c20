/**
 * Requests as OpenTelemetry spans, for whoever has registered an SDK: one a request, and below it what a compaction and
 * the provider took. Without an SDK nothing is loaded, and a request costs one look at a symbol.
 * https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/ names the attributes that begin with `gen_ai`.
 */
import type * as OpenTelemetry from "@opentelemetry/api";
import type { Attributes, Context, Span, TextMapGetter } from "@opentelemetry/api";
import type { Redactor } from "../../core/redaction/redactor.ts";
import { definitions } from "../../protocols/registry.ts";
import type { Prepared } from "../../session/contract.ts";
import type { ClientRequest, HeaderLines, RequestEvent, Treatment } from "../contract.ts";
import { routeOf } from "../request/routes.ts";
import type { Upstream } from "../transport/upstreams.ts";
import { headerOf, splitTarget } from "../transport/headers.ts";

type Api = typeof OpenTelemetry;

export interface RequestSpan {
  readonly now: () => number;
  /** What was prepared since then; a span where a compaction came into being or was put in place. */
  readonly compacted: (prepared: Prepared, since: number) => void;
  /** The call to the provider: its span ends with the answer, or when another call takes its place. */
  readonly upstream: <Answer extends { readonly status: number }>(
    upstream: Upstream,
    call: () => Promise<Answer>,
  ) => Promise<Answer>;
  readonly ahead: (work: () => Promise<void>) => Promise<void>;
  readonly end: (event: RequestEvent) => void;
}

export interface Spans {
  /** A promise only until the API is loaded. */
  readonly open: (client: ClientRequest) => RequestSpan | Promise<RequestSpan>;
}

/** Where nobody listens. */
export const NO_SPAN: RequestSpan = Object.freeze({
  now: () => 0,
  compacted: () => undefined,
  upstream: (_, call) => call(),
  ahead: (work) => work(),
  end: () => undefined,
} satisfies RequestSpan);

/** Where the API keeps what is registered, whoever's copy of it registers: its contract across versions 1.x. */
const REGISTERED = Symbol.for("opentelemetry.js.api.1");
const TRACER = "precis";
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const SERVER_ERROR_MIN = 500;
const CLIENT_ERROR_MIN = 400;

/** Names that clients choose go through `redact`. */
export function createSpans(redact: Redactor): Spans {
  let api: Api | undefined;
  let loading: Promise<Api> | undefined;
  return {
    open: (client) => {
      if (!(REGISTERED in globalThis)) return NO_SPAN;
      if (api !== undefined) return openSpan(api, client, redact);
      loading ??= import("@opentelemetry/api").then((loaded) => (api = loaded));
      return loading.then((loaded) => openSpan(loaded, client, redact));
    },
  };
}

const HEADERS: TextMapGetter<HeaderLines> = {
  get: (headers, key) => headerOf(headers, key.toLowerCase()),
  keys: (headers) => headers.map(([name]) => name.toLowerCase()),
};

function openSpan(api: Api, client: ClientRequest, redact: Redactor): RequestSpan {
  const { context, propagation, trace, SpanKind } = api;
  const parent = propagation.extract(context.active(), client.headers, HEADERS);
  const method = METHODS.has(client.method) ? client.method : "HTTP";
  const tracer = trace.getTracer(TRACER);
  const span = tracer.startSpan(method, { kind: SpanKind.SERVER }, parent);
  if (!span.isRecording()) return NO_SPAN;
  const inside = trace.setSpan(parent, span);
  const call = createCalls(api, inside);
  return {
    now: () => performance.now(),
    compacted: ({ compaction, ahead }, since) => {
      if (compaction === undefined) return;
      const { reason, tokens, degraded, modelCalls, costUsd } = compaction.report;
      const attributes = {
        "precis.compaction.reason": reason,
        "precis.compaction.ahead": ahead === true,
        "precis.compaction.degraded": degraded.length > 0,
        "precis.compaction.model_calls": modelCalls,
        "precis.compaction.cost_usd": costUsd,
        "precis.tokens.before": tokens.before,
        "precis.tokens.after": tokens.after,
      };
      tracer.startSpan("precis.compaction", { startTime: since, attributes }, inside).end();
    },
    upstream: call.made,
    ahead: (work) => within(api, { name: "precis.compaction_ahead", parent: inside }, work),
    end: (event) => {
      // An exporter that throws fails no request.
      try {
        call.over();
        span.updateName(spanName(event, method, redact));
        span.setAttributes(spanAttributes(event, redact));
        if (event.status >= SERVER_ERROR_MIN || event.outcome === "upstream_failed") fail(api, span, event.outcome);
        span.end();
      } catch {}
    },
  };
}

/** Calls to the provider, of which the last goes on until the request is over. */
function createCalls(api: Api, parent: Context): { readonly made: RequestSpan["upstream"]; readonly over: () => void } {
  const { context, trace, SpanKind } = api;
  let current: Span | undefined;
  return {
    made: async ({ name, origin }, call) => {
      current?.end();
      const { hostname, port, protocol } = new URL(origin);
      const attributes = {
        "precis.upstream": name,
        "server.address": hostname,
        "server.port": Number(port || (protocol === "https:" ? 443 : 80)),
      };
      const span = trace.getTracer(TRACER).startSpan("precis.upstream", { kind: SpanKind.CLIENT, attributes }, parent);
      current = span;
      try {
        const answer = await context.with(trace.setSpan(parent, span), call);
        span.setAttribute("http.response.status_code", answer.status);
        if (answer.status >= CLIENT_ERROR_MIN) fail(api, span, String(answer.status));
        return answer;
      } catch (error) {
        fail(api, span, errorType(error));
        throw error;
      }
    },
    over: () => {
      current?.end();
      current = undefined;
    },
  };
}

async function within(
  api: Api,
  { name, parent }: { readonly name: string; readonly parent: Context },
  work: () => Promise<void>,
): Promise<void> {
  const span = api.trace.getTracer(TRACER).startSpan(name, {}, parent);
  try {
    await api.context.with(api.trace.setSpan(parent, span), work);
  } catch (error) {
    fail(api, span, errorType(error));
    throw error;
  } finally {
    span.end();
  }
}

function fail({ SpanStatusCode }: Api, span: Span, type: string): void {
  span.setAttribute("error.type", type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function errorType(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: string };
  return typeof code === "string" ? code : (name ?? "error");
}

function isCount({ path }: RequestEvent): boolean {
  return routeOf("POST", splitTarget(path).target)?.asks === "count";
}

function spanName(event: RequestEvent, method: string, redact: Redactor): string {
  if (event.protocol === undefined) return method;
  return `${isCount(event) ? "count_tokens" : "chat"} ${redact(event.model)}`.trimEnd();
}

function spanAttributes(event: RequestEvent, redact: Redactor): Attributes {
  const { protocol, model, usage, firstByteMs } = event;
  return {
    ...(protocol === undefined
      ? {}
      : {
          "gen_ai.operation.name": isCount(event) ? "count_tokens" : "chat",
          "gen_ai.provider.name": definitions[protocol].vendor.telemetryName,
          ...(model === "" ? {} : { "gen_ai.request.model": redact(model) }),
        }),
    ...(usage === undefined
      ? {}
      : {
          "gen_ai.usage.input_tokens": usage.input,
          "gen_ai.usage.output_tokens": usage.output,
          "gen_ai.usage.cache_read.input_tokens": usage.cacheRead,
          "gen_ai.usage.cache_creation.input_tokens": usage.cacheWrite,
        }),
    "http.request.method": METHODS.has(event.method) ? event.method : "_OTHER",
    "http.response.status_code": event.status,
    "precis.request_id": event.id,
    "precis.tenant": event.tenant,
    "precis.upstream": event.upstream,
    "precis.outcome": event.outcome,
    "precis.streamed": event.streamed,
    "precis.retried": event.retried,
    "precis.held_ms": event.heldMs,
    ...(firstByteMs === undefined ? {} : { "precis.first_byte_ms": firstByteMs }),
    ...treated(event.treatment),
  };
}

function treated(treatment: Treatment): Attributes {
  const kind = { "precis.treatment": treatment.kind };
  switch (treatment.kind) {
    case "passed":
    case "unchanged":
      return kind;
    case "command":
      return { ...kind, "precis.command": treatment.name };
    case "untouched":
      return { ...kind, "precis.untouched.because": treatment.because };
    case "rewritten":
    case "observed": {
      const { before, after } = treatment.tokens;
      return { ...kind, "precis.tokens.before": before, "precis.tokens.after": after };
    }
  }
}
