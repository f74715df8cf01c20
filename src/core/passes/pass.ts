/** What every pass is: one rewrite of a conversation, told what to leave alone, answering with what it removed; and how those that edit messages one by one do it. */
import type { Evicted } from "../compaction/compaction.ts";
import { type Hash, recallId } from "../transcript/links.ts";
import type { Measure } from "../transcript/measure.ts";
import { type Message, sameParts, withParts, type Origin, type Part } from "../transcript/message.ts";

export interface PassContext {
  readonly measure: Measure;
  readonly hash: Hash;
  /** Messages (by index) that the pass must not touch. */
  readonly protect: (index: number) => boolean;
  /** Words of the task, lower case: lines that hold them matter more. */
  readonly focus: readonly string[];
}

export interface PassResult {
  readonly messages: readonly Message[];
  /** For each message of the result, the index of the message it came from; -1 for one the pass made. */
  readonly from: readonly number[];
  readonly evicted: readonly Evicted[];
}

export type Pass = (messages: readonly Message[], context: PassContext) => PassResult;

/** One pass that applies these in turn. */
export function inSequence(passes: readonly Pass[]): Pass {
  return (originals, context) => {
    let messages = originals;
    const evicted: Evicted[] = [];
    for (const pass of passes) {
      const result = pass(messages, context);
      messages = result.messages;
      for (const each of result.evicted) evicted.push(each);
    }
    return { messages, from: ownPlaces(originals.length), evicted };
  };
}

/** Notes that an original leaves the transcript; answers with the id to show for it. */
export type Evict = (kind: Evicted["kind"], original: string, label: string) => string;

/** The new form of a part: itself for no change, `undefined` to remove it. */
type PartRewrite = (part: Part, index: number, evict: Evict) => Part | undefined;

/** Applies a rewrite to every part outside protection. A message that would grow, or be left without parts, stays as it is. */
export function rewriteParts(
  messages: readonly Message[],
  context: PassContext,
  { rewrite, origin }: { readonly rewrite: PartRewrite; readonly origin?: Origin },
): PassResult {
  const evicted: Evicted[] = [];
  let next: Message[] | undefined;
  for (let index = 0; index < messages.length; index++) {
    if (context.protect(index)) continue;
    const message = messages[index]!;
    const leaving: Evicted[] = [];
    const evict: Evict = (kind, original, label) => {
      const id = recallId(original, context.hash);
      leaving.push({ id, kind, message: index, original, label });
      return id;
    };
    const parts = message.parts.flatMap((part) => rewrite(part, index, evict) ?? []);
    if (sameParts(parts, message.parts) || parts.length === 0) continue;
    const edited = withParts(
      message,
      parts.map((part) => Object.freeze(part)),
      origin,
    );
    if (context.measure.message(edited) > context.measure.message(message)) continue;
    for (const each of leaving) evicted.push(each);
    next ??= [...messages];
    next[index] = edited;
  }
  return { messages: next === undefined ? messages : Object.freeze(next), from: ownPlaces(messages.length), evicted };
}

/** The places of messages that are all where they were. */
export function ownPlaces(length: number): readonly number[] {
  return Array.from({ length }, (_, index) => index);
}
