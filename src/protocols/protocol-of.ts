/** Makes a protocol of a dialect: the shared reader and writer with what this protocol says about its answers. */
import type { Transcript } from "../core/transcript/message.ts";
import { decodeBody } from "./decode.ts";
import type { Dialect } from "./dialect.ts";
import type { EncodedText, EncodeOptions, Protocol } from "./protocol.ts";
import { formatMessages, spliceBody, writeTranscript } from "./splice.ts";
import { encodeTools } from "./tools.ts";

export function protocolOf(dialect: Dialect, answers: Pick<Protocol, "usage" | "overflow">): Protocol {
  return Object.freeze<Protocol>({
    name: dialect.name,
    rules: dialect.rules,
    decode: (body, previous, elementsMax) => decodeBody(dialect, body, { previous, elementsMax }),
    splice: (decoded, transcript) => spliceBody(dialect, decoded, transcript),
    encode: (transcript, options) => {
      const { messages, system, tools } = encodeText(dialect, transcript, options);
      return {
        messages: JSON.parse(messages) as readonly unknown[],
        ...(system === undefined ? {} : { system: JSON.parse(system) as unknown }),
        ...(tools === undefined ? {} : { tools: JSON.parse(tools) as unknown }),
      };
    },
    encodeText: (transcript, options) => encodeText(dialect, transcript, options),
    format: (messages) => formatMessages(dialect, messages),
    ...answers,
  });
}

function encodeText(dialect: Dialect, transcript: Transcript, options: EncodeOptions = {}): EncodedText {
  const written = writeTranscript(dialect, transcript, options.source ?? dialect.name);
  return transcript.tools === undefined ? written : { ...written, tools: encodeTools(transcript.tools, dialect.name) };
}
