/** The kit of each protocol. */
import type { ProtocolName } from "../../src/core/protocols.ts";
import { anthropicKit } from "./wires/anthropic.ts";
import { chatKit } from "./wires/chat.ts";
import { geminiKit } from "./wires/gemini.ts";
import type { WireKit } from "./wires/kit.ts";
import { responsesKit } from "./wires/responses.ts";

export const kits: Readonly<Record<ProtocolName, WireKit>> = {
  "openai-chat": chatKit,
  "openai-responses": responsesKit,
  "anthropic-messages": anthropicKit,
  "google-gemini": geminiKit,
};
