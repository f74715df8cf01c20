/** Which requests ask a model for an answer, in whose protocol; all others are passed on as they are. */
import type { ProtocolName } from "../protocols/index.ts";

export interface ModelRoute {
  readonly protocol: ProtocolName;
  /** `count`: how many tokens a request would be; nothing is answered, and nothing kept. */
  readonly asks: "answer" | "count";
}

/** Some clients are given a base URL with `/v1`, some without. */
const ROUTES: ReadonlyMap<string, ModelRoute> = new Map([
  ["/chat/completions", { protocol: "openai-chat", asks: "answer" }],
  ["/responses", { protocol: "openai-responses", asks: "answer" }],
  ["/messages", { protocol: "anthropic-messages", asks: "answer" }],
  ["/messages/count_tokens", { protocol: "anthropic-messages", asks: "count" }],
]);

export function routeOf(method: string, target: string): ModelRoute | undefined {
  if (method !== "POST") return undefined;
  const path = pathOf(target);
  return ROUTES.get(path.startsWith("/v1/") ? path.slice("/v1".length) : path);
}

export function pathOf(target: string): string {
  const query = target.indexOf("?");
  return query < 0 ? target : target.slice(0, query);
}
