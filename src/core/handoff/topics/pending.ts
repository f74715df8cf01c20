/** Questions that no turn has taken up, of a person or, at the very end, of the assistant. */
import { leaves, type HandoffMaterial } from "../material.ts";
import { recency, type ItemDraft } from "../items.ts";
import { keyOf } from "../../ledger/readers/sentences.ts";
import { noTurnEnded } from "./keys.ts";
import type { TopicDefinition } from "./topic.ts";

function pendingDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const { ledger, messages, redact } = material;
  return ledger.questions.flatMap(({ text, message, settled, by }) => {
    if (settled !== undefined || !leaves(material, message)) return [];
    const asker = by === "assistant" ? "The assistant asked: " : "";
    return [{ rank: 1 + recency(message, messages.length), order: message, write: () => `${asker}${redact(text)}` }];
  });
}

export const pending: TopicDefinition = {
  drafts: pendingDrafts,
  share: 0.05,
  need: 7,
  keyOf,
  carried: { rank: 0.8, holds: (_, ledger, since) => noTurnEnded(ledger, since) },
  model: { place: 11, replaces: {}, wishOf: "person" },
};
