/** What the steps of a request work with: settings, the parts that last longer than one request, and who hears of it. */
import type { Chain } from "../../core/transcript/links.ts";
import type { RuntimeOptions } from "../../session/contract.ts";
import type { OperatorHooks } from "../../session/operator-hooks/operator-hooks.ts";
import type { HistoryStore } from "../../store/store.ts";
import type { CachingContext } from "../models/caching.ts";
import type { EmitEvent, HeaderLines } from "../contract.ts";
import type { Conversations } from "../conversations/conversations.ts";
import type { Alternation } from "../quirks/alternation.ts";
import type { ThinkingRules } from "../quirks/thinking.ts";
import type { LargeRequests } from "../large/large-requests.ts";
import type { GatewayLimits } from "../limits.ts";
import type { ModelBook } from "../models/models.ts";
import type { Overload } from "./overload.ts";
import type { Unfolding } from "./unfolding.ts";
import type { RemoteCompaction } from "../background/remote-compaction.ts";
import type { StoreHealth } from "./fault.ts";
import type { Spans } from "../operation/spans.ts";
import type { Recall } from "../recall/recall.ts";
import type { TenantDirectory } from "../tenants/directory.ts";
import type { TenantRates, StoreQuota, TenantSpend } from "../tenants/rates.ts";
import type { TenantPolicy } from "../tenants/owner.ts";
import type { Threads } from "../conversations/threads.ts";
import type { Sender } from "../transport/send.ts";
import type { Upstreams } from "../transport/upstreams.ts";
import type { PreparedRequest } from "./model-request.ts";

/** `observe` rewrites nothing and reports what it would have done; `off` leaves compaction to explicit calls. */
export type Mode = "rewrite" | "observe" | "off";

export interface HistoryContext {
  readonly mode: Mode;
  /** For every conversation; what depends on the request is added. */
  readonly runtime: Pick<
    RuntimeOptions,
    "engine" | "settings" | "writers" | "mainAhead" | "secrets" | "redactOutgoing" | "readFile" | "now"
  >;
  readonly remote: RemoteCompaction | undefined;
  readonly chain: Chain;
  readonly store: HistoryStore;
  readonly models: ModelBook;
  readonly thinking: ThinkingRules;
  readonly alternation: Alternation;
  readonly conversations: Conversations;
  readonly caching: CachingContext;
  /** Where models may recall what left their conversation. */
  readonly recall?: Recall | undefined;
  /** What tenants may store and spend. */
  readonly storeQuota: StoreQuota;
  readonly tenantSpend: TenantSpend;
  readonly hooks: OperatorHooks | undefined;
  readonly onEvent: EmitEvent;
  readonly now: () => number;
}

export interface GatewayContext extends HistoryContext {
  readonly limits: GatewayLimits;
  readonly upstreams: Upstreams;
  readonly sender: Sender;
  readonly overload: Overload;
  readonly unfolding: Unfolding;
  /** The thread that handles large requests; undefined where they are handled like all others. */
  readonly large: LargeRequests | undefined;
  /** For one request that shares nothing with any other: what is kept of it goes with it. */
  readonly isolatedHistory: () => HistoryContext;
  readonly tenant: TenantPolicy;
  readonly tenants: TenantDirectory;
  readonly tenantRates: TenantRates;
  readonly threads: Threads;
  /** What commands in the conversation open with; undefined where there are none. */
  readonly chatCommands: string | undefined;
  readonly credentialNames: readonly string[];
  /** Whether only this machine can reach the gateway, and a request with these headers comes from it. */
  readonly loopback: (headers?: HeaderLines) => boolean;
  readonly whenPrepared: (() => void) | undefined;
  /** What happens when something of ours fails: the request goes on as it came, or is refused. */
  readonly onFault: "pass" | "refuse";
  readonly spans: Spans;
  readonly storeHealth: StoreHealth;
  /** A compaction will soon be due: it can be made while nobody waits. */
  readonly compactAhead: (request: PreparedRequest) => void;
}
