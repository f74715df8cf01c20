/** What removed originals hold, as a search ranks it: each message once, however many originals it is a part of. */
import { chosen, weightOf, type MessageChoice, type NumberedMessage } from "../../core/recall/messages.ts";
import type { Candidate } from "../../core/recall/ranking.ts";
import type { ReadOriginal } from "./read-original.ts";

export interface RemovedText {
  readonly original: ReadOriginal;
  /** Undefined for an original that is no span of messages. */
  readonly message: NumberedMessage | undefined;
}

/** Spans before what is a part of them, and the longest first: the newest one holds what earlier ones did. */
export function candidatesOf(
  originals: readonly ReadOriginal[],
  choice: MessageChoice = {},
): readonly Candidate<RemovedText>[] {
  const found = new Map<string, Candidate<RemovedText>>();
  const add = (key: RemovedText, text: string, weight: number): void => {
    if (!found.has(text)) found.set(text, { key, text, weight });
  };
  for (const original of originals.toSorted(byMessages)) {
    if (original.messages === undefined) add({ original, message: undefined }, original.text, 1);
    for (const message of chosen(original.messages ?? [], choice))
      add({ original, message }, message.text, weightOf(message));
  }
  return [...found.values()];
}

function byMessages(a: ReadOriginal, b: ReadOriginal): number {
  return (b.messages?.length ?? 0) - (a.messages?.length ?? 0);
}

/** Whether one is the message directly after the other in the same span. */
export function follows(after: RemovedText, before: RemovedText): boolean {
  if (after.message === undefined || before.message === undefined || after.original !== before.original) return false;
  return after.message.number === before.message.number + 1;
}
