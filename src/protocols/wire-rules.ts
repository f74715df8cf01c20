/** What each provider's wire format demands, as data for the oracle in core. */
import type { WireRules } from "../core/transcript/oracle.ts";
import type { ProtocolName } from "./protocol.ts";

export const wireRules: Readonly<Record<ProtocolName, WireRules>> = Object.freeze({
  "openai-chat": Object.freeze({
    protocol: "openai-chat",
    consecutiveRoles: "allowed",
    resultsInUserMessage: false,
    opensWithUser: false,
    systemInConversation: "anywhere",
  }),
  "openai-responses": Object.freeze({
    protocol: "openai-responses",
    consecutiveRoles: "allowed",
    resultsInUserMessage: false,
    opensWithUser: false,
    systemInConversation: "anywhere",
  }),
  "anthropic-messages": Object.freeze({
    protocol: "anthropic-messages",
    // The provider joins neighbours of one role itself; it refuses a conversation that an assistant opens.
    consecutiveRoles: "allowed",
    resultsInUserMessage: true,
    opensWithUser: true,
    systemInConversation: "behind_user",
  }),
});
