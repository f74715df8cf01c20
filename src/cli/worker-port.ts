/** The port of `precis worker`, where it is given one: probes and metrics, as a gateway has them. */
import { isLoopback } from "../config/loopback.ts";
import type { Configuration } from "../config/schema.ts";
import type { EmitEvent } from "../gateway/contract.ts";
import { usageError } from "./exit.ts";
import { requiredToken } from "./operator-token.ts";
import type { Terminal } from "./terminal.ts";

export interface WorkerPort {
  readonly url: string;
  readonly onEvent: EmitEvent;
  /** Called when it is to stop: it is no longer ready. */
  readonly stopping: () => void;
  readonly close: () => Promise<void>;
}

export interface WorkerPortOptions {
  readonly port: number;
  readonly configuration: Configuration;
  readonly terminal: Terminal;
  readonly checkStore: () => Promise<unknown>;
}

const CONNECTIONS_MAX = 64;

/** At the address that the configuration gives the gateway. */
export async function openWorkerPort({
  port,
  configuration,
  terminal,
  checkStore,
}: WorkerPortOptions): Promise<WorkerPort> {
  const { host, allowed_hosts: allowedHosts } = configuration.gateway;
  const { token } = requiredToken(configuration, terminal);
  const [{ createMetrics }, { createWorkerRoutes }, { listen }] = await Promise.all([
    import("../gateway/operation/metrics.ts"),
    import("../gateway/operation/worker-routes.ts"),
    import("./listen.ts"),
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
