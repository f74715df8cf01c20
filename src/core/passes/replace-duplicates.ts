/**
 * Of results with the same text the newest stays, and an older one becomes a reference to it (Zhang 2026, section 6). All
 * copies share one recall id, so the reference leads to the text whatever a later pass makes of the newest.
 */
import { described, labelOf } from "../digest/call.ts";
import { resultOf, type Message, type ToolResultPart } from "../transcript/message.ts";
import { pairingOf } from "../transcript/pairing.ts";
import { type Pass, rewriteParts } from "./pass.ts";

/** Shorter results are not worth a reference. */
export const DUPLICATE_CHARS_MIN = 200;

/** `stands`: whether a message (by index) is in the result; a reference to one that is not would lead nowhere. */
export function replaceDuplicatesWhere(stands: (index: number) => boolean): Pass {
  return (messages, context) => {
    const { answers } = pairingOf(messages);
    let newest: ReadonlyMap<string, number> | undefined;
    return rewriteParts(messages, context, {
      rewrite: (part, index, evict) => {
        if (part.kind !== "tool-result") return part;
        const text = comparableText(part);
        const copy = text === undefined ? index : (newest ??= newestCopies(messages, index)).get(text)!;
        if (text === undefined || copy === index || !stands(copy)) return part;
        const call = answers[index]?.call;
        const id = evict("result", text, call === undefined ? "result" : labelOf(described(call)));
        return { ...part, content: [{ kind: "text", text: referenceTo(id) }] };
      },
      origin: "stub",
    });
  };
}

function referenceTo(id: string): string {
  return `[precis: same output as a more recent call further down; recall ${id}]`;
}

/** For each text that a result has from a message on, the index of the last message that has it. */
function newestCopies(messages: readonly Message[], from: number): ReadonlyMap<string, number> {
  const newest = new Map<string, number>();
  for (let index = from; index < messages.length; index++) {
    const result = resultOf(messages[index]!);
    const text = result === undefined ? undefined : comparableText(result);
    if (text !== undefined) newest.set(text, index);
  }
  return newest;
}

/** The text of a result that is nothing but one text, long enough to be worth a reference. */
function comparableText({ content }: ToolResultPart): string | undefined {
  const only = content.length === 1 ? content[0] : undefined;
  return only?.kind === "text" && only.text.length > DUPLICATE_CHARS_MIN ? only.text : undefined;
}
