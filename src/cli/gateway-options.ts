/** From the configuration to what the gateway takes. */
import { engineSettingsOf } from "../config/engine-settings.ts";
import type { Provenance } from "../config/source.ts";
import type { Configuration } from "../config/schema.ts";
import type { Environment } from "../config/environment.ts";
import type { GatewayLimits, GatewayOptions } from "../gateway/index.ts";
import { GATEWAY_LIMITS } from "../gateway/limits.ts";
import type { PluginSource } from "../plugins/load.ts";
import type { Writers } from "../core/handoff/model/writer.ts";
import { asksInPlace } from "../models/choice.ts";
import { registryOf } from "../models/settings.ts";
import { createWriters } from "../models/writers.ts";
import { loadSecretRules } from "../secrets/rules.ts";
import type { TenantLimitSettings } from "../gateway/tenants/directory.ts";
import { readFilesIn } from "../session/read-files.ts";
import type { OperatorHookSettings } from "../session/operator-hooks/operator-hooks.ts";
import { overflowOf } from "../session/provider-error.ts";
import { outwardFetch } from "./outward-proxies.ts";

const MEBIBYTE = 1024 * 1024;
const SECOND_MS = 1_000;

/** What is configured, and where each setting came from. */
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
  const { auxiliary, ...others } = inPlace ? NOBODY : writersOf(configuration, environment);
  return {
    upstreams: upstreamSettings(configuration),
    engine,
    settings: engineSettings(configuration, provenance),
    registry: registryOf(configuration),
    ...(model.context_length === null ? {} : { contextLength: model.context_length }),
    mode: modeOf(configuration),
    caching: { ...cachingOf(configuration), schedule: compression.schedule, idle: compression.idle },
    ingestLimitTokens: compression.ingest_limit_tokens,
    recall: { offer: recall.tool },
    roomTool: { tool: compression.room_tool },
    compactTool: { tool: compression.model_tool },
    tenant: tenantPolicy(gateway.tenant),
    tenantLimits: tenantLimits(configuration),
    credentialNames: gateway.credential_names,
    threads: gateway.threads,
    compactRequests: gateway.compact_requests,
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

function writersOf(configuration: Configuration, environment: Environment): Writers {
  return createWriters(configuration, { environment, overflow: readOverflow, fetch: outwardFetch(environment) });
}

/** As both the gateway and the command line take them. */
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

export function cachingOf({ prompt_caching: caching }: Configuration) {
  const { enabled, strategy, cache_ttl: ttl, restore_bytes: restoreBytes } = caching;
  return { enabled, strategy, ttl, restoreBytes };
}

export function upstreamSettings({ gateway }: Configuration): NonNullable<GatewayOptions["upstreams"]> {
  return Object.fromEntries(Object.entries(gateway.upstreams).map(([name, one]) => [name, present(one)]));
}

export function modeOf({ compression }: Configuration): NonNullable<GatewayOptions["mode"]> {
  return compression.enabled ? compression.mode : "off";
}

/** The gateway knows window and reserve from each request, and puts the note where it costs no cache, unless told otherwise. */
function engineSettings(
  configuration: Configuration,
  provenance: ResolvedConfiguration["provenance"],
): NonNullable<GatewayOptions["settings"]> {
  const { contextLength: _window, maxOutputTokens: _reserve, note, ...settings } = engineSettingsOf(configuration);
  const stated = (provenance.get("compression.note")?.kind ?? "default") !== "default";
  return stated ? { ...settings, note } : settings;
}

function tenantPolicy(name: string): NonNullable<GatewayOptions["tenant"]> {
  return name === "auto" || name === "per_key" ? name : { name };
}

/** In the gateway's own units; a body that may not come in need not be read either. */
function tenantLimits({ gateway: { limits } }: Pick<Configuration, "gateway">): TenantLimitSettings {
  const { tenant_requests_per_minute: minute, tenant_requests_at_once: atOnce } = limits;
  const { tenant_store_mb: store, tenant_summaries_usd_per_day: usd } = limits;
  return {
    ...(minute === null ? {} : { requestsPerMinute: minute }),
    ...(atOnce === null ? {} : { requestsAtOnce: atOnce }),
    ...(store === null ? {} : { storedBytes: store * MEBIBYTE }),
    ...(usd === null ? {} : { summariesUsdPerDay: usd }),
  };
}

export function gatewayLimits({ gateway: { limits } }: Pick<Configuration, "gateway">): GatewayLimits {
  return {
    ...GATEWAY_LIMITS,
    bodyBytes: limits.body_mb * MEBIBYTE,
    readBodyBytes: limits.body_mb * MEBIBYTE,
    upstreamHeadersTimeoutMs: limits.answer_seconds * SECOND_MS,
    upstreamIdleTimeoutMs: limits.idle_seconds * SECOND_MS,
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
