/** Values that were settled or found and that no other section holds. */
import { keyOf } from "../../ledger/readers/sentences.ts";
import { recency, type ItemDraft } from "../items.ts";
import { leaves, type HandoffMaterial } from "../material.ts";
import type { TopicDefinition } from "./topic.ts";

function valueDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const { ledger, messages, redact, beside } = material;
  const leaving = ledger.values.filter(({ message }) => leaves(material, message));
  return leaving.map(({ text, message }) => ({
    rank: recency(message, messages.length),
    order: message,
    write: () => (beside.includes(text) ? undefined : redact(text.replace(/^[-*+•]\s+/, ""))),
  }));
}

export const context: TopicDefinition = {
  drafts: valueDrafts,
  share: 0.03,
  need: 15,
  afterRecord: true,
  keyOf: (text) => keyOf(/^[^=:：]{1,60}(?=[=:：])/.exec(text)?.[0] ?? text),
  carried: { rank: 0.2 },
  model: { place: 13, replaces: {} },
};
