/** What an agent needs of each protocol. */
import type { ProtocolName } from "../../../src/core/protocols.ts";
import { anthropicAgent } from "./anthropic.ts";
import { chatAgent } from "./chat.ts";
import type { AgentForm } from "./form.ts";
import { geminiAgent } from "./gemini.ts";
import { responsesAgent } from "./responses.ts";

export const agentForms: Readonly<Record<ProtocolName, AgentForm>> = {
  "anthropic-messages": anthropicAgent,
  "openai-chat": chatAgent,
  "openai-responses": responsesAgent,
  "google-gemini": geminiAgent,
};
