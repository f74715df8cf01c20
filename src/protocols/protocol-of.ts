/** Makes a protocol of its definition: the shared reader and writer with what this protocol says about its answers. */
import type { ProtocolName } from "../core/protocols.ts";
import type { Transcript } from "../core/transcript/message.ts";
import { decodeBody } from "./decode.ts";
import type { ProtocolDefinition } from "./definition.ts";
import type { Dialect } from "./dialect.ts";
import { overflowOf } from "./overflow.ts";
import type { EncodedText, EncodeOptions, Protocol } from "./protocol.ts";
import { formatMessages, spliceBody, writeTranscript } from "./splice.ts";

type EncodeTools = (tools: string, target: ProtocolName) => string;

export function protocolOf({ dialect, usage }: ProtocolDefinition, encodeTools: EncodeTools): Protocol {
  const encodeText = (transcript: Transcript, options: EncodeOptions = {}): EncodedText => {
    const written = writeTranscript(dialect, transcript, options.source ?? dialect.name);
    return transcript.tools === undefined
      ? written
      : { ...written, tools: encodeTools(transcript.tools, dialect.name) };
  };
  return Object.freeze<Protocol>({
    name: dialect.name,
    rules: dialect.rules,
    keys: keysOf(dialect),
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

function keysOf({ listKey, systemKeys }: Dialect): Protocol["keys"] {
  return Object.freeze({ messages: listKey, system: systemKeys[0] });
}
