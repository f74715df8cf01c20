/**
 * Of results with the same text the newest stays, and an older one becomes a reference to it (Zhang 2026, section 6). All
 * copies share one recall id, so the reference leads to the text whatever a later pass makes of the newest.
 */
import { described, labelOf } from "../digest/call.ts";
import { resultOf, type Message, type ToolResultPart } from "../transcript/message.ts";
import { pairingOf, type Pairs } from "../transcript/pairing.ts";
import type { Pass } from "./pass.ts";
import { rewriteParts } from "./rewrite.ts";

/** Shorter results are not worth a reference. */
export const DUPLICATE_CHARS_MIN = 200;

/** `stands`: whether a message (by index) is in the result; a reference to one that is not would lead nowhere. */
export function replaceDuplicatesWhere(stands: (index: number) => boolean): Pass {
  return (messages, context) => {
    // Mostly few results are looked at, and hardly one of them is a copy: both are found when they are asked for.
    let newest: ReadonlyMap<string, number> | undefined;
    let pairs: Pairs | undefined;
    return rewriteParts(messages, context, {
      rewrite: (part, index, evict) => {
        if (part.kind !== "tool-result") return part;
        const text = comparableText(part);
        const copy = text === undefined ? index : (newest ??= newestCopies(messages, index)).get(text)!;
        if (text === undefined || copy === index || !stands(copy)) return part;
        const call = (pairs ??= pairingOf(messages)).answers[index]?.call;
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

interface Copies {
  /** Index of the first message that was looked at. */
  readonly from: number;
  readonly newest: ReadonlyMap<string, number>;
}

/** Copies in lists that nobody changes any more: a compaction asks for those of one list for every form that it tries. */
const known = new WeakMap<readonly Message[], Copies>();

/** For each text that a result has from a message on, the index of the last message that has it. */
function newestCopies(messages: readonly Message[], from: number): ReadonlyMap<string, number> {
  const copies = known.get(messages);
  if (copies !== undefined && copies.from <= from) return copies.newest;
  const newest = new Map<string, number>();
  for (let index = from; index < messages.length; index++) {
    const result = resultOf(messages[index]!);
    const text = result === undefined ? undefined : comparableText(result);
    if (text !== undefined) newest.set(text, index);
  }
  if (Object.isFrozen(messages)) known.set(messages, { from, newest });
  return newest;
}

/** The text of a result that is nothing but one text, long enough to be worth a reference. */
function comparableText({ content }: ToolResultPart): string | undefined {
  const only = content.length === 1 ? content[0] : undefined;
  return only?.kind === "text" && only.text.length > DUPLICATE_CHARS_MIN ? only.text : undefined;
}
