/** Questions of a person with what the assistant told them. */
import { exchangeDraft, leaves, type HandoffMaterial } from "../material.ts";
import { recency, type ItemDraft } from "../items.ts";
import { questionKey } from "./keys.ts";
import type { TopicDefinition } from "./topic.ts";

/** Questions of a person with what the assistant told them; a wish in the form of a question comes after. */
function resolvedDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const { ledger, messages } = material;
  const answered = new Set<string>();
  return ledger.questions.flatMap((question) => {
    if (question.by !== "person" || question.answer === undefined || !leaves(material, question.message)) return [];
    if (answered.has(question.answer.text)) return [];
    answered.add(question.answer.text);
    const asks = WISH.test(question.text) ? 0 : 1;
    return [exchangeDraft(material, question, "answered", asks + recency(question.message, messages.length))];
  });
}

const WISH = /^(?:can|could|would|will) (?:you|we|i)\b/i;

export const resolved: TopicDefinition = {
  drafts: resolvedDrafts,
  share: 0.03,
  need: 14,
  afterRecord: true,
  keyOf: questionKey,
  carried: { rank: 0.2 },
  model: { place: 10, replaces: {} },
};
