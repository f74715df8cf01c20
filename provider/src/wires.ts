/** The wire of each protocol. */
import type { ProtocolName } from "../../src/core/protocols.ts";
import { anthropicWire } from "./anthropic/wire.ts";
import { chatWire } from "./chat/wire.ts";
import { geminiWire } from "./gemini/wire.ts";
import { responsesWire } from "./responses/wire.ts";
import type { Wire } from "./wire.ts";

export const wires: Readonly<Record<ProtocolName, Wire>> = Object.freeze({
  "openai-chat": chatWire,
  "openai-responses": responsesWire,
  "anthropic-messages": anthropicWire,
  "google-gemini": geminiWire,
});
