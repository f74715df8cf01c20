/** The entry `precis/gateway`: a proxy that keeps the sessions of agents nobody can change within their windows. */
import "../platform/refuse-old-node.ts";
export { createGateway } from "./app.ts";
export type { Gateway } from "./app.ts";
export type { GatewayOptions } from "./gateway-options.ts";
export type {
  CompactionEvent,
  GatewayEvent,
  JobEvent,
  NoticeEvent,
  RecallEvent,
  RequestEvent,
  EmitEvent,
  Treatment,
  UntouchedReason,
} from "./contract.ts";
export type { ThreadSource } from "./large/messages.ts";
export type { ThreadModule, ThreadOptions } from "./large/module.ts";
export { GATEWAY_LIMITS } from "./limits.ts";
export type { GatewayLimits } from "./limits.ts";
export { RECALL_LIMITS, type RecallLimits } from "./recall/tool.ts";
export type { RecallSettings } from "./recall/recall.ts";
export type { OutwardProxies } from "./transport/proxies.ts";
