/** The gateway put together: the one place that knows all of its parts. */
import { isLoopback } from "../config/locate.ts";
import { type Options, createOptionsCheck } from "../config/options.ts";
import { createRedactor } from "../core/redaction/redactor.ts";
import { createRegistry } from "../models/registry/registry.ts";
import { createOperatorHooks } from "../session/operator-hooks/operator-hooks.ts";
import { createMemoryStore } from "../store/memory.ts";
import { createBackgroundWork, type WritersBehind } from "./background/background.ts";
import type { EmitEvent, RequestHandler } from "./contract.ts";
import { inPlaceWriterFor } from "./background/in-place.ts";
import { compactsRemotely, createHistoryContext, inPlace } from "./request/history-context.ts";
import { startOwnWorker, type JobWorker } from "./background/worker.ts";
import { createLargeRequests } from "./large/large-requests.ts";
import { type GatewayOptions, gatewayOptions } from "./gateway-options.ts";
import { GATEWAY_LIMITS, type GatewayLimits } from "./limits.ts";
import { createRemoteCompaction } from "./background/remote-compaction.ts";
import { shownName, withShownNames, safely } from "./operation/log.ts";
import type { GatewayContext } from "./request/context.ts";
import { createRequestHandler } from "./request/handle.ts";
import type { PreparedRequest } from "./request/model-request.ts";
import {
  createKeeper,
  RETENTION_LIMITS,
  type RetentionTask,
  type RetentionTaskOptions,
} from "./operation/retention.ts";
import { createSpans } from "./operation/spans.ts";
import { createThreads } from "./conversations/threads.ts";
import { isForeignName, isPassedOn } from "./transport/callers.ts";
import { listen, type Listening } from "./transport/listen.ts";
import { createUpstreams } from "./transport/upstreams.ts";
import { webHandle } from "./transport/web.ts";
import { createStoreHealth } from "./request/fault.ts";
import { createOverload } from "./request/overload.ts";
import { createUnfolding } from "./request/unfolding.ts";
import { createTenantDirectory } from "./tenants/directory.ts";
import { createTenantRates } from "./tenants/rates.ts";
import { withBreakers } from "./transport/breaker.ts";
import { createSender } from "./transport/send.ts";

export interface Gateway {
  readonly fetch: (request: Request) => Promise<Response>;
  /** On loopback and any free port by default. */
  readonly listen: (where?: { readonly host?: string; readonly port?: number }) => Promise<Listening>;
  /** Requests that have come and are not over. */
  readonly underWay: () => number;
  /** When no work goes on in the background. */
  readonly settled: () => Promise<void>;
  /** Ends what is under way; servers are closed by themselves. */
  readonly close: () => Promise<void>;
}

const checkOptions = createOptionsCheck("createGateway", gatewayOptions satisfies Options<GatewayOptions>);

/**
 * Starts nothing by itself: `listen` or `fetch` take requests.
 *
 * @throws PrecisError `bad_options` for options that are unknown or out of range, `upstream_settings`, `proxy_settings`.
 */
export function createGateway(options: GatewayOptions = {}): Gateway {
  checkOptions(options);
  const { store = createMemoryStore(), now = Date.now } = options;
  let underWay = 0;
  let loopback = true;
  let worker: JobWorker | undefined;
  const onEvent = safely((event) => {
    if (event.kind === "request") underWay--;
    options.onEvent?.(withShownNames(event));
  });
  const pipeline = createPipeline({ ...options, store, onEvent }, () => loopback);
  const keeper = startRetention(options, { store, onEvent, now });
  const handle: RequestHandler = (client) => {
    underWay++;
    return pipeline.handle(client);
  };
  return {
    underWay: () => underWay,
    fetch: webHandle(handle),
    listen: async ({ host = "127.0.0.1", port = 0 } = {}) => {
      loopback &&= isLoopback(host);
      const { ownRoutes: own, allowedHosts = [] } = options;
      const where = { host, port, limits: { ...GATEWAY_LIMITS, ...options.limits }, allowedHosts };
      const listening = await listen(handle, { ...where, ...(own === undefined ? {} : { own }) });
      worker ??= await pipeline.startWorker();
      void keeper?.look();
      return listening;
    },
    settled: pipeline.settled,
    close: async () => {
      await worker?.stop();
      await keeper?.close();
      await pipeline.close();
    },
  };
}

interface Pipeline extends Pick<Gateway, "settled" | "close"> {
  readonly handle: RequestHandler;
  readonly startWorker: () => Promise<JobWorker | undefined>;
}

/** The gateway without a port; `listensHere` says whether only this machine can reach its ports. */
export function createPipeline(given: GatewayOptions, listensHere: () => boolean, whenPrepared?: () => void): Pipeline {
  const { loopback, options } = watchReach(given, listensHere);
  const { store = createMemoryStore(), now = Date.now, registry = createRegistry() } = options;
  const onEvent = safely(options.onEvent ?? (() => undefined));
  const limits = { ...GATEWAY_LIMITS, ...options.limits };
  const tenants = createTenantDirectory({ source: options.tenants, limits: options.tenantLimits ?? {}, onEvent });
  const sender = withBreakers(createSender(limits, options.proxies), { limits, onEvent, now });
  const overload = createOverload({ limits, onEvent });
  const parts = { limits, onEvent, now, limitsOf: tenants.limitsOf };
  const large = openLargeRequests(options, limits, onEvent);
  const hooks = createOperatorHooks(options.hooks, options.secrets);
  const remote = compactsRemotely(options) ? createRemoteCompaction({ sender, registry, now }) : undefined;
  const history = createHistoryContext(options, { ...parts, hooks, store, remote });
  const writing = { sender, limits, registry, models: history.models };
  const writersBehind = (request: PreparedRequest): WritersBehind => ({
    main: inPlace(options) ? inPlaceWriterFor(request, writing) : undefined,
    remote: remote?.behind(request),
  });
  const background = createBackgroundWork({ history, limits, writersBehind });
  const handle = createRequestHandler({
    ...history,
    limits,
    large,
    upstreams: createUpstreams(options.upstreams),
    sender,
    overload,
    unfolding: createUnfolding(limits),
    tenants,
    tenantRates: createTenantRates(tenants.limitsOf, now),
    isolatedHistory: () => createHistoryContext(options, { ...parts, hooks, store: createMemoryStore(), remote }),
    credentialNames: options.credentialNames ?? [],
    tenant: options.tenant ?? "auto",
    threads: createThreads(options.threads ?? "replay"),
    chatCommands: options.chatCommands,
    loopback,
    whenPrepared,
    onFault: options.onFault ?? "pass",
    storeHealth: createStoreHealth(store),
    spans: spansWithout(options.secrets),
    now,
    compactAhead: background.compactAhead,
  });
  return {
    handle,
    startWorker: () => startOwnWorker(history, options.workOnJobs ?? true, limits.background),
    settled: async () => void (await Promise.all([background.settled(), hooks?.settled()])),
    close: async () => {
      overload.close();
      await large?.close();
      await background.close();
      await hooks?.settled();
      await sender.close();
    },
  };
}

function openLargeRequests({ largeRequests }: GatewayOptions, limits: GatewayLimits, onEvent: EmitEvent) {
  return largeRequests === undefined ? undefined : createLargeRequests(largeRequests, limits, onEvent);
}

function spansWithout(secrets: GatewayOptions["secrets"]): ReturnType<typeof createSpans> {
  const redact = createRedactor(secrets);
  return createSpans((name) => redact(shownName(name)));
}

/**
 * Whether a request comes from this machine for sure. A gateway with a name of another machine's has a proxy in front. No
 * file is read again once anything came through one.
 */
function watchReach(given: GatewayOptions, listensHere: () => boolean) {
  const { allowedHosts = [], readFile } = given;
  const isNamed = allowedHosts.some(isForeignName);
  let anyPassedOn = false;
  const loopback: GatewayContext["loopback"] = (headers = []) => {
    const passedOn = isPassedOn(headers);
    anyPassedOn ||= passedOn;
    return !isNamed && !passedOn && listensHere();
  };
  const read: GatewayOptions["readFile"] =
    readFile && (async (path, signal) => (!anyPassedOn && loopback() ? readFile(path, signal) : undefined));
  return { loopback, options: { ...given, ...(read === undefined ? {} : { readFile: read }) } };
}

/** What was given is looked at only where that was asked for. */
function startRetention(
  { store, retention = store === undefined ? OWN_RETENTION : undefined }: GatewayOptions,
  parts: Pick<RetentionTaskOptions, "store" | "onEvent" | "now">,
): RetentionTask | undefined {
  return retention === undefined ? undefined : createKeeper({ ...retention, ...parts });
}

const OWN_RETENTION = { unusedMs: RETENTION_LIMITS.unusedMs, bytesMax: RETENTION_LIMITS.memoryBytes };
