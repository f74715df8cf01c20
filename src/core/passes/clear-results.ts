/** Clears tool results outside protection: the model sees that it called, and ids by which the results can be had again. */
import { described, labelOf } from "../digest/call.ts";
import type { Measure } from "../transcript/measure.ts";
import type { ContentPart } from "../transcript/message.ts";
import { pairingOf } from "../transcript/pairing.ts";
import { type Pass, rewriteParts, type Evict } from "./pass.ts";

/** A smaller text costs about what its marker does. */
const CLEARED_TOKENS_MIN = 50;

export const clearResults: Pass = (messages, context) => {
  const { answers } = pairingOf(messages);
  const { measure } = context;
  return rewriteParts(messages, context, {
    rewrite: (part, index, evict) => {
      if (part.kind !== "tool-result") return part;
      const call = answers[index]?.call;
      const label = call === undefined ? "result" : labelOf(described(call));
      const content = part.content.map((piece) => cleared(piece, { label, measure, evict }));
      return content.every((piece, at) => piece === part.content[at]) ? part : { ...part, content };
    },
    origin: "stub",
  });
};

interface Clearing {
  readonly label: string;
  readonly measure: Measure;
  readonly evict: Evict;
}

/** Each piece on its own, so that what is evicted is exactly what was there. */
function cleared(piece: ContentPart, { label, measure, evict }: Clearing): ContentPart {
  switch (piece.kind) {
    case "text":
      if (measure.text(piece.text) < CLEARED_TOKENS_MIN) return piece;
      return marker(piece, evict("result", piece.text, label));
    case "image":
    case "file":
      return marker(piece, evict("media", JSON.stringify(piece.source), label));
    case "opaque":
      return piece;
  }
}

function marker({ at }: ContentPart, id: string): ContentPart {
  const text = `[precis: old result cleared; recall ${id}]`;
  return Object.freeze({ kind: "text", text, ...(at === undefined ? {} : { at }) });
}
