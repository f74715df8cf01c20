/** What the wire formats of one family demand, as data for the oracle in core. */
import type { WireRules } from "../core/transcript/oracle.ts";

/** OpenAI's two protocols: anybody opens, and a system message is anywhere. */
export const OPENS_FREELY: Omit<WireRules, "protocol"> = Object.freeze({
  consecutiveRoles: "allowed",
  resultsInUserMessage: false,
  opensWithUser: false,
  systemInConversation: "anywhere",
});
