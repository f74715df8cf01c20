/** Which requests ask a model for an answer, in whose protocol; all others are passed on as they are. */
import type { ProtocolName } from "../../core/protocols.ts";
import type { RequestedAnswer } from "../../protocols/definition.ts";
import { allDefinitions } from "../../protocols/registry.ts";

export interface ModelRoute extends RequestedAnswer {
  readonly protocol: ProtocolName;
}

/** Some clients are given a base URL with `/v1`, some without. */
export function routeOf(method: string, target: string): ModelRoute | undefined {
  if (method !== "POST") return undefined;
  const path = pathOf(target);
  const bare = path.startsWith("/v1/") ? path.slice("/v1".length) : path;
  for (const { name, routes } of allDefinitions) {
    const asked = routes(bare);
    if (asked !== undefined) return { protocol: name, ...asked };
  }
  return undefined;
}

export function pathOf(target: string): string {
  const query = target.indexOf("?");
  return query < 0 ? target : target.slice(0, query);
}
