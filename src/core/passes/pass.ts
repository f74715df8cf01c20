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
