/** What the passes that edit messages one by one share: protection, identity where nothing changed, and the guard against growth. */
import type { Evicted } from "../compaction/compaction.ts";
import { recallId } from "../transcript/links.ts";
import { withParts, type Message, type Origin, type Part } from "../transcript/message.ts";
import type { PassContext, PassResult } from "./pass.ts";

/** Notes that an original leaves the transcript; answers with the id to show for it. */
export type Evict = (kind: Evicted["kind"], original: string, label: string) => string;

/** The new form of a part: itself for no change, `undefined` to remove it. */
export type PartRewrite = (part: Part, index: number, evict: Evict) => Part | undefined;

/** Applies a rewrite to every part outside protection. A message that would grow, or be left without parts, stays as it is. */
export function rewriteParts(
  messages: readonly Message[],
  context: PassContext,
  { rewrite, origin }: { readonly rewrite: PartRewrite; readonly origin?: Origin },
): PassResult {
  const evicted: Evicted[] = [];
  const next = messages.map((message, index) => {
    if (context.protect(index)) return message;
    const leaving: Evicted[] = [];
    const evict: Evict = (kind, original, label) => {
      const id = recallId(original, context.hash);
      leaving.push({ id, kind, message: index, original, label });
      return id;
    };
    const parts = message.parts.flatMap((part) => rewrite(part, index, evict) ?? []);
    const same = parts.length === message.parts.length && parts.every((part, at) => part === message.parts[at]);
    if (same || parts.length === 0) return message;
    const edited = withParts(
      message,
      parts.map((part) => Object.freeze(part)),
      origin,
    );
    if (context.measure.message(edited) > context.measure.message(message)) return message;
    evicted.push(...leaving);
    return edited;
  });
  const changed = next.some((message, index) => message !== messages[index]);
  return { messages: changed ? next : messages, from: messages.map((_, index) => index), evicted };
}
