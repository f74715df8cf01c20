/** A gateway with nothing but its transport, on a port of this machine; and servers to come after it. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { connect, createServer as createTcpServer, type AddressInfo, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { ClientRequest, ClientResponse, RequestHandler } from "../../../src/gateway/contract.ts";
import { GATEWAY_LIMITS, type GatewayLimits } from "../../../src/gateway/limits.ts";
import { backwardHeaders, onwardHeaders } from "../../../src/gateway/transport/headers.ts";
import { receiveBody } from "../../../src/gateway/transport/request-body.ts";
import { listen, type Listening, type ListenOptions } from "../../../src/gateway/transport/listen.ts";
import type { OutwardProxies } from "../../../src/gateway/transport/proxies.ts";
import { createSender } from "../../../src/gateway/transport/send.ts";
import { createUpstreams, type UpstreamSettings } from "../../../src/gateway/transport/upstreams.ts";

export interface Standing extends Listening {
  readonly handle: RequestHandler;
  /** What arrived, in order. */
  readonly arrivals: readonly ClientRequest[];
}

export interface StandingOptions extends Omit<ListenOptions, "limits"> {
  readonly limits?: Partial<GatewayLimits>;
  readonly upstreams?: Readonly<Record<string, UpstreamSettings>>;
  readonly proxies?: OutwardProxies;
  /** Bodies are read whole (as for what the gateway looks at), or go by as they come. */
  readonly reads?: boolean;
}

/** Sends everything on to one upstream as it came. */
export async function gatewayTo(url: string, options: StandingOptions = {}): Promise<Standing> {
  const limits = { ...GATEWAY_LIMITS, drainMs: 500, ...options.limits };
  const sender = createSender(limits, options.proxies);
  const upstreams = createUpstreams(options.upstreams ?? { upstream: { url } });
  const arrivals: ClientRequest[] = [];
  const handle = async (arrival: ClientRequest): Promise<ClientResponse> => {
    arrivals.push(arrival);
    const to = upstreams.pick(arrival);
    if ("refused" in to) return to.refused;
    let { body } = arrival;
    if (options.reads ?? true) {
      const intake = await receiveBody(arrival, limits);
      if ("refused" in intake) return intake.refused;
      body = intake.raw as never;
    }
    const { method, signal } = arrival;
    const headers = onwardHeaders(arrival.headers, "same");
    const incoming = await sender.send({ to, tenant: "", method, headers, body, signal });
    return { status: incoming.status, headers: backwardHeaders(incoming.headers), body: incoming.body };
  };
  const listening = await listen(handle, { ...options, limits });
  onTestFinished(async () => {
    await listening.close();
    await sender.close();
  });
  return { ...listening, handle, arrivals };
}

export interface Behind {
  readonly url: string;
  readonly port: number;
  /** Connections that were made to it so far. */
  readonly connections: () => number;
}

export async function upstream(listener: RequestListener): Promise<Behind> {
  const server = createServer({ keepAliveTimeout: 30_000, maxHeaderSize: 128 * 1024 }, listener);
  server.maxHeadersCount = 0;
  onTestFinished(() => server.closeAllConnections());
  return standingBehind(server);
}

/** One that speaks in bytes: for what no HTTP server would say. */
export async function rawUpstream(talk: (socket: Socket) => void): Promise<Behind> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    talk(socket);
  });
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  return standingBehind(server);
}

async function standingBehind(server: Server): Promise<Behind> {
  let connections = 0;
  server.on("connection", () => connections++);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, connections: () => connections };
}

/** Says these bytes on a new connection, and gives all that is said until it ends, or until `enough`. */
export async function speak(port: number, said: string | Buffer, enough?: (heard: string) => boolean): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let heard = "";
  const over = new Promise<void>((resolve) => {
    socket.on("data", (bytes) => {
      heard += bytes.toString("latin1");
      if (enough?.(heard) === true) resolve();
    });
    socket.on("close", () => resolve()).on("error", () => resolve());
  });
  socket.write(said);
  await over;
  socket.destroy();
  return heard;
}

/** The request's body, whole. */
export async function bodyOf(request: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
