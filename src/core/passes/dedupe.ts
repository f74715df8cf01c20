/**
 * Of results with the same text one stays. A protected copy is preferred, because it is certain to be there when the
 * stub is read; otherwise the newest stays. A stub names another place only if that place is protected: a later pass
 * may shorten any other, and then the recall id, which all copies share, is the one way that still leads to the text.
 */
import { described, labelOf } from "../digest/call.ts";
import { resultOf, type Message, type ToolResultPart } from "../transcript/message.ts";
import { pairingOf } from "../transcript/pairing.ts";
import type { Pass } from "./pass.ts";
import { rewriteParts } from "./rewrite.ts";

/** Shorter results are not worth a stub (Zhang 2026, section 6). */
const DUPLICATE_CHARS_MIN = 200;

export const dedupe: Pass = (messages, context) => {
  const survivors = survivorsOf(messages, context.protect);
  const { answers } = pairingOf(messages);
  return rewriteParts(messages, context, {
    rewrite: (part, index, evict) => {
      const text = part.kind === "tool-result" ? plainText(part) : undefined;
      const survivor = text === undefined ? undefined : survivors.get(text);
      if (part.kind !== "tool-result" || text === undefined || survivor === undefined || survivor === index)
        return part;
      const call = answers[index]?.call;
      const id = evict("result", text, call === undefined ? "result" : labelOf(described(call)));
      const place = context.protect(survivor)
        ? `stands word for word ${survivor > index ? "further down" : "further up"}`
        : "repeats another result";
      return {
        ...part,
        content: [{ kind: "text", text: `[precis: this result ${place}; left out here; recall ${id}]` }],
      };
    },
    origin: "stub",
  });
};

/** For each text that several results have: the index of the one that stays. */
function survivorsOf(messages: readonly Message[], protect: (index: number) => boolean): ReadonlyMap<string, number> {
  const seen = new Set<string>();
  const survivors = new Map<string, number>();
  messages.forEach((message, index) => {
    const result = resultOf(message);
    const text = result === undefined ? undefined : plainText(result);
    if (text === undefined) return;
    const standing = survivors.get(text);
    if (standing !== undefined) seen.add(text);
    if (standing === undefined || protect(index) || !protect(standing)) survivors.set(text, index);
  });
  return new Map([...survivors].filter(([text]) => seen.has(text)));
}

/** The text of a result that is nothing but one text, long enough to be worth it. */
function plainText(result: ToolResultPart): string | undefined {
  const [only, ...more] = result.content;
  return only?.kind === "text" && more.length === 0 && only.text.length > DUPLICATE_CHARS_MIN ? only.text : undefined;
}
