/** One call to a provider: the request goes out, the answer comes as it arrives, and an abort ends both at once. */
import { setImmediate } from "node:timers/promises";
import type { Dispatcher } from "undici";
// The package's entry loads fetch, caches and sockets that nothing here uses: 14 MB.
import Agent from "undici/lib/dispatcher/agent.js";
import type { Bytes, HeaderLines } from "../contract.ts";
import type { GatewayLimits } from "../limits.ts";
import { clientDisconnected, upstreamFailure } from "./failures.ts";
import { Flow } from "./flow.ts";
import { flatHeaders, headerLines } from "./headers.ts";
import type { OutwardProxies } from "./proxies.ts";
import { createProxyAgent } from "./proxy-agent.ts";
import type { Destination, Upstream } from "./upstreams.ts";

export interface ProviderRequest {
  readonly to: Pick<Destination, "upstream" | "path">;
  /** Whose call it is: what waits too long is counted for each by itself. */
  readonly tenant: string;
  readonly method: string;
  readonly headers: HeaderLines;
  /** Bytes may be sent again by calling again; what is iterated is sent as it comes. */
  readonly body: Uint8Array | Bytes | undefined;
  /** The client's: its abort destroys the call, in whatever state it is. */
  readonly signal: AbortSignal;
  /** The connection is there, and the request is about to be written. */
  readonly onConnected?: (() => void) | undefined;
}

/** The provider's answer. Its body is read to the end or returned from early (which ends the call); never dropped. */
export interface ProviderResponse {
  readonly status: number;
  /** As they came; `backwardHeaders` says which of them go on. */
  readonly headers: HeaderLines;
  /** Rejects with a `PrecisError` where the answer breaks off, after what came before. */
  readonly body: Bytes;
}

export interface Sender {
  /** @throws PrecisError `upstream_unreachable`, `upstream_timeout`, `upstream_broke_off`, `bad_request`, `client_gone`. */
  readonly send: (outgoing: ProviderRequest) => Promise<ProviderResponse>;
  readonly close: () => Promise<void>;
}

type SendLimits = Pick<
  GatewayLimits,
  "connectTimeoutMs" | "upstreamHeadersTimeoutMs" | "upstreamIdleTimeoutMs" | "upstreamConnections"
>;

/** Providers send long header lists, rate limits among them. */
const ANSWER_HEADERS_BYTES = 64 * 1024;

/** How long a connection waits for its next request where the provider does not say. */
const IDLE_CONNECTION_MS = 30_000;

const OK_STATUS = 200;

type DispatchHeaders = NonNullable<Dispatcher.DispatchOptions["headers"]>;

export function createSender(limits: SendLimits, proxies?: OutwardProxies): Sender {
  const options = {
    connections: limits.upstreamConnections,
    pipelining: 1,
    allowH2: false,
    connectTimeout: limits.connectTimeoutMs,
    headersTimeout: limits.upstreamHeadersTimeoutMs,
    bodyTimeout: limits.upstreamIdleTimeoutMs,
    keepAliveTimeout: IDLE_CONNECTION_MS,
    maxHeaderSize: ANSWER_HEADERS_BYTES,
  };
  if (proxies === undefined) {
    const agent = new Agent(options);
    return {
      send: (outgoing) => call(agent, outgoing, flatHeaders(outgoing.headers)),
      close: () => agent.destroy(),
    };
  }
  const loaded = createProxyAgent(options, proxies);
  return {
    // With a proxy, undici would keep one of two lines of a name where they come in a list.
    send: async (outgoing) => call(await loaded, outgoing, new Set(outgoing.headers as [string, string][])),
    close: async () => (await loaded).destroy(),
  };
}

/**
 * A provider may have closed an idle connection while this thread was busy: to see it, the event loop has to look once
 * before the request is written to it. Until the second turn it has.
 */
async function call(agent: Dispatcher, outgoing: Omit<ProviderRequest, "headers">, headers: DispatchHeaders) {
  await setImmediate();
  await setImmediate();
  return dispatch(agent, outgoing, headers);
}

function dispatch(
  agent: Dispatcher,
  { to, method, body, signal, onConnected }: Omit<ProviderRequest, "headers">,
  headers: DispatchHeaders,
): Promise<ProviderResponse> {
  return new Promise((resolve, reject) => {
    const handler = createHandler(to.upstream, signal, { resolve, reject, onConnected });
    if (signal.aborted) return handler.gone();
    signal.addEventListener("abort", handler.gone, { once: true });
    const options: Dispatcher.DispatchOptions = {
      origin: to.upstream.origin,
      path: to.path,
      method: method as Dispatcher.HttpMethod,
      headers,
      // Undici takes any iterable that yields bytes; its type says only streams.
      body: (body ?? null) as Uint8Array | null,
    };
    try {
      agent.dispatch(options, handler);
    } catch (error) {
      handler.failed(error);
    }
  });
}

interface Promised {
  readonly resolve: (incoming: ProviderResponse) => void;
  readonly reject: (error: Error) => void;
  readonly onConnected: ProviderRequest["onConnected"];
}

interface Handler extends Dispatcher.DispatchHandler {
  readonly gone: () => void;
  readonly failed: (error: unknown) => void;
}

function createHandler(upstream: Upstream, signal: AbortSignal, promised: Promised): Handler {
  let controller: Dispatcher.DispatchController | undefined;
  let flow: Flow | undefined;
  const settled = (): void => signal.removeEventListener("abort", gone);
  const abort = (): void => {
    settled();
    controller?.abort(clientDisconnected());
  };
  const fail = (error: Error): void => {
    settled();
    if (flow === undefined) promised.reject(error);
    else flow.end(error);
  };
  const gone = (): void => {
    abort();
    fail(clientDisconnected());
  };
  return {
    gone,
    failed: (error) => fail(upstreamFailure(error, upstream, controller !== undefined)),
    onRequestStart: (started) => {
      controller = started;
      if (!signal.aborted) promised.onConnected?.();
      // It was waiting for a connection when the client left.
      if (signal.aborted) abort();
    },
    onResponseStart: (answering, status) => {
      if (status < OK_STATUS) return;
      flow = new Flow({
        pause: () => answering.pause(),
        resume: () => answering.resume(),
        cancel: abort,
      });
      const raw = (answering.rawHeaders ?? []) as readonly Buffer[];
      promised.resolve({ status, headers: headerLines(raw), body: flow });
    },
    onResponseData: (_answering, chunk) => flow?.push(chunk),
    onResponseEnd: () => {
      settled();
      flow?.end();
    },
    onResponseError: (_answering, error) => {
      if (!signal.aborted) fail(upstreamFailure(error, upstream, controller !== undefined));
    },
  };
}
