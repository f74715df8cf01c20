/** A server on a port of this machine: for the probes and metrics of `precis worker`, and for the strict provider. */
import { isLoopback } from "../../config/locate.ts";
import type { Configuration } from "../../config/schema.ts";
import type { EmitEvent } from "../../gateway/contract.ts";
import { usageError } from "../program/exit.ts";
import { requiredToken } from "./token.ts";
import type { Terminal } from "../screen/terminal.ts";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";

interface WorkerPort {
  readonly url: string;
  readonly onEvent: EmitEvent;
  readonly stopping: () => void;
  readonly close: () => Promise<void>;
}

interface WorkerPortOptions {
  readonly port: number;
  readonly configuration: Configuration;
  readonly terminal: Terminal;
  readonly checkStore: () => Promise<unknown>;
}

const CONNECTIONS_MAX = 64;

export async function openWorkerPort({
  port,
  configuration,
  terminal,
  checkStore,
}: WorkerPortOptions): Promise<WorkerPort> {
  const { host, allowed_hosts: allowedHosts } = configuration.gateway;
  const { token } = requiredToken(configuration, terminal);
  const [{ createMetrics }, { createWorkerRoutes }] = await Promise.all([
    import("../../gateway/operation/metrics.ts"),
    import("../../gateway/operation/worker-routes.ts"),
  ]);
  const metrics = createMetrics({ upstreams: [] });
  let isStopping = false;
  const routes = createWorkerRoutes({
    metrics,
    checkStore,
    stopping: () => isStopping,
    token,
    loopback: isLoopback(host),
    allowedHosts,
  });
  const { url, close } = await listen((request) => routes.fetch(request), {
    host,
    port,
    connections: CONNECTIONS_MAX,
  }).catch(({ code = "no reason given" }: { readonly code?: string }) => {
    throw usageError(`cannot listen on ${host}, port ${port} (${code})`, "Name another port with --port.");
  });
  return { url, onEvent: metrics.onEvent, stopping: () => void (isStopping = true), close };
}

/** Longer than clients keep a connection for reuse, so that it is they who close it. */
const IDLE_CONNECTION_MS = 75_000;

export interface ListenOptions {
  /** Loopback by default: it takes any key. */
  readonly host?: string;
  readonly port?: number;
  readonly connections?: number;
}

export interface Listening {
  readonly port: number;
  /** Without `/v1`. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** `bindings` is what the server of Hono gives beside the request. */
type Fetch = (request: Request, bindings?: object) => Response | Promise<Response>;

export async function listen(fetch: Fetch, options: ListenOptions = {}): Promise<Listening> {
  const { host = "127.0.0.1", port = 0, connections } = options;
  const listener = getRequestListener((request, bindings) => fetch(request, bindings), {
    overrideGlobalObjects: false,
  });
  const server = createServer(
    { keepAliveTimeout: IDLE_CONNECTION_MS },
    (incoming, outgoing) => void listener(incoming, outgoing),
  );
  if (connections !== undefined) server.maxConnections = connections;
  server.listen(port, host);
  await once(server, "listening");
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    port: bound,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
