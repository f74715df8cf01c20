/** What a gateway can be made with. */
import { defined } from "../core/defined.ts";
import type { RedactOptions } from "../core/redaction/redact.ts";
import type { EngineSettings } from "../core/engines/settings.ts";
import { type Registry, statedCompaction } from "../models/registry/registry.ts";
import type { RuntimeOptions, ModelPolicy } from "../session/contract.ts";
import type { OperatorHookSettings } from "../session/operator-hooks/operator-hooks.ts";
import type { HistoryStore } from "../store/store.ts";
import type { CachingOptions } from "./models/caching.ts";
import type { EmitEvent } from "./contract.ts";
import type { ThreadSource } from "./large/messages.ts";
import { type GatewayLimits, GATEWAY_LIMITS } from "./limits.ts";
import type { RecallSettings } from "./recall/recall.ts";
import type { Mode } from "./request/context.ts";
import type { RetentionTaskOptions } from "./operation/retention.ts";
import type { TenantLimitSettings, TenantsSource } from "./tenants/directory.ts";
import type { TenantPolicy } from "./tenants/owner.ts";
import type { ThreadPolicy } from "./conversations/threads.ts";
import type { OutwardProxies } from "./transport/proxies.ts";
import type { UpstreamSettings } from "./transport/upstreams.ts";
import { z } from "zod";
import {
  contextLengthOption,
  functionOption,
  number,
  objectOption,
  objectWith,
  oneOf,
  section,
  makeOption,
  whole,
  yesOrNo,
  type OptionKinds,
  type Options,
} from "../config/options.ts";
import { schema } from "../config/schema.ts";
import { toOptions } from "../config/settings.ts";
import { sharedOptions } from "../session/options.ts";
import { RECALL_LIMITS, type RecallLimits, RECALL_OFFERS } from "./recall/tool.ts";

/** What a gateway can be made with. */
export interface GatewayOptions extends SessionSettings {
  /** Providers by name; `openai` and `anthropic` are the vendors' own where they are not given. */
  readonly upstreams?: Readonly<Record<string, UpstreamSettings>>;
  /** What is between this machine and them; nothing where not given, whatever the environment says. */
  readonly proxies?: OutwardProxies | undefined;
  /** Where history is kept; in memory by default. It stays open when the gateway closes. */
  readonly store?: HistoryStore;
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
  /** Commands and addresses that are called before and after a compaction. */
  readonly hooks?: OperatorHookSettings;
  readonly limits?: Partial<GatewayLimits>;
  /** What one tenant may take, so that it does not slow down others. */
  readonly tenantLimits?: TenantLimitSettings;
  /** Tenants by name, with their keys and limits of their own; it may change while the gateway runs. */
  readonly tenants?: TenantsSource | undefined;
  /**
   * Whether this process works on the compactions of its store's queue, where the store has one. Default true; otherwise
   * somebody else has to (`precis worker`).
   */
  readonly workOnJobs?: boolean;
  /** Hears of every request, compaction and notice. */
  readonly onEvent?: EmitEvent;
  /** How a thread makes options of its own for large requests; without it they are worked on where all others are. */
  readonly largeRequests?: ThreadSource | undefined;
  /** Serves `/_precis/`. */
  readonly ownRoutes?: (request: Request) => Response | Promise<Response>;
}

const { compression, gateway, hooks, prompt_caching: caching } = schema.shape;
const { shape: marked } = caching.unwrap();

function limitsLike<Limits extends object>(limits: Limits): { readonly options: OptionKinds } {
  return section(Object.fromEntries(Object.keys(limits).map((key) => [key, number({ min: 0 })])));
}

const cachingOptions = toOptions({
  enabled: marked.enabled,
  strategy: marked.strategy,
  ttl: marked.cache_ttl,
  restoreBytes: yesOrNo,
  schedule: compression.unwrap().shape.schedule,
}) satisfies Options<CachingOptions>;

const recallSettings = toOptions({
  offer: z.enum(RECALL_OFFERS),
  limits: limitsLike<RecallLimits>(RECALL_LIMITS),
}) satisfies Options<RecallSettings>;

const operatorHooks = toOptions({
  beforeCompact: hooks.unwrap().shape.before_compact,
  afterCompact: hooks.unwrap().shape.after_compact,
  timeoutMs: number({ min: 1 }),
  environment: objectOption,
  fetch: functionOption,
}) satisfies Options<OperatorHookSettings>;

const tenantPolicy = makeOption("`auto`, `per_key` or `{ name }`", (value) => {
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

export const gatewayOptions = toOptions({
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
  chatCommands: gateway.unwrap().shape.chat_commands.unwrap().unwrap(),
  onFault: gateway.unwrap().shape.on_fault,
  readFile: functionOption,
  hooks: section(operatorHooks),
  limits: limitsLike<GatewayLimits>(GATEWAY_LIMITS),
  workOnJobs: z.boolean(),
  largeRequests: section(toOptions({ module: z.url(), data: z.unknown() })),
  onEvent: functionOption,
  ownRoutes: functionOption,
});

/** What every session of a gateway is made with, whoever makes it: a request, or an operator. */
export interface SessionSettings {
  /** A name, or an engine of your own (`loadEngine` of `precis/plugins` gives one). */
  readonly engine?: NonNullable<RuntimeOptions["engine"]>;
  /** The window follows from each request's model unless it is given, and what an answer reserves from the request. */
  readonly settings?: Partial<EngineSettings>;
  /** What is known of models, and how the conversations of single ones are compacted. */
  readonly registry?: Registry;
  /** Models that write handoffs while nobody waits; without one code writes them. */
  readonly writers?: NonNullable<RuntimeOptions["writers"]>;
  readonly secrets?: RedactOptions;
  readonly redactOutgoing?: boolean;
  /** Tool results above this many tokens are digested as they arrive; 0, the default, leaves them. */
  readonly ingestLimitTokens?: number;
  /** Whether models may start a compaction themselves, with a tool that the gateway answers; off where not said otherwise. */
  readonly compactTool?: NonNullable<RuntimeOptions["compactTool"]>;
  /** Whether models can ask how much room they have, with a tool that the gateway answers; off by default. */
  readonly roomTool?: NonNullable<RuntimeOptions["roomTool"]>;
  /**
   * Reads files of agents on this machine again, for engines that put files back (`readFilesIn` of `precis` gives one). It is
   * never called while other machines can connect: anyone who can name a file could have it read.
   */
  readonly readFile?: NonNullable<RuntimeOptions["readFile"]>;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** Undefined where the registry says nothing of the model. */
export function policyOf(registry: Registry, model: string): ModelPolicy | undefined {
  const { threshold: share, ...rest } = statedCompaction(registry, model) ?? {};
  return share === undefined ? rest : { ...rest, sessionThreshold: { share } };
}

/** The note goes where it costs no cache, unless the settings say otherwise. */
export function sessionOptions(given: SessionSettings) {
  const { engine, settings, writers, secrets, redactOutgoing, ingestLimitTokens, compactTool, readFile, now } = given;
  const { registry, roomTool } = given;
  const perModel = registry && ((model: string) => policyOf(registry, model));
  return {
    settings: { note: "handoff" as const, ...settings },
    ...defined({ engine, perModel, writers, secrets, redactOutgoing, ingestLimitTokens }),
    ...defined({ compactTool, roomTool, readFile, now }),
  };
}
