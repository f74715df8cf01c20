/** Generated transcripts whose results and arguments are long enough for the passes to have something to do. */
import * as fc from "fast-check";
import type { Message, Part, Transcript } from "../../../src/core/transcript/message.ts";
import { transcripts } from "../../support/transcripts.ts";
import type { ConversationOptions } from "../../support/turns.ts";
import { outputs, type Output } from "../digest/outputs.ts";

/** Any transcript, with some of its results and arguments exchanged for long ones; equal results come about often. */
export function longTranscripts(options: ConversationOptions = {}): fc.Arbitrary<Transcript> {
  return fc
    .tuple(
      transcripts({ ...options, large: false }),
      fc.array(outputs, { minLength: 1, maxLength: 3 }),
      fc.array(fc.nat(5), { minLength: 1, maxLength: 8 }),
    )
    .map(([transcript, long, choices]) => {
      let turn = 0;
      const pick = (): Output | undefined => long[choices[turn++ % choices.length]!];
      return { ...transcript, messages: transcript.messages.map((message) => lengthened(message, pick)) };
    });
}

function lengthened(message: Message, pick: () => Output | undefined): Message {
  return { ...message, parts: message.parts.map((part) => longPart(part, pick())) };
}

function longPart(part: Part, output: Output | undefined): Part {
  if (output === undefined) return part;
  if (part.kind === "tool-result")
    return { ...part, content: [{ kind: "text", text: output.text }, ...part.content.slice(1)] };
  if (part.kind !== "tool-call") return part;
  return {
    ...part,
    name: output.tool,
    arguments: part.custom === true ? output.text : JSON.stringify({ path: "src/a.ts", content: output.text }),
  };
}
