/** What every pass is: one rewrite of a conversation, told what to leave alone, answering with what it removed. */
import type { Evicted } from "../compaction/compaction.ts";
import type { Hash } from "../transcript/links.ts";
import type { Measure } from "../transcript/measure.ts";
import type { Message } from "../transcript/message.ts";

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
    return { messages, from: originals.map((_, at) => at), evicted };
  };
}
