/** A conversation of Chat Completions as a request of each protocol. */
import type { JsonLike } from "./json-text.ts";
import type { WireName } from "./turns-to-wire.ts";
import { kits } from "./wires.ts";
import type { ChatMessage } from "./wires/kit.ts";

export type { ChatMessage } from "./wires/kit.ts";

export function requestOf(protocol: WireName, messages: readonly ChatMessage[]): JsonLike {
  const system =
    messages[0]?.role === "system" && typeof messages[0].content === "string" ? messages[0].content : undefined;
  return kits[protocol].fromChat(messages, { system, rest: system === undefined ? messages : messages.slice(1) });
}
