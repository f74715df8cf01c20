/** A server on a port of this machine: for the probes of a worker, and for the strict provider. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";

/** Longer than clients keep a connection for reuse, so that it is they who close it. */
const IDLE_CONNECTION_MS = 75_000;

export interface ListenOptions {
  /** Loopback by default: it takes any key. */
  readonly host?: string;
  /** Any free one by default. */
  readonly port?: number;
  readonly connections?: number;
}

export interface Listening {
  readonly port: number;
  /** Without `/v1`. */
  readonly url: string;
  /** Ends open connections and gives the port back. */
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
