/** The gateway put together: the one place that knows all of its parts. */
import { hash } from "node:crypto";
import { isLoopback } from "../config/loopback.ts";
import type { Options } from "../config/option-kinds.ts";
import { createOptionsCheck } from "../config/options.ts";
import { builtInName } from "../core/engines/names.ts";
import type { EngineSettings } from "../core/engines/settings.ts";
import type { RedactOptions } from "../core/redaction/redact.ts";
import { createRedactor } from "../core/redaction/redactor.ts";
import { createChain } from "../core/transcript/links.ts";
import { createRegistry, type Registry } from "../models/registry/registry.ts";
import type { RuntimeOptions, WaitingForMain } from "../session/contract.ts";
import type { OperatorHookSettings } from "../session/operator-hooks/contract.ts";
import { createOperatorHooks } from "../session/operator-hooks/operator-hooks.ts";
import { createMemoryStore } from "../store/memory.ts";
import type { HistoryStore } from "../store/store.ts";
import { createBackground } from "./background.ts";
import { createCachingContext, type CachingOptions } from "./caching.ts";
import type { CompactRequestsPolicy, RequestHandler, EmitEvent } from "./contract.ts";
import { createConversations } from "./conversations.ts";
import { createIdleWatch } from "./idle.ts";
import { waitingFor, type WritersBehind } from "./writers-behind.ts";
import { inPlaceWriterFor } from "./in-place.ts";
import { createLargeRequests } from "./large/large-requests.ts";
import type { ThreadSource } from "./large/messages.ts";
import { gatewayOptions } from "./options.ts";
import { thinkingRules } from "./knowledge/thinking/index.ts";
import { GATEWAY_LIMITS, type GatewayLimits } from "./limits.ts";
import { createRemoteCompaction, type RemoteCompaction } from "./remote-compaction.ts";
import { createModelBook, UNKNOWN_WINDOW_TOKENS } from "./models.ts";
import { createRecall, type Recall, type RecallContext, type RecallSettings } from "./recall/recall.ts";
import { shownName, withShownNames } from "./operation/names.ts";
import type { HistoryContext, Mode } from "./request/context.ts";
import { createRequestHandler } from "./request/handle.ts";
import type { PreparedRequest } from "./request/model-request.ts";
import { createKeeper, RETENTION_LIMITS, type RetentionTask, type RetentionTaskOptions } from "./retention.ts";
import { createSpans } from "./operation/spans.ts";
import { sessionOptions } from "./session-options.ts";
import type { TenantPolicy } from "./tenant.ts";
import { createTenantLimits, type TenantLimitSettings } from "./tenant-limits.ts";
import { createThreads, type ThreadPolicy } from "./threads.ts";
import { listen, type Listening } from "./transport/listen.ts";
import type { OutwardProxies } from "./transport/proxies.ts";
import { createSender } from "./transport/send.ts";
import { createUpstreams, type UpstreamSettings } from "./transport/upstreams.ts";
import { webHandle } from "./transport/web.ts";

export interface GatewayOptions {
  /** Providers by name; `openai` and `anthropic` are the vendors' own where they are not given. */
  readonly upstreams?: Readonly<Record<string, UpstreamSettings>>;
  /** What is between this machine and them; nothing where not given, whatever the environment says. */
  readonly proxies?: OutwardProxies | undefined;
  /** Where history is kept; in memory by default. It stays open when the gateway closes. */
  readonly store?: HistoryStore;
  /** A name, or an engine of your own (`loadEngine` of `precis/plugins` gives one). */
  readonly engine?: NonNullable<RuntimeOptions["engine"]>;
  /** The window follows from each request's model unless it is given, and what an answer reserves from the request. */
  readonly settings?: Partial<EngineSettings>;
  /** What is known of models. */
  readonly registry?: Registry;
  /** One window for every model, in tokens. */
  readonly contextLength?: number;
  readonly mode?: Mode;
  /** Cache markers: on, `spaced`, five minutes. */
  readonly caching?: Partial<CachingOptions>;
  /** What of the store goes by itself. Without one, 30 days and 256 MB of a store of its own, nothing of one that is given. */
  readonly retention?: Omit<RetentionTaskOptions, "store" | "onEvent" | "now"> | undefined;
  /** The tool with which models recall what left their conversation; offered where not said otherwise. */
  readonly recall?: RecallSettings | undefined;
  readonly tenant?: TenantPolicy;
  /** What becomes of threads that clients have their provider keep; `replay` where not said otherwise. */
  readonly threads?: ThreadPolicy;
  /** What opens a message that the gateway answers itself, such as `/precis compact`; without it there are no commands. */
  readonly chatCommands?: string;
  /** Headers and query parameters that hold a credential, beside those that are known; they tell tenants apart. */
  readonly credentialNames?: readonly string[];
  readonly onFault?: "pass" | "refuse";
  /** Names, beside those of this machine, by which a listening gateway may be called, and sites whose pages may call it. */
  readonly allowedHosts?: readonly string[];
  /** Models that write handoffs while nobody waits; without one the ledger writes them. */
  readonly writers?: NonNullable<RuntimeOptions["writers"]>;
  /**
   * `main`: the model of each conversation writes its handoffs, behind the conversation, at its own upstream and with the
   * credential of its newest request, after `writers.auxiliary` where there is one.
   */
  readonly summarize?: "main";
  /**
   * Has an upstream of OpenAI Responses compact its conversations itself (`POST /responses/compact`), with the credential of
   * each conversation's newest request, for the engine `handoff`. Default false.
   */
  readonly remoteCompaction?: boolean;
  /** What becomes of a client's own `POST /responses/compact`: `pass`, the default, or answered here. */
  readonly compactRequests?: CompactRequestsPolicy;
  readonly secrets?: RedactOptions;
  readonly redactOutgoing?: boolean;
  /** Tool results above this many tokens are digested as they arrive; 0, the default, leaves them. */
  readonly ingestLimitTokens?: number;
  /** Whether models may start a compaction themselves, with a tool that is answered here; off where not said otherwise. */
  readonly compactTool?: NonNullable<RuntimeOptions["compactTool"]>;
  /**
   * Reads files of agents on this machine again, for engines that put files back (`readFilesIn` of `precis` gives one). It is
   * never called while other machines can connect: anyone who can name a file could have it read.
   */
  readonly readFile?: NonNullable<RuntimeOptions["readFile"]>;
  /** Commands and addresses that are called before and after a compaction. */
  readonly hooks?: OperatorHookSettings;
  readonly limits?: Partial<GatewayLimits>;
  /** What one tenant may take, so that it does not slow down others. */
  readonly tenantLimits?: TenantLimitSettings;
  /** Hears of every request, compaction and notice. */
  readonly onEvent?: EmitEvent;
  /** How a thread makes options of its own for large requests; without it they are worked on where all others are. */
  readonly largeRequests?: ThreadSource | undefined;
  /** Serves `/_precis/`. */
  readonly ownRoutes?: (request: Request) => Response | Promise<Response>;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

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
  const onEvent = safely((event) => {
    if (event.kind === "request") underWay--;
    options.onEvent?.(withShownNames(event));
  });
  const pipeline = createPipeline({ ...options, store, onEvent }, () => loopback);
  const keeper = keeperOf(options, { store, onEvent, now });
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
      void keeper?.look();
      return listening;
    },
    settled: pipeline.settled,
    close: async () => {
      await keeper?.close();
      await pipeline.close();
    },
  };
}

interface Pipeline extends Pick<Gateway, "settled" | "close"> {
  readonly handle: RequestHandler;
}

/** The gateway without a port; `loopback` says whether only this machine can reach it. */
export function createPipeline(given: GatewayOptions, loopback: () => boolean): Pipeline {
  const options = { ...given, ...readingOf(given, loopback) };
  const { store = createMemoryStore(), now = Date.now, registry = createRegistry() } = options;
  const onEvent = safely(options.onEvent ?? (() => undefined));
  const limits = { ...GATEWAY_LIMITS, ...options.limits };
  const sender = createSender(limits, options.proxies);
  const parts = { limits, onEvent, now };
  const background = createBackground(limits);
  const { largeRequests } = options;
  const large = largeRequests === undefined ? undefined : createLargeRequests(largeRequests, limits, onEvent);
  const hooks = createOperatorHooks(options.hooks, options.secrets);
  const remote = compactsRemotely(options) ? createRemoteCompaction({ sender, registry, now }) : undefined;
  const history = historyContext(options, { ...parts, hooks, store, remote });
  const writing = { sender, limits, registry, models: history.models };
  const writersBehind = (request: PreparedRequest): WritersBehind => ({
    main: inPlace(options) ? inPlaceWriterFor(request, writing) : undefined,
    remote: remote?.behind(request),
  });
  const idle = createIdleWatch({
    ...parts,
    idle: history.mode === "rewrite" ? (options.caching?.idle ?? "off") : "off",
    background,
    writersBehind,
  });
  const handle = createRequestHandler({
    ...history,
    limits,
    large,
    upstreams: createUpstreams(options.upstreams),
    sender,
    isolatedHistory: () => historyContext(options, { ...parts, hooks, store: createMemoryStore(), remote }),
    credentialNames: options.credentialNames ?? [],
    tenant: options.tenant ?? "auto",
    tenantLimits: options.tenantLimits === undefined ? undefined : createTenantLimits(options.tenantLimits, now),
    threads: createThreads(options.threads ?? "replay"),
    compactRequests: options.compactRequests ?? "pass",
    chatCommands: options.chatCommands,
    loopback,
    onFault: options.onFault ?? "pass",
    storeHealth: { fails: false },
    spans: spansWithout(options.secrets),
    now,
    compactAhead: (request) => {
      const writers = waitingFor(writersBehind(request));
      background.add(request.conversation, (signal) => compactAhead(request, onEvent, { ...writers, signal }));
    },
    watchIdle: idle.watch,
  });
  return {
    handle,
    settled: async () => void (await Promise.all([background.settled(), hooks?.settled()])),
    close: async () => {
      idle.close();
      await large?.close();
      await background.close();
      await hooks?.settled();
      await sender.close();
    },
  };
}

/** Spans that show no secret in the name of a model. */
function spansWithout(secrets: GatewayOptions["secrets"]): ReturnType<typeof createSpans> {
  const redact = createRedactor(secrets);
  return createSpans((name) => redact(shownName(name)));
}

function readingOf({ readFile }: GatewayOptions, loopback: () => boolean): Pick<GatewayOptions, "readFile"> {
  if (readFile === undefined) return {};
  return { readFile: async (path, signal) => (loopback() ? readFile(path, signal) : undefined) };
}

interface HistoryParts extends Pick<HistoryContext, "store" | "hooks" | "onEvent"> {
  readonly limits: GatewayLimits;
  readonly remote: RemoteCompaction | undefined;
}

function historyContext(
  options: GatewayOptions,
  { store, limits, hooks, onEvent, remote }: HistoryParts,
): HistoryContext {
  const { registry = createRegistry(), mode = "rewrite", now = Date.now } = options;
  const { contextLength = options.settings?.contextLength } = options;
  const chain = createChain((text) => hash("sha256", text));
  const models = createModelBook({ store, registry, contextLength, unknownTokens: UNKNOWN_WINDOW_TOKENS, now });
  return {
    mode,
    runtime: { ...sessionOptions(options), mainAhead: inPlace(options) },
    remote,
    chain,
    store,
    models,
    thinking: thinkingRules(),
    conversations: createConversations(chain, limits, mode === "rewrite" && (options.caching?.restoreBytes ?? true)),
    caching: createCachingContext({ ...options, registry }),
    recall: recallOf(options, { store, chain, models, onEvent }),
    hooks,
    onEvent,
  };
}

/** What was given is looked at only where that was asked for. */
function keeperOf(
  { store, retention = store === undefined ? OWN_RETENTION : undefined }: GatewayOptions,
  parts: Pick<RetentionTaskOptions, "store" | "onEvent" | "now">,
): RetentionTask | undefined {
  return retention === undefined ? undefined : createKeeper({ ...retention, ...parts });
}

const OWN_RETENTION = { unusedMs: RETENTION_LIMITS.unusedMs, bytesMax: RETENTION_LIMITS.memoryBytes };

/** A listener that throws fails no request, and not the process. */
function safely(onEvent: EmitEvent): EmitEvent {
  return (event) => {
    try {
      onEvent(event);
    } catch {}
  };
}

/** What is only observed stays as its client sent it. */
function recallOf(
  { recall, mode, secrets, compactTool }: GatewayOptions,
  parts: Pick<RecallContext, "store" | "chain" | "models" | "onEvent">,
): Recall | undefined {
  const offers = recall?.offer !== "off" || compactTool?.tool === "on";
  return offers && mode !== "observe" ? createRecall({ ...recall, ...parts, secrets }) : undefined;
}

/** Nothing of a client's is spent where nothing is rewritten for it. */
function inPlace({ summarize, mode = "rewrite" }: GatewayOptions): boolean {
  return summarize === "main" && mode === "rewrite";
}

/** Other engines would wait for what they do not ask for. */
function compactsRemotely({ remoteCompaction = false, engine, mode = "rewrite" }: GatewayOptions): boolean {
  return remoteCompaction && mode === "rewrite" && typeof engine === "string" && builtInName(engine) === "handoff";
}

async function compactAhead(
  { conversation, withHiddenTurns, tenant, record }: PreparedRequest,
  onEvent: EmitEvent,
  waiting: WaitingForMain & { readonly signal: AbortSignal },
): Promise<void> {
  const { signal } = waiting;
  try {
    const { transcript } = withHiddenTurns;
    await record.span.ahead(async () => void (await conversation.runtime.ahead(transcript, waiting)));
  } catch (error) {
    if (signal.aborted) return;
    const message = `a compaction made ahead failed: ${(error as Error).name}`;
    onEvent({ kind: "notice", code: "background_failed", tenant, message });
  }
}
