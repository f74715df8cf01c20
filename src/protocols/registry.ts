/** The list of protocols: every other one is derived from it. */
import { byProtocol, PROTOCOL_NAMES, type ProtocolName, type Vendor } from "../core/protocols.ts";
import { anthropicMessages } from "./anthropic-messages/protocol.ts";
import type { ProtocolDefinition } from "./definition.ts";
import { gemini } from "./gemini/protocol.ts";
import { openaiChat } from "./openai-chat/protocol.ts";
import { openaiResponses } from "./openai-responses/protocol.ts";
import { protocolOf } from "./protocol-of.ts";
import { toolTranslator } from "./tools.ts";
import type { VendorDefinition } from "./vendor.ts";

export const definitions: Readonly<Record<ProtocolName, ProtocolDefinition>> = Object.freeze({
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  "anthropic-messages": anthropicMessages,
  "google-gemini": gemini,
});

/** In the order in which they are asked what they recognise. */
export const allDefinitions: readonly (ProtocolDefinition & { readonly name: ProtocolName })[] = PROTOCOL_NAMES.map(
  (name) => ({ ...definitions[name], name }),
);

/** The JSON text of tool declarations in another protocol. Tools that only their own provider runs are left out, except at home. */
export const encodeTools = toolTranslator(allDefinitions);

export const protocols = byProtocol((name) => protocolOf(definitions[name], encodeTools));

/** By name, each once. */
export const vendors = Object.freeze(
  Object.fromEntries(allDefinitions.map(({ vendor }) => [vendor.name, vendor])),
) as Readonly<Record<Vendor, VendorDefinition>>;

export const wireRules = byProtocol((name) => definitions[name].dialect.rules);
