/** What requests of one store have in common, by the options: for the gateway, for a request that shares nothing, and for jobs. */
import { hash } from "node:crypto";
import { builtInName } from "../../core/engines/names.ts";
import { createChain } from "../../core/transcript/links.ts";
import { createRegistry } from "../../models/registry/registry.ts";
import { type GatewayOptions, sessionOptions } from "../gateway-options.ts";
import { createCachingContext } from "../models/caching.ts";
import { createConversations } from "../conversations/conversations.ts";
import { createAlternation } from "../quirks/alternation.ts";
import { thinkingRules } from "../quirks/thinking.ts";
import type { GatewayLimits } from "../limits.ts";
import { createModelBook, UNKNOWN_WINDOW_TOKENS } from "../models/models.ts";
import { createRecall, type Recall, type RecallContext } from "../recall/recall.ts";
import type { RemoteCompaction } from "../background/remote-compaction.ts";
import type { HistoryContext } from "./context.ts";
import type { TenantDirectory } from "../tenants/directory.ts";
import { createTenantSpend, createStoreQuota } from "../tenants/rates.ts";

export interface HistoryParts extends Pick<HistoryContext, "store" | "hooks" | "onEvent"> {
  readonly limits: GatewayLimits;
  readonly remote: RemoteCompaction | undefined;
  readonly limitsOf: TenantDirectory["limitsOf"];
}

export function createHistoryContext(
  options: GatewayOptions,
  { store, limits, hooks, onEvent, remote, limitsOf }: HistoryParts,
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
    alternation: createAlternation(),
    conversations: createConversations(chain, limits, mode === "rewrite" && (options.caching?.restoreBytes ?? true)),
    caching: createCachingContext({ ...options, registry }),
    recall: openRecall(options, { store, chain, models, onEvent }),
    storeQuota: createStoreQuota({ store, bytesMax: options.retention?.bytesMax, limitsOf, onEvent, now }),
    tenantSpend: createTenantSpend({ store, limitsOf, onEvent, now }),
    hooks,
    onEvent,
    now,
  };
}

/** What is only observed stays as its client sent it. */
function openRecall(
  { recall, mode, secrets, compactTool, roomTool }: GatewayOptions,
  parts: Pick<RecallContext, "store" | "chain" | "models" | "onEvent">,
): Recall | undefined {
  const offers = recall?.offer !== "off" || compactTool?.tool === "on" || roomTool?.tool === "on";
  return offers && mode !== "observe" ? createRecall({ ...recall, ...parts, secrets }) : undefined;
}

/** Nothing of a client's is spent where nothing is rewritten for it. */
export function inPlace({ summarize, mode = "rewrite" }: GatewayOptions): boolean {
  return summarize === "main" && mode === "rewrite";
}

/** Other engines would wait for what they do not ask for. */
export function compactsRemotely({ remoteCompaction = false, engine, mode = "rewrite" }: GatewayOptions): boolean {
  return remoteCompaction && mode === "rewrite" && typeof engine === "string" && builtInName(engine) === "handoff";
}
