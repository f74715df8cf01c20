/** The gateway on a port: Node's HTTP server, with a bound on everything that a client can keep waiting. */
import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { isLoopback } from "../../config/locate.ts";
import { PrecisError } from "../../core/errors.ts";
import type { ClientResponse, Load, RequestHandler } from "../contract.ts";
import { GATEWAY_LIMITS, type GatewayLimits } from "../limits.ts";
import { answer, type PendingResponse, clientRequestOf, createLoad } from "./client.ts";
import { callerRefusal, type CallersAllowed } from "./callers.ts";
import { plainPath } from "./upstreams.ts";
import { refuse, refuseError, type Refusal, errorBody } from "./refusals.ts";
import type { Duplex } from "node:stream";
import { FALLBACK } from "./headers.ts";

export interface ListenOptions {
  readonly host?: string;
  readonly port?: number;
  readonly limits?: Partial<GatewayLimits>;
  /** Names, beside those of this machine, by which it may be called, and sites whose pages may call it. */
  readonly allowedHosts?: readonly string[];
  /** Serves `/_precis` and all below it; without it these go where everything goes. */
  readonly own?: (request: Request) => Response | Promise<Response>;
}

export interface Listening {
  /** Without `/v1`. */
  readonly url: string;
  readonly port: number;
  /** Takes no more requests, lets those under way end within `drainMs`, then ends them. */
  readonly close: () => Promise<void>;
}

/** Longer than clients keep a connection for reuse, so that it is they who close it. */
const IDLE_CONNECTION_MS = 75_000;
const HEADERS_BYTES = 64 * 1024;
/** How often Node looks for clients that are too slow. */
const CHECK_MS = 5_000;

// To import it as a module would read all of its exports, and some of those load a WebSocket client: 11 MB.
const { createServer } = process.getBuiltinModule("node:http");

const OWN_ROUTES = "/_precis";

/** @throws PrecisError `listen_failed` where the address cannot be had. */
export async function listen(handle: RequestHandler, options: ListenOptions = {}): Promise<Listening> {
  const { host = "127.0.0.1", port = 0 } = options;
  const limits = { ...GATEWAY_LIMITS, ...options.limits };
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(CHECK_MS, limits.headersTimeoutMs),
    keepAliveTimeout: IDLE_CONNECTION_MS,
    maxHeaderSize: HEADERS_BYTES,
  });
  server.maxConnections = limits.connections;
  // A client may end its side once its request is out; `client.ts` distinguishes it from one that is gone.
  (server as { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen = true;
  // Their bytes are bounded; past a number of lines Node would leave some out without a word.
  server.maxHeadersCount = 0;
  const callers = { loopback: isLoopback(host), allowedHosts: options.allowedHosts ?? [] };
  const ownListener = options.own === undefined ? undefined : ownRoutes(options.own);
  const load = createLoad(limits);
  const { begun, stop } = createServerShutdown(server);
  const take = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void => {
    // Errors of either are seen as their close.
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    begun(request.socket, response);
    const own = ownListener !== undefined && isOwn(request.url);
    const misspelled = ownListener !== undefined && looksOwn(request.url ?? "/");
    const attended = own
      ? ownListener(request, response)
      : handleConnection(handle, { request, response, server, limits, load, callers, expectsContinue, misspelled });
    attended.catch(() => response.destroy());
  };
  server.on("request", (request, response) => take(request, response, false));
  server.on("checkContinue", (request, response) => take(request, response, true));
  server.on("connect", (_, socket) => refuseTunnel(socket));
  server.on("clientError", answerWithoutRequest);
  await start(server, host, port);
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    port: bound,
    close: () => stop(limits.drainMs),
  };
}

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** What turns requests into the web's own is loaded when the first one needs it. */
function ownRoutes(own: NonNullable<ListenOptions["own"]>): Listener {
  let listener: Promise<Listener> | undefined;
  return async (request, response) => {
    listener ??= import("@hono/node-server").then(({ getRequestListener }) =>
      getRequestListener(own, { overrideGlobalObjects: false }),
    );
    await (
      await listener
    )(request, response);
  };
}

function isOwn(target = "/"): boolean {
  const next = target[OWN_ROUTES.length];
  return target.startsWith(OWN_ROUTES) && (next === undefined || next === "/" || next === "?");
}

/** Whether a target means the gateway's own routes in other letters: what comes with it is the operator's and goes nowhere else. */
function looksOwn(target: string): boolean {
  const plain = (plainPath(target) ?? "")
    .replaceAll("\\", "/")
    .replaceAll(/;[^/]*/g, "")
    .replaceAll(/\/{2,}/g, "/")
    .toLowerCase();
  return plain === OWN_ROUTES || plain.startsWith(`${OWN_ROUTES}/`);
}

const LOOKALIKE: Refusal = {
  status: 404,
  code: "own_route_misspelled",
  message: "precis: the path resembles one of the gateway's own routes, and is not forwarded.",
  hint: `Use the routes under ${OWN_ROUTES}/ as docs/operating.md lists them.`,
};

interface AcceptedConnection {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly server: Server;
  readonly limits: GatewayLimits;
  readonly load: Load;
  readonly callers: CallersAllowed;
  readonly expectsContinue: boolean;
  /** It asks for one of the gateway's own routes in other letters. */
  readonly misspelled: boolean;
}

async function handleConnection(handle: RequestHandler, attended: AcceptedConnection): Promise<void> {
  const { server, limits, load, callers, expectsContinue, misspelled, ...pair } = attended;
  const { request, response } = pair;
  const { bodyBytes, clientIdleTimeoutMs } = limits;
  const client = clientRequestOf(request, response, { load, bodyBytes, expectsContinue });
  let reply: ClientResponse;
  try {
    // A target that is no path is refused as such: whoever sends one takes the gateway for a forward proxy.
    const refusal = client.target.startsWith("/")
      ? (callerRefusal(client, callers) ?? (misspelled ? LOOKALIKE : undefined))
      : undefined;
    if (refusal !== undefined) reply = refuse(client, refusal);
    else reply = asksForWebSocket(request) ? noWebSocket(client) : await handle(client);
  } catch (error) {
    reply = refuseError(client, error);
  }
  const pending: PendingResponse = { ...pair, client, clientIdleTimeoutMs, last: !server.listening };
  await answer(pending, reply);
}

function asksForWebSocket({ headers: { upgrade } }: IncomingMessage): boolean {
  return upgrade !== undefined && upgrade.toLowerCase().includes("websocket");
}

/** 426 is what clients that try a WebSocket first take as a reason to use plain HTTP at once. */
function noWebSocket(client: Parameters<typeof refuse>[0]): ClientResponse {
  return refuse(client, {
    status: 426,
    code: "no_websocket",
    message: "precis: the gateway does not support WebSocket.",
    hint: "Use plain HTTP: streams come as server-sent events.",
    headers: [["connection", "close"]],
  });
}

async function start(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (cause) {
    const why = (cause as { readonly code?: string }).code ?? "no reason given";
    throw new PrecisError(`The gateway cannot listen on ${host}, port ${port} (${why}).`, {
      code: "listen_failed",
      hint: "Choose another port or address, or stop the program that listens there.",
      cause,
    });
  }
}

interface ServerShutdown {
  readonly begun: (socket: Socket, response: ServerResponse) => void;
  /** Takes no more requests, waits for those under way, and ends them where they take longer than `drainMs`. */
  readonly stop: (drainMs: number) => Promise<void>;
}

/** Node's own closing of idle connections leaves out those that never had a request. */
function createServerShutdown(server: Server): ServerShutdown {
  const idle = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    idle.add(socket);
    socket.once("close", () => idle.delete(socket));
  });
  return {
    begun: (socket, response) => {
      idle.delete(socket);
      response.once("close", () => {
        if (!server.listening) socket.destroySoon();
        else if (!socket.destroyed) idle.add(socket);
      });
    },
    stop: async (drainMs) => {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      for (const socket of idle) socket.destroy();
      const late = setTimeout(() => server.closeAllConnections(), drainMs);
      await closed;
      clearTimeout(late);
    },
  };
}

const REFUSAL_OF_ERROR: Readonly<Record<string, Pick<Refusal, "status" | "code" | "message">>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: "headers_too_large",
    message: "precis: the request's headers are too large.",
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    code: "request_too_large",
    message: "precis: the request is too large.",
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: "request_timeout",
    message: "precis: the request did not arrive in time.",
  },
};

const { STATUS_CODES } = process.getBuiltinModule("node:http");

const NOT_HTTP: Pick<Refusal, "status" | "code" | "message"> = {
  status: 400,
  code: "bad_request",
  message: "precis: this is not a valid HTTP request.",
};

/** For `clientError` of Node's server. Where an answer is under way already the connection just ends. */
function answerWithoutRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  const { _httpMessage: underWay } = socket as { readonly _httpMessage?: { readonly headersSent: boolean } | null };
  if (!socket.writable || error.code === "ECONNRESET" || underWay?.headersSent === true) return void socket.destroy();
  const refusal = REFUSAL_OF_ERROR[error.code ?? ""] ?? NOT_HTTP;
  respondAndEnd(socket, { ...refusal, hint: "Check the client, and any proxy between it and the gateway." });
}

function refuseTunnel(socket: Duplex): void {
  socket.on("error", () => undefined);
  respondAndEnd(socket, {
    status: 405,
    code: "no_tunnel",
    message: "precis: the gateway does not open tunnels.",
    hint: "Use it as a base URL, not as a forward proxy.",
  });
}

function respondAndEnd(socket: Duplex, refusal: Refusal): void {
  const body = errorBody(FALLBACK, refusal);
  const lines = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}
