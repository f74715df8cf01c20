/** What must hold and what must not happen, in the words of the person who said it. */
import { leaves, type HandoffMaterial } from "../material.ts";
import { recency, type ItemDraft } from "../items.ts";
import { keyOf } from "../../ledger/readers/sentences.ts";
import type { TopicDefinition } from "./topic.ts";

function constraintDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  return [...statedDrafts(material), ...instructionDrafts(material)];
}

/** Newest and most repeated first. */
function statedDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const { ledger, messages, redact } = material;
  return ledger.constraints.flatMap(({ text, message, last, times, replaces }) => {
    if (!leaves(material, message)) return [];
    const rank = 1 + recency(last, messages.length) + Math.log2(times);
    const before = replaces === undefined ? "" : ` (this replaces: ${replaces})`;
    return [{ rank, order: message, write: () => redact(`${text}${before}`) }];
  });
}

/** What the project's own instructions say comes after what a person said. */
function instructionDrafts(material: HandoffMaterial): readonly ItemDraft[] {
  const { ledger, messages, redact, beside } = material;
  return ledger.instructions.flatMap(({ text, message, file }) => {
    if (!leaves(material, message)) return [];
    const write = (): string | undefined => (beside.includes(text) ? undefined : `${file}: ${redact(text)}`);
    return [{ rank: recency(message, messages.length), order: messages.length + message, write }];
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
