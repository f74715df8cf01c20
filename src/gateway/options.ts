/** What the options of a gateway may be; whatever a session or the configuration file has too is theirs. */
import { z } from "zod";
import {
  contextLengthOption,
  functionOption,
  number,
  objectOption,
  objectWith,
  oneOf,
  section,
  valueOf,
  whole,
  yesOrNo,
  type OptionKinds,
  type Options,
} from "../config/options.ts";
import { schema } from "../config/schema.ts";
import { optionsOf } from "../config/settings.ts";
import type { OperatorHookSettings } from "../session/operator-hooks/contract.ts";
import { sharedOptions } from "../session/options.ts";
import type { CachingOptions } from "./caching.ts";
import { GATEWAY_LIMITS, type GatewayLimits } from "./limits.ts";
import { RECALL_LIMITS, type RecallLimits } from "./recall/limits.ts";
import type { TenantLimitSettings } from "./tenants/configuration.ts";
import type { RecallSettings } from "./recall/recall.ts";
import { RECALL_OFFERS } from "./recall/tool.ts";

const { compression, gateway, hooks, prompt_caching: caching } = schema.shape;
const { shape: marked } = caching.unwrap();

function limitsLike<Limits extends object>(limits: Limits): { readonly options: OptionKinds } {
  return section(Object.fromEntries(Object.keys(limits).map((key) => [key, number({ min: 0 })])));
}

const cachingOptions = optionsOf({
  enabled: marked.enabled,
  strategy: marked.strategy,
  ttl: marked.cache_ttl,
  restoreBytes: yesOrNo,
  schedule: compression.unwrap().shape.schedule,
  idle: compression.unwrap().shape.idle,
}) satisfies Options<CachingOptions>;

const recallSettings = optionsOf({
  offer: z.enum(RECALL_OFFERS),
  limits: limitsLike<RecallLimits>(RECALL_LIMITS),
}) satisfies Options<RecallSettings>;

const operatorHooks = optionsOf({
  beforeCompact: hooks.unwrap().shape.before_compact,
  afterCompact: hooks.unwrap().shape.after_compact,
  timeoutMs: number({ min: 1 }),
  environment: objectOption,
  fetch: functionOption,
}) satisfies Options<OperatorHookSettings>;

const tenantPolicy = valueOf("`auto`, `per_key` or `{ name }`", (value) => {
  if (value === "auto" || value === "per_key") return true;
  const { name } = (value ?? {}) as { readonly name?: unknown };
  return typeof name === "string" && name !== "";
});

const tenantLimits = {
  requestsPerMinute: number({ min: 1 }),
  requestsAtOnce: whole({ min: 1 }),
  storedBytes: number({ min: 0 }),
  summariesUsdPerDay: number({ min: 0 }),
} satisfies Options<TenantLimitSettings>;

/** Of `createGateway`. */
export const gatewayOptions = optionsOf({
  ...sharedOptions,
  upstreams: objectOption,
  proxies: objectOption,
  store: objectWith("a store of `precis/store`", "findCompaction", "putCompaction", "getState"),
  registry: objectOption,
  contextLength: contextLengthOption,
  mode: z.enum(["rewrite", "observe", "off"]),
  summarize: z.enum(["main"]),
  caching: section(cachingOptions),
  retention: objectOption,
  recall: section(recallSettings),
  tenant: tenantPolicy,
  tenantLimits: section(tenantLimits),
  tenants: objectWith("a source of tenants", "current", "problem"),
  credentialNames: z.array(z.string().min(1)),
  allowedHosts: z.array(z.string().min(1)),
  threads: oneOf("replay", "refuse", "pass"),
  remoteCompaction: z.boolean(),
  compactRequests: oneOf("pass", "local"),
  chatCommands: gateway.unwrap().shape.chat_commands.unwrap().unwrap(),
  onFault: gateway.unwrap().shape.on_fault,
  readFile: functionOption,
  hooks: section(operatorHooks),
  limits: limitsLike<GatewayLimits>(GATEWAY_LIMITS),
  workOnJobs: z.boolean(),
  largeRequests: section(optionsOf({ module: z.url(), data: z.unknown() })),
  onEvent: functionOption,
  ownRoutes: functionOption,
});
