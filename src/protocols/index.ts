/** The wire protocols: read a request into a transcript, write a changed one back, understand the answers. */
import "../platform/refuse-old-node.ts";
export { createDecoder, type Decoder } from "./protocol.ts";
export { createForeignCheck } from "./detect.ts";
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
export { protocols, wireRules } from "./registry.ts";
