/** `precis serve`: the gateway on a port, until it is interrupted. */
import { hostname } from "node:os";
import type { ArgsDef } from "citty";
import { resolveAll, type Loaded } from "../../config/load.ts";
import { isLoopback } from "../../config/locate.ts";
import { configurationError } from "../../config/problems.ts";
import type { Configuration } from "../../config/schema.ts";
import type { PrecisError } from "../../core/errors.ts";
import type { Gateway } from "../../gateway/index.ts";
import type { PluginSource } from "../../plugins/load.ts";
import { asksInPlace } from "../../models/choice.ts";
import { option, toggle, type Arguments, type Command } from "../program/command.ts";
import { withEngine } from "../settings/engine.ts";
import { threadSource } from "../gateway/thread.ts";
import { EXIT, usageError, type ExitCode } from "../program/exit.ts";
import type { Operation } from "../gateway/operation.ts";
import { toCaching, gatewayOptions, toMode, outwardProxies } from "../gateway/options.ts";
import { keepMemoryLean, useMemoryForSpeed } from "../gateway/lean-memory.ts";
import { requiredToken, type OperatorToken } from "../gateway/token.ts";
import {
  CONFIG_FLAGS,
  configurationRequest,
  ENGINE_FLAGS,
  checkSummarize,
  handoffsSentence,
  LOGGING_SETTINGS,
  toFlag,
} from "../settings/flags.ts";
import {
  fileBytes,
  isServer,
  storeAsConfigured,
  keeping,
  openConfiguredStore,
  storePlace,
  type OpenedStore,
} from "../store/place.ts";
import { interruption } from "../gateway/process.ts";
import { configuredTenants } from "../gateway/tenants.ts";
import type { Terminal } from "../screen/terminal.ts";
import { version } from "../program/program.ts";

const ARGS = {
  port: option("N", "The port; 4020 by default, 0 for any free one (gateway.port)."),
  host: option("ADDRESS", "The address; 127.0.0.1 by default (gateway.host)."),
  upstream: option(
    "[NAME=]URL",
    "Where requests go, instead of the vendors: an address with or without /v1. With the name `openai`, `anthropic` or `google` only that vendor's routes go there. May be given several times (gateway.upstreams).",
  ),
  store: option("FILE", "The file that keeps conversations, or `memory` to keep nothing (gateway.store)."),
  summarize: option(
    "MODEL|main",
    "Have a model write the handoffs, in the background: one by its name, with a key of yours (auxiliary.compression.model), or with `main` each conversation's own, at its own upstream and with its client's key (auxiliary.compression.provider).",
  ),
  observe: toggle("Rewrite nothing; report what would have been done (compression.mode: observe)."),
  quiet: toggle("Log no requests (gateway.log: off)."),
  json: toggle("Log JSON lines on standard output (gateway.log: json)."),
  ...ENGINE_FLAGS,
  ...CONFIG_FLAGS,
} as const satisfies ArgsDef;

export const serveCommand: Command = {
  name: "serve",
  summary: "Run the gateway: a proxy in front of any provider that keeps agent sessions within the context window.",
  about: [
    "Agents send their requests here instead of to their provider: one address, no code changed. A conversation that fills half of its model's window is compacted on its way, as soon as that does not make it dearer; earlier only where the answer that is asked for leaves less room. Below that no message is changed, but cache markers are added where the provider takes them. Answers go through byte for byte. Keys pass through and are not kept. If precis itself fails, the request is forwarded unchanged.",
    "Prints the settings for Claude Code, Codex, Gemini CLI, OpenCode, pi and the vendors' SDKs. Runs until it is interrupted, finishes the answers in progress, and prints a summary. See docs/gateway.md.",
  ],
  examples: {
    "precis serve": "in front of OpenAI and Anthropic; keys are the clients' own",
    "precis serve --upstream http://127.0.0.1:8080 --context-length 32k": "in front of your own model server",
    "precis serve --summarize main": "each conversation's own model writes its handoffs",
    "precis serve --observe": "change nothing and log what would be done",
    "precis serve --json --store memory | jq .": "log for a program, and keep nothing",
  },
  args: ARGS,
  run: serve,
};

async function serve(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  keepMemoryLean();
  const loaded = await resolveAll(request(args, terminal));
  if (loaded.problems.length > 0) throw configurationError(loaded.problems);
  if (isShared(loaded.configuration, terminal)) useMemoryForSpeed();
  if (!asksInPlace(loaded.configuration)) checkSummarize(args, loaded.configuration);
  checkFilesFolder(loaded.configuration);
  const token = requiredToken(loaded.configuration, terminal);
  return withEngine(loaded.configuration, terminal, async (engine) => {
    const opened = await openConfiguredStore(loaded.configuration, terminal);
    try {
      return await serveWith(opened, { loaded, token, terminal, engine });
    } finally {
      await opened.store.close();
    }
  });
}

/** Others reach it, or it keeps its history where other gateways do. */
function isShared(configuration: Configuration, terminal: Terminal): boolean {
  return !isLoopback(configuration.gateway.host) || isServer(storePlace(undefined, configuration, terminal));
}

interface ServeOptions {
  readonly loaded: Loaded;
  readonly token: OperatorToken;
  readonly terminal: Terminal;
  readonly engine: PluginSource | string;
}

async function serveWith(opened: OpenedStore, { loaded, token, terminal, engine }: ServeOptions): Promise<ExitCode> {
  const { configuration } = loaded;
  const { host, port } = configuration.gateway;
  const { shown, path, shared } = opened;
  // Loaded once the settings are known to be sound; the list of commands needs none of it.
  const [{ createGateway }, { createStoreHealth }, { createHistory }, { createUpstreams }, { operate }] =
    await Promise.all([
      import("../../gateway/index.ts"),
      import("../../gateway/request/fault.ts"),
      import("../../gateway/history/history.ts"),
      import("../../gateway/transport/upstreams.ts"),
      import("../gateway/operation.ts"),
    ]);
  const proxies = outwardProxies(terminal.environment);
  const options = await configuredOptions({ loaded, token, terminal, engine });
  const { all } = createUpstreams(options.upstreams);
  const store = storeAsConfigured(opened.store, configuration, options.secrets);
  const health = createStoreHealth(store);
  const kept = await keeping({ store, path, shown }, configuration, terminal);
  const operation = await operate({
    version: version(),
    mode: toMode(configuration),
    caching: toCaching(configuration),
    handoffs: handoffsSentence(configuration),
    upstreams: all.map(({ name, origin, basePath, protocol }) => ({ name, url: origin + basePath, protocol })),
    proxies,
    store: shown,
    kept,
    storeBytes: path === undefined ? undefined : () => fileBytes(path) + fileBytes(`${path}-wal`),
    tenantStore: configuration.gateway.tenants_file !== null ? store : undefined,
    history: createHistory({ ...options, store, onEvent: (event) => operation.onEvent(event) }),
    figures: { store, registry: options.registry },
    checkStore: health.check,
    forwards: configuration.gateway.on_fault === "pass",
    inFlight: () => gateway.underWay(),
    log: configuration.gateway.log,
    redaction: configuration.redaction,
    loopback: isLoopback(host),
    allowedHosts: configuration.gateway.allowed_hosts,
    token,
    terminal,
  });
  const gateway = createGateway({
    ...options,
    proxies,
    store,
    retention: kept.retention,
    largeRequests: shared && threadSource(loaded, terminal, shared),
    onEvent: (event) => {
      health.fails ||= event.kind === "notice" && event.code === "store_unavailable";
      operation.onEvent(event);
    },
    ownRoutes: operation.ownRoutes,
  });
  const listening = await listen(gateway, { host, port });
  return untilInterrupted(gateway, listening, {
    ...operation,
    broken: opened.broken,
    url: shownUrl(listening.url, host),
  });
}

async function configuredOptions({ loaded, terminal, engine }: ServeOptions) {
  const options = await gatewayOptions(loaded, terminal.environment, engine);
  return { ...options, ...configuredTenants(loaded.configuration, terminal) };
}

async function untilInterrupted(
  gateway: Gateway,
  listening: Awaited<ReturnType<Gateway["listen"]>>,
  {
    begun,
    onEvent,
    stopping,
    ended,
    broken,
    url,
  }: Pick<Operation, "begun" | "onEvent" | "stopping" | "ended"> & {
    readonly broken: PrecisError | undefined;
    readonly url: string;
  },
): Promise<ExitCode> {
  const interrupted = interruption();
  try {
    await begun(url);
    if (broken !== undefined)
      onEvent({ kind: "notice", code: "store_unavailable", tenant: "", message: printStoreFailure(broken) });
    await interrupted;
  } finally {
    stopping();
    await listening.close();
    await gateway.close();
  }
  await ended();
  return EXIT.done;
}

function request(args: Arguments, terminal: Terminal): ReturnType<typeof configurationRequest> {
  if (args.is("json") && args.is("quiet"))
    throw usageError("--json and --quiet exclude one another", "Log JSON lines, or nothing.");
  const base = configurationRequest(args, terminal, {
    port: "gateway.port",
    ...LOGGING_SETTINGS,
    observe: ["compression.mode", "observe"],
  });
  const upstreams = Object.fromEntries(args.all("upstream").map(parseUpstream));
  if (Object.keys(upstreams).length === 0) return base;
  return { ...base, flags: [...base.flags, toFlag("upstream", "gateway.upstreams", JSON.stringify(upstreams))] };
}

const UNNAMED = "upstream";

function parseUpstream(text: string): readonly [name: string, { readonly url: string }] {
  const at = /^[A-Za-z0-9._-]*=/.exec(text)?.[0].length ?? 0;
  return [at === 0 ? UNNAMED : text.slice(0, at - 1), { url: text.slice(at) }];
}

/** Anyone who can name a file in a conversation could have it read. */
function checkFilesFolder({ context, gateway: { host } }: Configuration): void {
  if (context.files_folder !== null && !isLoopback(host))
    throw usageError(
      `${host} can be reached from other machines, and context.files_folder would let them have files of this one read`,
      "Set gateway.host to 127.0.0.1, or context.files_folder to null.",
    );
}

function printStoreFailure({ code, message, hint }: PrecisError): string {
  return `${code}: ${message}; requests go on, and nothing of them is kept. ${hint}`;
}

async function listen(gateway: Gateway, where: { readonly host: string; readonly port: number }) {
  try {
    return await gateway.listen(where);
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown };
    if (code !== "EADDRINUSE") throw error;
    throw usageError(`port ${where.port} is taken`, "Name another with --port, or --port 0 for any free one.");
  }
}

/** An address that stands for every address of this machine is no place to send a client to. */
function shownUrl(url: string, host: string): string {
  return ["0.0.0.0", "::", "[::]"].includes(host) ? url.replace(/\/\/[^/]*(?=:\d+)/, `//${hostname()}`) : url;
}
