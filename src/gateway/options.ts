/** What the options of a gateway may be; whatever a session or the configuration file has too is theirs. */
import { z } from "zod";
import { functionOption, objectOption, objectWith, valueOf } from "../config/options.ts";
import { schema } from "../config/schema.ts";
import type { OperatorHookSettings } from "../session/operator-hooks/contract.ts";
import { sharedOptions, type Options } from "../session/options.ts";
import type { CachingOptions } from "./caching.ts";
import { GATEWAY_LIMITS, type GatewayLimits } from "./limits.ts";
import { RECALL_LIMITS, type RecallLimits } from "./recall/limits.ts";
import type { TenantLimitSettings } from "./tenants/configuration.ts";
import type { RecallSettings } from "./recall/recall.ts";
import { RECALL_OFFERS } from "./recall/tool.ts";

const { compression, gateway, hooks, prompt_caching: caching } = schema.shape;
const { shape: marked } = caching.unwrap();

function limitsLike<Limits extends object>(limits: Limits): z.ZodObject {
  return z.strictObject(Object.fromEntries(Object.keys(limits).map((key) => [key, z.number().min(0)])));
}

const cachingOptions = {
  enabled: marked.enabled,
  strategy: marked.strategy,
  ttl: marked.cache_ttl,
  restoreBytes: marked.restore_bytes,
  schedule: compression.unwrap().shape.schedule,
  idle: compression.unwrap().shape.idle,
} satisfies Options<CachingOptions>;

const recallSettings = {
  offer: z.enum(RECALL_OFFERS),
  limits: limitsLike<RecallLimits>(RECALL_LIMITS),
} satisfies Options<RecallSettings>;

const operatorHooks = {
  beforeCompact: hooks.unwrap().shape.before_compact,
  afterCompact: hooks.unwrap().shape.after_compact,
  timeoutMs: z.number().min(1),
  environment: objectOption,
  fetch: functionOption,
} satisfies Options<OperatorHookSettings>;

const tenantPolicy = valueOf("`auto`, `per_key` or `{ name }`", (value) => {
  if (value === "auto" || value === "per_key") return true;
  const { name } = (value ?? {}) as { readonly name?: unknown };
  return typeof name === "string" && name !== "";
});

const tenantLimits = {
  requestsPerMinute: z.number().min(1),
  requestsAtOnce: z.int().min(1),
  storedBytes: z.number().min(0),
  summariesUsdPerDay: z.number().min(0),
} satisfies Options<TenantLimitSettings>;

/** Of `createGateway`. */
export const gatewayOptions = {
  ...sharedOptions,
  upstreams: objectOption,
  proxies: objectOption,
  store: objectWith("a store of `precis/store`", "findCompaction", "putCompaction", "getState"),
  registry: objectOption,
  contextLength: sharedOptions.settings.shape.contextLength,
  mode: z.enum(["rewrite", "observe", "off"]),
  summarize: z.enum(["main"]),
  caching: z.strictObject(cachingOptions),
  retention: objectOption,
  recall: z.strictObject(recallSettings),
  tenant: tenantPolicy,
  tenantLimits: z.strictObject(tenantLimits),
  tenants: objectWith("a source of tenants", "current", "problem"),
  credentialNames: z.array(z.string().min(1)),
  allowedHosts: z.array(z.string().min(1)),
  threads: gateway.unwrap().shape.threads,
  remoteCompaction: z.boolean(),
  compactRequests: gateway.unwrap().shape.compact_requests,
  chatCommands: gateway.unwrap().shape.chat_commands.unwrap().unwrap(),
  onFault: gateway.unwrap().shape.on_fault,
  readFile: functionOption,
  hooks: z.strictObject(operatorHooks),
  limits: limitsLike<GatewayLimits>(GATEWAY_LIMITS),
  workOnJobs: z.boolean(),
  largeRequests: z.strictObject({ module: z.url(), data: z.unknown() }),
  onEvent: functionOption,
  ownRoutes: functionOption,
};
