/** The list of protocols: every other one is derived from it. */
import { byProtocol, PROTOCOL_NAMES, type ProtocolName, type Vendor } from "../core/protocols.ts";
import { anthropicMessages } from "./anthropic-messages/protocol.ts";
import { type ProtocolDefinition, type VendorDefinition, toolTranslator } from "./definition.ts";
import { gemini } from "./gemini/protocol.ts";
import { openaiChat } from "./openai-chat/protocol.ts";
import { openaiResponses } from "./openai-responses/protocol.ts";
import type { Transcript } from "../core/transcript/message.ts";
import { decodeBody } from "./decode.ts";
import { overflowOf } from "./overflow.ts";
import type { EncodedText, EncodeOptions, Protocol } from "./protocol.ts";
import { formatMessages, spliceBody, writeTranscript } from "./splice.ts";

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

export const protocols = byProtocol((name) => makeProtocol(definitions[name]));

export const vendors = Object.freeze(
  Object.fromEntries(allDefinitions.map(({ vendor }) => [vendor.name, vendor])),
) as Readonly<Record<Vendor, VendorDefinition>>;

export const wireRules = byProtocol((name) => definitions[name].dialect.rules);

function makeProtocol({ dialect, usage }: ProtocolDefinition): Protocol {
  const encodeText = (transcript: Transcript, options: EncodeOptions = {}): EncodedText => {
    const written = writeTranscript(dialect, transcript, options.source ?? dialect.name);
    return transcript.tools === undefined
      ? written
      : { ...written, tools: encodeTools(transcript.tools, dialect.name) };
  };
  return Object.freeze<Protocol>({
    name: dialect.name,
    rules: dialect.rules,
    keys: Object.freeze({ messages: dialect.listKey, system: dialect.systemKeys[0] }),
    decode: (body, previous, elementsMax) => decodeBody(dialect, body, { previous, elementsMax }),
    splice: (decoded, transcript) => spliceBody(dialect, decoded, transcript),
    encode: (transcript, options) => {
      const { messages, system, tools } = encodeText(transcript, options);
      return {
        messages: JSON.parse(messages) as readonly unknown[],
        ...(system === undefined ? {} : { system: JSON.parse(system) as unknown }),
        ...(tools === undefined ? {} : { tools: JSON.parse(tools) as unknown }),
      };
    },
    encodeText,
    format: (messages) => formatMessages(dialect, messages),
    usage,
    overflow: overflowOf,
  });
}
