/** From the configuration to what the gateway takes, and the proxies that the environment names (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`). */
import { toEngineSettings } from "../../config/engine-settings.ts";
import type { Provenance } from "../../config/problems.ts";
import type { Configuration } from "../../config/schema.ts";
import type { Environment } from "../../config/environment.ts";
import type { GatewayLimits, GatewayOptions } from "../../gateway/index.ts";
import { GATEWAY_LIMITS } from "../../gateway/limits.ts";
import type { PluginSource } from "../../plugins/load.ts";
import type { Writers } from "../../core/handoff/model/writer.ts";
import { asksInPlace } from "../../models/choice.ts";
import { registryOf } from "../../models/settings.ts";
import { createWriters } from "../../models/writers.ts";
import { loadSecretRules } from "../../secrets/rules.ts";
import { readFilesIn } from "../../session/read-files.ts";
import type { OperatorHookSettings } from "../../session/operator-hooks/operator-hooks.ts";
import { overflowOf } from "../../session/provider-error.ts";
import { proxyAddress, type OutwardProxies } from "../../gateway/transport/proxies.ts";
import { createProxyAgent } from "../../gateway/transport/proxy-agent.ts";

const MEBIBYTE = 1024 * 1024;
const SECOND_MS = 1_000;

export interface ResolvedConfiguration {
  readonly configuration: Configuration;
  readonly provenance: ReadonlyMap<string, Provenance>;
}

/** All but the store and who listens. */
export async function gatewayOptions(
  { configuration, provenance }: ResolvedConfiguration,
  environment: Environment,
  engine: PluginSource | string,
): Promise<GatewayOptions> {
  const { context, gateway, compression, model, recall, redaction } = configuration;
  const inPlace = asksInPlace(configuration);
  const { auxiliary, ...others } = inPlace ? NOBODY : createWritersFor(configuration, environment);
  return {
    upstreams: upstreamSettings(configuration),
    engine,
    settings: engineSettings(configuration, provenance),
    registry: registryOf(configuration),
    ...(model.context_length === null ? {} : { contextLength: model.context_length }),
    mode: toMode(configuration),
    caching: { ...toCaching(configuration), schedule: compression.schedule },
    ingestLimitTokens: compression.ingest_limit_tokens,
    recall: { offer: recall.tool },
    roomTool: { tool: compression.room_tool },
    compactTool: { tool: compression.model_tool },
    tenant: tenantPolicy(gateway.tenant),
    remoteCompaction: context.remote_compaction === "on",
    ...(gateway.chat_commands === null ? {} : { chatCommands: gateway.chat_commands }),
    onFault: gateway.on_fault,
    allowedHosts: gateway.allowed_hosts,
    // A client's key is spent on nothing but its own requests, unless the operator asks for its own model to write.
    ...(inPlace ? { summarize: "main" as const } : {}),
    ...(auxiliary === undefined ? {} : { writers: { auxiliary, ...others } }),
    secrets: await loadSecretRules(redaction),
    redactOutgoing: redaction.outgoing,
    hooks: hookSettings(configuration, environment),
    ...fileReader(configuration),
    workOnJobs: gateway.jobs === "gateway",
    limits: gatewayLimits(configuration),
  };
}

const NOBODY: Writers = { resting: [] };

function createWritersFor(configuration: Configuration, environment: Environment): Writers {
  return createWriters(configuration, { environment, overflow: readOverflow, fetch: outwardFetch(environment) });
}

export function hookSettings({ hooks }: Pick<Configuration, "hooks">, environment: Environment): OperatorHookSettings {
  return {
    beforeCompact: hooks.before_compact,
    afterCompact: hooks.after_compact,
    timeoutMs: hooks.timeout_seconds * SECOND_MS,
    environment,
    fetch: outwardFetch(environment),
  };
}

/** Reads what an agent on this machine may have changed, where the operator named its folder. */
export function fileReader({ context }: Pick<Configuration, "context">): Pick<GatewayOptions, "readFile"> {
  return context.files_folder === null ? {} : { readFile: readFilesIn(context.files_folder) };
}

export function toCaching({ prompt_caching: caching }: Configuration) {
  const { enabled, strategy, cache_ttl: ttl } = caching;
  return { enabled, strategy, ttl };
}

export function upstreamSettings({ gateway }: Configuration): NonNullable<GatewayOptions["upstreams"]> {
  return Object.fromEntries(Object.entries(gateway.upstreams).map(([name, one]) => [name, present(one)]));
}

export function toMode({ compression }: Configuration): NonNullable<GatewayOptions["mode"]> {
  return compression.enabled ? compression.mode : "off";
}

/** The gateway knows window and reserve from each request, and puts the note where it costs no cache, unless told otherwise. */
function engineSettings(
  configuration: Configuration,
  provenance: ResolvedConfiguration["provenance"],
): NonNullable<GatewayOptions["settings"]> {
  const { contextLength: _window, maxOutputTokens: _reserve, note, ...settings } = toEngineSettings(configuration);
  const stated = (provenance.get("compression.note")?.kind ?? "default") !== "default";
  return stated ? { ...settings, note } : settings;
}

function tenantPolicy(name: string): NonNullable<GatewayOptions["tenant"]> {
  return name === "auto" || name === "per_key" ? name : { name };
}

export function gatewayLimits({ gateway: { limits } }: Pick<Configuration, "gateway">): GatewayLimits {
  return {
    ...GATEWAY_LIMITS,
    bodyBytes: limits.body_mb * MEBIBYTE,
    readBodyBytes: limits.body_mb * MEBIBYTE,
    upstreamHeadersTimeoutMs: limits.answer_seconds * SECOND_MS,
    upstreamIdleTimeoutMs: limits.answer_seconds * SECOND_MS,
    drainMs: limits.drain_seconds * SECOND_MS,
  };
}

function readOverflow(status: number, body: string): ReturnType<typeof overflowOf> {
  return overflowOf({ status, body });
}

type Defined<T> = { readonly [Key in keyof T]: Exclude<T[Key], undefined> };

function present<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Defined<T>;
}

/**
 * Undefined where nothing is between this machine and the network.
 *
 * @throws PrecisError `proxy_settings`.
 */
export function outwardProxies(environment: Environment): OutwardProxies | undefined {
  const named = (name: string): string | undefined => environment[name.toLowerCase()] || environment[name] || undefined;
  const [http, https = http, except] = [named("HTTP_PROXY"), named("HTTPS_PROXY"), named("NO_PROXY")];
  if (https === undefined) return undefined;
  return {
    https: proxyAddress(https),
    ...(http === undefined ? {} : { http: proxyAddress(http) }),
    ...(except === undefined ? {} : { except }),
  };
}

/** `fetch` by the way that they leave, for all that goes out but the gateway's own calls. Who never calls it needs no way. */
export function outwardFetch(environment: Environment): typeof fetch {
  let way: Promise<typeof fetch> | undefined;
  return async (input, init) => (await (way ??= fetchBy(environment)))(input, init);
}

async function fetchBy(environment: Environment): Promise<typeof fetch> {
  const proxies = outwardProxies(environment);
  if (proxies === undefined) return fetch;
  // Node's own takes no agent of another undici than the one it was built with.
  const undici = await import("undici");
  const dispatcher = await createProxyAgent({}, proxies);
  return ((input: string, init: object) => undici.fetch(input, { ...init, dispatcher })) as unknown as typeof fetch;
}
