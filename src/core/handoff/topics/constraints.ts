/** What must hold and what must not happen, in the words of the person who said it. */
import { leaves, type HandoffMaterial } from "../material.ts";
import { recency, type ItemDraft } from "../items.ts";
import { keyOf } from "../../ledger/readers/sentences.ts";
import type { TopicDefinition } from "./topic.ts";

/** Newest and most repeated first. */
function constraintDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const { ledger, messages, redact } = material;
  return ledger.constraints.flatMap(({ text, message, last, times }) => {
    if (!leaves(material, message)) return [];
    return [{ rank: 1 + recency(last, messages.length) + Math.log2(times), order: message, write: () => redact(text) }];
  });
}

export const constraints: TopicDefinition = {
  drafts: constraintDrafts,
  share: 0.25,
  need: 3,
  keepsShare: true,
  wordForWord: true,
  keyOf,
  carried: { rank: 1 },
  model: { place: 3 },
};
