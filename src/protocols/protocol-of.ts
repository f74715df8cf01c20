/** Makes a protocol of a dialect: the shared reader and writer with what this protocol says about its answers. */
import { decodeBody } from "./decode.ts";
import type { Dialect } from "./dialect.ts";
import type { Protocol } from "./protocol.ts";
import { spliceBody, writeTranscript } from "./splice.ts";
import { encodeTools } from "./tools.ts";

export function protocolOf(dialect: Dialect, answers: Pick<Protocol, "usage" | "overflow">): Protocol {
  return Object.freeze<Protocol>({
    name: dialect.name,
    rules: dialect.rules,
    decode: (body, previous) => decodeBody(dialect, body, previous),
    splice: (decoded, transcript) => spliceBody(dialect, decoded, transcript),
    encode: (transcript, options = {}) => {
      const { elements, system } = writeTranscript(dialect, transcript, options.source ?? dialect.name);
      const tools = transcript.tools === undefined ? undefined : encodeTools(transcript.tools, dialect.name);
      return {
        messages: JSON.parse(`[${elements.join(",")}]`) as readonly unknown[],
        ...(system === undefined ? {} : { system: JSON.parse(system) as unknown }),
        ...(tools === undefined ? {} : { tools }),
      };
    },
    format: (messages) => `[${writeTranscript(dialect, { system: [], messages }, dialect.name).elements.join(",")}]`,
    ...answers,
  });
}
