/** Passes one after another, for those that edit messages where they are: each sees what the one before left. */
import type { Evicted } from "../compaction/compaction.ts";
import type { Pass } from "./pass.ts";

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
