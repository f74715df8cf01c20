/** The three wire protocols: read a request into a transcript, write a changed one back, understand the answers. */
import "../platform/refuse-old-node.ts";
import { anthropicMessages } from "./anthropic-messages/protocol.ts";
import { openaiChat } from "./openai-chat/protocol.ts";
import { openaiResponses } from "./openai-responses/protocol.ts";
import type { Protocol, ProtocolName } from "./protocol.ts";

export const protocols: Readonly<Record<ProtocolName, Protocol>> = Object.freeze({
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  "anthropic-messages": anthropicMessages,
});

export { createDecoder, type Decoder } from "./decoder.ts";
export { createForeignCheck } from "./foreign.ts";
export { detectProtocol } from "./detect.ts";
export type {
  Decoded,
  EncodedParts,
  EncodedText,
  EncodeOptions,
  Overflow,
  Protocol,
  ProtocolName,
} from "./protocol.ts";
export { mergeUsage, reportedUsage, type ReportedUsage } from "./usage.ts";
export { wireRules } from "./wire-rules.ts";
